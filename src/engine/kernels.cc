#include "engine/kernels.h"

namespace millstream::engine {
namespace {

// Makes room for `count` more items of the list in `row`; gives the place of the first.
idx_t grow_list(duckdb_vector vector, idx_t row, idx_t count) {
  const idx_t begin = duckdb_list_vector_get_size(vector);
  duckdb_list_vector_reserve(vector, begin + count);
  duckdb_list_vector_set_size(vector, begin + count);
  auto* entries = static_cast<duckdb_list_entry*>(duckdb_vector_get_data(vector));
  entries[row] = {begin, count};
  return begin;
}

}  // namespace

void write_text(duckdb_vector vector, idx_t row, std::string_view value) {
  hand_over(value.size());
  duckdb_vector_assign_string_element_len(vector, row, value.data(), value.size());
}

void Physical<Strings>::write(duckdb_vector vector, idx_t row, const Strings& value) {
  const idx_t begin = grow_list(vector, row, value.items.size());
  duckdb_vector child = duckdb_list_vector_get_child(vector);
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const auto& item = value.items[i];
    if (item.has_value()) {
      write_text(child, begin + i, *item);
      continue;
    }
    duckdb_vector_ensure_validity_writable(child);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(child), begin + i);
  }
}

void Physical<Longs>::write(duckdb_vector vector, idx_t row, const Longs& value) {
  const idx_t begin = grow_list(vector, row, value.items.size());
  auto* data =
      static_cast<std::int64_t*>(duckdb_vector_get_data(duckdb_list_vector_get_child(vector)));
  std::copy(value.items.begin(), value.items.end(), data + begin);
}

}  // namespace millstream::engine
