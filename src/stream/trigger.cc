#include "stream/trigger.h"

#include <algorithm>

#include "base/calendar_interval.h"
#include "base/text.h"
#include "stream/query.h"

namespace millstream::stream {
namespace {

constexpr std::int64_t micros_per_second = 1'000'000;
constexpr std::int64_t micros_per_day = 86'400 * micros_per_second;
constexpr std::int64_t longest_pause_ms = 250;

}  // namespace

std::int64_t next_trigger_ms(std::int64_t now_ms, std::int64_t interval_ms) {
  return interval_ms == 0 ? now_ms : now_ms / interval_ms * interval_ms + interval_ms;
}

std::int64_t polling_pause_ms(std::int64_t setting_ms, std::int64_t idle_ms) {
  return std::max(setting_ms, std::min(idle_ms / 20, longest_pause_ms));
}

Result<Trigger> parse_processing_time(std::string_view text) {
  TRY_ASSIGN(const CalendarInterval interval, parse_interval(text));
  if (interval.months != 0) {
    ErrorInfo info;
    info.kind = ErrorKind::illegal_argument;
    info.condition = "_LEGACY_ERROR_TEMP_3262";
    info.parameters["interval"] = text;
    info.message = fmt::format("Doesn't support month or year interval: {}", text);
    return Status(std::move(info));
  }
  std::int64_t micros = 0;
  if (__builtin_mul_overflow(interval.days, micros_per_day, &micros) ||
      __builtin_add_overflow(micros, interval.micros, &micros)) {
    return Status::invalid("the interval of trigger is too long: {}", text);
  }
  if (micros < 0) {
    return Status::invalid("requirement failed: the interval of trigger should not be negative");
  }
  Trigger trigger;
  trigger.interval_ms = micros / 1000;
  return trigger;
}

}  // namespace millstream::stream
