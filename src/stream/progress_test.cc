#include "stream/progress.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <limits>

#include "stream/fakes.h"

namespace millstream::stream {
namespace {

// What Spark 4.2 sent for this trigger.
TriggerReport recorded() {
  TriggerReport report;
  report.id = "2ed6236b-b626-42e9-babf-9b854430a490";
  report.run_id = "718972e1-0a69-4293-b185-aa8b880b1ac0";
  report.name = "hourly";
  report.started_ms = 1795995783182;
  report.duration_ms = 3552;
  report.phases_ms = {{"addBatch", 2503},  {"commitOffsets", 196}, {"getBatch", 1},
                      {"latestOffset", 0}, {"queryPlanning", 712}, {"triggerExecution", 3526},
                      {"walCommit", 93}};
  SourceReport source;
  source.description = "RatePerMicroBatchStream[rowsPerBatch=10]";
  source.end = R"({"offset":10,"timestamp":1000})";
  source.rows = 10;
  report.sources = {source};
  report.sink = "NoopTable";
  report.rows_out = 10;
  engine::ObservedMetrics observed;
  observed.name = "m1";
  observed.schema = {{"n", column::long_type(), false, ""}};
  observed.row = arrow::RecordBatch::Make(arrow::schema({arrow::field("n", arrow::int64(), false)}),
                                          1, {fakes::numbers(10, 11)->column(0)});
  report.observed = {observed};
  return report;
}

TEST(Progress, StoredFormIsSparks) {
  EXPECT_EQ(
      render_progress(recorded()).stored_json,
      R"({"id":"2ed6236b-b626-42e9-babf-9b854430a490","runId":"718972e1-0a69-4293-b185-aa8b880b1ac0",)"
      R"("name":"hourly","timestamp":"2026-11-29T23:43:03.182Z","batchId":0,"batchDuration":3552,)"
      R"("durationMs":{"addBatch":2503,"commitOffsets":196,"getBatch":1,"latestOffset":0,)"
      R"("queryPlanning":712,"triggerExecution":3526,"walCommit":93},"eventTime":{},"stateOperators":[],)"
      R"("sources":[{"description":"RatePerMicroBatchStream[rowsPerBatch=10]","startOffset":null,)"
      R"("endOffset":"{\"offset\":10,\"timestamp\":1000}","latestOffset":null,"numInputRows":10,)"
      R"("inputRowsPerSecond":0.0,"processedRowsPerSecond":2.815315315315315,"metrics":{}}],)"
      R"("sink":{"description":"NoopTable","numOutputRows":10,"metrics":{}},)"
      R"("observedMetrics":{"m1":{"values":[10],"schema":{"type":"struct","fields":)"
      R"([{"name":"n","type":"long","nullable":false,"metadata":{}}]}}}})");
}

TEST(Progress, EventFormIsSparks) {
  EXPECT_EQ(
      render_progress(recorded()).event_json,
      R"({"id":"2ed6236b-b626-42e9-babf-9b854430a490","runId":"718972e1-0a69-4293-b185-aa8b880b1ac0",)"
      R"("name":"hourly","timestamp":"2026-11-29T23:43:03.182Z","batchId":0,"batchDuration":3552,)"
      R"("numInputRows":10,"inputRowsPerSecond":0.0,"processedRowsPerSecond":2.8,)"
      R"("durationMs":{"addBatch":2503,"commitOffsets":196,"getBatch":1,"latestOffset":0,)"
      R"("queryPlanning":712,"triggerExecution":3526,"walCommit":93},"stateOperators":[],)"
      R"("sources":[{"description":"RatePerMicroBatchStream[rowsPerBatch=10]","startOffset":null,)"
      R"("endOffset":{"offset":10,"timestamp":1000},"latestOffset":null,"numInputRows":10,)"
      R"("inputRowsPerSecond":0.0,"processedRowsPerSecond":2.8}],)"
      R"("sink":{"description":"NoopTable","numOutputRows":10},"observedMetrics":{"m1":{"n":10}}})");
}

TEST(Progress, RatesHaveOneDecimal) {
  EXPECT_EQ(rate_text(48.543), "48.5");
  EXPECT_EQ(rate_text(0.25), "0.3");
  EXPECT_EQ(rate_text(0), "0.0");
  EXPECT_EQ(rate_text(1000), "1000.0");
  EXPECT_FALSE(rate_text(std::numeric_limits<double>::infinity()).has_value());
  EXPECT_FALSE(rate_text(std::numeric_limits<double>::quiet_NaN()).has_value());
}

TEST(Progress, OffsetsThatAreNotJsonStayText) {
  TriggerReport report = recorded();
  report.sources[0].end = "1/2";
  report.since_last_ms = 0;  // two triggers in one millisecond: no rate
  const std::string event = render_progress(report).event_json;
  EXPECT_NE(event.find(R"("endOffset":"1/2")"), std::string::npos);
  EXPECT_EQ(event.find("inputRowsPerSecond"), std::string::npos);
}

TEST(Events, AreSparks) {
  EXPECT_EQ(
      started_event_json("i", "r", "", 0, {"t1", "t2"}),
      R"({"id":"i","runId":"r","name":null,"timestamp":"1970-01-01T00:00:00.000Z","jobTags":["t1","t2"]})");
  EXPECT_EQ(idle_event_json("i", "r", 1),
            R"({"id":"i","runId":"r","timestamp":"1970-01-01T00:00:00.001Z"})");
  EXPECT_EQ(terminated_event_json("i", "r", "", ""),
            R"({"id":"i","runId":"r","exception":null,"errorClassOnException":null})");
  EXPECT_EQ(
      terminated_event_json("i", "r", "java.io.IOException: x", "A"),
      R"({"id":"i","runId":"r","exception":"java.io.IOException: x","errorClassOnException":"A"})");
}

}  // namespace
}  // namespace millstream::stream
