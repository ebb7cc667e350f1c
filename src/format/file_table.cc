#include "format/file_table.h"

#include <arrow/scalar.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "column/unique_names.h"
#include "connector/parquet_files.h"
#include "format/avro_file.h"
#include "format/binary_file.h"
#include "format/byte_input.h"
#include "format/csv_infer.h"
#include "format/csv_reader.h"
#include "format/file_scan.h"
#include "format/files.h"
#include "format/json_infer.h"
#include "format/json_options.h"
#include "format/orc.h"
#include "format/parquet.h"
#include "format/parquet_prune.h"
#include "format/plain_parquet.h"
#include "format/xml_reader.h"

namespace millstream::format {
namespace {

using connector::Predicate;

class FileTable final : public connector::Table, public connector::ParquetBacked {
 public:
  FileTable(FileFormat format, FileTableRequest request, column::Schema data, column::Schema schema,
            std::vector<FileSplit> files)
      : format_(format),
        request_(std::move(request)),
        data_(std::move(data)),
        schema_(std::move(schema)),
        files_(std::move(files)) {}

  const column::Schema& schema() const override { return schema_; }
  const column::Schema& metadata_fields() const override { return file_metadata_fields(); }
  std::string describe() const override {
    std::vector<std::string> paths;
    for (const auto& path : request_.paths) {
      const auto local = io::store_path(path);
      paths.push_back(local.ok() ? io::to_text(*local) : path);
    }
    return to_lower(display_name(format_)) + " [" + join(paths, ", ") + "]";
  }
  std::vector<std::string> input_files() const override {
    std::vector<std::string> uris;
    for (const auto& file : files_) uris.push_back(io::to_file_uri(file.info.path));
    return uris;
  }

  Result<connector::Batches> scan(const connector::ScanRequest& request) const override {
    FileScan scan;
    scan.format = request_.format;
    scan.schema = data_;
    scan.options = request_.options;
    scan.time_zone = request_.time_zone;
    scan.columns = request.columns;
    scan.predicates = request.predicates;
    std::vector<FileSplit> files;
    for (const auto& file : files_) {
      if (can_match(file, request.predicates)) files.push_back(file);
    }
    // The largest first, as Spark packs them: rows come in its order.
    std::stable_sort(files.begin(), files.end(),
                     [](const auto& a, const auto& b) { return a.info.size > b.info.size; });
    TRY_ASSIGN(auto batches, scan_files(request_.store, scan, std::move(files)));
    // The schema of columns that only some files' places give is known here even when no file is
    // left.
    for (std::size_t i = 0; i < request.columns.size(); ++i) {
      const int index = column::find_field(schema_, request.columns[i]);
      if (index >= 0) batches.schema[i] = schema_[static_cast<std::size_t>(index)];
    }
    return batches;
  }

  Result<std::optional<connector::ParquetFiles>> parquet_files(
      const connector::ScanRequest& request) const override {
    const std::optional<connector::ParquetFiles> none;
    TRY_ASSIGN(const bool skips_corrupt, request_.options.get_bool("ignoreCorruptFiles", false));
    TRY_ASSIGN(const bool skips_missing, request_.options.get_bool("ignoreMissingFiles", false));
    if (format_ != FileFormat::parquet || skips_corrupt || skips_missing) return none;
    column::Schema wanted;
    for (const auto& name : request.columns) {
      const int index = column::find_field(schema_, name);
      if (index < 0) return none;
      wanted.push_back(schema_[static_cast<std::size_t>(index)]);
    }
    PlainFiles plain(wanted, false);
    for (const auto& file : files_) {
      if (!can_match(file, request.predicates)) continue;
      if (!request_.store->is_local(file.info.path)) return none;
      if (!plain.add(file.info.path, constants_of(file, wanted))) return none;
    }
    return std::optional<connector::ParquetFiles>(std::move(plain).finish());
  }
  void distrust(const std::string& path) const override { distrust_plain_file(path); }

 private:
  static std::vector<std::shared_ptr<arrow::Scalar>> constants_of(const FileSplit& file,
                                                                  const column::Schema& wanted) {
    std::vector<std::shared_ptr<arrow::Scalar>> out(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      for (const auto& constant : file.constants) {
        if (constant.field.name != wanted[i].name) continue;
        out[i] = constant.value != nullptr
                     ? constant.value
                     : arrow::MakeNullScalar(column::to_arrow(wanted[i].type));
      }
    }
    return out;
  }

  static bool constant_can_match(const ConstantColumn& constant, const Predicate& predicate) {
    using Op = Predicate::Op;
    if (constant.value == nullptr) return predicate.op == Op::is_null;
    if (predicate.op == Op::is_null) return false;
    const auto compares = [&](const std::shared_ptr<arrow::Scalar>& value, auto test) {
      const auto order = compare_scalars(*constant.value, *value);
      return !order || test(*order);
    };
    if (predicate.op == Op::in) {
      return std::any_of(predicate.values.begin(), predicate.values.end(), [&](const auto& value) {
        return compares(value, [](int o) { return o == 0; });
      });
    }
    if (predicate.values.empty()) return true;
    const auto& value = predicate.values.front();
    switch (predicate.op) {
      case Op::equal:
        return compares(value, [](int o) { return o == 0; });
      case Op::not_equal:
        return compares(value, [](int o) { return o != 0; });
      case Op::less:
        return compares(value, [](int o) { return o < 0; });
      case Op::less_equal:
        return compares(value, [](int o) { return o <= 0; });
      case Op::greater:
        return compares(value, [](int o) { return o > 0; });
      case Op::greater_equal:
        return compares(value, [](int o) { return o >= 0; });
      default:
        return true;
    }
  }

  static bool can_match(const FileSplit& file, const std::vector<Predicate>& predicates) {
    for (const auto& predicate : predicates) {
      if (predicate.path.size() != 1) continue;
      for (const auto& constant : file.constants) {
        if (constant.field.name == predicate.path[0] && !constant_can_match(constant, predicate))
          return false;
      }
    }
    return true;
  }

  const FileFormat format_;
  const FileTableRequest request_;
  const column::Schema data_;    // what is read out of the files
  const column::Schema schema_;  // with the partition columns
  const std::vector<FileSplit> files_;
};

// Formats whose files have a schema: that of the first file that can be read, or of all of them.
using SchemaReader =
    std::function<Result<column::Schema>(const std::shared_ptr<io::Store>&, const std::string&)>;

Status merge_into(column::Schema& schema, const column::Schema& other) {
  const auto shown = [](const column::Schema& one) {
    return "\"" + column::struct_type(one)->sql() + "\"";
  };
  const column::Schema before = schema;
  for (const auto& field : other) {
    const int known = column::find_field_ignore_case(schema, field.name);
    if (known < 0) {
      schema.push_back(field);
    } else if (!column::same_type_ignoring_nullability(schema[static_cast<std::size_t>(known)].type,
                                                       field.type)) {
      return Status::error("CANNOT_MERGE_SCHEMAS",
                           {{"left", shown(before)}, {"right", shown(other)}});
    }
  }
  return Status::OK();
}

Result<column::Schema> infer_from_files(FileFormat format, const FileTableRequest& request,
                                        const std::vector<io::FileInfo>& files,
                                        const SchemaReader& read) {
  TRY_ASSIGN(const bool merge, request.options.get_bool("mergeSchema", false));
  TRY_ASSIGN(const bool ignore_corrupt, request.options.get_bool("ignoreCorruptFiles", false));
  column::Schema schema;
  bool any = false;
  for (const auto& file : files) {
    if (file.size == 0) continue;
    auto found = read(request.store, file.path);
    if (!found.ok()) {
      if (ignore_corrupt && found.status().is("FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER")) continue;
      return found.status();
    }
    if (any) {
      TRY(merge_into(schema, *found));
    } else {
      schema = std::move(*found);
      any = true;
    }
    if (!merge) break;
  }
  if (!any) return Status::error("UNABLE_TO_INFER_SCHEMA", {{"format", display_name(format)}});
  return schema;
}

Result<column::Schema> parquet_schema(const std::shared_ptr<io::Store>& store,
                                      const std::string& path) {
  TRY_ASSIGN(auto footer, read_parquet_footer(store, path));
  return std::move(footer.schema);
}

Result<column::Schema> infer(FileFormat format, const FileTableRequest& request,
                             const std::vector<io::FileInfo>& files) {
  if (format == FileFormat::text) return column::Schema{{"value", column::string_type(), true, {}}};
  if (format == FileFormat::binary_file) return binary_file_schema();
  if (format == FileFormat::avro) {
    TRY_ASSIGN(const AvroOptions avro, parse_avro_options(request.options));
    TRY_ASSIGN(const bool ignore_corrupt, request.options.get_bool("ignoreCorruptFiles", false));
    return infer_avro_schema(request.store, files, avro, ignore_corrupt);
  }
  if (files.empty())
    return Status::error("UNABLE_TO_INFER_SCHEMA", {{"format", display_name(format)}});
  if (format == FileFormat::parquet)
    return infer_from_files(format, request, files, parquet_schema);
  if (format == FileFormat::orc) return infer_from_files(format, request, files, read_orc_schema);
  if (format == FileFormat::csv) {
    TRY_ASSIGN(const CsvOptions csv, parse_csv_options(request.options, request.time_zone));
    return infer_csv_schema(request.store, files, csv);
  }
  if (format == FileFormat::xml) {
    TRY_ASSIGN(const XmlOptions xml, parse_xml_options(request.options, request.time_zone));
    return infer_xml_schema(request.store, files, xml);
  }
  TRY_ASSIGN(const JsonOptions options, parse_json_options(request.options, request.time_zone));
  TRY_ASSIGN(auto inferred, infer_json_schema(request.store, files, options));
  return std::move(inferred.schema);
}

Status check_schema(FileFormat format, const column::Schema& data) {
  TRY(column::check_unique_names(data));
  if (format == FileFormat::csv) return check_csv_types(data);
  if (format == FileFormat::binary_file) {
    for (const auto& field : data) {
      const int known = column::find_field(binary_file_schema(), field.name);
      if (known < 0 ||
          !column::same_type(binary_file_schema()[static_cast<std::size_t>(known)].type,
                             field.type)) {
        return Status::plain(ErrorKind::unsupported_operation,
                             "The binaryFile format has the columns path, modificationTime, length "
                             "and content only");
      }
    }
    return Status::OK();
  }
  if (format != FileFormat::text) return Status::OK();
  if (data.size() != 1) {
    return Status::plain(
        ErrorKind::analysis,
        fmt::format("Text data source supports only a single column, and you have {} columns.",
                    data.size()));
  }
  if (!data[0].type->is_string()) {
    return Status::error("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                         {{"format", "Text"},
                          {"columnName", "`" + data[0].name + "`"},
                          {"columnType", "\"" + data[0].type->sql() + "\""}});
  }
  return Status::OK();
}

}  // namespace

Result<std::shared_ptr<const connector::Table>> make_file_table(const FileTableRequest& given) {
  FileTableRequest request = given;
  if (request.store == nullptr) request.store = io::local_store();
  TRY_ASSIGN(const FileFormat format, file_format(request.format));
  TRY(check_read_options(format, request.options, request.time_zone));
  TRY_ASSIGN(ListOptions list_options, parse_list_options(request.options, request.time_zone));
  list_options.placed = request.placed;
  if (request.paths.empty())
    return Status::error("UNABLE_TO_INFER_SCHEMA", {{"format", display_name(format)}});
  TRY_ASSIGN(auto found, list_files(request.store, request.paths, list_options));

  PartitionedFiles partitioned;
  if (list_options.recursive) {
    for (auto& file : found) partitioned.files.push_back({std::move(file.info), {}});
  } else {
    PartitionRules rules;
    rules.time_zone = request.time_zone;
    if (request.schema) rules.types = *request.schema;
    TRY_ASSIGN(partitioned, discover_partitions(std::move(found), rules));
  }
  column::Schema data;
  if (request.schema) {
    data = *request.schema;
    // Columns of text and CSV have their place in the file; others of a given schema come from the
    // paths.
    std::erase_if(data, [&](const column::Field& field) {
      return (format == FileFormat::text || format == FileFormat::csv) &&
             column::find_field_ignore_case(partitioned.columns, field.name) >= 0;
    });
  } else {
    std::vector<io::FileInfo> infos;
    for (const auto& file : partitioned.files) infos.push_back(file.info);
    TRY_ASSIGN(data, infer(format, request, infos));
  }
  data = column::as_nullable(data);
  TRY(check_schema(format, data));

  // A column that the path gives too keeps its place and takes the path's type and values.
  column::Schema schema = data;
  for (std::size_t i = 0; i < partitioned.columns.size(); ++i) {
    const auto& column = partitioned.columns[i];
    const int known = column::find_field_ignore_case(schema, column.name);
    if (known < 0) {
      schema.push_back(column);
      continue;
    }
    const std::string name = schema[static_cast<std::size_t>(known)].name;
    schema[static_cast<std::size_t>(known)].type = column.type;
    for (auto& file : partitioned.files) file.constants[i].field.name = name;
  }
  return std::shared_ptr<const connector::Table>(
      std::make_shared<FileTable>(format, std::move(request), std::move(data), std::move(schema),
                                  std::move(partitioned.files)));
}

}  // namespace millstream::format
