#include "format/binary_file.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "format/arrow_status.h"

namespace millstream::format {
namespace {

class FileRow final : public connector::BatchReader {
 public:
  FileRow(std::shared_ptr<io::Store> store, io::FileInfo file, column::Schema own)
      : store_(std::move(store)), file_(std::move(file)), own_(std::move(own)) {}

  Result<connector::RecordBatchPtr> next() override {
    if (done_) return connector::RecordBatchPtr();
    done_ = true;
    const auto schema = column::to_arrow(own_);
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (int i = 0; i < schema->num_fields(); ++i) {
      TRY_ASSIGN(const auto scalar,
                 value(own_[static_cast<std::size_t>(i)].name, schema->field(i)->type()));
      TRY_ARROW_ASSIGN(auto array, arrow::MakeArrayFromScalar(*scalar, 1));
      arrays.push_back(std::move(array));
    }
    return arrow::RecordBatch::Make(schema, 1, std::move(arrays));
  }

 private:
  Result<std::shared_ptr<arrow::Scalar>> value(const std::string& name,
                                               const std::shared_ptr<arrow::DataType>& type) {
    if (name == "path")
      return std::shared_ptr<arrow::Scalar>(
          std::make_shared<arrow::StringScalar>(io::to_text(file_.path)));
    if (name == "length")
      return std::shared_ptr<arrow::Scalar>(std::make_shared<arrow::Int64Scalar>(file_.size));
    if (name == "modificationTime") {
      return std::shared_ptr<arrow::Scalar>(
          std::make_shared<arrow::TimestampScalar>(file_.modified_us / 1000 * 1000, type));
    }
    constexpr std::int64_t bytes_max = 0x7fffffff;
    if (file_.size > bytes_max)
      return Status::unsupported("{} has more than {} bytes", file_.path, bytes_max);
    TRY_ASSIGN(std::string bytes, store_->get(file_.path));
    return std::shared_ptr<arrow::Scalar>(
        std::make_shared<arrow::BinaryScalar>(arrow::Buffer::FromString(std::move(bytes))));
  }

  const std::shared_ptr<io::Store> store_;
  const io::FileInfo file_;
  const column::Schema own_;
  bool done_ = false;
};

}  // namespace

const column::Schema& binary_file_schema() {
  static const column::Schema schema = {{"path", column::string_type(), true, {}},
                                        {"modificationTime", column::timestamp_type(), true, {}},
                                        {"length", column::long_type(), true, {}},
                                        {"content", column::binary_type(), true, {}}};
  return schema;
}

Result<std::unique_ptr<connector::BatchReader>> open_binary_file(
    const std::shared_ptr<io::Store>& store, const io::FileInfo& file, const column::Schema& own) {
  return std::unique_ptr<connector::BatchReader>(std::make_unique<FileRow>(store, file, own));
}

}  // namespace millstream::format
