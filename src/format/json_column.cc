#include "format/json_column.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/type.h>

#include <algorithm>

#include "base/text.h"

namespace millstream::format {
namespace {

using column::TypeKind;
using Kind = JsonColumn::Kind;

constexpr std::int64_t slack = 64;

Kind kind_of(const column::DataType& type) {
  switch (type.kind()) {
    case TypeKind::null:
      return Kind::null;
    case TypeKind::boolean:
      return Kind::boolean;
    case TypeKind::byte_:
      return Kind::int8;
    case TypeKind::short_:
      return Kind::int16;
    case TypeKind::int_:
      return Kind::int32;
    case TypeKind::long_:
      return Kind::int64;
    case TypeKind::float_:
      return Kind::float32;
    case TypeKind::double_:
      return Kind::float64;
    case TypeKind::decimal:
      return Kind::decimal;
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return Kind::string;
    case TypeKind::binary:
      return Kind::binary;
    case TypeKind::date:
      return Kind::date;
    case TypeKind::timestamp:
      return Kind::timestamp;
    case TypeKind::timestamp_ntz:
      return Kind::timestamp_ntz;
    case TypeKind::time:
      return Kind::time;
    case TypeKind::day_time_interval:
      return Kind::day_time;
    case TypeKind::year_month_interval:
      return Kind::year_month;
    case TypeKind::array:
      return Kind::array;
    case TypeKind::map:
      return Kind::map;
    case TypeKind::struct_:
      return Kind::struct_;
    default:
      CHECK(false);  // refused by check_json_scan
  }
}

int width_of(Kind kind) {
  switch (kind) {
    case Kind::boolean:
    case Kind::int8:
      return 1;
    case Kind::int16:
      return 2;
    case Kind::int32:
    case Kind::float32:
    case Kind::date:
    case Kind::year_month:
      return 4;
    case Kind::int64:
    case Kind::float64:
    case Kind::timestamp:
    case Kind::timestamp_ntz:
    case Kind::time:
    case Kind::day_time:
      return 8;
    case Kind::decimal:
      return 16;
    default:
      return 0;
  }
}

// A byte a row, 0 or 1, to a bit a row.
std::int64_t pack_bits(const std::uint8_t* bytes, std::int64_t count, std::uint8_t* bits) {
  std::int64_t ones = 0;
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    if (word == 0x0101010101010101ULL) {
      bits[i / 8] = 0xff;
      ones += 8;
      continue;
    }
    const auto packed = static_cast<std::uint8_t>((word * 0x0102040810204080ULL) >> 56);
    bits[i / 8] = packed;
    ones += __builtin_popcount(packed);
  }
  if (i < count) {
    std::uint8_t packed = 0;
    for (std::int64_t j = i; j < count; ++j) {
      packed = static_cast<std::uint8_t>(packed | (bytes[j] << (j - i)));
      ones += bytes[j];
    }
    bits[i / 8] = packed;
  }
  return ones;
}

std::shared_ptr<arrow::Buffer> allocate(std::int64_t bytes) {
  auto buffer = arrow::AllocateBuffer(bytes);
  CHECK(buffer.ok());
  return std::move(*buffer);
}

}  // namespace

void GrowingBuffer::grow(std::int64_t bytes) {
  const std::int64_t wanted = std::max(bytes, capacity_ + capacity_ / 2);
  if (buffer_ == nullptr) {
    auto made = arrow::AllocateResizableBuffer(wanted + slack);
    CHECK(made.ok());
    buffer_ = std::move(*made);
  } else {
    CHECK(buffer_->Resize(wanted + slack, false).ok());
  }
  data_ = buffer_->mutable_data();
  capacity_ = wanted;
}

std::shared_ptr<arrow::Buffer> GrowingBuffer::take(std::int64_t size) {
  ensure(size);
  if (buffer_ == nullptr) grow(0);
  const std::int64_t before = capacity_;
  CHECK(buffer_->Resize(size, before > 2 * size + 4096).ok());
  std::shared_ptr<arrow::Buffer> taken = std::move(buffer_);
  buffer_.reset();
  data_ = nullptr;
  capacity_ = 0;
  if (size > 0)
    grow(std::min(before, size + size / 8 + 256));  // the next batch is likely to be alike
  return taken;
}

KeyPattern::KeyPattern(std::string_view name) : quoted_("\"" + std::string(name) + "\"") {
  plain_ = quoted_.size() <= key_bytes_max;
  for (const char c : name)
    plain_ = plain_ && c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20;
  masked_ = plain_ && quoted_.size() <= 16;
  if (masked_) {
    char ones[16] = {};
    char text[16] = {};
    std::memset(ones, 0xff, quoted_.size());
    std::memcpy(text, quoted_.data(), quoted_.size());
    std::memcpy(mask_, ones, 16);
    std::memcpy(word_, text, 16);
  }
}

JsonColumn::JsonColumn(const column::Schema& fields)
    : JsonColumn("", column::struct_type(fields)) {}

JsonColumn::JsonColumn(std::string name, column::TypePtr type)
    : name_(std::move(name)), type_(std::move(type)), kind_(kind_of(*type_)), key_(name_) {
  width_ = width_of(kind_);
  has_offsets_ =
      kind_ == Kind::string || kind_ == Kind::binary || kind_ == Kind::array || kind_ == Kind::map;
  if (!type_->is_nested()) return;
  for (const auto& field : type_->fields()) {
    index_.emplace(field.name, static_cast<int>(children_.size()));
    lower_index_.emplace(to_lower(field.name), static_cast<int>(children_.size()));
    children_.emplace_back(field.name, field.type);
  }
  successors_.resize(children_.size() + 1);
  for (std::size_t i = 0; i < successors_.size(); ++i) {
    successors_[i] = i < children_.size() ? static_cast<int>(i) : 0;
  }
}

int JsonColumn::find_child(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  return found == index_.end() ? -1 : found->second;
}

int JsonColumn::find_child_ignore_case(std::string_view name) const {
  const auto found = lower_index_.find(to_lower(name));
  return found == lower_index_.end() ? -1 : found->second;
}

std::int64_t JsonColumn::offset(std::int64_t row) {
  if (row == 0) return 0;
  std::int32_t value;
  std::memcpy(&value, offsets_.data() + row * 4, 4);
  return value;
}

void JsonColumn::move_to(std::int64_t row) {
  if (row < length_) {
    length_ = row;
    if (has_offsets_) data_size_ = offset(row);
    return;
  }
  valid_.ensure(row + 1);
  const std::int64_t from = length_;
  if (width_ > 0) {
    values_.ensure(row * width_);
    std::memset(values_.data() + from * width_, 0, static_cast<std::size_t>((row - from) * width_));
  }
  std::memset(valid_.data() + from, 0, static_cast<std::size_t>(row - from));
  if (has_offsets_) {
    offsets_.ensure((row + 1) * 4);
    const auto end = static_cast<std::int32_t>(data_size_);
    for (std::int64_t i = from; i < row; ++i) std::memcpy(offsets_.data() + (i + 1) * 4, &end, 4);
  }
  length_ = row;
}

void JsonColumn::put_null() {
  if (width_ > 0) {
    values_.ensure((length_ + 1) * width_);
    std::memset(values_.data() + length_ * width_, 0, static_cast<std::size_t>(width_));
  }
  if (has_offsets_) put_offset(data_size_);
  valid_.data()[length_++] = 0;
}

std::shared_ptr<arrow::Buffer> JsonColumn::take_validity(std::int64_t rows, std::int64_t& nulls) {
  nulls = 0;
  if (rows == 0) return nullptr;
  const auto bits = allocate((rows + 7) / 8);
  nulls = rows - pack_bits(valid_.data(), rows, bits->mutable_data());
  return nulls == 0 ? nullptr : bits;
}

std::shared_ptr<arrow::Array> JsonColumn::finish(std::int64_t rows) {
  auto type = column::to_arrow(type_);
  if (kind_ == Kind::null) {
    clear();
    return std::make_shared<arrow::NullArray>(rows);
  }
  if (length_ != rows) move_to(rows);
  std::int64_t nulls = 0;
  auto validity = take_validity(rows, nulls);
  std::vector<std::shared_ptr<arrow::Buffer>> buffers = {validity};
  std::vector<std::shared_ptr<arrow::ArrayData>> children;
  if (has_offsets_) {
    offsets_.ensure((rows + 1) * 4);
    std::memset(offsets_.data(), 0, 4);
    buffers.push_back(offsets_.take((rows + 1) * 4));
  }
  if (kind_ == Kind::string || kind_ == Kind::binary) {
    buffers.push_back(data_.take(data_size_));
  } else if (kind_ == Kind::boolean) {
    auto bits = allocate((rows + 7) / 8);
    if (rows > 0) pack_bits(values_.data(), rows, bits->mutable_data());
    buffers.push_back(std::move(bits));
  } else if (width_ > 0) {
    buffers.push_back(values_.take(rows * width_));
  } else if (kind_ == Kind::struct_) {
    for (auto& part : children_) children.push_back(part.finish(rows)->data());
  } else if (kind_ == Kind::array) {
    children.push_back(children_[0].finish(data_size_)->data());
  } else {
    CHECK(kind_ == Kind::map);
    auto key = children_[0].finish(data_size_)->data();
    auto value = children_[1].finish(data_size_)->data();
    children.push_back(arrow::ArrayData::Make(type->field(0)->type(), data_size_, {nullptr},
                                              {std::move(key), std::move(value)}, 0));
  }
  length_ = 0;
  data_size_ = 0;
  return arrow::MakeArray(arrow::ArrayData::Make(std::move(type), rows, std::move(buffers),
                                                 std::move(children), nulls));
}

void JsonColumn::clear() {
  length_ = 0;
  data_size_ = 0;
  for (auto& part : children_) part.clear();
}

void JsonColumn::forget_from(std::int64_t row) {
  if (length_ > row) move_to(row);
  if (kind_ != Kind::struct_) return;  // elements of a list are written anew from its end on
  for (auto& part : children_) part.forget_from(row);
}

std::int64_t JsonColumn::data_bytes() const {
  std::int64_t most = has_offsets_ ? data_size_ : 0;
  for (const auto& part : children_) most = std::max(most, part.data_bytes());
  return most;
}

}  // namespace millstream::format
