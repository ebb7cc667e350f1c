#include "connect/operation.h"

#include "base/random.h"
#include "connect/errors.h"
#include "connect/response_stream.h"
#include "connect/server_session.h"
#include "spark/connect/base.pb.h"

namespace millstream::connect {
namespace {

namespace proto = spark::connect;

constexpr std::size_t unsent_bytes_max = std::size_t{64} << 20;  // the producer waits beyond that

grpc::ByteBuffer to_bytes(const proto::ExecutePlanResponse& response, std::size_t* size) {
  *size = response.ByteSizeLong();
  grpc::Slice slice(*size);
  response.SerializeToArray(const_cast<std::uint8_t*>(slice.begin()), static_cast<int>(*size));
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

OperationState Operation::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::shared_ptr<ResponseStream> Operation::stream() const {
  const std::lock_guard lock(mutex_);
  return stream_.lock();
}

void Operation::wake_stream() {
  if (const auto attached = stream()) attached->pump();
}

void Operation::append_locked(proto::ExecutePlanResponse&& response) {
  response.set_session_id(session().id());
  response.set_server_side_session_id(session().server_id());
  response.set_operation_id(spec_.id);
  Response entry;
  entry.id = new_uuid();
  response.set_response_id(entry.id);
  entry.bytes = to_bytes(response, &entry.size);
  unsent_bytes_ += entry.size;
  responses_.push_back(std::move(entry));
}

Status Operation::send(proto::ExecutePlanResponse&& response) {
  {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return cancel_.cancelled() || unsent_bytes_ < unsent_bytes_max; });
    if (!took_effect_) TRY(cancel_.check());
    append_locked(std::move(response));
  }
  wake_stream();
  return Status::OK();
}

void Operation::post(proto::ExecutePlanResponse&& response) {
  {
    const std::lock_guard lock(mutex_);
    if (finished_ || released_) return;
    append_locked(std::move(response));
  }
  wake_stream();
}

// What was computed of a query that its client has interrupted need not be carried to it first.
void Operation::forget_unsent_locked() {
  const std::int64_t kept = std::max<std::int64_t>(next_to_send_ - first_, 0);
  if (static_cast<std::size_t>(kept) < responses_.size())
    responses_.resize(static_cast<std::size_t>(kept));
  unsent_bytes_ = 0;
}

void Operation::end_locked(const Status& status) {
  finished_ = true;
  if (status.ok()) {
    state_ = OperationState::succeeded;
    if (spec_.reattachable) {
      proto::ExecutePlanResponse last;
      last.mutable_result_complete();
      append_locked(std::move(last));
    }
    return;
  }
  // Whatever broke when the operation was interrupted, the interruption is why.
  error_ = cancel_.cancelled() ? Status::cancelled() : status;
  if (cancel_.cancelled()) forget_unsent_locked();
  state_ = cancel_.cancelled() ? OperationState::cancelled : OperationState::failed;
}

void Operation::finish(const Status& status) {
  {
    const std::lock_guard lock(mutex_);
    if (finished_) {
      CHECK(cancel_.cancelled());
      return;
    }
    end_locked(status);
  }
  wake_stream();
}

void Operation::took_effect() {
  const std::lock_guard lock(mutex_);
  took_effect_ = true;
}

void Operation::changes_nothing_more() {
  const std::lock_guard lock(mutex_);
  changes_nothing_ = true;
}

bool Operation::interrupt() {
  {
    const std::lock_guard lock(mutex_);
    if (finished_ || took_effect_ || cancel_.cancelled()) return false;
  }
  cancel_.cancel();
  {
    const std::lock_guard lock(mutex_);
    room_.notify_all();
    if (!changes_nothing_ || took_effect_ || finished_) return true;
    end_locked(Status::cancelled());
  }
  wake_stream();
  return true;
}

std::optional<std::int64_t> Operation::number_locked(const std::string& response_id) const {
  for (std::size_t i = 0; i < responses_.size(); ++i) {
    if (responses_[i].id == response_id) return first_ + static_cast<std::int64_t>(i);
  }
  return std::nullopt;
}

Result<std::int64_t> Operation::attach(const std::shared_ptr<ResponseStream>& stream,
                                       const std::optional<std::string>& after) {
  std::shared_ptr<ResponseStream> previous;
  std::int64_t position = 1;
  {
    const std::lock_guard lock(mutex_);
    if (after) {
      if (*after == last_dropped_) {
        position = first_;
      } else if (const auto number = number_locked(*after)) {
        position = *number + 1;
      } else {
        return Status::error("INVALID_CURSOR.POSITION_NOT_FOUND", {{"responseId", *after}});
      }
    }
    if (position < first_) {
      return Status::error(
          "INVALID_CURSOR.POSITION_NOT_AVAILABLE",
          {{"responseId", after.value_or("")}, {"index", std::to_string(position)}});
    }
    previous = stream_.lock();
    stream_ = stream;
  }
  if (previous != nullptr) previous->pump();  // it finds that it is not the attached one any more
  return position;
}

void Operation::detach(ResponseStream* stream) {
  bool lost = false;
  {
    const std::lock_guard lock(mutex_);
    const auto attached = stream_.lock();
    if (attached != nullptr && attached.get() != stream) return;
    stream_.reset();
    detached_at_ = std::chrono::steady_clock::now();
    lost = !spec_.reattachable && !finished_;
  }
  if (lost) interrupt();
}

Operation::Step Operation::next_step(const ResponseStream* stream, std::int64_t* position,
                                     bool expired) {
  const std::lock_guard lock(mutex_);
  Step step;
  if (stream_.lock().get() != stream) {
    step.kind = Step::Kind::finish;
    step.status = to_grpc(Status::error("INVALID_CURSOR.DISCONNECTED"), nullptr);
    return step;
  }
  const std::int64_t end = first_ + static_cast<std::int64_t>(responses_.size());
  *position = std::max(*position, first_);
  if (expired && spec_.reattachable && !(finished_ && *position >= end)) {
    step.kind = Step::Kind::finish;
    return step;
  }
  if (*position < end) {
    const Response& response = responses_[static_cast<std::size_t>(*position - first_)];
    step.kind = finished_ && error_.ok() && *position == end - 1 ? Step::Kind::write_last
                                                                 : Step::Kind::write;
    step.bytes = response.bytes;
    if (*position >= next_to_send_) {
      next_to_send_ = *position + 1;
      unsent_bytes_ -= response.size;
      room_.notify_all();
    }
    // What lies further back than the retry buffer can hold is not kept.
    std::size_t kept = 0;
    std::int64_t oldest = *position;
    while (oldest > first_) {
      kept += responses_[static_cast<std::size_t>(oldest - 1 - first_)].size;
      if (kept > static_cast<std::size_t>(spec_.settings.retry_buffer_bytes)) break;
      --oldest;
    }
    const std::int64_t sent = *position;
    ++*position;
    drop_locked(spec_.reattachable ? oldest - 1 : sent);
    return step;
  }
  if (finished_) {
    step.kind = Step::Kind::finish;
    if (!error_.ok()) step.status = to_grpc(error_, &session().errors());
  }
  return step;
}

void Operation::drop_locked(std::int64_t up_to) {
  while (!responses_.empty() && first_ <= up_to && first_ < next_to_send_) {
    last_dropped_ = responses_.front().id;
    responses_.pop_front();
    ++first_;
  }
}

Status Operation::release_until(const std::string& response_id) {
  const std::lock_guard lock(mutex_);
  if (response_id == last_dropped_) return Status::OK();
  const auto number = number_locked(response_id);
  if (!number) {
    // Releases come on several connections of a client, in any order: a later one has dropped it
    // already.
    return Status::OK();
  }
  drop_locked(*number);
  return Status::OK();
}

void Operation::release_all() {
  bool running = false;
  {
    const std::lock_guard lock(mutex_);
    released_ = true;
    running = !finished_;
  }
  if (running) interrupt();
}

std::optional<std::chrono::steady_clock::duration> Operation::detached_for() const {
  const std::lock_guard lock(mutex_);
  if (stream_.lock() != nullptr) return std::nullopt;
  return std::chrono::steady_clock::now() - detached_at_;
}

bool Operation::take_heartbeat(std::chrono::steady_clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (!spec_.report_interval || finished_ || unsent_bytes_ != 0 || stream_.lock() == nullptr ||
      now - reported_at_ < *spec_.report_interval) {
    return false;
  }
  reported_at_ = now;
  return true;
}

bool Operation::disposable() const {
  const std::lock_guard lock(mutex_);
  if (!finished_) return false;
  return released_ || (!spec_.reattachable && stream_.lock() == nullptr);
}

}  // namespace millstream::connect
