// VERSION AS OF 7 | '7': what may stand there.
#pragma once

#include "sql/lexer.h"

namespace millstream::sql {

inline bool is_version(const Token& token) {
  return token.kind == TokenKind::string ||
         (token.kind == TokenKind::integer && token.suffix.empty());
}

}  // namespace millstream::sql
