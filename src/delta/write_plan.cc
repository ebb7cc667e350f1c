#include "delta/write_plan.h"

#include <algorithm>

#include "base/random.h"
#include "base/text.h"
#include "column/char_varchar.h"
#include "delta/change_feed.h"
#include "delta/features.h"
#include "delta/row_tracking.h"

namespace millstream::delta {
namespace {

using column::Schema;
using column::TypeKind;

bool same_names(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equals_ignore_case(a[i], b[i])) return false;
  }
  return true;
}

// "TimeType(6)", as Spark's classes are shown; empty: a type that tables may have, or that others
// refuse.
std::string refused_class(const column::DataType& type) {
  switch (type.kind()) {
    case TypeKind::time:
      return fmt::format("TimeType({})", type.precision());
    case TypeKind::day_time_interval:
      return fmt::format("DayTimeIntervalType({},{})", type.start_field(), type.end_field());
    case TypeKind::year_month_interval:
      return fmt::format("YearMonthIntervalType({},{})", type.start_field(), type.end_field());
    case TypeKind::calendar_interval:
      return "CalendarIntervalType";
    default:
      return {};
  }
}

// "t: TimeType(6)"; s.t is a member of s.
void list_refused(const std::string& path, const column::DataType& type,
                  std::vector<std::string>& out) {
  if (const std::string name = refused_class(type); !name.empty())
    out.push_back(path + ": " + name);
  for (const auto& field : type.fields()) list_refused(path + "." + field.name, *field.type, out);
}

Status refuse_types(const Schema& schema) {
  std::vector<std::string> refused;
  for (const auto& field : schema) list_refused(field.name, *field.type, refused);
  if (refused.empty()) return Status::OK();
  return Status::error("DELTA_UNSUPPORTED_DATA_TYPES",
                       {{"dataTypeList", "[" + join(refused, ", ") + "]"},
                        {"config", "spark.databricks.delta.schema.typeCheck.enabled"}});
}

// A new table's columns. Types that no table can have are refused by name.
Result<Schema> new_schema(const WriteRequest& request, MappingMode mapping) {
  Schema schema = without_mapping(column::with_char_notes(
      request.keep_nullability ? request.data : column::as_nullable(request.data)));
  for (auto& field : schema) {
    switch (field.type->kind()) {
      case TypeKind::variant:
        return Status::error(
            "DELTA_UNSUPPORTED_DATA_TYPES",
            {{"dataTypeList", fmt::format("{}: {}", field.name, field.type->sql())},
             {"config", "spark.databricks.delta.schema.typeCheck.enabled"}});
      default:
        break;
    }
  }
  TRY(check_column_names(schema, "DATA", mapping != MappingMode::none));
  return schema;
}

bool is_clustered(const Protocol& protocol) {
  const auto& features = protocol.writer_features;
  return features && std::ranges::find(*features, "clustering") != features->end();
}

std::optional<std::string> comment_of(const WriteRequest& request) {
  if (request.comment.empty()) return std::nullopt;
  return request.comment;
}

// What a table that takes another's place is called, and has of properties, is what the statement
// gives it: it is another table, to those who follow the old one too. Ids of columns are never
// given twice.
Status replace_identity(const WriteRequest& request, std::int64_t now_ms, Metadata& next) {
  TRY(check_not_given(request.properties));
  const Metadata before = next;
  next.id = new_uuid();
  next.created_time = now_ms;
  next.description = comment_of(request);
  TRY_ASSIGN(next.configuration, check_properties(request.properties));
  // Rows keep being tracked until it is said otherwise.
  constexpr const char* tracks_rows = "delta.enableRowTracking";
  if (const auto had = before.configuration.find(tracks_rows); had != before.configuration.end())
    next.configuration.insert(*had);
  TRY_ASSIGN(const MappingMode mapping, mapping_mode(next));
  if (mapping == MappingMode::none) return Status::OK();
  next.configuration.insert_or_assign("delta.columnMapping.maxColumnId", std::string(1, '0'));
  keep_greatest_id(before, next);
  return Status::OK();
}

Result<WritePlan> plan_creation(const WriteRequest& request, std::int64_t now_ms) {
  Metadata metadata;
  metadata.id = new_uuid();
  metadata.description = comment_of(request);
  for (const auto& [key, value] : request.properties) {
    if (to_lower(key).starts_with("delta.constraints.")) {
      return Status::error("DELTA_ADD_CONSTRAINTS");
    }
  }
  TRY(check_not_given(request.properties));
  TRY_ASSIGN(metadata.configuration, check_properties(request.properties));
  TRY_ASSIGN(const MappingMode mapping, mapping_mode(metadata));
  TRY_ASSIGN(Schema schema, new_schema(request, mapping));
  TRY_ASSIGN(metadata.partition_columns, check_partition_columns(schema, request.partition_by));
  if (mapping != MappingMode::none) schema = with_mapping(schema, PhysicalNames::made_up, metadata);
  metadata.schema_string = column::schema_to_json(schema);
  metadata.created_time = now_ms;
  WritePlan plan;
  plan.protocol = protocol_for(schema, request.properties);
  name_row_ids(*plan.protocol, Metadata(), metadata);
  plan.metadata = metadata;
  TRY_ASSIGN(plan.info, make_table_info(std::move(metadata)));
  TRY(check_feed_columns(nullptr, *plan.info));
  return plan;
}

}  // namespace

Result<WritePlan> plan_write(const SnapshotPtr& snapshot, const WriteRequest& request,
                             const std::string& table, std::int64_t now_ms) {
  if (request.rule == CastRule::cast) {
    for (const auto& field : request.data) {
      if (field.type->kind() == TypeKind::null)
        return Status::error("DELTA_NULL_SCHEMA_IN_STREAMING_WRITE");
    }
  }
  TRY(refuse_types(request.data));
  if (snapshot == nullptr) return plan_creation(request, now_ms);

  TRY(check_writable(snapshot->protocol(), snapshot->info(), table, request.enforces_constraints,
                     request.columns_computed));
  const Metadata& current = snapshot->metadata();
  const bool other_partitioning =
      !request.partition_by.empty() && !same_names(request.partition_by, current.partition_columns);
  const bool clustered = is_clustered(snapshot->protocol());
  if (request.replaces_table && clustered && !request.partition_by.empty())
    return Status::error("DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE");
  Metadata next = current;
  if (request.replaces_table) TRY(replace_identity(request, now_ms, next));
  TRY_ASSIGN(const MappingMode mapping, mapping_mode(next));
  Schema schema;
  if (request.overwrite && request.overwrite_schema) {
    TRY_ASSIGN(schema, new_schema(request, mapping));
    if (mapping != MappingMode::none) schema = with_mapping_of(schema, snapshot->schema());
    if (schema != snapshot->schema() || other_partitioning) {
      TRY_ASSIGN(next.partition_columns, check_partition_columns(schema, request.partition_by));
    }
  } else {
    if (other_partitioning) {
      return metadata_mismatch(
          {partitioning_mismatch(request.partition_by, current.partition_columns)});
    }
    TRY_ASSIGN(schema, schema_after_write(snapshot->info(), without_mapping(request.data),
                                          request.merge_schema, request.rule, request.overwrite));
    if (schema != snapshot->schema())
      TRY(check_column_names(schema, "METADATA_UPDATE", mapping != MappingMode::none));
  }

  WritePlan plan;
  if (schema == snapshot->schema() && next == current) {
    plan.info = snapshot->info_ptr();
    return plan;
  }
  if (mapping != MappingMode::none) schema = with_mapping(schema, PhysicalNames::made_up, next);
  next.schema_string = column::schema_to_json(schema);
  auto asked = next.configuration;
  for (const auto& [key, value] : request.properties) {
    // Of a table that stays what it is they say nothing but that it comes to be clustered.
    if (request.replaces_table || key == "delta.feature.clustering") asked[key] = value;
  }
  const Protocol raised = upgraded(snapshot->protocol(), schema, asked);
  if (raised != snapshot->protocol()) plan.protocol = raised;
  name_row_ids(raised, current, next);
  plan.metadata = next;
  TRY_ASSIGN(plan.info, make_table_info(std::move(next)));
  TRY(check_feed_columns(&snapshot->info(), *plan.info));
  return plan;
}

}  // namespace millstream::delta
