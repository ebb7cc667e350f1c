#include "format/xml_reader.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/text.h"
#include "base/xml_text.h"
#include "format/csv_values.h"
#include "format/xml_records.h"

namespace millstream::format {
namespace {

using Kind = JsonColumn::Kind;

constexpr std::int64_t batch_rows_max = 16 << 10;
constexpr std::int64_t batch_bytes_max = 16 << 20;

// Elements as values of columns. False: a value is none of its column's type, and is NULL.
class XmlValues {
 public:
  XmlValues(const XmlOptions& options, CsvValues values)
      : options_(options), values_(std::move(values)) {}

  bool set_members(const XmlNode& node, std::vector<JsonColumn>& columns, std::int64_t row) const {
    bool fits = true;
    for (JsonColumn& column : columns) {
      if (column.name() != options_.corrupt_column) fits = set_field(node, column, row) && fits;
    }
    return fits;
  }

 private:
  // A field is an attribute, the text beside elements, or the elements of its name.
  bool set_field(const XmlNode& node, JsonColumn& column, std::int64_t row) const {
    const std::string& name = column.name();
    for (const auto& [attribute, text] : node.attributes) {
      if (options_.exclude_attributes) break;
      if (equals_ignore_case(options_.attribute_prefix + attribute, name)) {
        return set_text(text, column, row);
      }
    }
    if (name == options_.value_tag) return set_texts(node, column, row);
    return column.kind() == Kind::array ? set_list(node, column, row) : set_last(node, column, row);
  }

  // The texts between the elements: one value, or one each.
  bool set_texts(const XmlNode& node, JsonColumn& column, std::int64_t row) const {
    const bool list = column.kind() == Kind::array;
    std::int64_t at = -1;
    std::string all;
    for (const auto& child : node.children) {
      if (!child.is_text() || trim(child.text).empty()) continue;
      all += child.text;
      if (!list) continue;
      if (at < 0) at = column.begin_list(row);
      if (!set_text(child.text, column.child(0), at++)) return false;
    }
    if (at >= 0) column.end_list(at);
    return list || all.empty() || set_text(all, column, row);
  }

  // Of several elements the last one stays.
  bool set_last(const XmlNode& node, JsonColumn& column, std::int64_t row) const {
    bool fits = true;
    for (const auto& child : node.children) {
      if (child.is_text() || !equals_ignore_case(child.name, column.name())) continue;
      column.forget_from(row);
      fits = set_element(child, column, row);
      if (!fits) break;
    }
    return fits;
  }

  bool set_list(const XmlNode& node, JsonColumn& column, std::int64_t row) const {
    std::int64_t at = -1;
    for (const auto& child : node.children) {
      if (child.is_text() || !equals_ignore_case(child.name, column.name())) continue;
      if (at < 0) at = column.begin_list(row);
      if (!set_element(child, column.child(0), at)) {
        column.forget_from(row);
        return false;
      }
      ++at;
    }
    if (at >= 0) column.end_list(at);
    return true;
  }

  bool set_element(const XmlNode& node, JsonColumn& column, std::int64_t row) const {
    switch (column.kind()) {
      case Kind::struct_:
        column.set_struct(row);
        return set_members(node, column.children(), row);
      case Kind::map:
        return set_map(node, column, row);
      case Kind::array:
        return false;
      default:
        break;
    }
    if (!node.has_elements()) return set_text(node.content(), column, row);
    if (column.kind() != Kind::string) return false;
    std::string text;
    for (const auto& child : node.children) append_node(child, text);
    column.set_string(row, options_.trim ? trim(text) : text);
    return true;
  }

  // What is inside of an element whose column is a text.
  static void append_node(const XmlNode& node, std::string& out) {
    if (node.is_text()) {
      append_xml_escaped(node.text, false, &out);
      return;
    }
    out += "<" + node.name;
    for (const auto& [name, value] : node.attributes) {
      out += " " + name + "=\"";
      append_xml_escaped(value, true, &out);
      out += '"';
    }
    out += '>';
    for (const auto& child : node.children) append_node(child, out);
    out += "</" + node.name + ">";
  }

  bool set_map(const XmlNode& node, JsonColumn& column, std::int64_t row) const {
    std::int64_t at = column.begin_list(row);
    bool fits = true;
    for (const auto& [attribute, text] : node.attributes) {
      column.child(0).set_string(at, options_.attribute_prefix + attribute);
      fits = set_text(text, column.child(1), at++) && fits;
    }
    for (const auto& child : node.children) {
      if (child.is_text()) continue;
      column.child(0).set_string(at, child.name);
      fits = set_element(child, column.child(1), at++) && fits;
    }
    column.end_list(at);
    return fits;
  }

  bool set_text(std::string_view given, JsonColumn& column, std::int64_t row) const {
    const std::string_view text = options_.trim ? trim(given) : given;
    if (options_.has_null_value && text == options_.null_value) return true;
    if (column.kind() == Kind::string) {
      column.set_string(row, text);
      return true;
    }
    if (trim(text).empty()) return true;
    if (column.kind() == Kind::boolean && (text == "1" || text == "0")) {
      column.set(row, static_cast<std::uint8_t>(text == "1" ? 1 : 0));
      return true;
    }
    return values_.set(column, row, text);
  }

  const XmlOptions options_;
  const CsvValues values_;
};

class XmlReader final : public connector::BatchReader {
 public:
  XmlReader(std::string path, std::unique_ptr<ByteInput> input, const XmlOptions& options,
            XmlValues values, const column::Schema& own)
      : path_(std::move(path)),
        options_(options),
        records_(std::move(input), record_tag(options)),
        values_(std::move(values)),
        schema_(column::to_arrow(column::as_nullable(own))) {
    for (const auto& field : own) {
      columns_.emplace_back(field.name, field.type);
      if (field.name == options.corrupt_column) corrupt_ = static_cast<int>(columns_.size()) - 1;
    }
  }

  Result<connector::RecordBatchPtr> next() override {
    std::int64_t bytes = 0;
    while (!ended_ && row_ < batch_rows_max && bytes < batch_bytes_max) {
      TRY_ASSIGN(const bool found, records_.next());
      ended_ = !found;
      if (ended_) break;
      bytes += static_cast<std::int64_t>(records_.text().size());
      TRY(add_record());
    }
    if (row_ == 0) return connector::RecordBatchPtr();
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (JsonColumn& column : columns_) arrays.push_back(column.finish(row_));
    auto batch = arrow::RecordBatch::Make(schema_, row_, std::move(arrays));
    row_ = 0;
    return batch;
  }

 private:
  Status add_record() {
    const auto root = parse_xml(records_.text());
    // Nothing is read behind what is no XML.
    ended_ = !root && !options_.whole_texts;
    if (root && values_.set_members(*root, columns_, row_)) {
      ++row_;
      return Status::OK();
    }
    if (options_.mode == ParseMode::fail_fast) {
      return failed_read(path_,
                         Status::error("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                                       {{"badRecord", std::string(records_.text().substr(0, 4096))},
                                        {"failFastMode", "FAILFAST"}}));
    }
    // Nothing is kept of a file's record that has a bad value, as Spark has it for XML.
    const bool kept = root && options_.whole_texts;
    for (JsonColumn& column : columns_) {
      if (!kept) column.forget_from(row_);
    }
    if (options_.mode == ParseMode::drop_malformed) return Status::OK();
    if (corrupt_ >= 0) {
      columns_[static_cast<std::size_t>(corrupt_)].set_string(row_, records_.text());
    }
    ++row_;
    return Status::OK();
  }

  const std::string path_;
  const XmlOptions options_;
  XmlRecords records_;
  const XmlValues values_;
  const std::shared_ptr<arrow::Schema> schema_;
  std::vector<JsonColumn> columns_;
  int corrupt_ = -1;
  std::int64_t row_ = 0;
  bool ended_ = false;
};

Status check_type(const std::string& column, const column::TypePtr& type) {
  using column::TypeKind;
  switch (type->kind()) {
    case TypeKind::variant:
    case TypeKind::binary:
    case TypeKind::calendar_interval:
    case TypeKind::day_time_interval:
    case TypeKind::year_month_interval:
      return Status::unsupported("the type {} of column '{}' of XML files is not supported",
                                 type->sql(), column);
    case TypeKind::map:
      if (!type->key()->is_string()) {
        return Status::error("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                             {{"format", "XML"},
                              {"columnName", "`" + column + "`"},
                              {"columnType", "\"" + type->sql() + "\""}});
      }
      break;
    default:
      break;
  }
  for (const auto& field : type->fields()) TRY(check_type(column, field.type));
  return Status::OK();
}

}  // namespace

Status check_xml_schema(const column::Schema& schema, const XmlOptions& options) {
  for (const auto& field : schema) {
    TRY(check_type(field.name, field.type));
    if (field.name == options.corrupt_column && !field.type->is_string()) {
      return Status::error("INVALID_CORRUPT_RECORD_TYPE",
                           {{"columnName", "`" + field.name + "`"},
                            {"actualType", "\"" + field.type->sql() + "\""}});
    }
  }
  return Status::OK();
}

Result<std::unique_ptr<connector::BatchReader>> open_xml(const std::shared_ptr<io::Store>& store,
                                                         const io::FileInfo& file,
                                                         const XmlOptions& options,
                                                         const column::Schema& own) {
  TRY_ASSIGN(auto input, open_bytes(store, file.path));
  TRY_ASSIGN(auto values, CsvValues::make(options.values));
  return std::unique_ptr<connector::BatchReader>(std::make_unique<XmlReader>(
      file.path, std::move(input), options, XmlValues(options, std::move(values)), own));
}

}  // namespace millstream::format
