#include <nlohmann/json.hpp>

#include "base/text.h"
#include "stream/checkpoint.h"

namespace millstream::stream {
namespace {

using nlohmann::json;

constexpr std::string_view no_offset = "-";
constexpr std::int64_t version_max = 1;

// Spark's reader puts the file before whatever is wrong in it.
Status in_file(std::string_view path, const Status& status) {
  ErrorInfo info = status.info();
  info.message = fmt::format("Failed to read log file {}. {}", io::to_uri(path), info.message);
  return Status(std::move(info));
}

Status incomplete(std::string_view path, std::string_view where) {
  return in_file(path,
                 Status::illegal_state(
                     "Incomplete log file{}. Restore the file from a copy; a commits file may be "
                     "removed instead, then its batch runs again",
                     where));
}

// Lines as Spark's reader gives them: a last line break ends the last line, it does not begin
// another.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

Status check_version(std::string_view line, std::string_view path, std::string_view newer) {
  const auto number = line.starts_with('v') ? parse_int64(line.substr(1)) : std::nullopt;
  if (!number || *number <= 0) {
    return in_file(path, Status::error("MALFORMED_LOG_FILE", {{"text", std::string(line)}}));
  }
  if (*number <= version_max) return Status::OK();
  if (*number == 2) {
    return in_file(
        path, Status::unsupported("Version 2 of this log ({}) is not supported by Millstream "
                                  "yet; run the query on Apache Spark from the same checkpoint",
                                  newer));
  }
  return in_file(path, Status::error("INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION",
                                     {{"maxSupportedVersion", std::to_string(version_max)},
                                      {"version", std::to_string(*number)}}));
}

Result<json> parse_object(std::string_view line, std::string_view path) {
  json value = json::parse(line, nullptr, false);
  if (!value.is_object()) return incomplete(path, fmt::format(": not a JSON object: {}", line));
  return value;
}

Result<std::int64_t> integer(const json& object, const char* key, std::string_view path) {
  const auto found = object.find(key);
  if (found == object.end()) return std::int64_t{0};
  if (!found->is_number_integer()) {
    return in_file(path, Status::illegal_state("{} is not an integer: {}", key, found->dump()));
  }
  return found->get<std::int64_t>();
}

}  // namespace

std::string format_metadata(std::string_view id) {
  return fmt::format("{{\"id\":{}}}", json_quote(id));
}

Result<std::string> parse_metadata(std::string_view text, std::string_view path) {
  const json value = json::parse(text, nullptr, false);
  if (!value.is_object() || !value.contains("id") || !value["id"].is_string() ||
      value["id"].get_ref<const std::string&>().empty()) {
    return Status::illegal_state(
        "The checkpoint's metadata file {} does not hold the query's id ({{\"id\":\"...\"}}): "
        "restore it "
        "from a copy, or start with a new checkpoint location",
        path);
  }
  return value["id"].get<std::string>();
}

std::string format_offsets(const OffsetEntry& entry) {
  std::string out = "v1\n";
  if (entry.has_metadata) {
    fmt::format_to(std::back_inserter(out),
                   R"({{"batchWatermarkMs":{},"batchTimestampMs":{},"conf":{{)", entry.watermark_ms,
                   entry.timestamp_ms);
    const char* separator = "";
    for (const auto& [key, value] : entry.conf) {
      out += separator;
      out += json_quote(key);
      out += ':';
      out += json_quote(value);
      separator = ",";
    }
    out += "}}";
  }
  for (const auto& offset : entry.offsets) {
    out += '\n';
    out += offset ? std::string_view(*offset) : no_offset;
  }
  return out;
}

Result<OffsetEntry> parse_offsets(std::string_view text, std::string_view path) {
  const auto lines = lines_of(text);
  if (lines.empty()) return incomplete(path, "");
  TRY(check_version(lines[0], path, "named sources"));
  if (lines.size() < 2) return incomplete(path, ": it ends after its first line");
  OffsetEntry entry;
  const std::string_view metadata = trim(lines[1]);
  entry.has_metadata = !metadata.empty();
  if (entry.has_metadata) {
    TRY_ASSIGN(const json object, parse_object(metadata, path));
    TRY_ASSIGN(entry.watermark_ms, integer(object, "batchWatermarkMs", path));
    TRY_ASSIGN(entry.timestamp_ms, integer(object, "batchTimestampMs", path));
    if (const auto conf = object.find("conf"); conf != object.end() && conf->is_object()) {
      for (const auto& [key, value] : conf->items()) {
        entry.conf[key] = value.is_string() ? value.get<std::string>() : value.dump();
      }
    }
  }
  for (std::size_t i = 2; i < lines.size(); ++i) {
    if (lines[i] == no_offset) {
      entry.offsets.emplace_back(std::nullopt);
      continue;
    }
    if (lines[i].starts_with('{') && !json::accept(lines[i]))
      return incomplete(path, ": an offset is cut off");
    entry.offsets.emplace_back(std::string(lines[i]));
  }
  if (entry.offsets.empty()) return incomplete(path, ": it has no offset");
  return entry;
}

std::string format_commit(const CommitEntry& entry) {
  return fmt::format("v1\n{{\"nextBatchWatermarkMs\":{}}}", entry.next_watermark_ms);
}

Result<CommitEntry> parse_commit(std::string_view text, std::string_view path) {
  const auto lines = lines_of(text);
  if (lines.empty()) return incomplete(path, " in the offset commit log");
  TRY(check_version(trim(lines[0]), path, "state checkpoint ids"));
  CommitEntry entry;
  if (lines.size() < 2) return entry;
  TRY_ASSIGN(const json object, parse_object(lines[1], path));
  TRY_ASSIGN(entry.next_watermark_ms, integer(object, "nextBatchWatermarkMs", path));
  return entry;
}

std::optional<std::string> parse_operator_name(std::string_view text) {
  const auto lines = lines_of(text);
  const json value = json::parse(lines.empty() ? std::string_view() : lines.back(), nullptr, false);
  if (!value.is_object()) return std::nullopt;
  const auto info = value.find("operatorInfo");
  if (info == value.end() || !info->is_object()) return std::nullopt;
  const auto name = info->find("operatorName");
  if (name == info->end() || !name->is_string()) return std::nullopt;
  return name->get<std::string>();
}

}  // namespace millstream::stream
