// Arrow rows as elements of XML, as Spark's XML writer prints them. Used by one thread.
#pragma once

#include <string>

#include "column/types.h"
#include "format/csv_text.h"
#include "format/xml_options.h"

namespace millstream::format {

class XmlWriterText {
 public:
  static Result<XmlWriterText> make(const XmlOptions& options, const column::Schema& schema);

  void append_start(std::string& out) const;  // the declaration and the root's tag
  void append_row(const arrow::RecordBatch& batch, std::int64_t row, std::string& out) const;
  void append_end(bool any, std::string& out) const;

 private:
  struct Member;
  XmlWriterText(const XmlOptions& options, const column::Schema& schema, CsvWriterText values)
      : options_(options), schema_(schema), values_(std::move(values)) {}

  void write(const std::string& tag, const arrow::Array& array, std::int64_t row,
             const column::TypePtr& type, int depth, std::string& out) const;
  void write_members(const std::string& tag, const std::vector<Member>& members, int depth,
                     std::string& out) const;
  std::vector<Member> members_of(const arrow::Array& array, std::int64_t row,
                                 const column::TypePtr& type) const;
  void new_line(int depth, std::string& out) const;

  const XmlOptions options_;
  const column::Schema schema_;
  const CsvWriterText values_;
};

}  // namespace millstream::format
