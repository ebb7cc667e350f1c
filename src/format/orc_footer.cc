#include "format/orc_footer.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/compression.h>

#include <string>
#include <string_view>
#include <vector>

#include "format/arrow_status.h"
#include "format/avro_codec.h"

namespace millstream::format {
namespace {

constexpr std::uint64_t footer_bytes_max = 256 << 20;
constexpr std::uint64_t block_bytes_max = 64 << 20;
constexpr std::size_t depth_max = 200;  // of types
constexpr std::size_t types_max = 200'000;

Status damaged(std::string_view what) { return Status::io("malformed ORC file: {}", what); }

// The fields of a Protocol Buffers message, one after the other.
class Message {
 public:
  explicit Message(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t field = 0;
  std::uint64_t number = 0;  // of a field that is a number
  std::string_view text;     // of any other

  // The next field; false at the end, or at what is none: then `ok` is too.
  bool next() {
    if (bytes_.empty()) return false;
    std::uint64_t key = 0;
    ok_ = varint(key);
    field = key >> 3;
    text = {};
    switch (key & 7) {
      case 0:
        ok_ = ok_ && varint(number);
        break;
      case 1:
        ok_ = ok_ && take(8);
        break;
      case 2:
        ok_ = ok_ && varint(number) && take(number);
        break;
      case 5:
        ok_ = ok_ && take(4);
        break;
      default:
        ok_ = false;
    }
    return ok_;
  }
  bool ok() const { return ok_; }

  bool varint(std::uint64_t& out) {
    out = 0;
    for (int shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      out |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  bool take(std::uint64_t size) {
    if (size > bytes_.size()) return false;
    text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return true;
  }

  std::string_view bytes_;
  bool ok_ = true;
};

enum class Compression : std::uint8_t { none, zlib, snappy, lzo, lz4, zstd, brotli };

struct PostScript {
  std::uint64_t bytes = 0;  // of itself, with the byte that says so
  std::uint64_t footer_bytes = 0;
  std::uint64_t metadata_bytes = 0;
  std::uint64_t compression = 0;
  std::uint64_t block_bytes = 256 << 10;
};

Result<std::string> read_at(arrow::io::RandomAccessFile& file, std::int64_t at,
                            std::int64_t bytes) {
  TRY_ARROW_ASSIGN(const auto buffer, file.ReadAt(at, bytes));
  if (buffer->size() != bytes) return damaged("it became shorter");
  return buffer->ToString();
}

Result<PostScript> read_post_script(arrow::io::RandomAccessFile& file, std::int64_t size) {
  if (size < 4) return damaged("it is too short");
  TRY_ASSIGN(const std::string last, read_at(file, size - 1, 1));
  PostScript out;
  out.bytes = static_cast<unsigned char>(last[0]) + std::uint64_t{1};
  if (out.bytes > static_cast<std::uint64_t>(size)) return damaged("it is too short");
  const auto bytes = static_cast<std::int64_t>(out.bytes);
  TRY_ASSIGN(const std::string text, read_at(file, size - bytes, bytes - 1));
  bool is_orc = false;
  Message message(text);
  while (message.next()) {
    if (message.field == 1) out.footer_bytes = message.number;
    if (message.field == 2) out.compression = message.number;
    if (message.field == 3) out.block_bytes = message.number;
    if (message.field == 5) out.metadata_bytes = message.number;
    if (message.field == 8000) is_orc = message.text == "ORC";
  }
  if (!message.ok() || !is_orc) return damaged("it does not end as one");
  const auto room = static_cast<std::uint64_t>(size) - out.bytes;
  if (out.footer_bytes > footer_bytes_max || out.footer_bytes > room ||
      out.metadata_bytes > room - out.footer_bytes || out.block_bytes > block_bytes_max ||
      out.compression > static_cast<std::uint64_t>(Compression::brotli)) {
    return damaged("what it says of its footer");
  }
  return out;
}

Result<std::string> decompress_block(Compression codec, std::string_view bytes,
                                     std::uint64_t block_bytes) {
  if (codec == Compression::zlib) return avro_decompress("deflate", bytes);
  if (codec == Compression::zstd) return avro_decompress("zstandard", bytes);
  const auto type =
      codec == Compression::snappy ? arrow::Compression::SNAPPY : arrow::Compression::LZ4;
  TRY_ARROW_ASSIGN(const auto library, arrow::util::Codec::Create(type));
  std::string out(block_bytes, '\0');
  const auto got = library->Decompress(
      static_cast<std::int64_t>(bytes.size()), reinterpret_cast<const std::uint8_t*>(bytes.data()),
      static_cast<std::int64_t>(out.size()), reinterpret_cast<std::uint8_t*>(out.data()));
  if (!got.ok() || *got < 0 || *got > static_cast<std::int64_t>(out.size()))
    return damaged("the compression of its footer");
  out.resize(static_cast<std::size_t>(*got));
  return out;
}

// Blocks, each after three bytes of its length and whether it is as it was.
Result<std::string> decompress(const PostScript& script, std::string_view bytes) {
  const auto codec = static_cast<Compression>(script.compression);
  if (codec == Compression::none) return std::string(bytes);
  if (codec == Compression::lzo || codec == Compression::brotli) {
    return Status::unsupported("the codec {} of ORC files is not supported by Millstream yet",
                               codec == Compression::lzo ? "lzo" : "brotli");
  }
  std::string out;
  while (!bytes.empty()) {
    if (bytes.size() < 3) return damaged("the compression of its footer");
    const auto byte = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
    };
    const std::size_t head = byte(0) | byte(1) << 8 | byte(2) << 16;
    const std::size_t length = head >> 1;
    bytes.remove_prefix(3);
    if (length > bytes.size()) return damaged("the compression of its footer");
    if ((head & 1) != 0) {
      out += bytes.substr(0, length);
    } else {
      TRY_ASSIGN(const auto block,
                 decompress_block(codec, bytes.substr(0, length), script.block_bytes));
      out += block;
    }
    bytes.remove_prefix(length);
    if (out.size() > footer_bytes_max) return damaged("the size of its footer");
  }
  return out;
}

// The types are in the order of the tree, a parent before its children.
class Types {
 public:
  Status add(std::string_view text) {
    constexpr std::uint64_t kind_field = 1;
    constexpr std::uint64_t children_field = 2;
    constexpr std::uint64_t precision_field = 5;
    constexpr std::uint64_t scale_field = 6;
    constexpr std::uint64_t decimal_kind = 14;
    const std::size_t own = depths_.size();
    if (own >= types_max) return damaged("too many types");
    if (expected_.size() <= own) expected_.resize(own + 1, own == 0 ? 1 : 0);
    if (expected_[own] == 0) return damaged("a type that is nobody's");
    depths_.push_back(expected_[own]);
    if (depths_[own] > depth_max) return damaged("types that are nested too deeply");
    std::uint64_t kind = 0;
    std::uint64_t precision = 0;
    std::uint64_t scale = 0;
    Message message(text);
    while (message.next()) {
      if (message.field == kind_field) kind = message.number;
      if (message.field == precision_field) precision = message.number;
      if (message.field == scale_field) scale = message.number;
      if (message.field != children_field) continue;
      if (message.text.empty()) TRY(add_child(own, message.number));
      Message children(message.text);
      for (std::uint64_t child = 0; !children.at_end();) {
        if (!children.varint(child)) return damaged("its types");
        TRY(add_child(own, child));
      }
    }
    if (!message.ok()) return damaged("its types");
    if (kind == decimal_kind && (precision > 38 || scale > (precision == 0 ? 6 : precision)))
      return damaged("a decimal of more than 38 digits");
    return Status::OK();
  }

  Status finish() const {
    return depths_.empty() || expected_.size() > depths_.size() ? damaged("its types")
                                                                : Status::OK();
  }

 private:
  Status add_child(std::size_t own, std::uint64_t child) {
    if (child <= own || child >= types_max) return damaged("a type within itself");
    if (expected_.size() <= child) expected_.resize(child + 1, 0);
    if (expected_[child] != 0) return damaged("a type with two parents");
    expected_[child] = depths_[own] + 1;
    return Status::OK();
  }

  std::vector<std::size_t> depths_;
  std::vector<std::size_t> expected_;  // the depth of each type that a parent names; 0: none does
};

// A stripe's place must be before the footer.
Status check_stripe(std::string_view text, std::uint64_t end) {
  std::uint64_t sizes[6] = {};  // by field: offset, index, data, footer, rows
  Message message(text);
  while (message.next()) {
    if (message.field >= 1 && message.field <= 5) sizes[message.field] = message.number;
  }
  std::uint64_t used = 0;
  for (std::size_t i = 1; i <= 4; ++i) {
    if (sizes[i] > end) return damaged("the place of a stripe");
    used += sizes[i];
  }
  if (!message.ok() || used > end) return damaged("the place of a stripe");
  return Status::OK();
}

}  // namespace

Result<OrcFooter> check_orc_footer(arrow::io::RandomAccessFile& file) {
  TRY_ARROW_ASSIGN(const std::int64_t size, file.GetSize());
  TRY_ASSIGN(const PostScript script, read_post_script(file, size));
  const std::uint64_t at = static_cast<std::uint64_t>(size) - script.bytes - script.footer_bytes;
  TRY_ASSIGN(const std::string packed, read_at(file, static_cast<std::int64_t>(at),
                                               static_cast<std::int64_t>(script.footer_bytes)));
  TRY_ASSIGN(const std::string text, decompress(script, packed));
  OrcFooter footer;
  Types types;
  std::uint64_t rows = 0;
  Message message(text);
  while (message.next()) {
    constexpr std::uint64_t proleptic_gregorian = 2;
    switch (message.field) {
      case 3:
        TRY(check_stripe(message.text, at));
        break;
      case 4:
        TRY(types.add(message.text));
        break;
      case 6:
        rows = message.number;
        break;
      case 11:
        footer.julian = message.number != proleptic_gregorian;
        break;
      default:
        break;
    }
  }
  if (!message.ok()) return damaged("its footer");
  TRY(types.finish());
  footer.rows = static_cast<std::int64_t>(rows);
  if (footer.rows < 0) return damaged("its number of rows");
  return footer;
}

}  // namespace millstream::format
