#include "delta/last_checkpoint.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "delta/md5.h"

namespace millstream::delta {
namespace {

using nlohmann::json;

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out + '"';
}

// Flattens a document into path -> value as the tokens come by, numbers by their own text.
class Flattener final : public nlohmann::json_sax<json> {
 public:
  std::map<std::string, std::string> values;

  bool null() override { return leaf("null"); }
  bool boolean(bool value) override { return leaf(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) override { return leaf(fmt::to_string(value)); }
  bool number_unsigned(std::uint64_t value) override { return leaf(fmt::to_string(value)); }
  bool number_float(double, const std::string& text) override { return leaf(text); }
  bool string(std::string& value) override { return leaf(quote(value)); }
  bool binary(json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    levels_.back().segment = quote(name);
    return levels_.back().seen.emplace(name, true).second;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  struct Level {
    bool is_array;
    int next = 0;
    std::string segment;
    std::map<std::string, bool> seen;
  };

  void step() {
    if (!levels_.empty() && levels_.back().is_array) {
      levels_.back().segment = fmt::to_string(levels_.back().next++);
    }
  }
  bool leaf(std::string value) {
    if (levels_.empty()) return false;  // the document is not an object
    step();
    std::string path;
    for (const auto& level : levels_) path += (path.empty() ? "" : "+") + level.segment;
    values[path] = std::move(value);
    return true;
  }
  bool open(bool is_array) {
    if (levels_.empty() && is_array) return false;
    step();
    levels_.push_back({is_array, 0, {}, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }

  std::vector<Level> levels_;
};

}  // namespace

std::optional<std::string> canonical_form(std::string_view text) {
  Flattener flattener;
  try {
    if (!json::sax_parse(text, &flattener)) return std::nullopt;
  } catch (const json::exception&) {
    return std::nullopt;
  }
  std::string form;
  for (const auto& [path, value] : flattener.values) {
    if (path == "\"checksum\"") continue;
    if (!form.empty()) form += ',';
    form += path + '=' + value;
  }
  return form;
}

std::optional<LastCheckpoint> parse_last_checkpoint(std::string_view text) {
  const auto form = canonical_form(text);
  if (!form) return std::nullopt;
  const json object = json::parse(text, nullptr, false);
  const auto number = [&](const char* key) -> std::optional<std::int64_t> {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_integer()) return std::nullopt;
    return found->get<std::int64_t>();
  };
  const auto version = number("version");
  if (!version || *version < 0) return std::nullopt;
  if (const auto checksum = object.find("checksum");
      checksum != object.end() && checksum->is_string() &&
      checksum->get<std::string>() != md5_hex(*form)) {
    return std::nullopt;
  }
  return LastCheckpoint{*version,
                        number("size").value_or(0),
                        number("sizeInBytes").value_or(0),
                        number("numOfAddFiles").value_or(0),
                        {}};
}

std::string print_last_checkpoint(const LastCheckpoint& pointer) {
  std::string body =
      fmt::format("{{\"version\":{},\"size\":{},\"sizeInBytes\":{},\"numOfAddFiles\":{}",
                  pointer.version, pointer.size, pointer.size_in_bytes, pointer.add_files);
  if (!pointer.v2.empty()) body += ",\"v2Checkpoint\":" + pointer.v2;
  return fmt::format("{},\"checksum\":\"{}\"}}", body, md5_hex(*canonical_form(body + "}")));
}

}  // namespace millstream::delta
