#include "connect/response_stream.h"

#include "connect/operation.h"

namespace millstream::connect {

std::shared_ptr<ResponseStream> ResponseStream::create() {
  std::shared_ptr<ResponseStream> stream(new ResponseStream());
  stream->self_ = stream;
  return stream;
}

void ResponseStream::start(std::shared_ptr<Operation> operation, std::int64_t position) {
  {
    const std::lock_guard lock(mutex_);
    CHECK(operation_ == nullptr);
    operation_ = std::move(operation);
    position_ = position;
  }
  pump();
}

void ResponseStream::fail(const grpc::Status& status) {
  {
    const std::lock_guard lock(mutex_);
    if (finishing_) return;
    finishing_ = true;
  }
  Finish(status);
}

bool ResponseStream::expired() const {
  const Settings& settings = operation_->spec().settings;
  const bool too_much = settings.stream_bytes_max > 0 && sent_bytes_ > settings.stream_bytes_max;
  return too_much || (settings.stream_duration_max > Milliseconds(0) &&
                      std::chrono::steady_clock::now() - opened_at_ > settings.stream_duration_max);
}

void ResponseStream::pump() {
  Operation::Step step;
  {
    const std::lock_guard lock(mutex_);
    if (writing_ || finishing_) return;
    if (cancelled_) {
      step.kind = Operation::Step::Kind::finish;
      step.status = grpc::Status(grpc::StatusCode::CANCELLED, "the call was cancelled");
    } else if (operation_ != nullptr) {
      step = operation_->next_step(this, &position_, expired());
    }
    switch (step.kind) {
      case Operation::Step::Kind::wait:
        return;
      case Operation::Step::Kind::write:
      case Operation::Step::Kind::write_last:
        writing_ = true;
        finishing_ = step.kind == Operation::Step::Kind::write_last;
        sent_bytes_ += static_cast<std::int64_t>(step.bytes.Length());
        current_ = std::move(step.bytes);
        break;
      case Operation::Step::Kind::finish:
        finishing_ = true;
        break;
    }
  }
  // Outside the lock: gRPC may call back at once. The flags above keep everybody else out.
  if (step.kind == Operation::Step::Kind::write) {
    StartWrite(&current_);
  } else if (step.kind == Operation::Step::Kind::write_last) {
    StartWriteAndFinish(&current_, grpc::WriteOptions(), grpc::Status::OK);
  } else {
    Finish(step.status);
  }
}

void ResponseStream::OnWriteDone(bool ok) {
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (!ok) cancelled_ = true;
  }
  pump();
}

void ResponseStream::OnCancel() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  pump();
}

void ResponseStream::OnDone() {
  std::shared_ptr<Operation> operation;
  std::shared_ptr<ResponseStream> self;
  {
    const std::lock_guard lock(mutex_);
    operation = std::move(operation_);
    self = std::move(self_);
  }
  if (operation != nullptr) operation->detach(this);
}

}  // namespace millstream::connect
