#include "engine/variant.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "engine/document_text.h"
#include "engine/text.h"
#include "engine/zone.h"

namespace millstream::engine {
namespace {

constexpr int depth_max = 1000;

// Primitive types by their number.
enum Primitive : int {
  primitive_null = 0,
  primitive_true = 1,
  primitive_false = 2,
  primitive_int1 = 3,
  primitive_int8 = 6,
  primitive_double = 7,
  primitive_decimal4 = 8,
  primitive_decimal16 = 10,
  primitive_date = 11,
  primitive_timestamp = 12,
  primitive_timestamp_ntz = 13,
  primitive_float = 14,
  primitive_binary = 15,
  primitive_text = 16,
};

enum Basic : int { basic_primitive = 0, basic_short_text = 1, basic_object = 2, basic_array = 3 };

constexpr std::size_t short_text_max = 63;

template <typename T>
std::string little_endian(T value, std::size_t bytes = sizeof(T)) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFF);
  return out;
}

std::size_t bytes_for(std::size_t value) {
  return value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFFFF ? 3 : 4;
}

char header(int basic, std::size_t info) {
  return static_cast<char>(static_cast<int>(info << 2) | basic);
}

}  // namespace

std::string VariantBuilder::scalar(int type, std::string_view payload) {
  return header(basic_primitive, static_cast<std::size_t>(type)) + std::string(payload);
}

std::string VariantBuilder::integer(std::int64_t value) {
  std::size_t bytes = 8;
  int type = primitive_int8;
  for (const std::size_t fewer : {4U, 2U, 1U}) {
    const std::int64_t limit = std::int64_t{1} << (8 * fewer - 1);
    if (value < -limit || value >= limit) break;
    bytes = fewer;
    --type;
  }
  return scalar(type, little_endian(value, bytes));
}

std::string VariantBuilder::real(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return scalar(primitive_double, little_endian(bits));
}

std::string VariantBuilder::single(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return scalar(primitive_float, little_endian(bits));
}

std::string VariantBuilder::decimal(__int128 unscaled, int scale) {
  int digits = 0;
  for (__int128 rest = unscaled; rest != 0; rest /= 10) ++digits;
  digits = std::max(digits, scale);
  const int step = digits <= 9 ? 0 : digits <= 18 ? 1 : 2;
  return scalar(
      primitive_decimal4 + step,
      static_cast<char>(scale) + little_endian(unscaled, static_cast<std::size_t>(4) << step));
}

std::string VariantBuilder::date(std::int64_t days) {
  return scalar(primitive_date, little_endian(days, 4));
}

std::string VariantBuilder::timestamp(std::int64_t micros, bool with_zone) {
  return scalar(with_zone ? primitive_timestamp : primitive_timestamp_ntz, little_endian(micros));
}

std::string VariantBuilder::text(std::string_view value) {
  if (value.size() <= short_text_max)
    return header(basic_short_text, value.size()) + std::string(value);
  return scalar(primitive_text, little_endian(value.size(), 4)) + std::string(value);
}

std::string VariantBuilder::binary(std::string_view value) {
  return scalar(primitive_binary, little_endian(value.size(), 4)) + std::string(value);
}

std::string VariantBuilder::array(const std::vector<std::string>& items) {
  std::size_t size = 0;
  for (const auto& item : items) size += item.size();
  const bool large = items.size() > 0xFF;
  const std::size_t offset_bytes = bytes_for(size);
  std::string out(1, header(basic_array, (large ? 4U : 0U) | (offset_bytes - 1)));
  out += little_endian(items.size(), large ? 4 : 1);
  std::size_t offset = 0;
  for (const auto& item : items) {
    out += little_endian(offset, offset_bytes);
    offset += item.size();
  }
  out += little_endian(offset, offset_bytes);
  for (const auto& item : items) out += item;
  return out;
}

std::size_t VariantBuilder::add_key(const std::string& key) {
  const auto [place, added] = ids_.emplace(key, keys_.size());
  if (added) keys_.push_back(key);
  return place->second;
}

std::optional<std::string> VariantBuilder::object(
    const std::vector<std::pair<std::string, std::string>>& fields) {
  struct Field {
    const std::string* key;
    std::size_t id;
    std::size_t offset;
  };
  std::vector<Field> sorted;
  std::size_t size = 0;
  std::size_t id_max = 0;
  for (const auto& [key, value] : fields) {
    const std::size_t id = add_key(key);
    sorted.push_back({&key, id, size});
    id_max = std::max(id_max, id);
    size += value.size();
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Field& a, const Field& b) { return *a.key < *b.key; });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (*sorted[i].key == *sorted[i - 1].key) return std::nullopt;
  }
  const bool large = fields.size() > 0xFF;
  const std::size_t id_bytes = bytes_for(id_max);
  const std::size_t offset_bytes = bytes_for(size);
  std::string out(
      1, header(basic_object, (large ? 16U : 0U) | (id_bytes - 1) << 2 | (offset_bytes - 1)));
  out += little_endian(fields.size(), large ? 4 : 1);
  for (const Field& field : sorted) out += little_endian(field.id, id_bytes);
  for (const Field& field : sorted) out += little_endian(field.offset, offset_bytes);
  out += little_endian(size, offset_bytes);
  for (const auto& [key, value] : fields) out += value;
  return out;
}

Variant VariantBuilder::finish(std::string value) const {
  std::size_t size = 0;
  for (const auto& key : keys_) size += key.size();
  const std::size_t offset_bytes = bytes_for(std::max(size, keys_.size()));
  std::string metadata(1, static_cast<char>(1 | ((offset_bytes - 1) << 6)));
  metadata += little_endian(keys_.size(), offset_bytes);
  std::size_t offset = 0;
  for (const auto& key : keys_) {
    metadata += little_endian(offset, offset_bytes);
    offset += key.size();
  }
  metadata += little_endian(offset, offset_bytes);
  for (const auto& key : keys_) metadata += key;
  return {std::move(value), std::move(metadata)};
}

// --- Reading

std::size_t VariantView::number(std::size_t at, std::size_t bytes) const {
  std::size_t out = 0;
  for (std::size_t i = 0; i < bytes && at + i < value_.size(); ++i)
    out |= static_cast<std::size_t>(static_cast<unsigned char>(value_[at + i])) << (8 * i);
  return out;
}

VariantView::Kind VariantView::kind() const {
  if (value_.empty() || depth_ > depth_max) return Kind::unknown;
  switch (value_[0] & 3) {
    case basic_short_text:
      return Kind::text;
    case basic_object:
      return container() ? Kind::object : Kind::unknown;
    case basic_array:
      return container() ? Kind::array : Kind::unknown;
    default:
      break;
  }
  const int t = type();
  if (t == primitive_null) return Kind::null;
  if (t <= primitive_false) return Kind::boolean;
  if (t <= primitive_int8) return Kind::integer;
  if (t == primitive_double) return Kind::real;
  if (t <= primitive_decimal16) return Kind::decimal;
  switch (t) {
    case primitive_date:
      return Kind::date;
    case primitive_timestamp:
      return Kind::timestamp;
    case primitive_timestamp_ntz:
      return Kind::timestamp_ntz;
    case primitive_float:
      return Kind::single;
    case primitive_binary:
      return Kind::binary;
    case primitive_text:
      return Kind::text;
    default:
      return Kind::unknown;
  }
}

std::int64_t VariantView::integer() const {
  const int t = type();
  if (t == primitive_true || t == primitive_false) return t == primitive_true ? 1 : 0;
  std::size_t bytes = 8;
  if (t >= primitive_int1 && t < primitive_int8) bytes = std::size_t{1} << (t - primitive_int1);
  if (t == primitive_date) bytes = 4;
  const std::size_t shift = 64 - 8 * bytes;
  return static_cast<std::int64_t>(number(1, bytes) << shift) >> shift;
}

double VariantView::real() const {
  if (type() == primitive_float) {
    const auto bits = static_cast<std::uint32_t>(number(1, 4));
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<double>(value);
  }
  const std::uint64_t bits = number(1, 8);
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

VariantView::Decimal VariantView::decimal() const {
  const std::size_t bytes = std::size_t{4} << (type() - primitive_decimal4);
  Decimal out;
  if (value_.size() < 2 + bytes) return out;
  out.scale = static_cast<unsigned char>(value_[1]);
  unsigned __int128 bits = number(2, std::min<std::size_t>(bytes, 8));
  if (bytes == 16) bits |= static_cast<unsigned __int128>(number(10, 8)) << 64;
  const std::size_t shift = 128 - 8 * bytes;
  out.unscaled = static_cast<__int128>(bits << shift) >> shift;
  if (out.unscaled == 0) out.scale = 0;
  while (out.scale > 0 && out.unscaled % 10 == 0) {
    out.unscaled /= 10;
    --out.scale;
  }
  return out;
}

std::string_view VariantView::text() const {
  if ((value_[0] & 3) == basic_short_text)
    return value_.substr(1, static_cast<std::size_t>(type()));
  return value_.size() < 5 ? std::string_view() : value_.substr(5, number(1, 4));
}

std::optional<VariantView::Container> VariantView::container() const {
  Container out;
  const bool object = (value_[0] & 3) == basic_object;
  const auto info = static_cast<std::size_t>(type());
  const std::size_t count_bytes = (info & (object ? 16U : 4U)) != 0 ? 4 : 1;
  out.offset_bytes = (info & 3U) + 1;
  out.id_bytes = object ? ((info >> 2) & 3U) + 1 : 0;
  out.count = number(1, count_bytes);
  out.ids = 1 + count_bytes;
  out.offsets = out.ids + out.count * out.id_bytes;
  out.data = out.offsets + (out.count + 1) * out.offset_bytes;
  if (out.data > value_.size()) return std::nullopt;
  return out;
}

VariantView VariantView::child(const Container& all, std::size_t index) const {
  const std::size_t offset =
      all.data + number(all.offsets + index * all.offset_bytes, all.offset_bytes);
  return {offset < value_.size() ? value_.substr(offset) : std::string_view(), metadata_,
          depth_ + 1};
}

std::string_view VariantView::key(std::size_t id) const {
  if (metadata_.empty()) return {};
  const VariantView dictionary(metadata_, {});
  const std::size_t bytes = (static_cast<unsigned char>(metadata_[0]) >> 6) + 1U;
  const std::size_t count = dictionary.number(1, bytes);
  if (id >= count) return {};
  const std::size_t offsets = 1 + bytes;
  const std::size_t data = offsets + (count + 1) * bytes;
  const std::size_t begin = data + dictionary.number(offsets + id * bytes, bytes);
  const std::size_t end = data + dictionary.number(offsets + (id + 1) * bytes, bytes);
  if (end > metadata_.size() || begin > end) return {};
  return metadata_.substr(begin, end - begin);
}

// Children that share their bytes are malformed: so a value has no more of them than bytes, and
// reading ends soon.
std::vector<VariantView> VariantView::items() const {
  std::vector<VariantView> out;
  const auto all = container();
  std::size_t bytes_below = 0;
  for (std::size_t i = 0; all && i < all->count; ++i) {
    out.push_back(child(*all, i));
    bytes_below += out.back().bytes().size();
  }
  if (bytes_below > value_.size()) out.clear();
  return out;
}

std::vector<std::pair<std::string_view, VariantView>> VariantView::fields() const {
  std::vector<std::pair<std::string_view, VariantView>> out;
  const auto all = container();
  const auto values = items();
  for (std::size_t i = 0; i < values.size(); ++i)
    out.emplace_back(key(number(all->ids + i * all->id_bytes, all->id_bytes)), values[i]);
  return out;
}

std::optional<VariantView> VariantView::field(std::string_view wanted) const {
  for (const auto& [name, value] : fields()) {
    if (name == wanted) return value;
  }
  return std::nullopt;
}

std::string_view VariantView::bytes() const {
  if (value_.empty()) return {};
  const int basic = value_[0] & 3;
  std::size_t size = 1;
  if (basic == basic_short_text) {
    size += static_cast<std::size_t>(type());
  } else if (basic != basic_primitive) {
    const auto all = container();
    if (!all) return {};
    size = all->data + number(all->offsets + all->count * all->offset_bytes, all->offset_bytes);
  } else {
    switch (kind()) {
      case Kind::integer:
        size += std::size_t{1} << (type() - primitive_int1);
        break;
      case Kind::date:
      case Kind::single:
        size += 4;
        break;
      case Kind::real:
      case Kind::timestamp:
      case Kind::timestamp_ntz:
        size += 8;
        break;
      case Kind::decimal:
        size += 1 + (std::size_t{4} << (type() - primitive_decimal4));
        break;
      case Kind::text:
      case Kind::binary:
        size += 4 + number(1, 4);
        break;
      default:
        break;
    }
  }
  return value_.substr(0, size);
}

std::string zoned_timestamp_text(std::int64_t micros, std::string_view zone) {
  const auto found = Zone::find(zone);
  if (!found.ok()) return timestamp_text(micros) + "+00:00";
  const std::int32_t offset = (*found)->offset_seconds(micros);
  const std::int32_t size = offset < 0 ? -offset : offset;
  return timestamp_text((*found)->to_local(micros)) +
         fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', size / 3600, size / 60 % 60);
}

std::string VariantView::json(std::string_view zone) const {
  std::string out;
  append_json(zone, &out);
  return out;
}

void VariantView::append_json(std::string_view zone, std::string* out) const {
  switch (kind()) {
    case Kind::boolean:
      *out += integer() != 0 ? "true" : "false";
      return;
    case Kind::integer:
      *out += std::to_string(integer());
      return;
    case Kind::real:
      *out += double_text(real());
      return;
    case Kind::single:
      *out += float_text(static_cast<float>(real()));
      return;
    case Kind::decimal: {
      const Decimal number = decimal();
      *out += plain_decimal(number.unscaled, number.scale);
      return;
    }
    case Kind::date:
      *out += '"' + date_text(integer()) + '"';
      return;
    case Kind::timestamp:
      *out += '"' + zoned_timestamp_text(integer(), zone) + '"';
      return;
    case Kind::timestamp_ntz:
      *out += '"' + timestamp_text(integer()) + '"';
      return;
    case Kind::text:
      append_json_quoted(text(), out);
      return;
    case Kind::binary:
      *out += '"' + write_base64(text()) + '"';
      return;
    case Kind::object: {
      *out += '{';
      bool first = true;
      for (const auto& [name, value] : fields()) {
        if (!first) *out += ',';
        first = false;
        append_json_quoted(name, out);
        *out += ':';
        value.append_json(zone, out);
      }
      *out += '}';
      return;
    }
    case Kind::array: {
      *out += '[';
      bool first = true;
      for (const auto& item : items()) {
        if (!first) *out += ',';
        first = false;
        item.append_json(zone, out);
      }
      *out += ']';
      return;
    }
    default:
      *out += "null";
  }
}

}  // namespace millstream::engine
