#include "connect/artifact_upload.h"

#include <zlib.h>

namespace millstream::connect {
namespace {

namespace proto = spark::connect;

bool checksum_matches(const proto::AddArtifactsRequest::ArtifactChunk& chunk) {
  const auto crc =
      crc32_z(0, reinterpret_cast<const unsigned char*>(chunk.data().data()), chunk.data().size());
  return static_cast<std::int64_t>(crc) == chunk.crc();
}

}  // namespace

ArtifactUpload::ArtifactUpload(Core& core, proto::AddArtifactsResponse* response)
    : core_(core), response_(response) {
  StartRead(&request_);
}

void ArtifactUpload::OnReadDone(bool ok) {
  if (!ok) {
    end(chunks_left_ > 0 ? Status::invalid("the upload of artifact {} ended {} chunks early", name_,
                                           chunks_left_)
                         : Status::OK());
    return;
  }
  if (const Status taken = take(request_); !taken.ok()) {
    end(taken);
    return;
  }
  StartRead(&request_);
}

void ArtifactUpload::end(const Status& status) {
  Finish(status.ok() ? grpc::Status::OK
                     : to_grpc(status, session_ == nullptr ? nullptr : &session_->errors()));
}

Status ArtifactUpload::store(const std::string& name, const std::string& bytes, bool good) {
  if (good) TRY(session_->session().artifacts().add(name, bytes));
  auto* summary = response_->add_artifacts();
  summary->set_name(name);
  summary->set_is_crc_successful(good);
  return Status::OK();
}

Status ArtifactUpload::take(const proto::AddArtifactsRequest& request) {
  if (session_ == nullptr) {
    TRY_ASSIGN(session_, core_.open_session(request.user_context().user_id(), request.session_id(),
                                            request.client_observed_server_side_session_id()));
    response_->set_session_id(session_->id());
    response_->set_server_side_session_id(session_->server_id());
  }
  switch (request.payload_case()) {
    case proto::AddArtifactsRequest::kBatch:
      for (const auto& artifact : request.batch().artifacts()) {
        TRY(store(artifact.name(), artifact.data().data(), checksum_matches(artifact.data())));
      }
      return Status::OK();
    case proto::AddArtifactsRequest::kBeginChunk: {
      const auto& begin = request.begin_chunk();
      if (chunks_left_ > 0)
        return Status::invalid("artifact {} began before {} was complete", begin.name(), name_);
      name_ = begin.name();
      total_bytes_ = begin.total_bytes();
      chunks_left_ = begin.num_chunks() - 1;
      bytes_ = begin.initial_chunk().data();
      good_ = checksum_matches(begin.initial_chunk());
      break;
    }
    case proto::AddArtifactsRequest::kChunk:
      if (chunks_left_ <= 0)
        return Status::invalid("a chunk of an artifact came without its beginning");
      bytes_ += request.chunk().data();
      good_ = good_ && checksum_matches(request.chunk());
      --chunks_left_;
      break;
    case proto::AddArtifactsRequest::PAYLOAD_NOT_SET:
      return Status::invalid("an artifact message without payload");
  }
  if (chunks_left_ > 0) return Status::OK();
  if (static_cast<std::int64_t>(bytes_.size()) != total_bytes_) {
    return Status::invalid("artifact {} has {} bytes, {} were announced", name_, bytes_.size(),
                           total_bytes_);
  }
  TRY(store(name_, bytes_, good_));
  bytes_.clear();
  return Status::OK();
}

}  // namespace millstream::connect
