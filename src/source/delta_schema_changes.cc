#include "source/delta_schema_changes.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "column/types.h"
#include "delta/schema_rules.h"
#include "delta/type_changes.h"

namespace millstream::source {
namespace {

using nlohmann::json;
using Path = std::vector<std::string>;

// Notes on fields that only writers heed.
bool is_for_writers(const std::string& key) {
  return key.starts_with("delta.identity.") || key == "delta.generationExpression" ||
         key == "CURRENT_DEFAULT" || key == "EXISTS_DEFAULT";
}

json without_writers_notes(const json& schema) {
  if (schema.is_array()) {
    json out = json::array();
    for (const auto& item : schema) out.push_back(without_writers_notes(item));
    return out;
  }
  if (!schema.is_object()) return schema;
  json out = json::object();
  for (const auto& [key, value] : schema.items()) {
    if (!is_for_writers(key)) out[key] = without_writers_notes(value);
  }
  return out;
}

json schema_for_readers(const delta::TableInfo& info) {
  return without_writers_notes(json::parse(info.metadata.schema_string, nullptr, false));
}

std::map<std::string, std::string> delta_properties(const delta::TableInfo& info) {
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : info.metadata.configuration) {
    if (key.starts_with("delta.")) out[key] = value;
  }
  return out;
}

struct ColumnChanges {
  std::vector<std::pair<Path, Path>> renamed;
  std::vector<Path> dropped;
  struct Widened {
    Path path;
    column::TypePtr from;
    column::TypePtr to;
  };
  std::vector<Widened> widened;
  bool others = false;  // of types that do not widen, or no NULL any more
};

Path inside(Path path, const std::string& name) {
  path.push_back(name);
  return path;
}

// A level of two schemas: what users call the fields, and what files do.
struct Level {
  const column::Schema& users;
  const column::Schema& files;
  Path path;
};

void compare(const Level& before, const Level& after, ColumnChanges& out);

void add_dropped(const column::Field& field, const Path& path, ColumnChanges& out) {
  out.dropped.push_back(path);
  if (field.type->kind() != column::TypeKind::struct_) return;
  for (const auto& member : field.type->fields())
    add_dropped(member, inside(path, member.name), out);
}

void compare_field(const Level& before, std::size_t i, const Level& after, std::size_t j,
                   ColumnChanges& out) {
  const auto& old_field = before.users[i];
  const auto& new_field = after.users[j];
  const Path old_path = inside(before.path, old_field.name);
  const Path new_path = inside(after.path, new_field.name);
  if (old_field.name != new_field.name) out.renamed.emplace_back(old_path, new_path);
  if (old_field.nullable && !new_field.nullable) out.others = true;
  if (old_field.type->is_nested() && old_field.type->kind() == new_field.type->kind()) {
    compare({old_field.type->fields(), before.files[i].type->fields(), old_path},
            {new_field.type->fields(), after.files[j].type->fields(), new_path}, out);
  } else if (*old_field.type != *new_field.type) {
    if (delta::is_widening(*old_field.type, *new_field.type)) {
      out.widened.push_back({new_path, old_field.type, new_field.type});
    } else {
      out.others = true;
    }
  }
}

void compare(const Level& before, const Level& after, ColumnChanges& out) {
  for (std::size_t i = 0; i < before.users.size(); ++i) {
    const int found = column::find_field(after.files, before.files[i].name);
    if (found < 0) {
      add_dropped(before.users[i], inside(before.path, before.users[i].name), out);
    } else {
      compare_field(before, i, after, static_cast<std::size_t>(found), out);
    }
  }
}

std::string shown(const Path& path) {
  Path parts;
  for (const auto& part : path)
    parts.push_back(part.find('.') == std::string::npos ? part : '`' + part + '`');
  return join(parts, ".");
}

std::string details(const ColumnChanges& changes) {
  std::string out;
  std::vector<std::string> lines;
  if (!changes.renamed.empty()) {
    for (const auto& [from, to] : changes.renamed)
      lines.push_back(fmt::format("'{}' -> '{}'", shown(from), shown(to)));
    out += "Columns renamed:\n" + join(lines, "\n") + "\n";
  }
  if (!changes.dropped.empty()) {
    lines.clear();
    for (const auto& path : changes.dropped) lines.push_back('\'' + shown(path) + '\'');
    out += "Columns dropped:\n" + join(lines, ", ") + "\n";
  }
  if (!changes.widened.empty()) {
    lines.clear();
    for (const auto& [path, from, to] : changes.widened)
      lines.push_back(fmt::format("'{}': {} -> {}", shown(path), from->sql(), to->sql()));
    out += "Columns with widened types:\n" + join(lines, "\n") + "\n";
  }
  return out;
}

constexpr const char* conf_prefix = "spark.databricks.delta.streaming.allowSourceColumn";

// What the changes are called, and what names them in options and settings.
struct Kind {
  const char* name;
  std::vector<const char*> options;
  std::vector<const char*> settings;
};

Kind kind_of(const ColumnChanges& changes) {
  const int kind = (changes.renamed.empty() ? 0 : 1) + (changes.dropped.empty() ? 0 : 2) +
                   (changes.widened.empty() ? 0 : 4);
  switch (kind) {
    case 1:
      return {"RENAME COLUMN", {"Rename"}, {"Rename"}};
    case 2:
      return {"DROP COLUMN", {"Drop"}, {"Drop"}};
    case 3:
      return {"RENAME AND DROP COLUMN", {"Rename", "Drop"}, {"RenameAndDrop"}};
    case 4:
      return {"TYPE WIDENING", {"TypeChange"}, {"TypeChange"}};
    case 5:
      return {"RENAME AND TYPE WIDENING", {"Rename", "TypeChange"}, {"Rename", "TypeChange"}};
    case 6:
      return {"DROP AND TYPE WIDENING", {"Drop", "TypeChange"}, {"Drop", "TypeChange"}};
    default:
      return {"RENAME, DROP AND TYPE WIDENING",
              {"Rename", "Drop", "TypeChange"},
              {"RenameAndDrop", "TypeChange"}};
  }
}

// Java's hash of a text (of UTF-16 units), by which settings name a stream.
std::int32_t java_hash(std::string_view text) {
  std::uint32_t hash = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    std::uint32_t point = length == 1 ? byte : byte & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length && i + k < text.size(); ++k)
      point = (point << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    i += length;
    if (point >= 0x10000) {
      hash = hash * 31 + (0xD800 + ((point - 0x10000) >> 10));
      point = 0xDC00 + ((point - 0x10000) & 0x3FF);
    }
    hash = hash * 31 + point;
  }
  return static_cast<std::int32_t>(hash);
}

class Unblocking {
 public:
  Unblocking(const UnblockedChanges& unblocked, std::int64_t version)
      : unblocked_(unblocked),
        version_(fmt::to_string(version)),
        stream_(fmt::format(".ckpt_{}", java_hash(unblocked.metadata_path))) {}

  bool covers(const ColumnChanges& changes) const {
    const bool both = by_setting("RenameAndDrop");
    const bool rename = by_option(unblocked_.rename) || by_setting("Rename") || both;
    const bool drop = by_option(unblocked_.drop) || by_setting("Drop") || both;
    const bool type = by_option(unblocked_.type_change) || by_setting("TypeChange");
    return (rename || changes.renamed.empty()) && (drop || changes.dropped.empty()) &&
           (type || changes.widened.empty());
  }

  // The text that tells how, one line each.
  std::string options(const Kind& kind, const std::string& value) const {
    std::vector<std::string> lines;
    for (const char* name : kind.options)
      lines.push_back(fmt::format(R"(  .option("allowSourceColumn{}", "{}"))", name, value));
    return join(lines, "\n");
  }
  std::string settings(const Kind& kind, bool of_stream, const std::string& value) const {
    std::vector<std::string> lines;
    for (const char* name : kind.settings)
      lines.push_back(
          fmt::format("  SET {}{}{} = {};", conf_prefix, name, of_stream ? stream_ : "", value));
    return join(lines, "\n");
  }
  const std::string& version() const { return version_; }

 private:
  bool by_option(const std::string& value) const { return value == "always" || value == version_; }
  bool is_set(const std::string& name, const std::string& value) const {
    const auto found = unblocked_.conf.find(name);
    return found != unblocked_.conf.end() && to_lower(found->second) == value;
  }
  bool by_setting(const char* name) const {
    const std::string setting = std::string(conf_prefix) + name;
    return is_set(setting, "always") || is_set(setting + stream_, "always") ||
           is_set(setting + stream_, version_);
  }

  const UnblockedChanges& unblocked_;
  const std::string version_;
  const std::string stream_;
};

std::string simple_text(const delta::Protocol& protocol) {
  const auto listed = [](std::optional<std::vector<std::string>> features) -> std::string {
    if (!features) return "None";
    std::ranges::sort(*features);
    return '[' + join(*features, ",") + ']';
  };
  std::string out = fmt::format("{},{}", protocol.min_reader, protocol.min_writer);
  if (!protocol.reader_features && !protocol.writer_features) return out;
  return out + ',' + listed(protocol.reader_features) + ',' + listed(protocol.writer_features);
}

}  // namespace

bool changes_reading(const delta::TableInfo& known, const delta::TableInfo& next) {
  return known.metadata.partition_columns != next.metadata.partition_columns ||
         delta_properties(known) != delta_properties(next) ||
         schema_for_readers(known) != schema_for_readers(next);
}

bool same_protocol(const delta::Protocol& a, const delta::Protocol& b) {
  const auto names = [](const std::optional<std::vector<std::string>>& features) {
    return features ? std::set<std::string>(features->begin(), features->end())
                    : std::set<std::string>();
  };
  return a.min_reader == b.min_reader && a.min_writer == b.min_writer &&
         names(a.reader_features) == names(b.reader_features) &&
         names(a.writer_features) == names(b.writer_features);
}

Status check_unblocked(const SchemaAt& before, const SchemaAt& after,
                       const UnblockedChanges& unblocked) {
  ColumnChanges changes;
  compare({before.info->schema, before.info->physical, {}},
          {after.info->schema, after.info->physical, {}}, changes);
  if (changes.others) {
    return Status::error("DELTA_SCHEMA_CHANGED_WITH_VERSION",
                         {{"version", fmt::to_string(after.version)},
                          {"readSchema", column::to_ddl(before.info->schema)},
                          {"dataSchema", column::to_ddl(after.info->schema)}});
  }
  if (changes.renamed.empty() && changes.dropped.empty() && changes.widened.empty())
    return Status::OK();
  const Unblocking unblocking(unblocked, after.version);
  if (unblocking.covers(changes)) return Status::OK();
  const Kind kind = kind_of(changes);
  return Status::error(
      "DELTA_STREAMING_CANNOT_CONTINUE_PROCESSING_POST_SCHEMA_EVOLUTION",
      {{"opType", kind.name},
       {"previousSchemaChangeVersion", fmt::to_string(before.version)},
       {"currentSchemaChangeVersion", unblocking.version()},
       {"columnChangeDetails", details(changes)},
       {"unblockChangeOptions", unblocking.options(kind, unblocking.version())},
       {"unblockStreamOptions", unblocking.options(kind, "always")},
       {"unblockChangeConfs", unblocking.settings(kind, true, unblocking.version())},
       {"unblockStreamConfs", unblocking.settings(kind, true, "\"always\"")},
       {"unblockAllConfs", unblocking.settings(kind, false, "\"always\"")}});
}

Status metadata_evolution(const delta::TableInfo& info, const delta::Protocol& protocol) {
  std::vector<std::string> properties;
  for (const auto& [key, value] : info.metadata.configuration)
    properties.push_back(key + ':' + value);
  return Status::error("DELTA_STREAMING_METADATA_EVOLUTION",
                       {{"schema", delta::tree_string(info.schema)},
                        {"config", join(properties, ", ")},
                        {"protocol", simple_text(protocol)}});
}

}  // namespace millstream::source
