#include "format/avro_codec.h"

#include <arrow/util/compression.h>
#include <zlib.h>

#include <algorithm>

#include "format/arrow_status.h"

namespace millstream::format {
namespace {

// A block is a few dozen kilobytes; no more than this is believed of one.
constexpr std::size_t block_bytes_max = 1 << 30;
constexpr std::size_t piece_bytes = 256 << 10;

Status damaged(std::string_view why) { return Status::io("a damaged block: {}", why); }

Result<std::string> deflate_raw(std::string_view bytes, int level) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return Status::invalid("{} is not a level of deflate", level);
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) return Status::internal("deflate ended with {}", code);
  return out;
}

Result<std::string> inflate_raw(std::string_view bytes) {
  z_stream stream{};
  CHECK(inflateInit2(&stream, -15) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int code = Z_OK;
  while (code == Z_OK && out.size() < block_bytes_max) {
    const std::size_t before = out.size();
    out.resize(before + piece_bytes);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(piece_bytes);
    code = inflate(&stream, Z_NO_FLUSH);
    out.resize(before + (piece_bytes - std::min<std::size_t>(stream.avail_out, piece_bytes)));
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END) return damaged("deflate");
  return out;
}

arrow::Compression::type arrow_codec(const std::string& name) {
  if (name == "snappy") return arrow::Compression::SNAPPY;
  if (name == "zstandard") return arrow::Compression::ZSTD;
  return arrow::Compression::BZ2;
}

std::string checksum(std::string_view bytes) {
  const auto crc =
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(crc >> shift);
  return out;
}

// The length that snappy's bytes begin with.
std::optional<std::size_t> snappy_length(std::string_view bytes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 5); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    length |= static_cast<std::size_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) return length;
  }
  return std::nullopt;
}

// A copy of up to 64 bytes takes three: more than that a byte of snappy's does not become.
constexpr std::size_t snappy_ratio_max = 32;

Result<std::string> unsnappy(std::string_view bytes) {
  if (bytes.size() < 4) return damaged("snappy");
  const auto sum = bytes.substr(bytes.size() - 4);
  bytes.remove_suffix(4);
  const auto length = snappy_length(bytes);
  if (!length || *length > block_bytes_max || *length > bytes.size() * snappy_ratio_max)
    return damaged("snappy");
  TRY_ARROW_ASSIGN(const auto codec, arrow::util::Codec::Create(arrow::Compression::SNAPPY));
  std::string out(*length, '\0');
  const auto got = codec->Decompress(
      static_cast<std::int64_t>(bytes.size()), reinterpret_cast<const std::uint8_t*>(bytes.data()),
      static_cast<std::int64_t>(out.size()), reinterpret_cast<std::uint8_t*>(out.data()));
  if (!got.ok() || *got != static_cast<std::int64_t>(out.size())) return damaged("snappy");
  if (checksum(out) != sum) return damaged("its checksum");
  return out;
}

Result<std::string> snappy(std::string_view bytes) {
  TRY_ARROW_ASSIGN(const auto codec, arrow::util::Codec::Create(arrow::Compression::SNAPPY));
  const auto size = static_cast<std::int64_t>(bytes.size());
  const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::string out(static_cast<std::size_t>(codec->MaxCompressedLen(size, from)), '\0');
  TRY_ARROW_ASSIGN(const auto written,
                   codec->Compress(size, from, static_cast<std::int64_t>(out.size()),
                                   reinterpret_cast<std::uint8_t*>(out.data())));
  out.resize(static_cast<std::size_t>(written));
  return out + checksum(bytes);
}

// Codecs that do not tell how long their bytes become.
Result<std::string> decompress_stream(const std::string& name, std::string_view bytes) {
  TRY_ARROW_ASSIGN(const auto codec, arrow::util::Codec::Create(arrow_codec(name)));
  TRY_ARROW_ASSIGN(const auto stream, codec->MakeDecompressor());
  std::string out;
  while (!stream->IsFinished()) {
    const std::size_t before = out.size();
    if (before >= block_bytes_max) return damaged(name);
    out.resize(before + piece_bytes);
    const auto step = stream->Decompress(static_cast<std::int64_t>(bytes.size()),
                                         reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                         static_cast<std::int64_t>(piece_bytes),
                                         reinterpret_cast<std::uint8_t*>(out.data() + before));
    if (!step.ok()) return damaged(name);
    out.resize(before + static_cast<std::size_t>(step->bytes_written));
    bytes.remove_prefix(static_cast<std::size_t>(step->bytes_read));
    if (step->bytes_read == 0 && step->bytes_written == 0) return damaged(name);
  }
  return out;
}

Result<std::string> compress_stream(const AvroCodec& wanted, std::string_view bytes) {
  const int level = wanted.level < 0 ? arrow::util::kUseDefaultCompressionLevel : wanted.level;
  TRY_ARROW_ASSIGN(const auto codec, arrow::util::Codec::Create(arrow_codec(wanted.name), level));
  TRY_ARROW_ASSIGN(const auto stream, codec->MakeCompressor());
  std::string out;
  const auto room = [&] {
    out.resize(out.size() + piece_bytes);
    return reinterpret_cast<std::uint8_t*>(out.data() + out.size() - piece_bytes);
  };
  while (!bytes.empty()) {
    TRY_ARROW_ASSIGN(const auto step,
                     stream->Compress(static_cast<std::int64_t>(bytes.size()),
                                      reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                      static_cast<std::int64_t>(piece_bytes), room()));
    out.resize(out.size() - piece_bytes + static_cast<std::size_t>(step.bytes_written));
    bytes.remove_prefix(static_cast<std::size_t>(step.bytes_read));
  }
  for (bool more = true; more;) {
    TRY_ARROW_ASSIGN(const auto step, stream->End(static_cast<std::int64_t>(piece_bytes), room()));
    out.resize(out.size() - piece_bytes + static_cast<std::size_t>(step.bytes_written));
    more = step.should_retry;
  }
  return out;
}

}  // namespace

Status check_avro_codec(const std::string& name) {
  for (const char* known : {"null", "deflate", "snappy", "zstandard", "bzip2"}) {
    if (name == known) return Status::OK();
  }
  if (name == "xz") {
    return Status::unsupported("the codec '{}' of Avro files is not supported by Millstream yet",
                               name);
  }
  return Status::io("Unrecognized codec: {}", name);
}

Result<std::string> avro_compress(const AvroCodec& codec, std::string_view bytes) {
  if (codec.name == "null") return std::string(bytes);
  if (codec.name == "deflate") return deflate_raw(bytes, codec.level);
  if (codec.name == "snappy") return snappy(bytes);
  return compress_stream(codec, bytes);
}

Result<std::string> avro_decompress(const std::string& codec, std::string_view bytes) {
  if (codec == "null") return std::string(bytes);
  if (codec == "deflate") return inflate_raw(bytes);
  if (codec == "snappy") return unsnappy(bytes);
  return decompress_stream(codec, bytes);
}

}  // namespace millstream::format
