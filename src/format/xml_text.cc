#include "format/xml_text.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include "base/text.h"
#include "base/xml_text.h"

namespace millstream::format {

using column::TypeKind;
using column::TypePtr;

struct XmlWriterText::Member {
  std::string name;
  const arrow::Array* array;
  std::int64_t row;
  TypePtr type;

  bool is_null() const { return array->IsNull(row); }
};

Result<XmlWriterText> XmlWriterText::make(const XmlOptions& options, const column::Schema& schema) {
  TRY_ASSIGN(auto values, CsvWriterText::make(options.values));
  return XmlWriterText(options, schema, std::move(values));
}

void XmlWriterText::new_line(int depth, std::string& out) const {
  out += '\n';
  for (int i = 0; i < depth; ++i) out += options_.indent;
}

void XmlWriterText::append_start(std::string& out) const {
  if (!options_.declaration.empty()) out += "<?xml " + options_.declaration + "?>\n";
  out += "<" + options_.root_tag + ">";
}

void XmlWriterText::append_end(bool any, std::string& out) const {
  if (any) out += '\n';
  const auto blank = options_.root_tag.find(' ');  // attributes stand in the opening tag only
  out += "</" + options_.root_tag.substr(0, blank) + ">";
}

void XmlWriterText::append_row(const arrow::RecordBatch& batch, std::int64_t row,
                               std::string& out) const {
  std::vector<Member> members;
  for (std::size_t i = 0; i < schema_.size(); ++i) {
    members.push_back(
        {schema_[i].name, batch.column(static_cast<int>(i)).get(), row, schema_[i].type});
  }
  new_line(1, out);
  out += "<" + options_.row_tag;
  write_members(options_.row_tag, members, 1, out);
}

std::vector<XmlWriterText::Member> XmlWriterText::members_of(const arrow::Array& array,
                                                             std::int64_t row,
                                                             const TypePtr& type) const {
  std::vector<Member> members;
  if (type->kind() == TypeKind::struct_) {
    const auto& rows = static_cast<const arrow::StructArray&>(array);
    for (std::size_t i = 0; i < type->fields().size(); ++i) {
      const auto& field = type->fields()[i];
      // Slices are kept by the array itself: field(i) is cached in it.
      members.push_back({field.name, rows.field(static_cast<int>(i)).get(), row, field.type});
    }
    return members;
  }
  const auto& map = static_cast<const arrow::MapArray&>(array);
  const auto& keys = static_cast<const arrow::StringArray&>(*map.keys());
  for (std::int64_t at = map.value_offset(row); at < map.value_offset(row + 1); ++at) {
    members.push_back({std::string(keys.GetView(at)), map.items().get(), at, type->value()});
  }
  return members;
}

void XmlWriterText::write(const std::string& tag, const arrow::Array& array, std::int64_t row,
                          const TypePtr& type, int depth, std::string& out) const {
  if (array.IsNull(row)) {
    if (!options_.has_null_value) return;
    new_line(depth, out);
    out += "<" + tag + ">" + options_.null_value + "</" + tag + ">";
    return;
  }
  if (type->kind() == TypeKind::array) {
    const auto& list = static_cast<const arrow::ListArray&>(array);
    const bool nested = type->element()->kind() == TypeKind::array;
    for (std::int64_t at = list.value_offset(row); at < list.value_offset(row + 1); ++at) {
      if (!nested) {
        write(tag, *list.values(), at, type->element(), depth, out);
        continue;
      }
      new_line(depth, out);
      out += "<" + tag + ">";
      write(options_.array_element, *list.values(), at, type->element(), depth + 1, out);
      new_line(depth, out);
      out += "</" + tag + ">";
    }
    return;
  }
  new_line(depth, out);
  out += "<" + tag;
  if (type->kind() == TypeKind::struct_ || type->kind() == TypeKind::map) {
    write_members(tag, members_of(array, row, type), depth, out);
    return;
  }
  out += '>';
  append_xml_escaped(values_.text_of(array, row), false, &out);
  out += "</" + tag + ">";
}

// Attributes, the text, then the elements.
void XmlWriterText::write_members(const std::string& tag, const std::vector<Member>& members,
                                  int depth, std::string& out) const {
  const auto is_attribute = [&](const Member& member) {
    return member.name.starts_with(options_.attribute_prefix) &&
           member.name != options_.value_tag && !member.type->is_nested();
  };
  std::string text;
  bool elements = false;
  for (const Member& member : members) {
    const bool shown = !member.is_null() || options_.has_null_value;
    if (!shown) continue;
    if (is_attribute(member)) {
      out += " " + member.name.substr(options_.attribute_prefix.size()) + "=\"";
      append_xml_escaped(
          member.is_null() ? options_.null_value : values_.text_of(*member.array, member.row), true,
          &out);
      out += '"';
    } else if (member.name == options_.value_tag) {
      text = member.is_null() ? options_.null_value : values_.text_of(*member.array, member.row);
    } else {
      elements = true;
    }
  }
  if (!elements && text.empty()) {
    out += "/>";
    return;
  }
  out += '>';
  append_xml_escaped(text, false, &out);
  for (const Member& member : members) {
    if (is_attribute(member) || member.name == options_.value_tag) continue;
    write(member.name, *member.array, member.row, member.type, depth + 1, out);
  }
  if (elements) new_line(depth, out);
  out += "</" + tag + ">";
}

}  // namespace millstream::format
