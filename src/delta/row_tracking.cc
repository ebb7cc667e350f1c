#include "delta/row_tracking.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "base/text.h"
#include "delta/stats.h"
#include "format/file_columns.h"

namespace millstream::delta {
namespace {

constexpr const char* id_property = "delta.rowTracking.materializedRowIdColumnName";
constexpr const char* version_property = "delta.rowTracking.materializedRowCommitVersionColumnName";

void name_column(const char* property, const char* prefix, const Metadata& before,
                 Metadata& metadata) {
  if (metadata.configuration.contains(property)) return;
  const auto had = before.configuration.find(property);
  metadata.configuration[property] =
      had != before.configuration.end() ? had->second : prefix + new_uuid();
}

}  // namespace

bool gives_row_ids(const Protocol& protocol, const Metadata& metadata) {
  const auto& features = protocol.writer_features;
  if (!features || std::ranges::find(*features, "rowTracking") == features->end()) return false;
  const auto suspended = metadata.configuration.find("delta.rowTrackingSuspended");
  return suspended == metadata.configuration.end() ||
         !parse_bool(suspended->second).value_or(false);
}

bool keeps_row_ids(const TableInfo& info) { return info.flag("delta.enableRowTracking", false); }

void name_row_ids(const Protocol& protocol, const Metadata& before, Metadata& metadata) {
  if (!gives_row_ids(protocol, metadata)) return;
  name_column(id_property, "_row-id-col-", before, metadata);
  name_column(version_property, "_row-commit-version-col-", before, metadata);
}

Result<TableInfoPtr> with_row_ids(const TableInfoPtr& info) {
  const std::string* id = info->property(id_property);
  const std::string* version = info->property(version_property);
  if (id == nullptr || version == nullptr) {
    return Status::illegal_state(
        "the table has delta.enableRowTracking, but its metadata does not name the columns of the "
        "rows' ids ({}, {})",
        id_property, version_property);
  }
  auto out = std::make_shared<TableInfo>(*info);
  out->schema.push_back({std::string(row_ids::id), column::long_type(), true, {}});
  out->schema.push_back({std::string(row_ids::version), column::long_type(), true, {}});
  out->physical.push_back({*id, column::long_type(), true, {}});
  out->physical.push_back({*version, column::long_type(), true, {}});
  return TableInfoPtr(std::move(out));
}

Result<TableInfoPtr> as_rewritten(const TableInfoPtr& info) {
  return keeps_row_ids(*info) ? with_row_ids(info) : Result<TableInfoPtr>(info);
}

std::int64_t highest_row_id(const DomainMetadata& domain) {
  const auto json = nlohmann::json::parse(domain.configuration, nullptr, false);
  if (!json.is_object()) return -1;
  const auto found = json.find("rowIdHighWaterMark");
  const bool fits = found != json.end() && found->is_number_integer();
  return fits ? std::max<std::int64_t>(found->get<std::int64_t>(), -1) : -1;
}

std::int64_t highest_row_id(const std::map<std::string, DomainMetadata>& domains) {
  const auto found = domains.find(std::string(row_ids::domain));
  return found == domains.end() ? -1 : highest_row_id(found->second);
}

DomainMetadata row_id_domain(std::int64_t highest) {
  return {std::string(row_ids::domain),
          fmt::format(R"({{"rowIdHighWaterMark":{},"domainName":"{}"}})", highest, row_ids::domain),
          false};
}

Status give_row_ids(std::int64_t version, std::vector<AddFilePtr>& files, std::int64_t& highest) {
  for (auto& file : files) {
    if (file->base_row_id && file->default_row_commit_version) continue;
    AddFile out = *file;
    if (!out.base_row_id) {
      const auto rows = out.stats.empty() ? std::nullopt : parse_stats(out.stats).rows;
      if (!rows || *rows < 0 || highest > INT64_MAX - *rows) {
        return Status::error("DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS")
            .with_cause(
                Status::illegal_state("the log does not say how many rows {} has", file->path));
      }
      out.base_row_id = highest + 1;
      highest += *rows;
    }
    if (!out.default_row_commit_version) out.default_row_commit_version = version;
    file = std::make_shared<const AddFile>(std::move(out));
  }
  return Status::OK();
}

const column::Schema& metadata_fields(const TableInfo& info) {
  if (!keeps_row_ids(info)) return format::file_metadata_fields();
  static const column::Schema tracked = [] {
    column::Schema fields = format::file_metadata_fields();
    for (const char* name : {"row_index", "row_id", "base_row_id", "default_row_commit_version",
                             "row_commit_version"}) {
      fields.push_back({name, column::long_type(), false, {}});
    }
    return fields;
  }();
  return tracked;
}

}  // namespace millstream::delta
