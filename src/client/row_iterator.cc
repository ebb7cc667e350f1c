#include "millstream/row_iterator.h"

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <deque>

#include "client/arrow_values.h"
#include "client/errors.h"
#include "client/relations.h"
#include "spark/connect/base.pb.h"

namespace millstream::api {

class RowIterator::Source {
 public:
  explicit Source(const DataFrame& frame) : connection_(frame.connection()) {
    *plan_.mutable_root() = frame.relation();
  }

  std::optional<Row> next() {
    while (batches_.empty() || row_ == batches_.front()->num_rows()) {
      if (!batches_.empty()) batches_.pop_front();
      row_ = 0;
      if (batches_.empty() && !read_answer()) return std::nullopt;
    }
    return client::row_at(*batches_.front(), names_, row_++);
  }

 private:
  bool read_answer() {
    if (is_over_) return false;
    is_over_ = true;  // also when what follows throws
    if (!answers_) answers_ = connection_->start(plan_);
    spark::connect::ExecutePlanResponse response;
    if (!answers_(&response)) {
      answers_ = nullptr;
      return false;
    }
    if (response.has_arrow_batch()) take(response.arrow_batch().data());
    is_over_ = false;
    return true;
  }

  void take(const std::string& ipc) {
    for (auto& batch : client::value_or_throw(client::read_ipc(ipc))) {
      if (names_ == nullptr)
        names_ = std::make_shared<const std::vector<std::string>>(batch->schema()->field_names());
      batches_.push_back(std::move(batch));
    }
  }

  std::shared_ptr<client::Connection> connection_;
  spark::connect::Plan plan_;
  client::Connection::Answers answers_;  // empty: not begun, or over
  bool is_over_ = false;
  Row::Names names_;
  std::deque<std::shared_ptr<arrow::RecordBatch>> batches_;
  std::int64_t row_ = 0;  // of the first batch
};

std::optional<Row> RowIterator::next() { return source_->next(); }

RowIterator DataFrame::to_local_iterator() const {
  return RowIterator(std::make_shared<RowIterator::Source>(*this));
}

}  // namespace millstream::api
