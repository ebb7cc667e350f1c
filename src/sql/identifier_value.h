// The constants of IDENTIFIER(…). A text is read before anything is known of variables and
// functions, so whoever has it read says how they are computed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace spark::connect {
class Expression;
}  // namespace spark::connect

namespace millstream::sql {

using ComputeIdentifier = std::function<Result<std::string>(const spark::connect::Expression&)>;

// While it lives, the texts that this thread reads have them computed so.
class IdentifierValues {
 public:
  explicit IdentifierValues(ComputeIdentifier compute);
  ~IdentifierValues();
  IdentifierValues(const IdentifierValues&) = delete;
  IdentifierValues& operator=(const IdentifierValues&) = delete;

 private:
  const ComputeIdentifier compute_;
  const ComputeIdentifier* const outer_;
};

// The text of a constant.
Result<std::string> identifier_value(const spark::connect::Expression& constant);
// The parts of a name as SQL has it: a.`b c`. PARSE_SYNTAX_ERROR.
Result<std::vector<std::string>> parse_name(std::string_view text);

}  // namespace millstream::sql
