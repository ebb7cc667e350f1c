// What a DataFrame computes beside rows: statistics, missing values, observations, checkpoints.
#include <thread>

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

TEST_F(Frames, RowsAreOrderedSplitAndTurned) {
  const DataFrame numbers = spark().range(6);
  const std::vector<Row> last = numbers.tail(2);
  ASSERT_EQ(last.size(), 2U);
  EXPECT_EQ(last[1][0].as_long(), 5);
  EXPECT_EQ(numbers.repartition(3, {"id"}).count(), 6);
  EXPECT_EQ(numbers.repartition_by_range(2, {F::desc("id")}).distinct().count(), 6);
  EXPECT_THAT(texts(numbers.coalesce(1).sort_within_partitions({F::desc("id")}).limit(1)),
              ElementsAre("Row(id=5)"));
  EXPECT_EQ(numbers.hint("repartition", {lit(2)}).count(), 6);
  const std::vector<DataFrame> parts = spark().range(1'000).random_split({3, 1}, 11);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].count() + parts[1].count(), 1'000);
  EXPECT_EQ(parts[0].intersect(parts[1]).count(), 0);
  EXPECT_GT(parts[0].count(), parts[1].count());
  EXPECT_THROW(numbers.random_split({-1.0, 2.0}, 1), SparkException);

  const DataFrame grades =
      spark().create_data_frame({{"ann", 1, 2}, {"bob", 3, 4}}, "name string, x int, y int");
  EXPECT_THAT(texts(grades.transpose()),
              ElementsAre("Row(key=x, ann=1, bob=3)", "Row(key=y, ann=2, bob=4)"));
  EXPECT_EQ(texts(grades.transpose("name")), texts(grades.transpose()));
  EXPECT_THAT(grades.with_columns_renamed({{"x", "first"}, {"nope", "none"}}).columns(),
              ElementsAre("name", "first", "y"));
  EXPECT_THAT(texts(grades.group_by({}).pivot("name").sum({"x"})),
              ElementsAre("Row(ann=1, bob=3)"));
  EXPECT_TRUE(numbers.filter("id > 1").same_semantics(spark().range(6).filter("id > 1")));
  EXPECT_FALSE(numbers.filter("id > 1").same_semantics(numbers.filter("id > 2")));
}

TEST_F(Frames, QuestionsTakeNamesAndTags) {
  if (remote_of_test() == nullptr) {  // Delta's parser in Spark 4.2 loses the arguments
    EXPECT_EQ(spark().sql_named("select :a + :b", {{"a", 1}, {"b", 2}}).first()[0].as_long(), 3);
  }
  EXPECT_THROW(spark().add_tag("a,b"), SparkException);
  spark().add_tag("slow");
  EXPECT_THAT(spark().tags(), ElementsAre("slow"));
  // The one that runs is ended by its tag.
  std::string condition = "none";
  std::thread slow([&] {
    condition =
        condition_of([] { spark().range(1'000'000'000'000).filter(F::rand() < 0.0).count(); });
  });
  std::vector<std::string> interrupted;
  for (int i = 0; i < 600 && interrupted.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(spark().interrupt_tag("other").empty());
    interrupted = spark().interrupt_tag("slow");
  }
  slow.join();
  EXPECT_EQ(interrupted.size(), 1U);
  EXPECT_EQ(condition, "OPERATION_CANCELED");
  EXPECT_TRUE(spark().interrupt_operation(interrupted.front()).empty());
  spark().clear_tags();
  EXPECT_TRUE(spark().tags().empty());
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
