// The schema of XML files: what was seen at each place, and the type that all of it fits.
#include <algorithm>
#include <limits>

#include "base/text.h"
#include "base/xml_text.h"
#include "conc/thread_pool.h"
#include "format/csv_values.h"
#include "format/xml_reader.h"
#include "format/xml_records.h"

namespace millstream::format {
namespace {

using column::TypeKind;
using column::TypePtr;

TypePtr common(const XmlOptions& options, const TypePtr& a, const TypePtr& b);

// The fields of both, those of one name merged.
TypePtr merged_struct(const XmlOptions& options, const TypePtr& a, const TypePtr& b) {
  column::Schema fields = a->fields();
  for (const auto& field : b->fields()) {
    const int known = column::find_field_ignore_case(fields, field.name);
    if (known < 0) {
      fields.push_back(field);
    } else {
      auto& type = fields[static_cast<std::size_t>(known)].type;
      type = common(options, type, field.type);
    }
  }
  return column::struct_type(std::move(fields));
}

// A text where elsewhere are members: it is one more of them.
TypePtr with_text(const XmlOptions& options, const TypePtr& row, const TypePtr& text) {
  return merged_struct(options, row, column::struct_type({{options.value_tag, text, true, {}}}));
}

TypePtr common(const XmlOptions& options, const TypePtr& a, const TypePtr& b) {
  if (a->kind() == TypeKind::null) return b;
  if (b->kind() == TypeKind::null) return a;
  if (column::same_type_ignoring_nullability(a, b)) return a;
  if (a->kind() == TypeKind::struct_ && b->kind() == TypeKind::struct_) {
    return merged_struct(options, a, b);
  }
  const bool list_a = a->kind() == TypeKind::array;
  const bool list_b = b->kind() == TypeKind::array;
  if (list_a || list_b) {
    return column::array_type(
        common(options, list_a ? a->element() : a, list_b ? b->element() : b));
  }
  const bool row = a->kind() == TypeKind::struct_ || b->kind() == TypeKind::struct_;
  if (row) {
    const TypePtr& members = a->kind() == TypeKind::struct_ ? a : b;
    const bool has_text = column::find_field(members->fields(), options.value_tag) >= 0;
    if (!has_text) return column::string_type();
    return with_text(options, members, a->kind() == TypeKind::struct_ ? b : a);
  }
  const bool decimals = a->kind() == TypeKind::decimal || b->kind() == TypeKind::decimal;
  if (a->is_numeric() && b->is_numeric()) {
    if (!decimals || a->kind() == TypeKind::double_ || b->kind() == TypeKind::double_) {
      return column::double_type();
    }
    const auto digits = [](const TypePtr& type) {
      return type->kind() == TypeKind::decimal ? type->precision() - type->scale() : 20;
    };
    const auto scale = [](const TypePtr& type) {
      return type->kind() == TypeKind::decimal ? type->scale() : 0;
    };
    const int behind = std::max(scale(a), scale(b));
    const int before = std::max(digits(a), digits(b));
    return before + behind > 38 ? column::double_type()
                                : column::decimal_type(before + behind, behind);
  }
  const auto either = [&](TypeKind kind) { return a->kind() == kind || b->kind() == kind; };
  const auto is_time = [](const TypePtr& type) {
    return type->kind() == TypeKind::date || type->kind() == TypeKind::timestamp ||
           type->kind() == TypeKind::timestamp_ntz;
  };
  if (!is_time(a) || !is_time(b)) return column::string_type();
  return either(TypeKind::timestamp) ? column::timestamp_type() : column::timestamp_ntz_type();
}

class Inference {
 public:
  Inference(const XmlOptions& options, CsvValues values)
      : options_(options), values_(std::move(values)) {}

  TypePtr type_of(const XmlNode& node) const {
    const bool attributes = !options_.exclude_attributes && !node.attributes.empty();
    if (!attributes && !node.has_elements()) return type_of(node.content());
    return members_of(node);
  }

  // Of a record, which is a row even where it is a text alone.
  TypePtr members_of(const XmlNode& node) const {
    TypePtr out = column::struct_type({});
    if (!options_.exclude_attributes) {
      for (const auto& [name, text] : node.attributes) {
        out = with(out, options_.attribute_prefix + name, type_of(text), false);
      }
    }
    for (const auto& child : node.children) {
      if (child.is_text() && trim(child.text).empty()) continue;
      const std::string& name = child.is_text() ? options_.value_tag : child.name;
      const bool again = column::find_field_ignore_case(out->fields(), name) >= 0;
      out = with(out, name, child.is_text() ? type_of(child.text) : type_of(child), again);
    }
    return out;
  }

 private:
  TypePtr with(const TypePtr& row, const std::string& name, TypePtr type, bool again) const {
    if (again) type = column::array_type(std::move(type));
    return merged_struct(options_, row, column::struct_type({{name, std::move(type), true, {}}}));
  }

  TypePtr type_of(std::string_view given) const {
    const std::string_view text = options_.trim ? trim(given) : given;
    if (!options_.infer_schema) return column::string_type();
    if (text.empty()) return column::null_type();
    std::int64_t whole;
    if (parse_java_integer(text, std::numeric_limits<std::int64_t>::min(),
                           std::numeric_limits<std::int64_t>::max(), whole)) {
      return column::long_type();
    }
    const char last = text.back();
    const bool suffixed = last == 'd' || last == 'D' || last == 'f' || last == 'F';
    if (!suffixed && values_.is_double(text)) return column::double_type();
    if (equals_ignore_case(text, "true") || equals_ignore_case(text, "false")) {
      return column::boolean_type();
    }
    if (values_.is_date(text)) return column::date_type();
    if (options_.values.infer_ntz && values_.is_timestamp_ntz(text))
      return column::timestamp_ntz_type();
    if (values_.is_timestamp(text)) return column::timestamp_type();
    return column::string_type();
  }

  const XmlOptions options_;
  const CsvValues values_;
};

// What no value decided is a text; names in order.
TypePtr settled(const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::null:
      return column::string_type();
    case TypeKind::array:
      return column::array_type(settled(type->element()));
    case TypeKind::struct_: {
      column::Schema fields = type->fields();
      for (auto& field : fields) field.type = settled(field.type);
      std::sort(fields.begin(), fields.end(),
                [](const auto& a, const auto& b) { return a.name < b.name; });
      return column::struct_type(std::move(fields));
    }
    default:
      return type;
  }
}

struct FileResult {
  TypePtr type = column::struct_type({});
  bool malformed = false;
};

Result<FileResult> read_file(const std::shared_ptr<io::Store>& store, const io::FileInfo& file,
                             const XmlOptions& options) {
  FileResult out;
  TRY_ASSIGN(auto input, open_bytes(store, file.path));
  XmlRecords records(std::move(input), record_tag(options));
  TRY_ASSIGN(auto values, CsvValues::make(options.values));
  const Inference inference(options, std::move(values));
  for (;;) {
    const auto found = records.next();
    if (!found.ok()) return failed_read(file.path, found.status());
    if (!*found) return out;
    const auto root = parse_xml(records.text());
    if (root) {
      out.type = merged_struct(options, out.type, inference.members_of(*root));
    } else if (options.mode == ParseMode::fail_fast) {
      return Status::error("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                           {{"badRecord", options.corrupt_column}, {"failFastMode", "FAILFAST"}});
    } else {
      out.malformed = true;
      if (!options.whole_texts) return out;
    }
  }
}

}  // namespace

Result<column::Schema> infer_xml_schema(const std::shared_ptr<io::Store>& store,
                                        const std::vector<io::FileInfo>& files,
                                        const XmlOptions& options) {
  std::vector<FileResult> results(files.size());
  TRY(shared_pool().run_all(files.size(), [&](std::size_t i) -> Status {
    TRY_ASSIGN(results[i], read_file(store, files[i], options));
    return Status::OK();
  }));
  FileResult all;
  for (const auto& one : results) {
    all.type = merged_struct(options, all.type, one.type);
    all.malformed = all.malformed || one.malformed;
  }
  column::Schema schema = settled(all.type)->fields();
  if (all.malformed && options.mode == ParseMode::permissive &&
      column::find_field(schema, options.corrupt_column) < 0) {
    schema.insert(schema.begin(), {options.corrupt_column, column::string_type(), true, {}});
  }
  return schema;
}

}  // namespace millstream::format
