// The tables that fuzzed queries may read: `t`, with a column of each type.
#pragma once

#include "plan/test_plans.h"

namespace millstream::fuzz {

inline plan::FakeResolver make_resolver() {
  plan::FakeResolver resolver;
  const auto columns = column::parse_schema(
      "b boolean, y tinyint, i int, l bigint, f float, d double, n decimal(10,2), s string, "
      "x binary, dt date, ts timestamp, tn timestamp_ntz, dti interval day to second, "
      "ymi interval year to month, a array<int>, m map<string,bigint>, "
      "st struct<p:int,q:array<struct<r:string>>>");
  const std::shared_ptr<const connector::Table> table =
      std::make_shared<plan::FakeTable>(columns.value(), plan::FakeResolver::metadata());
  resolver.views["t"] = plan::make_scan(table);
  return resolver;
}

// Analysis as the server does it, with the optimizer after it.
inline void analyze_and_optimize(const spark::connect::Relation& relation) {
  static plan::FakeResolver resolver = make_resolver();
  const auto node = plan::analyze(relation, resolver, plan::AnalyzerSettings{});
  if (node.ok()) plan::explain_tree(*plan::optimize(*node));
}

}  // namespace millstream::fuzz
