// A DataFrame of texts as a file, for the readers of files: spark.read.json(texts). The file goes
// with the object.
#pragma once

#include <memory>
#include <string>

#include "connector/table.h"

namespace millstream::session {

class TextRows {
 public:
  // The texts of the only column, `end` behind each. NULL becomes `null_text`, or no text if that
  // is empty; ends within a text become blanks, as do those of lines where `end` is one.
  static Result<std::shared_ptr<const TextRows>> write(const connector::Batches& rows,
                                                       const std::string& directory,
                                                       const std::string& null_text, char end);
  explicit TextRows(std::string path) : path_(std::move(path)) {}
  TextRows(const TextRows&) = delete;
  TextRows& operator=(const TextRows&) = delete;
  ~TextRows();
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

// The table that a reader made of the file; it has no _metadata.
class TextRowsTable final : public connector::Table {
 public:
  TextRowsTable(std::shared_ptr<const connector::Table> table, std::shared_ptr<const TextRows> file)
      : table_(std::move(table)), file_(std::move(file)) {}
  const column::Schema& schema() const override { return table_->schema(); }
  const column::Schema& metadata_fields() const override { return no_metadata_; }
  Result<connector::Batches> scan(const connector::ScanRequest& request) const override;
  std::string describe() const override { return "parsed texts"; }

 private:
  const std::shared_ptr<const connector::Table> table_;
  const std::shared_ptr<const TextRows> file_;
  const column::Schema no_metadata_;
};

}  // namespace millstream::session
