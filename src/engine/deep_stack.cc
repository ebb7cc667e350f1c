#include "engine/deep_stack.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace millstream::engine {
namespace {

constexpr int nesting_max = 80;  // beyond it the caller's stack is not trusted
constexpr std::size_t stack_bytes = std::size_t{1} << 30;  // reserved; only what is touched is used

void* run(void* given) {
  (*static_cast<const std::function<void()>*>(given))();
  return nullptr;
}

}  // namespace

int expression_depth_of(std::string_view sql) {
  constexpr std::string_view query = "SELECT ";
  std::vector<int> outer;  // the depth where each open subquery begins
  std::vector<int> begins;
  int depth = 0;
  int total = 0;
  int deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    if (sql[i] == '\'') quoted = !quoted;
    if (quoted) continue;
    if (sql[i] == '(') {
      ++total;
      if (sql.substr(i + 1, query.size()) == query) {
        outer.push_back(depth);
        begins.push_back(total);
        depth = 0;
      } else {
        deepest = std::max(deepest, ++depth);
      }
    } else if (sql[i] == ')') {
      if (!begins.empty() && begins.back() == total) {
        depth = outer.back();
        outer.pop_back();
        begins.pop_back();
      } else {
        --depth;
      }
      --total;
    }
  }
  return deepest;
}

int nesting_of(std::string_view sql) {
  int depth = 0;
  int deepest = 0;
  for (const char c : sql) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

void on_deep_stack(int nesting, const std::function<void()>& work) {
  if (nesting <= nesting_max) return work();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_t thread;
  const int failed =
      pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work));
  pthread_attr_destroy(&attributes);
  if (failed != 0) return work();
  pthread_join(thread, nullptr);
}

}  // namespace millstream::engine
