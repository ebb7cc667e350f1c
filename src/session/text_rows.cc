#include "session/text_rows.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/random.h"

namespace millstream::session {

TextRows::~TextRows() { ::unlink(path_.c_str()); }

Result<std::shared_ptr<const TextRows>> TextRows::write(const connector::Batches& rows,
                                                        const std::string& directory,
                                                        const std::string& null_text, char end) {
  std::error_code ignored;
  std::filesystem::create_directories(directory, ignored);
  auto texts = std::make_shared<const TextRows>(directory + "/texts-" + new_uuid() + ".txt");
  std::ofstream out(texts->path(), std::ios::binary);
  std::string line;
  for (const auto& partition : rows.partitions) {
    TRY_ASSIGN(const auto reader, partition());
    for (;;) {
      TRY_ASSIGN(const auto batch, reader->next());
      if (batch == nullptr) break;
      const auto& column = static_cast<const arrow::StringArray&>(*batch->column(0));
      for (std::int64_t row = 0; row < column.length(); ++row) {
        if (column.IsNull(row) && null_text.empty()) continue;
        line = column.IsNull(row) ? std::string_view(null_text) : column.GetView(row);
        for (char& c : line) {
          if (c == end || (end == '\n' && c == '\r')) c = ' ';
        }
        out << line << end;
      }
    }
  }
  out.close();
  if (!out) return Status::io("writing {}: no space?", texts->path());
  return texts;
}

Result<connector::Batches> TextRowsTable::scan(const connector::ScanRequest& request) const {
  TRY_ASSIGN(auto rows, table_->scan(request));
  for (auto& partition : rows.partitions) {
    partition = [inner = std::move(partition), file = file_]() { return inner(); };
  }
  return rows;
}

}  // namespace millstream::session
