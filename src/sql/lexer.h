// Tokens of Spark SQL. The text outlives them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace millstream::sql {

enum class TokenKind : std::uint8_t {
  word,      // an identifier or keyword, as written
  quoted,    // `...`; value is without quotes
  string,    // '...', "...", r'...'; value is unescaped
  integer,   // digits; suffix L, S or Y in `suffix`
  decimal,   // 1.5, .5, 1.; suffix BD, D or F (integers with these suffixes too)
  exponent,  // 1e3; suffix as of decimal
  symbol,    // operators and punctuation
  unknown,   // a character or unclosed quote that begins no token
  end,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  // as in the input
  std::string value;      // quoted, string: the content; numbers: without suffix
  std::string suffix;     // numbers: upper case
  std::size_t offset = 0;
};

// Ends with an `end` token. UNCLOSED_BRACKETED_COMMENT; other errors are tokens of kind `unknown`.
Result<std::vector<Token>> tokenize(std::string_view text);

// Errors as Spark's parser words them, with the line, the position and the marked text.
Status syntax_error(std::string_view text, const Token& token, bool extra_input);
// Another error of the grammar, shown in the same form.
Status syntax_error(std::string_view text, const Token& token, const Status& status);
// Another parse error, which marks the tokens [first, last].
Status parse_error(std::string_view text, const Token& first, const Token& last,
                   const Status& status);

}  // namespace millstream::sql
