#include "connect/plan_decode.h"

#include <google/protobuf/io/coded_stream.h>
#include <zstd.h>

#include <memory>
#include <vector>

#include "spark/connect/base.pb.h"

namespace millstream::connect {
namespace {

namespace proto = spark::connect;

// Messages in messages. A chained DataFrame call nests two; a worker's stack holds this many with
// room to spare.
constexpr int nesting_max = 20'000;
constexpr std::size_t plan_bytes_max = std::size_t{512} << 20;

Status cannot_parse(const std::string& why) {
  return Status::error("CONNECT_INVALID_PLAN.CANNOT_PARSE", {{"errorMsg", why}});
}

Status parse(const std::uint8_t* data, std::size_t size, google::protobuf::MessageLite* message) {
  google::protobuf::io::CodedInputStream in(data, static_cast<int>(size));
  in.SetRecursionLimit(nesting_max);
  if (!message->ParseFromCodedStream(&in) || !in.ConsumedEntireMessage()) {
    return cannot_parse("malformed " + message->GetTypeName() + ", or nested more than " +
                        std::to_string(nesting_max) + " levels deep");
  }
  return Status::OK();
}

Result<std::string> unpack(const std::string& packed) {
  std::string out;
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          ZSTD_freeDStream);
  std::vector<char> block(ZSTD_DStreamOutSize());
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t pending = 1;
  while (in.pos < in.size || pending != 0) {
    ZSTD_outBuffer piece{block.data(), block.size(), 0};
    const std::size_t before = in.pos;
    pending = ZSTD_decompressStream(stream.get(), &piece, &in);
    if (ZSTD_isError(pending) != 0) return cannot_parse(ZSTD_getErrorName(pending));
    out.append(block.data(), piece.pos);
    if (out.size() > plan_bytes_max) return cannot_parse("the plan is larger than 512 MiB");
    if (piece.pos == 0 && in.pos == before) {
      if (pending == 0) break;
      return cannot_parse("the compressed plan is cut off");
    }
  }
  return out;
}

}  // namespace

Status decode(const grpc::ByteBuffer& bytes, google::protobuf::MessageLite* message) {
  grpc::Slice slice;
  if (bytes.TrySingleSlice(&slice).ok()) return parse(slice.begin(), slice.size(), message);
  if (!bytes.DumpToSingleSlice(&slice).ok()) return cannot_parse("the message cannot be read");
  return parse(slice.begin(), slice.size(), message);
}

Status decompress(proto::Plan* plan) {
  if (!plan->has_compressed_operation()) return Status::OK();
  const proto::Plan::CompressedOperation operation = plan->compressed_operation();
  if (operation.compression_codec() != proto::COMPRESSION_CODEC_ZSTD) {
    return cannot_parse("unknown compression codec " +
                        std::to_string(operation.compression_codec()));
  }
  TRY_ASSIGN(const std::string bytes, unpack(operation.data()));
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  switch (operation.op_type()) {
    case proto::Plan::CompressedOperation::OP_TYPE_RELATION:
      return parse(data, bytes.size(), plan->mutable_root());
    case proto::Plan::CompressedOperation::OP_TYPE_COMMAND:
      return parse(data, bytes.size(), plan->mutable_command());
    default:
      return cannot_parse("unknown operation type " + std::to_string(operation.op_type()));
  }
}

}  // namespace millstream::connect
