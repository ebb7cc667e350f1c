#include "delta/deletion_vector.h"

#include <arrow/util/bit_util.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>

#include "base/failpoint.h"
#include "base/random.h"

#include "delta/snapshot.h"
#include "format/byte_input.h"

namespace millstream::delta {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint32_t portable_magic = 1681511377;
constexpr std::uint32_t cookie_with_runs = 12347;
constexpr std::uint32_t cookie_without_runs = 12346;
constexpr std::uint32_t offsets_from_containers = 4;  // fewer, with runs: no table of offsets
constexpr std::int64_t array_values_max = 4096;       // more: a bitmap
constexpr std::int64_t container_rows = 1 << 16;
constexpr std::size_t bitmap_bytes = container_rows / 8;
constexpr std::int64_t vector_bytes_max = 1LL << 31;  // sizes in files are 32-bit numbers
constexpr std::size_t encoded_uuid_size = 20;
constexpr char file_version = 1;  // the first byte of a file of vectors
constexpr std::string_view z85_alphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

template <typename T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

std::uint32_t load_big_endian(const char* at) { return __builtin_bswap32(load<std::uint32_t>(at)); }

Status size_mismatch(const std::string& where, std::int64_t wanted, std::int64_t found) {
  return Status::error("DELTA_DELETION_VECTOR_SIZE_MISMATCH")
      .with_cause(Status::io("{}: {} bytes are expected, {} are there", where, wanted, found));
}

}  // namespace

// Walks the bytes once, noting where the containers are and that all of them are whole.
class DeletedRows::Parser {
 public:
  explicit Parser(DeletedRows& out) : out_(out), bytes_(out.bytes_) {}

  Status run() {
    std::uint32_t magic = 0;
    std::uint64_t buckets = 0;
    TRY(take(magic));
    if (magic != portable_magic) return Status::io("unknown bitmap format {}", magic);
    TRY(take(buckets));
    std::int64_t previous = -1;
    for (std::uint64_t i = 0; i < buckets; ++i) {
      std::uint32_t key = 0;
      TRY(take(key));
      if (key > INT32_MAX || key <= previous) return Status::io("bitmap key {} out of order", key);
      previous = key;
      TRY(bucket(static_cast<std::int64_t>(key) << 32));
    }
    if (at_ != bytes_.size()) return Status::io("bytes are left after the bitmap");
    return Status::OK();
  }

 private:
  template <typename T>
  Status take(T& value) {
    TRY(need(sizeof(T)));
    value = load<T>(bytes_.data() + at_);
    at_ += sizeof(T);
    return Status::OK();
  }
  Status need(std::size_t size) const {
    return bytes_.size() - at_ >= size ? Status::OK() : Status::io("the bitmap is cut off");
  }
  Status skip(std::size_t size) {
    TRY(need(size));
    at_ += size;
    return Status::OK();
  }

  // One 32-bit Roaring bitmap.
  Status bucket(std::int64_t first) {
    std::uint32_t cookie = 0;
    std::uint32_t containers = 0;
    TRY(take(cookie));
    const bool has_runs = (cookie & 0xFFFF) == cookie_with_runs;
    if (has_runs) {
      containers = (cookie >> 16) + 1;
    } else if (cookie == cookie_without_runs) {
      TRY(take(containers));
    } else {
      return Status::io("unknown bitmap cookie {}", cookie);
    }
    if (containers > container_rows) return Status::io("{} containers in a bitmap", containers);
    const char* run_flags = bytes_.data() + at_;
    if (has_runs) TRY(skip((containers + 7) / 8));
    const char* keys = bytes_.data() + at_;
    TRY(skip(containers * 4UL));
    if (!has_runs || containers >= offsets_from_containers) TRY(skip(containers * 4UL));
    for (std::uint32_t i = 0; i < containers; ++i) {
      const auto key = load<std::uint16_t>(keys + i * 4UL);
      const std::int64_t values = load<std::uint16_t>(keys + i * 4UL + 2) + std::int64_t{1};
      const bool runs =
          has_runs && arrow::bit_util::GetBit(reinterpret_cast<const std::uint8_t*>(run_flags), i);
      TRY(add_container(first + (static_cast<std::int64_t>(key) << 16), runs, values));
    }
    return Status::OK();
  }

  Status add_container(std::int64_t first, bool runs, std::int64_t values) {
    if (!out_.containers_.empty() && first <= out_.containers_.back().first)
      return Status::io("bitmap containers out of order");
    Container next{Container::Kind::array, first, at_, values};
    std::int64_t last = 0;
    if (runs) {
      TRY_ASSIGN(last, run_container(next, values));
    } else if (values > array_values_max) {
      next.kind = Container::Kind::bitmap;
      TRY(skip(bitmap_bytes));
      TRY_ASSIGN(last, last_of_bitmap(next.offset, values));
    } else {
      TRY(skip(static_cast<std::size_t>(values) * 2));
      TRY_ASSIGN(last, last_of_array(next.offset, values));
    }
    out_.count_ += values;
    out_.last_ = first + last;
    out_.containers_.push_back(next);
    return Status::OK();
  }

  Result<std::int64_t> run_container(Container& container, std::int64_t values) {
    std::uint16_t runs = 0;
    TRY(take(runs));
    container.kind = Container::Kind::runs;
    container.offset = at_;
    container.items = runs;
    TRY(skip(runs * 4UL));
    std::int64_t last = -1;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < runs; ++i) {
      const std::int64_t start = load<std::uint16_t>(bytes_.data() + container.offset + i * 4);
      const std::int64_t more = load<std::uint16_t>(bytes_.data() + container.offset + i * 4 + 2);
      if (start <= last || start + more >= container_rows) return Status::io("a run out of order");
      last = start + more;
      total += more + 1;
    }
    if (total != values) return Status::io("runs of {} rows, not {}", total, values);
    return last;
  }

  Result<std::int64_t> last_of_array(std::size_t offset, std::int64_t values) const {
    std::int64_t last = -1;
    for (std::int64_t i = 0; i < values; ++i) {
      const std::int64_t value =
          load<std::uint16_t>(bytes_.data() + offset + static_cast<std::size_t>(i) * 2);
      if (value <= last) return Status::io("bitmap values out of order");
      last = value;
    }
    return last;
  }

  Result<std::int64_t> last_of_bitmap(std::size_t offset, std::int64_t values) const {
    std::int64_t last = -1;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < bitmap_bytes; i += 8) {
      const auto word = load<std::uint64_t>(bytes_.data() + offset + i);
      total += std::popcount(word);
      if (word != 0) last = static_cast<std::int64_t>(i) * 8 + 63 - std::countl_zero(word);
    }
    if (total != values) return Status::io("a bitmap of {} rows, not {}", total, values);
    return last;
  }

  DeletedRows& out_;
  const std::string& bytes_;
  std::size_t at_ = 0;
};

Result<DeletedRows> DeletedRows::parse(std::string bitmap) {
  DeletedRows rows;
  rows.bytes_ = std::move(bitmap);
  TRY(Parser(rows).run());
  return rows;
}

void DeletedRows::clear(std::int64_t first, std::int64_t rows, std::uint8_t* bits) const {
  const std::int64_t end = first + rows;
  const auto clear_range = [&](std::int64_t from, std::int64_t to) {
    from = std::max(from, first);
    to = std::min(to, end);
    if (from < to) arrow::bit_util::SetBitsTo(bits, from - first, to - from, false);
  };
  auto container = std::partition_point(
      containers_.begin(), containers_.end(),
      [&](const Container& each) { return each.first + container_rows <= first; });
  for (; container != containers_.end() && container->first < end; ++container) {
    const char* data = bytes_.data() + container->offset;
    switch (container->kind) {
      case Container::Kind::array:
        for (std::int64_t i = 0; i < container->items; ++i) {
          const std::int64_t row = container->first + load<std::uint16_t>(data + i * 2);
          clear_range(row, row + 1);
        }
        break;
      case Container::Kind::bitmap: {
        const auto* words = reinterpret_cast<const std::uint8_t*>(data);
        const std::int64_t to = std::min(end - container->first, container_rows);
        for (std::int64_t i = std::max<std::int64_t>(first - container->first, 0); i < to; ++i) {
          if (arrow::bit_util::GetBit(words, static_cast<std::uint64_t>(i)))
            arrow::bit_util::ClearBit(bits, container->first + i - first);
        }
        break;
      }
      case Container::Kind::runs:
        for (std::int64_t i = 0; i < container->items; ++i) {
          const std::int64_t row = container->first + load<std::uint16_t>(data + i * 4);
          clear_range(row, row + load<std::uint16_t>(data + i * 4 + 2) + 1);
        }
        break;
    }
  }
}

RowSet DeletedRows::rows() const {
  RowSet out;
  std::vector<std::uint8_t> kept(container_rows / 8);
  for (const auto& container : containers_) {
    std::fill(kept.begin(), kept.end(), std::uint8_t{0xff});
    clear(container.first, container_rows, kept.data());
    for (std::int64_t i = 0; i < container_rows; ++i) {
      if (!arrow::bit_util::GetBit(kept.data(), static_cast<std::uint64_t>(i)))
        out.add(container.first + i);
    }
  }
  return out;
}

std::optional<std::string> decode_z85(std::string_view text) {
  if (text.size() % 5 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 5 * 4);
  for (std::size_t at = 0; at < text.size(); at += 5) {
    std::uint64_t value = 0;
    for (const char c : text.substr(at, 5)) {
      const auto digit = z85_alphabet.find(c);
      if (digit == std::string_view::npos) return std::nullopt;
      value = value * z85_alphabet.size() + digit;
    }
    if (value > UINT32_MAX) return std::nullopt;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  }
  return bytes;
}

std::string encode_z85(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    std::uint32_t value = load_big_endian(bytes.data() + at);
    std::array<char, 5> digits{};
    constexpr std::uint32_t base = z85_alphabet.size();
    for (std::size_t i = digits.size(); i-- > 0; value /= base)
      digits[i] = z85_alphabet[value % base];
    out.append(digits.data(), digits.size());
  }
  return out;
}

Result<std::string> deletion_vector_path(const std::string& table, const DeletionVector& vector) {
  const std::string_view text = vector.path_or_inline;
  if (vector.storage_type == "p") return resolve_path(table, vector.path_or_inline);
  if (text.size() < encoded_uuid_size)
    return Status::io("the deletion vector '{}' of {} names no file", text, table);
  const auto uuid = decode_z85(text.substr(text.size() - encoded_uuid_size));
  if (!uuid) return Status::io("the deletion vector '{}' of {} names no file", text, table);
  std::string name = "deletion_vector_";
  for (std::size_t i = 0; i < uuid->size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) name += '-';
    name += fmt::format("{:02x}", static_cast<unsigned char>((*uuid)[i]));
  }
  name += ".bin";
  const std::string_view prefix = text.substr(0, text.size() - encoded_uuid_size);
  return io::join_path(prefix.empty() ? table : io::join_path(table, prefix), name);
}

namespace {

Result<std::string> inline_bytes(const DeletionVector& vector) {
  auto bytes = decode_z85(vector.path_or_inline);
  if (!bytes) return Status::io("an inline deletion vector is not Z85 text");
  const auto there = static_cast<std::int64_t>(bytes->size());
  if (vector.size_in_bytes < 0 || vector.size_in_bytes > there)
    return size_mismatch("an inline deletion vector", vector.size_in_bytes, there);
  bytes->resize(static_cast<std::size_t>(vector.size_in_bytes));
  return std::move(*bytes);
}

// In a file: size, the bytes, their CRC-32; the numbers are big-endian.
Result<std::string> stored_bytes(io::Store& store, const std::string& path,
                                 const DeletionVector& vector) {
  constexpr std::int64_t number_size = 4;
  const std::int64_t size = vector.size_in_bytes;
  const std::int64_t offset = vector.offset.value_or(1);  // behind the version of the file
  if (size < 0 || size >= vector_bytes_max || offset < 0) return size_mismatch(path, size, 0);
  auto read = store.get_range(path, offset, size + 2 * number_size);
  if (!read.ok()) return format::failed_read(path, read.status());
  std::string bytes = std::move(read).value();
  if (static_cast<std::int64_t>(bytes.size()) != size + 2 * number_size)
    return size_mismatch(path, size + 2 * number_size, static_cast<std::int64_t>(bytes.size()));
  if (load_big_endian(bytes.data()) != size)
    return size_mismatch(path, size, load_big_endian(bytes.data()));
  const std::uint32_t checksum = load_big_endian(bytes.data() + bytes.size() - number_size);
  bytes = bytes.substr(number_size, static_cast<std::size_t>(size));
  if (crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()) != checksum) {
    return Status::error("DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH")
        .with_cause(Status::io("{} at offset {}", path, offset));
  }
  return bytes;
}

}  // namespace

Result<DeletedRows> read_deletion_vector(io::Store& store, const std::string& table,
                                         const DeletionVector& vector) {
  std::string where = "an inline deletion vector of " + table;
  std::string bytes;
  if (vector.storage_type == "i") {
    TRY_ASSIGN(bytes, inline_bytes(vector));
  } else if (vector.storage_type == "u" || vector.storage_type == "p") {
    TRY_ASSIGN(where, deletion_vector_path(table, vector));
    TRY_ASSIGN(bytes, stored_bytes(store, where, vector));
  } else {
    return Status::unsupported("a deletion vector of {} is stored in an unknown way: '{}'", table,
                               vector.storage_type);
  }
  auto rows = DeletedRows::parse(std::move(bytes));
  if (!rows.ok()) return rows.status().at(where);
  if (rows->count() != vector.cardinality) {
    return Status::error("DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH")
        .with_cause(Status::io("{}: {} rows are expected, {} are there", where, vector.cardinality,
                               rows->count()));
  }
  return rows;
}

DeletionVectorFile::DeletionVectorFile(std::shared_ptr<io::Store> store, std::string table)
    : store_(std::move(store)), bytes_(1, file_version) {
  const std::string uuid = new_uuid();
  std::string digits;
  std::copy_if(uuid.begin(), uuid.end(), std::back_inserter(digits),
               [](char c) { return c != '-'; });
  std::string raw;
  for (std::size_t i = 0; i + 2 <= digits.size(); i += 2)
    raw += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  encoded_uuid_ = encode_z85(raw);
  path_ = io::join_path(table, "deletion_vector_" + uuid + ".bin");
}

DeletionVector DeletionVectorFile::add(const RowSet& rows) {
  const std::string bitmap = rows.to_bytes();
  const DeletionVector out{"u", encoded_uuid_, static_cast<std::int64_t>(bytes_.size()),
                           static_cast<std::int64_t>(bitmap.size()), rows.count()};
  const auto append_number = [&](std::uint32_t number) {
    const std::uint32_t big_endian = __builtin_bswap32(number);
    bytes_.append(reinterpret_cast<const char*>(&big_endian), sizeof(big_endian));
  };
  append_number(static_cast<std::uint32_t>(bitmap.size()));
  bytes_ += bitmap;
  append_number(static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bitmap.data()), bitmap.size())));
  return out;
}

Status DeletionVectorFile::write() const {
  TRY(store_->put(path_, bytes_));
  return failpoints::pass("delta.deletion_vectors");
}

}  // namespace millstream::delta
