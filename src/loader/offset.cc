#include "loader/offset.h"

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace millstream::loader {
namespace {

constexpr std::int64_t newest_version = 3;

}  // namespace

std::string print_offset(const LoaderOffset& offset) {
  return fmt::format(
      R"({{"seqNum":{},"sourceVersion":{},"lastBackfillStartTimeMs":{},"lastBackfillFinishTimeMs":{},"lastInputPath":{}}})",
      offset.seq, newest_version, offset.listing_start_ms, offset.listing_finish_ms,
      json_quote(offset.input));
}

Result<LoaderOffset> parse_offset(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("seqNum") || !json["seqNum"].is_number_integer()) {
    return Status::illegal_state("not an offset of a cloudFiles source: {}", text);
  }
  const auto number = [&](const char* name) {
    return json.contains(name) && json[name].is_number_integer() ? json[name].get<std::int64_t>()
                                                                 : std::int64_t{0};
  };
  if (number("sourceVersion") > newest_version) {
    return Status::illegal_state(
        "the offset {} was written by a newer version of the cloudFiles source", text);
  }
  LoaderOffset offset;
  offset.seq = number("seqNum");
  offset.listing_start_ms = number("lastBackfillStartTimeMs");
  offset.listing_finish_ms = number("lastBackfillFinishTimeMs");
  if (json.contains("lastInputPath") && json["lastInputPath"].is_string()) {
    offset.input = json["lastInputPath"].get<std::string>();
  }
  return offset;
}

}  // namespace millstream::loader
