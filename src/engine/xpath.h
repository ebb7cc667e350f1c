// XPath 1.0 over small documents, for the functions xpath and kin: location paths with the axes
// and functions that data needs. What is not known is refused by name. Immutable; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/xml_text.h"

namespace millstream::engine {

class XPath {
 public:
  // The expression of that text; the last one of each thread is kept.
  static Result<std::shared_ptr<const XPath>> get(std::string_view text);
  ~XPath();

  // Each evaluation is over the document whose root element is `root`.
  Result<double> number(const XmlNode& root) const;
  Result<std::string> text(const XmlNode& root) const;
  Result<bool> boolean(const XmlNode& root) const;
  // The values of the nodes that are found: texts and attributes have one, elements have none.
  Result<std::vector<std::optional<std::string>>> values(const XmlNode& root) const;

  struct Expr;

 private:
  explicit XPath(std::unique_ptr<Expr> expr);
  std::unique_ptr<Expr> expr_;
};

}  // namespace millstream::engine
