// Texts as intervals, as CAST reads them.
#include "base/ansi_interval.h"
#include "engine/interval_kernels.h"
#include "engine/kernels.h"

namespace millstream::engine {
namespace {

std::optional<std::int64_t> parse_day_time(Failure& fail, std::string_view text, std::int32_t start,
                                           std::int32_t end) {
  const auto micros = parse_day_time_interval(text, start, end);
  if (!micros.ok()) return fail(micros.status());
  return *micros;
}

std::optional<std::int32_t> parse_year_month(Failure& fail, std::string_view text,
                                             std::int32_t start, std::int32_t end) {
  const auto months = parse_year_month_interval(text, start, end);
  if (!months.ok()) return fail(months.status());
  return *months;
}

}  // namespace

Status register_interval_texts(duckdb_connection c) {
  TRY(add_kernel<parse_day_time>(c, "ms_parse_day_time"));
  TRY((add_kernel<parse_day_time, true>(c, "ms_try_parse_day_time")));
  TRY(add_kernel<parse_year_month>(c, "ms_parse_year_month"));
  return add_kernel<parse_year_month, true>(c, "ms_try_parse_year_month");
}

}  // namespace millstream::engine
