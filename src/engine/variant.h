// Spark's variant: a value that carries its own type, in Spark's binary form. `value` is a tree of
// scalars, objects and arrays; `metadata` the dictionary of its keys. Read with every bound
// checked: what is malformed is nothing. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace millstream::engine {

struct Variant {
  std::string value;
  std::string metadata;
};

// Builds a variant from its leaves up. Each append gives the bytes of one value.
class VariantBuilder {
 public:
  static std::string null() { return scalar(0); }
  static std::string boolean(bool value) { return scalar(value ? 1 : 2); }
  static std::string integer(std::int64_t value);  // in as few bytes as hold it
  static std::string real(double value);
  static std::string single(float value);
  static std::string decimal(__int128 unscaled, int scale);
  static std::string date(std::int64_t days);
  static std::string timestamp(std::int64_t micros, bool with_zone);
  static std::string text(std::string_view value);
  static std::string binary(std::string_view value);
  static std::string array(const std::vector<std::string>& items);
  // The key's place in the dictionary: keys are in it in the order in which they are met.
  std::size_t add_key(const std::string& key);
  // Nothing when a key comes twice.
  std::optional<std::string> object(const std::vector<std::pair<std::string, std::string>>& fields);

  Variant finish(std::string value) const;

 private:
  static std::string scalar(int type, std::string_view payload = {});

  std::map<std::string, std::size_t> ids_;
  std::vector<std::string> keys_;  // by id
};

// A value inside a variant.
class VariantView {
 public:
  enum class Kind : std::uint8_t {
    null,
    boolean,
    integer,
    real,
    single,
    decimal,
    date,
    timestamp,
    timestamp_ntz,
    text,
    binary,
    object,
    array,
    unknown,  // malformed, or of a type that is not known here
  };

  VariantView(std::string_view value, std::string_view metadata, int depth = 0)
      : value_(value), metadata_(metadata), depth_(depth) {}

  Kind kind() const;
  std::int64_t integer() const;  // of booleans, integers, dates and timestamps
  double real() const;           // FLOAT too
  struct Decimal {
    __int128 unscaled = 0;
    int scale = 0;
  };
  Decimal decimal() const;        // without zeros at its end
  std::string_view text() const;  // of strings and binaries

  std::vector<std::pair<std::string_view, VariantView>> fields() const;  // by key
  std::vector<VariantView> items() const;
  std::optional<VariantView> field(std::string_view key) const;

  // The value's own bytes.
  std::string_view bytes() const;
  // The value's JSON; timestamps in the zone.
  std::string json(std::string_view zone) const;

 private:
  struct Container {
    std::size_t count = 0;
    std::size_t id_bytes = 0;
    std::size_t offset_bytes = 0;
    std::size_t ids = 0;  // where they begin
    std::size_t offsets = 0;
    std::size_t data = 0;
  };
  std::optional<Container> container() const;
  std::size_t number(std::size_t at, std::size_t bytes) const;
  VariantView child(const Container& all, std::size_t index) const;
  std::string_view key(std::size_t id) const;
  void append_json(std::string_view zone, std::string* out) const;
  int type() const { return static_cast<unsigned char>(value_[0]) >> 2; }

  std::string_view value_;
  std::string_view metadata_;
  int depth_;  // how far below the variant's root; what is too far is unknown
};

// "2024-01-02 03:04:05.678+00:00"
std::string zoned_timestamp_text(std::int64_t micros, std::string_view zone);

}  // namespace millstream::engine
