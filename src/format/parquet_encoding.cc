#include "format/parquet_encoding.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/util/compression.h>
#include <parquet/types.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/check.h"

namespace millstream::format {
namespace {

constexpr std::int64_t sample_values_max = 2048;
constexpr std::int64_t sample_values_min = 64;
constexpr std::size_t sample_bytes_max = 64 << 10;  // what snappy looks at together
constexpr std::size_t sample_bytes_min = 4 << 10;
constexpr std::size_t dictionary_values_max = 1 << 16;
constexpr std::size_t dictionary_bytes_max = 1
                                             << 20;  // of the page: Parquet's writer gives up there

bool is_text(const arrow::Array& array) {
  return array.type_id() == arrow::Type::STRING || array.type_id() == arrow::Type::BINARY;
}

// The bytes of value i of an array with values of a fixed width; null: it has none.
const char* fixed_values(const arrow::Array& array, int width) {
  if (width <= 0 || array.data()->buffers.size() < 2 || !array.data()->buffers[1]) return nullptr;
  return reinterpret_cast<const char*>(array.data()->buffers[1]->data()) + array.offset() * width;
}

bool is_low_cardinality(const arrow::Array& array) {
  const std::int64_t count = std::min(array.length(), sample_values_max);
  if (count < sample_values_min) return false;
  std::unordered_set<std::string_view> seen;
  const auto limit = static_cast<std::size_t>(count / 8);
  if (is_text(array)) {
    const auto& values = static_cast<const arrow::BinaryArray&>(array);
    for (std::int64_t i = 0; i < count && seen.size() <= limit; ++i) {
      if (values.IsValid(i)) seen.insert(values.GetView(i));
    }
    return seen.size() <= limit;
  }
  const int width = array.type()->byte_width();
  const char* raw = fixed_values(array, width);
  if (raw == nullptr || width == 1) return false;
  for (std::int64_t i = 0; i < count && seen.size() <= limit; ++i) {
    if (array.IsValid(i)) seen.insert({raw + i * width, static_cast<std::size_t>(width)});
  }
  return seen.size() <= limit;
}

// The first values as a page would hold them.
std::string plain_sample(const arrow::Array& array) {
  std::string bytes;
  if (is_text(array)) {
    const auto& values = static_cast<const arrow::BinaryArray&>(array);
    for (std::int64_t i = 0; i < array.length() && bytes.size() < sample_bytes_max; ++i) {
      if (values.IsNull(i)) continue;
      const auto size = static_cast<std::uint32_t>(values.value_length(i));
      bytes.append(reinterpret_cast<const char*>(&size), sizeof(size));
      bytes.append(values.GetView(i).substr(0, sample_bytes_max));
    }
    return bytes;
  }
  const int width = array.type()->byte_width();
  const char* raw = fixed_values(array, width);
  if (raw == nullptr) return bytes;
  const auto size = static_cast<std::size_t>(array.length() * width);
  return bytes.assign(raw, std::min(size, sample_bytes_max));
}

// Whether the codec saves an eighth. A sample that is too small to tell is taken to be worth it.
bool is_worth_compressing(const arrow::Array& array, arrow::util::Codec& codec) {
  if (arrow::is_decimal(array.type_id())) return true;  // pages hold them narrower than Arrow does
  const std::string bytes = plain_sample(array);
  if (bytes.size() < sample_bytes_min) return true;
  const auto* input = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const auto size = static_cast<std::int64_t>(bytes.size());
  std::vector<std::uint8_t> out(static_cast<std::size_t>(codec.MaxCompressedLen(size, input)));
  const auto compressed =
      codec.Compress(size, input, static_cast<std::int64_t>(out.size()), out.data());
  return !compressed.ok() || *compressed <= size - size / 8;
}

class EncodingChoice {
 public:
  EncodingChoice(parquet::Compression::type codec, parquet::WriterProperties::Builder& properties)
      : codec_(parquet::GetCodec(codec)), properties_(properties) {}

  void choose(const arrow::Array& array, const std::string& path) {
    switch (array.type_id()) {
      case arrow::Type::STRUCT: {
        const auto& parent = static_cast<const arrow::StructArray&>(array);
        for (int i = 0; i < parent.num_fields(); ++i)
          choose(*parent.field(i), path + "." + parent.struct_type()->field(i)->name());
        return;
      }
      case arrow::Type::LIST: {
        const auto& list = static_cast<const arrow::ListArray&>(array);
        return choose(*list.values(), path + ".list.element");
      }
      case arrow::Type::MAP: {
        const auto& map = static_cast<const arrow::MapArray&>(array);
        choose(*map.keys(), path + ".key_value.key");
        return choose(*map.items(), path + ".key_value.value");
      }
      case arrow::Type::BOOL:
      case arrow::Type::NA:
        return;
      default:
        if (is_low_cardinality(array)) {
          properties_.enable_dictionary(path);
        } else if (codec_ != nullptr && !is_worth_compressing(array, *codec_)) {
          properties_.compression(path, parquet::Compression::UNCOMPRESSED);
        }
    }
  }

 private:
  const std::unique_ptr<arrow::util::Codec> codec_;
  parquet::WriterProperties::Builder& properties_;
};

// The different values of a column of texts, numbered as they come. Open addressing; a text of up
// to 16 bytes is known by two words and its length, without looking at its bytes again.
class TextDictionary {
 public:
  TextDictionary() : slots_(1 << 10) {}

  // The number of a value; -1: it would be one too many. Bytes up to `readable_end` may be looked
  // at.
  std::int32_t number_of(std::string_view text, const char* readable_end) {
    const Key key = key_of(text, readable_end);
    for (std::size_t at = key.hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.number < 0) return add(slot, key, text);
      if (slot.key == key && (text.size() <= 16 || values_[slot.index()] == text))
        return slot.number;
    }
  }

  std::shared_ptr<arrow::Array> values(const std::shared_ptr<arrow::DataType>& type) const {
    auto offsets = allocate((values_.size() + 1) * sizeof(std::int32_t));
    auto data = allocate(bytes_);
    auto* ends = reinterpret_cast<std::int32_t*>(offsets->mutable_data());
    std::int32_t end = 0;
    *ends++ = 0;
    for (const auto& value : values_) {
      std::memcpy(data->mutable_data() + end, value.data(), value.size());
      end += static_cast<std::int32_t>(value.size());
      *ends++ = end;
    }
    return arrow::MakeArray(
        arrow::ArrayData::Make(type, static_cast<std::int64_t>(values_.size()),
                               {nullptr, std::shared_ptr<arrow::Buffer>(std::move(offsets)),
                                std::shared_ptr<arrow::Buffer>(std::move(data))},
                               0));
  }

  static std::unique_ptr<arrow::Buffer> allocate(std::size_t bytes) {
    auto buffer = arrow::AllocateBuffer(static_cast<std::int64_t>(bytes));
    CHECK(buffer.ok());
    return std::move(*buffer);
  }

 private:
  struct Key {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::size_t size = 0;
    std::size_t hash = 0;
    bool operator==(const Key&) const = default;
  };
  struct Slot {
    Key key;
    std::int32_t number = -1;
    std::size_t index() const { return static_cast<std::size_t>(number); }
  };

  static std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    return hash ^ (hash >> 32);
  }

  // Two words that hold a text of up to 16 bytes, zeros behind it; of a longer one its first and
  // last 8 bytes.
  static Key key_of(std::string_view text, const char* readable_end) {
    Key key;
    key.size = text.size();
    const char* at = text.data();
    std::uint64_t rest = 0;
    if (key.size <= 16) {
      char padded[16] = {};
      if (readable_end - at < 16) {
        std::copy_n(at, key.size, padded);
        at = padded;
      }
      std::memcpy(&key.first, at, 8);
      std::memcpy(&key.last, at + 8, 8);
      key.first &= mask_of(std::min<std::size_t>(key.size, 8));
      key.last &= mask_of(key.size - std::min<std::size_t>(key.size, 8));
    } else {
      std::memcpy(&key.first, at, 8);
      std::memcpy(&key.last, at + key.size - 8, 8);
      for (std::size_t i = 8; i + 8 < key.size; i += 8) {
        std::uint64_t word;
        std::memcpy(&word, at + i, 8);
        rest = mix(rest, word);
      }
    }
    key.hash = mix(mix(rest ^ key.size, key.first), key.last);
    return key;
  }

  // Of the first so many bytes of a word.
  static std::uint64_t mask_of(std::size_t bytes) {
    return bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (bytes * 8)) - 1;
  }

  std::int32_t add(Slot& slot, const Key& key, std::string_view text) {
    const std::size_t page = bytes_ + text.size() + (values_.size() + 1) * sizeof(std::uint32_t);
    if (values_.size() == dictionary_values_max || page >= dictionary_bytes_max) return -1;
    const auto number = static_cast<std::int32_t>(values_.size());
    slot = {key, number};
    values_.push_back(text);
    bytes_ += text.size();
    if (values_.size() * 2 > slots_.size()) grow();
    return number;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 4);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number < 0) continue;
      std::size_t at = slot.key.hash & (slots_.size() - 1);
      while (slots_[at].number >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::vector<std::string_view> values_;  // in the chunks
  std::size_t bytes_ = 0;
};

// The numbers of a chunk's values, with the chunk's NULLs; null: too many different ones.
std::shared_ptr<arrow::Array> numbers_of(const arrow::Array& chunk, TextDictionary& dictionary) {
  const auto& texts = static_cast<const arrow::BinaryArray&>(chunk);
  // As far into its buffer as the chunk is into its own, so that both share the NULLs.
  const auto slots = static_cast<std::size_t>(chunk.offset() + chunk.length());
  auto buffer = TextDictionary::allocate(slots * sizeof(std::int32_t));
  auto* numbers = reinterpret_cast<std::int32_t*>(buffer->mutable_data()) + chunk.offset();
  const bool has_nulls = chunk.null_count() > 0;
  const auto& bytes = texts.value_data();
  const char* end =
      bytes == nullptr ? nullptr : reinterpret_cast<const char*>(bytes->data()) + bytes->size();
  for (std::int64_t i = 0; i < chunk.length(); ++i) {
    numbers[i] = has_nulls && texts.IsNull(i) ? 0 : dictionary.number_of(texts.GetView(i), end);
    if (numbers[i] < 0) return nullptr;
  }
  return arrow::MakeArray(arrow::ArrayData::Make(
      arrow::int32(), chunk.length(),
      {chunk.null_bitmap(), std::shared_ptr<arrow::Buffer>(std::move(buffer))}, chunk.null_count(),
      chunk.offset()));
}

}  // namespace

void choose_encodings(const arrow::RecordBatch& sample, parquet::Compression::type codec,
                      parquet::WriterProperties::Builder& properties) {
  EncodingChoice choice(codec, properties);
  for (int i = 0; i < sample.num_columns(); ++i)
    choice.choose(*sample.column(i), sample.schema()->field(i)->name());
}

std::optional<arrow::ArrayVector> dictionary_chunks(const arrow::ArrayVector& chunks) {
  TextDictionary dictionary;
  arrow::ArrayVector numbers;
  for (const auto& chunk : chunks) {
    numbers.push_back(numbers_of(*chunk, dictionary));
    if (numbers.back() == nullptr) return std::nullopt;
  }
  const auto values = dictionary.values(chunks.front()->type());
  if (values->length() == 0) return std::nullopt;  // NULLs only
  const auto type = arrow::dictionary(arrow::int32(), chunks.front()->type());
  for (auto& chunk : numbers) chunk = std::make_shared<arrow::DictionaryArray>(type, chunk, values);
  return numbers;
}

}  // namespace millstream::format
