#include "engine/xpath.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "engine/text.h"

namespace millstream::engine {

namespace {

constexpr int depth_max = 100;
constexpr std::size_t steps_max = 20'000'000;  // nodes looked at in one evaluation

enum class Axis : std::uint8_t {
  child,
  attribute,
  self,
  parent,
  descendant,
  descendant_or_self,
  ancestor,
  following_sibling,
  preceding_sibling,
};

}  // namespace

struct XPath::Expr {
  enum class Kind : std::uint8_t { number, text, call, binary, negate, path };
  struct Step {
    Axis axis = Axis::child;
    std::string test;  // a name, "*", "text()" or "node()"
    std::vector<std::unique_ptr<Expr>> predicates;
  };
  Kind kind = Kind::number;
  double number = 0;
  std::string name;  // a text, the function or the operator
  std::vector<std::unique_ptr<Expr>> arguments;
  // path: from the root, from the first argument's nodes, or from the context
  bool absolute = false;
  std::vector<Step> steps;
};

namespace {

using Expr = XPath::Expr;
using ExprPtr = std::unique_ptr<Expr>;

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// --- Parsing

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { advance(); }

  Result<ExprPtr> whole() {
    TRY_ASSIGN(ExprPtr out, binary(0, 0));
    if (!token_.empty()) return malformed();
    return out;
  }

 private:
  Status malformed() const {
    return Status::invalid("the XPath expression is malformed or not supported: {}", text_);
  }

  void advance() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
    const std::size_t begin = at_;
    if (at_ >= text_.size()) {
      token_ = {};
      return;
    }
    const char c = text_[at_];
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c == '"' || c == '\'') {
      const auto end = text_.find(c, at_ + 1);
      at_ = end == std::string_view::npos ? text_.size() : end + 1;
    } else if (is_digit(c) || (c == '.' && is_digit(next))) {
      while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    } else if (is_name_start(c)) {
      while (at_ < text_.size() &&
             (is_name_start(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '-' ||
              text_[at_] == '.' ||
              (text_[at_] == ':' && at_ + 1 < text_.size() && is_name_start(text_[at_ + 1]))))
        ++at_;
    } else {
      const auto pair = text_.substr(at_, 2);
      const bool two = pair == "//" || pair == ".." || pair == "::" || pair == "!=" ||
                       pair == "<=" || pair == ">=";
      at_ += two ? 2 : 1;
    }
    token_ = text_.substr(begin, at_ - begin);
  }

  bool take(std::string_view wanted) {
    if (token_ != wanted) return false;
    advance();
    return true;
  }

  // The operators by how tight they bind.
  static int level_of(std::string_view op) {
    if (op == "or") return 0;
    if (op == "and") return 1;
    if (op == "=" || op == "!=") return 2;
    if (op == "<" || op == ">" || op == "<=" || op == ">=") return 3;
    if (op == "+" || op == "-") return 4;
    if (op == "*" || op == "div" || op == "mod") return 5;
    if (op == "|") return 6;
    return -1;
  }

  Result<ExprPtr> binary(int level, int depth) {
    if (depth > depth_max) return malformed();
    if (level > 6) return unary(depth);
    TRY_ASSIGN(ExprPtr left, binary(level + 1, depth));
    while (level_of(token_) == level) {
      auto out = std::make_unique<Expr>();
      out->kind = Expr::Kind::binary;
      out->name = std::string(token_);
      advance();
      TRY_ASSIGN(ExprPtr right, binary(level + 1, depth + 1));
      out->arguments.push_back(std::move(left));
      out->arguments.push_back(std::move(right));
      left = std::move(out);
    }
    return left;
  }

  Result<ExprPtr> unary(int depth) {
    if (depth > depth_max) return malformed();
    if (!take("-")) return path(depth);
    auto out = std::make_unique<Expr>();
    out->kind = Expr::Kind::negate;
    TRY_ASSIGN(ExprPtr inner, unary(depth + 1));
    out->arguments.push_back(std::move(inner));
    return out;
  }

  static bool is_test(std::string_view token) {
    return token == "text" || token == "node" || token == "comment" ||
           token == "processing-instruction";
  }
  bool call_follows() const {
    std::size_t at = at_;
    while (at < text_.size() && text_[at] == ' ') ++at;
    return at < text_.size() && text_[at] == '(';
  }

  Result<ExprPtr> path(int depth) {
    auto out = std::make_unique<Expr>();
    out->kind = Expr::Kind::path;
    if (token_ == "//" || token_ == "/") {
      out->absolute = true;
      if (token_ == "/") {
        advance();
        if (token_.empty()) return out;
      }
    } else if (!token_.empty() &&
               (token_[0] == '"' || token_[0] == '\'' || is_digit(token_[0]) || token_ == "(" ||
                (token_[0] == '.' && token_.size() > 1 && is_digit(token_[1])) ||
                (is_name_start(token_[0]) && !is_test(token_) && call_follows()))) {
      TRY_ASSIGN(ExprPtr first, primary(depth));
      if (token_ != "/" && token_ != "//" && token_ != "[") return first;
      out->arguments.push_back(std::move(first));
      if (token_ == "[") {
        Expr::Step self;
        self.axis = Axis::self;
        self.test = "node()";
        TRY(predicates(&self, depth));
        out->steps.push_back(std::move(self));
      }
      if (token_ != "/" && token_ != "//") return out;
      if (token_ == "/") advance();
    }
    while (true) {
      if (take("//")) {
        Expr::Step every;
        every.axis = Axis::descendant_or_self;
        every.test = "node()";
        out->steps.push_back(std::move(every));
      }
      TRY(step(out.get(), depth));
      if (token_ == "//") continue;
      if (!take("/")) return out;
    }
  }

  Status predicates(Expr::Step* step, int depth) {
    while (take("[")) {
      TRY_ASSIGN(ExprPtr predicate, binary(0, depth + 1));
      if (!take("]")) return malformed();
      step->predicates.push_back(std::move(predicate));
    }
    return Status::OK();
  }

  Status step(Expr* path, int depth) {
    Expr::Step out;
    if (take(".")) {
      out.axis = Axis::self;
      out.test = "node()";
      path->steps.push_back(std::move(out));
      return Status::OK();
    }
    if (take("..")) {
      out.axis = Axis::parent;
      out.test = "node()";
      path->steps.push_back(std::move(out));
      return Status::OK();
    }
    if (take("@")) out.axis = Axis::attribute;
    static const std::map<std::string_view, Axis> axes = {
        {"child", Axis::child},
        {"attribute", Axis::attribute},
        {"self", Axis::self},
        {"parent", Axis::parent},
        {"descendant", Axis::descendant},
        {"descendant-or-self", Axis::descendant_or_self},
        {"ancestor", Axis::ancestor},
        {"following-sibling", Axis::following_sibling},
        {"preceding-sibling", Axis::preceding_sibling}};
    const auto axis = axes.find(token_);
    if (axis != axes.end() && text_.substr(at_).starts_with("::")) {
      out.axis = axis->second;
      advance();
      advance();
    }
    if (token_.empty() || (token_ != "*" && !is_name_start(token_[0]))) return malformed();
    out.test = std::string(token_);
    const bool test = is_test(token_) && call_follows();
    advance();
    if (test) {
      if (out.test != "text" && out.test != "node") return malformed();
      out.test += "()";
      if (!take("(") || !take(")")) return malformed();
    }
    TRY(predicates(&out, depth));
    path->steps.push_back(std::move(out));
    return Status::OK();
  }

  Result<ExprPtr> primary(int depth) {
    auto out = std::make_unique<Expr>();
    if (take("(")) {
      TRY_ASSIGN(out, binary(0, depth + 1));
      if (!take(")")) return malformed();
      return out;
    }
    if (token_[0] == '"' || token_[0] == '\'') {
      if (token_.size() < 2 || token_.back() != token_[0]) return malformed();
      out->kind = Expr::Kind::text;
      out->name = std::string(token_.substr(1, token_.size() - 2));
      advance();
      return out;
    }
    if (is_digit(token_[0]) || token_[0] == '.') {
      out->number = std::strtod(std::string(token_).c_str(), nullptr);
      advance();
      return out;
    }
    out->kind = Expr::Kind::call;
    out->name = std::string(token_);
    advance();
    if (!take("(")) return malformed();
    while (!take(")")) {
      if (!out->arguments.empty() && !take(",")) return malformed();
      TRY_ASSIGN(ExprPtr argument, binary(0, depth + 1));
      out->arguments.push_back(std::move(argument));
    }
    return out;
  }

  std::string_view text_;
  std::string_view token_;
  std::size_t at_ = 0;
};

// --- Evaluation

// An element or text by its place in the document's order, or an attribute of an element.
struct Node {
  std::size_t place = 0;
  int attribute = -1;

  auto operator<=>(const Node&) const = default;
};

struct XValue {
  enum class Kind : std::uint8_t { nodes, number, text, boolean };
  Kind kind = Kind::nodes;
  std::vector<Node> nodes;
  double number = 0;
  std::string text;
  bool boolean = false;
};

XValue of_number(double value) {
  XValue out;
  out.kind = XValue::Kind::number;
  out.number = value;
  return out;
}
XValue of_text(std::string value) {
  XValue out;
  out.kind = XValue::Kind::text;
  out.text = std::move(value);
  return out;
}
XValue of_boolean(bool value) {
  XValue out;
  out.kind = XValue::Kind::boolean;
  out.boolean = value;
  return out;
}

double number_of(std::string_view text) {
  text = trim(text);
  std::string_view digits = text;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  const bool plain =
      !digits.empty() && digits.find_first_not_of("0123456789.") == std::string_view::npos;
  if (!plain || digits == ".") return std::nan("");
  return std::strtod(std::string(text).c_str(), nullptr);
}

std::string text_of_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  if (value == std::floor(value) && std::fabs(value) < 1e15)
    return fmt::format("{:.0f}", value + 0.0);
  return fmt::format("{}", value);
}

struct Context {
  Node node;
  std::size_t position = 1;
  std::size_t size = 1;
};

class Evaluation {
 public:
  explicit Evaluation(const XmlNode& root) {
    nodes_.push_back({nullptr, 0});  // the document itself
    add(root, 0);
  }

  Result<XValue> run(const Expr& expr) { return evaluate(expr, {Node{0, -1}, 1, 1}); }

  std::string string_of(const Node& node) const {
    if (node.attribute >= 0)
      return nodes_[node.place].xml->attributes[static_cast<std::size_t>(node.attribute)].second;
    if (node.place == 0) return nodes_.size() > 1 ? nodes_[1].xml->content() : "";
    return nodes_[node.place].xml->content();
  }
  std::optional<std::string> value_of(const Node& node) const {
    const bool element =
        node.attribute < 0 && (node.place == 0 || !nodes_[node.place].xml->is_text());
    return element ? std::nullopt : std::optional(string_of(node));
  }

  double to_number(const XValue& value) const {
    switch (value.kind) {
      case XValue::Kind::number:
        return value.number;
      case XValue::Kind::boolean:
        return value.boolean ? 1 : 0;
      default:
        return number_of(to_text(value));
    }
  }
  std::string to_text(const XValue& value) const {
    switch (value.kind) {
      case XValue::Kind::nodes:
        return value.nodes.empty() ? "" : string_of(value.nodes[0]);
      case XValue::Kind::number:
        return text_of_number(value.number);
      case XValue::Kind::boolean:
        return value.boolean ? "true" : "false";
      case XValue::Kind::text:
        break;
    }
    return value.text;
  }
  static bool to_boolean(const XValue& value) {
    switch (value.kind) {
      case XValue::Kind::nodes:
        return !value.nodes.empty();
      case XValue::Kind::number:
        return value.number != 0 && !std::isnan(value.number);
      case XValue::Kind::text:
        return !value.text.empty();
      case XValue::Kind::boolean:
        break;
    }
    return value.boolean;
  }

 private:
  struct Entry {
    const XmlNode* xml;
    std::size_t parent;
    std::size_t end = 0;  // behind the last node below
  };

  void add(const XmlNode& node, std::size_t parent) {
    const std::size_t place = nodes_.size();
    nodes_.push_back({&node, parent});
    for (const auto& child : node.children) add(child, place);
    nodes_[place].end = nodes_.size();
    nodes_[0].end = nodes_.size();
  }

  Result<XValue> evaluate(const Expr& expr, const Context& context) {
    switch (expr.kind) {
      case Expr::Kind::number:
        return of_number(expr.number);
      case Expr::Kind::text:
        return of_text(expr.name);
      case Expr::Kind::negate: {
        TRY_ASSIGN(const XValue value, evaluate(*expr.arguments[0], context));
        return of_number(-to_number(value));
      }
      case Expr::Kind::binary:
        return binary(expr, context);
      case Expr::Kind::call:
        return call(expr, context);
      case Expr::Kind::path:
        break;
    }
    return path(expr, context);
  }

  // --- Paths

  std::vector<Node> children_of(std::size_t place) const {
    std::vector<Node> out;
    for (std::size_t i = place + 1; i < nodes_[place].end; i = nodes_[i].end)
      out.push_back({i, -1});
    return out;
  }

  std::vector<Node> along(Axis axis, const Node& node) const {
    std::vector<Node> out;
    const std::size_t place = node.place;
    const bool attribute = node.attribute >= 0;
    switch (axis) {
      case Axis::child:
        return attribute ? out : children_of(place);
      case Axis::attribute:
        for (std::size_t i = 0; !attribute && place > 0 && i < nodes_[place].xml->attributes.size();
             ++i)
          out.push_back({place, static_cast<int>(i)});
        return out;
      case Axis::self:
        return {node};
      case Axis::parent:
        if (attribute) return {{place, -1}};
        if (place > 0) out.push_back({nodes_[place].parent, -1});
        return out;
      case Axis::descendant_or_self:
        out.push_back(node);
        [[fallthrough]];
      case Axis::descendant:
        for (std::size_t i = place + 1; !attribute && i < nodes_[place].end; ++i)
          out.push_back({i, -1});
        return out;
      case Axis::ancestor:
        for (std::size_t up = attribute ? place : nodes_[place].parent; place > 0;
             up = nodes_[up].parent) {
          out.push_back({up, -1});
          if (up == 0) break;
        }
        return out;
      case Axis::following_sibling:
      case Axis::preceding_sibling:
        if (attribute || place == 0) return out;
        for (const Node& sibling : children_of(nodes_[place].parent)) {
          const bool wanted =
              axis == Axis::following_sibling ? sibling.place > place : sibling.place < place;
          if (wanted) out.push_back(sibling);
        }
        if (axis == Axis::preceding_sibling) std::reverse(out.begin(), out.end());
        return out;
    }
    return out;
  }

  bool passes(const Expr::Step& step, const Node& node) const {
    if (step.test == "node()") return true;
    if (node.attribute >= 0) {
      return step.test == "*" ||
             nodes_[node.place].xml->attributes[static_cast<std::size_t>(node.attribute)].first ==
                 step.test;
    }
    // Spark's documents know no namespaces: a test with a prefix finds nothing.
    if (node.place == 0 || step.test.find(':') != std::string::npos) return false;
    const XmlNode& xml = *nodes_[node.place].xml;
    if (step.test == "text()") return xml.is_text();
    return !xml.is_text() && (step.test == "*" || xml.name == step.test);
  }

  Result<XValue> path(const Expr& expr, const Context& context) {
    std::vector<Node> current = {expr.absolute ? Node{0, -1} : context.node};
    if (!expr.arguments.empty()) {
      TRY_ASSIGN(XValue first, evaluate(*expr.arguments[0], context));
      if (first.kind != XValue::Kind::nodes)
        return Status::invalid("the XPath expression takes a path of what is not nodes");
      current = std::move(first.nodes);
    }
    for (const auto& step : expr.steps) {
      std::set<Node> found;
      for (const Node& node : current) {
        TRY_ASSIGN(const auto some, one_step(step, node));
        found.insert(some.begin(), some.end());
      }
      current.assign(found.begin(), found.end());
    }
    XValue out;
    out.nodes = std::move(current);
    return out;
  }

  Result<std::vector<Node>> one_step(const Expr::Step& step, const Node& node) {
    std::vector<Node> nodes = along(step.axis, node);
    looked_at_ += nodes.size() + 1;
    if (looked_at_ > steps_max) return Status::invalid("the XPath expression looks at too much");
    std::erase_if(nodes, [&](const Node& each) { return !passes(step, each); });
    for (const auto& predicate : step.predicates) {
      std::vector<Node> kept;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        TRY_ASSIGN(const XValue value, evaluate(*predicate, {nodes[i], i + 1, nodes.size()}));
        const bool keep = value.kind == XValue::Kind::number
                              ? value.number == static_cast<double>(i + 1)
                              : to_boolean(value);
        if (keep) kept.push_back(nodes[i]);
      }
      nodes = std::move(kept);
    }
    return nodes;
  }

  // --- Operators

  static bool compares(std::string_view op, double a, double b) {
    if (op == "=") return a == b;
    if (op == "!=") return a != b;
    if (op == "<") return a < b;
    if (op == "<=") return a <= b;
    return op == ">" ? a > b : a >= b;
  }

  bool compares(std::string_view op, const XValue& a, const XValue& b) const {
    // A set of nodes compares when one of them does.
    if (a.kind == XValue::Kind::nodes && b.kind != XValue::Kind::boolean) {
      return std::any_of(a.nodes.begin(), a.nodes.end(), [&](const Node& node) {
        return compares(op, of_text(string_of(node)), b);
      });
    }
    if (b.kind == XValue::Kind::nodes && a.kind != XValue::Kind::boolean) {
      return std::any_of(b.nodes.begin(), b.nodes.end(), [&](const Node& node) {
        return compares(op, a, of_text(string_of(node)));
      });
    }
    const bool equality = op == "=" || op == "!=";
    if (equality && (a.kind == XValue::Kind::boolean || b.kind == XValue::Kind::boolean))
      return (to_boolean(a) == to_boolean(b)) == (op == "=");
    if (equality && a.kind == XValue::Kind::text && b.kind == XValue::Kind::text)
      return (a.text == b.text) == (op == "=");
    return compares(op, to_number(a), to_number(b));
  }

  Result<XValue> binary(const Expr& expr, const Context& context) {
    TRY_ASSIGN(XValue left, evaluate(*expr.arguments[0], context));
    const std::string& op = expr.name;
    if (op == "or" && to_boolean(left)) return of_boolean(true);
    if (op == "and" && !to_boolean(left)) return of_boolean(false);
    TRY_ASSIGN(const XValue right, evaluate(*expr.arguments[1], context));
    if (op == "or" || op == "and") return of_boolean(to_boolean(right));
    if (op == "|") {
      std::set<Node> all(left.nodes.begin(), left.nodes.end());
      all.insert(right.nodes.begin(), right.nodes.end());
      left.nodes.assign(all.begin(), all.end());
      return left;
    }
    const double a = to_number(left);
    const double b = to_number(right);
    if (op == "+") return of_number(a + b);
    if (op == "-") return of_number(a - b);
    if (op == "*") return of_number(a * b);
    if (op == "div") return of_number(a / b);
    if (op == "mod") return of_number(std::fmod(a, b));
    return of_boolean(compares(op, left, right));
  }

  // --- Functions

  Result<XValue> call(const Expr& expr, const Context& context) {
    std::vector<XValue> a;
    for (const auto& argument : expr.arguments) {
      TRY_ASSIGN(XValue value, evaluate(*argument, context));
      a.push_back(std::move(value));
    }
    const std::string& name = expr.name;
    if (a.empty()) {
      if (name == "position") return of_number(static_cast<double>(context.position));
      if (name == "last") return of_number(static_cast<double>(context.size));
      if (name == "true" || name == "false") return of_boolean(name == "true");
      // The others look at the context.
      XValue self;
      self.nodes = {context.node};
      a.push_back(std::move(self));
      if (name != "string" && name != "number" && name != "string-length" &&
          name != "normalize-space" && name != "name" && name != "local-name")
        return unknown(name);
    }
    if (a.size() == 1) return of_one(name, a[0]);
    if (name == "concat") {
      std::string out;
      for (const auto& part : a) out += to_text(part);
      return of_text(std::move(out));
    }
    const std::string text = to_text(a[0]);
    if (name == "substring") return of_text(substring(text, a));
    if (a.size() != 2) return unknown(name);
    const std::string part = to_text(a[1]);
    const auto found = text.find(part);
    if (name == "contains") return of_boolean(found != std::string::npos);
    if (name == "starts-with") return of_boolean(text.starts_with(part));
    if (name == "substring-before")
      return of_text(found == std::string::npos ? "" : text.substr(0, found));
    if (name == "substring-after")
      return of_text(found == std::string::npos ? "" : text.substr(found + part.size()));
    return unknown(name);
  }

  static Status unknown(const std::string& name) {
    return Status::unsupported("the XPath function {} is not supported", name);
  }

  Result<XValue> of_one(const std::string& name, const XValue& a) const {
    if (name == "count") return of_number(static_cast<double>(a.nodes.size()));
    if (name == "sum") {
      double sum = 0;
      for (const Node& node : a.nodes) sum += number_of(string_of(node));
      return of_number(sum);
    }
    if (name == "not") return of_boolean(!to_boolean(a));
    if (name == "boolean") return of_boolean(to_boolean(a));
    if (name == "number") return of_number(to_number(a));
    if (name == "string") return of_text(to_text(a));
    if (name == "floor") return of_number(std::floor(to_number(a)));
    if (name == "ceiling") return of_number(std::ceil(to_number(a)));
    if (name == "round") return of_number(std::floor(to_number(a) + 0.5));
    if (name == "string-length") return of_number(static_cast<double>(utf8_length(to_text(a))));
    if (name == "normalize-space") {
      std::string out;
      for (const auto& word : split(to_text(a), ' ')) {
        const auto kept = trim(word);
        if (!kept.empty()) out += (out.empty() ? "" : " ") + std::string(kept);
      }
      return of_text(std::move(out));
    }
    if (name == "name" || name == "local-name") {
      if (a.nodes.empty() || a.nodes[0].place == 0) return of_text("");
      const Node& node = a.nodes[0];
      const XmlNode& xml = *nodes_[node.place].xml;
      std::string full = node.attribute < 0
                             ? xml.name
                             : xml.attributes[static_cast<std::size_t>(node.attribute)].first;
      if (name == "local-name") full = full.substr(full.find(':') + 1);
      return of_text(std::move(full));
    }
    return unknown(name);
  }

  std::string substring(const std::string& text, const std::vector<XValue>& a) const {
    const double begin = std::floor(to_number(a[1]) + 0.5);
    const double end = a.size() > 2 ? begin + std::floor(to_number(a[2]) + 0.5) : 1e18;
    std::string out;
    double place = 0;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t size = 1;
      while (at + size < text.size() &&
             (static_cast<unsigned char>(text[at + size]) & 0xC0) == 0x80)
        ++size;
      place += 1;
      if (place >= begin && place < end) out += text.substr(at, size);
      at += size;
    }
    return out;
  }

  std::vector<Entry> nodes_;
  std::size_t looked_at_ = 0;
};

}  // namespace

XPath::XPath(std::unique_ptr<Expr> expr) : expr_(std::move(expr)) {}
XPath::~XPath() = default;

Result<std::shared_ptr<const XPath>> XPath::get(std::string_view text) {
  static thread_local std::string last_text;
  static thread_local std::shared_ptr<const XPath> last;
  if (last != nullptr && last_text == text) return last;
  TRY_ASSIGN(auto expr, Parser(text).whole());
  last = std::shared_ptr<const XPath>(new XPath(std::move(expr)));
  last_text = std::string(text);
  return last;
}

Result<double> XPath::number(const XmlNode& root) const {
  Evaluation evaluation(root);
  TRY_ASSIGN(const XValue value, evaluation.run(*expr_));
  return evaluation.to_number(value);
}

Result<std::string> XPath::text(const XmlNode& root) const {
  Evaluation evaluation(root);
  TRY_ASSIGN(const XValue value, evaluation.run(*expr_));
  return evaluation.to_text(value);
}

Result<bool> XPath::boolean(const XmlNode& root) const {
  Evaluation evaluation(root);
  TRY_ASSIGN(const XValue value, evaluation.run(*expr_));
  return Evaluation::to_boolean(value);
}

Result<std::vector<std::optional<std::string>>> XPath::values(const XmlNode& root) const {
  Evaluation evaluation(root);
  TRY_ASSIGN(const XValue value, evaluation.run(*expr_));
  if (value.kind != XValue::Kind::nodes)
    return Status::invalid("the XPath expression does not find nodes");
  std::vector<std::optional<std::string>> out;
  for (const Node& node : value.nodes) out.push_back(evaluation.value_of(node));
  return out;
}

}  // namespace millstream::engine
