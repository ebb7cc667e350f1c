// ArtifactUpload: one AddArtifacts call: the client's messages become artifacts of its session as
// they are complete. A part whose checksum does not match makes its artifact count as not received;
// that is told in the answer, not as an error. Driven by gRPC; deletes itself.
#pragma once

#include <grpcpp/support/server_callback.h>

#include <string>

#include "connect/core.h"
#include "spark/connect/base.pb.h"

namespace millstream::connect {

class ArtifactUpload final : public grpc::ServerReadReactor<spark::connect::AddArtifactsRequest> {
 public:
  ArtifactUpload(Core& core, spark::connect::AddArtifactsResponse* response);

  void OnReadDone(bool ok) override;
  void OnDone() override { delete this; }

 private:
  Status take(const spark::connect::AddArtifactsRequest& request);
  Status store(const std::string& name, const std::string& bytes, bool good);
  void end(const Status& status);

  Core& core_;
  spark::connect::AddArtifactsResponse* response_;
  spark::connect::AddArtifactsRequest request_;
  SessionPtr session_;
  // The artifact that comes in chunks.
  std::string name_;
  std::string bytes_;
  std::int64_t chunks_left_ = 0;
  std::int64_t total_bytes_ = 0;
  bool good_ = true;
};

}  // namespace millstream::connect
