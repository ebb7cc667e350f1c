// Values inside documents (JSON, CSV): dates and times by the options dateFormat, timestampFormat,
// timestampNTZFormat and timeZone, decimals as Java reads and prints them. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/value_kernel.h"

namespace millstream::engine {

// Days or micros of a date or timestamp; nothing when the text is none. A pattern that Spark
// refuses is an error.
Result<std::optional<std::int64_t>> read_time(const ValueKernel& kernel,
                                              const column::DataType& type, std::string_view text);
Result<std::string> write_time(const ValueKernel& kernel, const column::DataType& type,
                               std::int64_t value);

// new BigDecimal(text), rounded half up to the scale; nothing when it is no number or has too many
// digits.
std::optional<__int128> read_decimal(std::string_view text, int precision, int scale);
// BigDecimal.toString: "0.5", "1E-8", "0E-18".
std::string java_decimal(__int128 unscaled, int scale);
std::string plain_decimal(__int128 unscaled, int scale);  // without exponent

// What java.util.Base64 and Jackson read: groups of four, padded.
std::optional<std::string> read_base64(std::string_view text);
std::string write_base64(std::string_view bytes);

// InternalRow.toString, for the error of FAILFAST: "[1,null]".
std::string internal_text(const Value& value, const column::DataType& type);
// A struct of NULLs.
Value null_members(const column::DataType& type);
Status malformed_record(const Value& partial, const column::DataType& type);

}  // namespace millstream::engine
