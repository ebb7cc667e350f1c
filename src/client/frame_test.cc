// What a DataFrame computes beside rows: statistics, missing values, observations, checkpoints.
#include "client/session_of_test.h"

namespace millstream::api {
namespace {

namespace F = functions;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

class Frames : public SessionTest {};

TEST_F(Frames, StatisticsAreSparks) {
  const DataFrame frame = spark().create_data_frame({{1, 2.0, "a"}, {2, 4.0, "b"}, {3, 6.0, "a"}},
                                                    "id bigint, twice double, name string");
  EXPECT_DOUBLE_EQ(frame.stat().corr("id", "twice"), 1.0);
  EXPECT_DOUBLE_EQ(frame.stat().cov("id", "twice"), 2.0);
  EXPECT_THAT(frame.stat().approx_quantile({"id"}, {0.0, 0.5, 1.0}, 0.0),
              ElementsAre(ElementsAre(1.0, 2.0, 3.0)));
  EXPECT_THAT(frame.stat().approx_quantile({"id", "twice"}, {0.5}, 0.0),
              ElementsAre(ElementsAre(2.0), ElementsAre(4.0)));
  EXPECT_THAT(texts(frame.stat().crosstab("name", "id").sort({"name_id"})),
              ElementsAre("Row(name_id=a, 1=1, 2=0, 3=1)", "Row(name_id=b, 1=0, 2=1, 3=0)"));
  const Row items = frame.stat().freq_items({"name"}, 0.6).first();
  EXPECT_THAT(items.names(), ElementsAre("name_freqItems"));
  EXPECT_THAT(items[0].as<Values>(), testing::Contains(Value("a")));
  EXPECT_THAT(texts(frame.stat().sample_by("name", {{"a", 1.0}}, 7).select({"id"}).sort({"id"})),
              ElementsAre("Row(id=1)", "Row(id=3)"));
  EXPECT_EQ(condition_of([&] { frame.stat().corr("id", "nope"); }),
            "UNRESOLVED_COLUMN.WITH_SUGGESTION");
}

TEST_F(Frames, SummariesAreSparks) {
  const DataFrame frame = spark().range(1, 5);
  EXPECT_THAT(texts(frame.describe({"id"})),
              ElementsAre("Row(summary=count, id=4)", "Row(summary=mean, id=2.5)",
                          "Row(summary=stddev, id=1.2909944487358056)", "Row(summary=min, id=1)",
                          "Row(summary=max, id=4)"));
  EXPECT_THAT(texts(frame.summary({"count", "75%"})),
              ElementsAre("Row(summary=count, id=4)", "Row(summary=75%, id=3)"));
}

TEST_F(Frames, MissingValuesAreDroppedFilledAndReplaced) {
  const DataFrame frame =
      spark().create_data_frame({{1, nullptr, "x"}, {nullptr, nullptr, nullptr}, {3, 2.5, "y"}},
                                "id int, ratio double, name string");
  EXPECT_EQ(frame.na().drop().count(), 1);
  EXPECT_EQ(frame.na().drop("all").count(), 2);
  EXPECT_EQ(frame.na().drop("any", {"id"}).count(), 2);
  EXPECT_EQ(frame.na().drop(3).count(), 1);
  EXPECT_THROW(frame.na().drop("some"), SparkException);
  EXPECT_THAT(texts(frame.na().fill(0)),
              ElementsAre("Row(id=1, ratio=0, name=x)", "Row(id=0, ratio=0, name=NULL)",
                          "Row(id=3, ratio=2.5, name=y)"));
  EXPECT_THAT(texts(frame.na().fill({{"id", -1}, {"name", "none"}})),
              ElementsAre("Row(id=1, ratio=NULL, name=x)", "Row(id=-1, ratio=NULL, name=none)",
                          "Row(id=3, ratio=2.5, name=y)"));
  EXPECT_THAT(texts(frame.na().replace({{"x", "X"}, {"y", nullptr}}, {"name"}).select({"name"})),
              ElementsAre("Row(name=X)", "Row(name=NULL)", "Row(name=NULL)"));
  EXPECT_THAT(
      texts(frame.na().replace({{3, 30}}).select({"id", "ratio"})),
      ElementsAre("Row(id=1, ratio=NULL)", "Row(id=NULL, ratio=NULL)", "Row(id=30, ratio=2.5)"));
}

TEST_F(Frames, ColumnsBecomeRows) {
  const DataFrame wide =
      spark().create_data_frame({{1, 10, 20}, {2, 30, nullptr}}, "id int, a int, b int");
  const auto all = {"Row(id=1, key=a, value=10)", "Row(id=1, key=b, value=20)",
                    "Row(id=2, key=a, value=30)", "Row(id=2, key=b, value=NULL)"};
  EXPECT_THAT(texts(wide.unpivot({"id"}, {"a", "b"}, "key", "value")),
              testing::ElementsAreArray(all));
  EXPECT_THAT(texts(wide.unpivot({"id"}, "key", "value")), testing::ElementsAreArray(all));
  EXPECT_THAT(texts(wide.melt({"id"}, {"b"}, "key", "value")),
              ElementsAre("Row(id=1, key=b, value=20)", "Row(id=2, key=b, value=NULL)"));
}

TEST_F(Frames, ObservationsComeBesideTheRows) {
  Observation seen("seen");
  const DataFrame observed =
      spark().range(10).observe(seen, {F::count(lit(1)).alias("rows"), F::max("id").alias("newest"),
                                       F::collect_set(col("id") % 2).alias("halves"),
                                       F::max(F::struct_of({"id"})).alias("whole")});
  EXPECT_EQ(seen.get().size(), 0U);
  // Another plan that reads it brings them too.
  EXPECT_EQ(observed.filter("id < 3").count(), 3);
  const Row metrics = seen.get();
  EXPECT_THAT(metrics.names(), ElementsAre("rows", "newest", "halves", "whole"));
  EXPECT_EQ(metrics["rows"].as_long(), 10);
  EXPECT_EQ(metrics["newest"].as_long(), 9);
  EXPECT_THAT(metrics["halves"].as<Values>(), UnorderedElementsAre(Value(0), Value(1)));
  EXPECT_EQ(metrics["whole"].as<Row>()["id"].as_long(), 9);
  EXPECT_THROW(spark().range(1).observe(seen, {F::count(lit(1))}), SparkException);

  const Observation written;
  spark()
      .range(4)
      .observe(written, {F::sum("id").alias("total")})
      .write()
      .format("noop")
      .mode("overwrite")
      .save();
  EXPECT_EQ(written.get()["total"].as_long(), 6);
}

TEST_F(Frames, ACheckpointStaysWhatItWas) {
  const DataFrame drawn = spark().range(5).with_column("r", F::rand());
  std::optional<DataFrame> derived;
  std::vector<std::string> rows;
  {
    const DataFrame kept = drawn.local_checkpoint();
    rows = texts(kept.sort({"id"}));
    EXPECT_EQ(texts(kept.sort({"id"})), rows);
    derived = kept.filter("id >= 0").sort({"id"});
  }
  // What was made of it keeps it.
  EXPECT_EQ(texts(*derived), rows);
  const DataFrame joined = derived->join(spark().range(3), {"id"});
  derived.reset();
  EXPECT_EQ(joined.count(), 3);
  EXPECT_EQ(drawn.local_checkpoint(false).count(), 5);
  // Spark wants a folder that its server was started with.
  if (remote_of_test() == nullptr) {
    EXPECT_EQ(drawn.checkpoint().count(), 5);
  }
}

TEST_F(Frames, RowsComeAsTheyAreAskedFor) {
  std::int64_t sum = 0;
  RowIterator rows = spark().range(1'000).to_local_iterator();
  for (const Row& row : rows) sum += row[0].as_long();
  EXPECT_EQ(sum, 499'500);
  EXPECT_FALSE(rows.next().has_value());

  EXPECT_FALSE(spark().range(0).to_local_iterator().next().has_value());

  // Left in the middle: the server is free for others.
  {
    // Spark makes a partition's rows before it sends the first.
    const std::int64_t many = remote_of_test() != nullptr ? 1'000'000 : 1'000'000'000'000;
    RowIterator endless = spark().range(many).to_local_iterator();
    EXPECT_EQ(endless.next().value_or(Row()).to_string(), "Row(id=0)");
    EXPECT_EQ(endless.next().value_or(Row()).to_string(), "Row(id=1)");
  }
  EXPECT_EQ(spark().range(3).count(), 3);

  RowIterator failing = spark().sql("select 1 / id from range(1)").to_local_iterator();
  EXPECT_EQ(condition_of([&] { failing.next(); }), "DIVIDE_BY_ZERO");
  EXPECT_FALSE(failing.next().has_value());
}

}  // namespace
}  // namespace millstream::api
