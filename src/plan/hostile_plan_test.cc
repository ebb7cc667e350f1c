// Plans that nobody would send: seeded changes of good ones, byte by byte and part by part. Each is
// analysed, optimized and shown, or refused; none ends the process or takes long.
#include <gtest/gtest.h>

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "plan/test_plans.h"

namespace millstream::plan {
namespace {

using Bytes = std::string;

std::vector<Bytes> corpus() {
  const std::string t = table("a INT, b STRING, s STRUCT<x: INT, y: ARRAY<INT>>, d DATE");
  const std::vector<std::string> texts = {
      select(t, {expr("a + 1"), expr("s.x"), expr("upper(b)")}),
      where(where(t, expr("a between 1 and 5")), expr("b like 'x%' and a <> 3")),
      "join { left { " + t + " } right { " + range() + " } join_condition " + expr("a = id") +
          " join_type: JOIN_TYPE_LEFT_OUTER }",
      "aggregate { input { " + t + " } group_type: GROUP_TYPE_ROLLUP grouping_expressions " +
          expr("b") + " aggregate_expressions " + expr("sum(a)") + " }",
      "sort { input { " + t + " } is_global: true order { child " + expr("a") +
          " direction: SORT_DIRECTION_DESCENDING null_ordering: SORT_NULLS_LAST } }",
      "set_op { left_input { " + range() + " } right_input { " + range(5) +
          " } set_op_type: SET_OP_TYPE_UNION is_all: true }",
      "limit { input { " + select(range(), {expr("explode(array(id, id))")}) + " } limit: 3 }",
      select(t, {expr("row_number() over (partition by b order by a)"),
                 expr("transform(s.y, x -> x + a)"), expr("case when a > 1 then b else 'z' end")})};
  std::vector<Bytes> out;
  for (const auto& text : texts) out.push_back(relation_of(text).SerializeAsString());
  return out;
}

Bytes changed(Bytes bytes, const std::vector<Bytes>& seeds, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::size_t changes = 1 + below(3);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t at = below(bytes.size());
    const Bytes& other = seeds[below(seeds.size())];
    const std::size_t from = below(other.size());
    const std::size_t length = std::min({1 + below(12), bytes.size() - at, other.size() - from});
    switch (below(8)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.erase(at, 1);
        break;
      case 2:
        bytes.insert(at, other.substr(from, length));
        break;
      case 3:
      case 4:  // lengths stay: more of these are still messages
        bytes.replace(at, length, other.substr(from, length));
        break;
      default:
        bytes[at] = static_cast<char>(' ' + below(95));
    }
  }
  return bytes;
}

TEST(HostilePlans, EndInAPlanOrAnError) {
  google::protobuf::SetLogHandler(nullptr);  // it would tell each text that is not UTF-8
  const auto seeds = corpus();
  std::mt19937_64 random(20'260'101);
  int read = 0;
  int analysed = 0;
  for (int i = 0; i < 200'000; ++i) {
    const Bytes bytes = changed(seeds[static_cast<std::size_t>(i) % seeds.size()], seeds, random);
    spark::connect::Relation relation;
    if (!relation.ParseFromString(bytes)) continue;
    ++read;
    const auto started = std::chrono::steady_clock::now();
    FakeResolver resolver;
    const auto node = analyze(relation, resolver, AnalyzerSettings{});
    if (node.ok()) {
      ++analysed;
      EXPECT_NE(optimize(*node), nullptr);
    } else {
      EXPECT_FALSE(node.status().message().empty());
    }
    const auto took = std::chrono::steady_clock::now() - started;
    EXPECT_LT(took, std::chrono::seconds(5)) << relation.ShortDebugString();
  }
  // The changes are small enough that many still mean something.
  EXPECT_GT(read, 2'000);
  EXPECT_GT(analysed, 200);
}

}  // namespace
}  // namespace millstream::plan
