#include "source/delta_offset.h"

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace millstream::source {
namespace {

constexpr std::int64_t newest_source_version = 3;
constexpr std::int64_t printed_base_index = -1;

}  // namespace

bool DeltaOffset::is_before(const DeltaOffset& other) const {
  if (version != other.version) return version < other.version;
  if (initial != other.initial)
    return initial;  // the snapshot comes before what its version's commit added
  return index < other.index;
}

std::string print_delta_offset(const DeltaOffset& offset) {
  // Older readers take what they know, and stop at what they do not.
  const int source_version = offset.is_at_change() ? 3 : 1;
  const std::int64_t index =
      offset.index == DeltaOffset::base_index ? printed_base_index : offset.index;
  return fmt::format(
      R"({{"sourceVersion":{},"reservoirId":{},"reservoirVersion":{},"index":{},"isStartingVersion":{}}})",
      source_version, json_quote(offset.table_id), offset.version, index, offset.initial);
}

Result<DeltaOffset> parse_delta_offset(std::string_view text) {
  const auto bad_format = [] { return Status::error("DELTA_INVALID_SOURCE_OFFSET_FORMAT"); };
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return bad_format();
  const auto number = [&](const char* key) -> std::optional<std::int64_t> {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number_integer()) return std::nullopt;
    return found->get<std::int64_t>();
  };
  const auto source_version = number("sourceVersion");
  if (!source_version) {
    return Status::error(
        "DELTA_INVALID_SOURCE_VERSION",
        {{"version", json.contains("sourceVersion") ? json["sourceVersion"].dump() : "null"}});
  }
  if (*source_version > newest_source_version) {
    return Status::error("DELTA_INVALID_FORMAT_FROM_SOURCE_VERSION",
                         {{"expectedVersion", fmt::to_string(newest_source_version)},
                          {"realVersion", fmt::to_string(*source_version)}});
  }
  if (*source_version < 1 || *source_version == 2) {
    return Status::error("DELTA_INVALID_SOURCE_VERSION",
                         {{"version", fmt::to_string(*source_version)}});
  }
  const auto version = number("reservoirVersion");
  const auto index = number("index");
  const auto id = json.find("reservoirId");
  const auto initial = json.find("isStartingVersion");
  if (!version || !index || id == json.end() || !id->is_string()) return bad_format();
  DeltaOffset offset;
  offset.table_id = id->get<std::string>();
  offset.version = *version;
  offset.index = *index;
  if (*index < 0 && !offset.is_at_change()) offset.index = DeltaOffset::base_index;
  offset.initial = initial != json.end() && initial->is_boolean() && initial->get<bool>();
  return offset;
}

}  // namespace millstream::source
