// The API against an embedded session: no port, no other process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "millstream/millstream.h"

namespace millstream::api {
namespace {

namespace F = functions;
using testing::ElementsAre;

class Api : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::TempDir() + "millstream-api";
    std::filesystem::remove_all(folder_);
    spark_ = std::make_unique<SparkSession>(
        SparkSession::builder().warehouse(folder_ + "/warehouse").get_or_create());
  }
  static void TearDownTestSuite() {
    spark_.reset();
    std::filesystem::remove_all(folder_);
  }
  static const SparkSession& spark() { return *spark_; }
  static std::string folder_;
  static std::unique_ptr<SparkSession> spark_;
};
std::string Api::folder_;
std::unique_ptr<SparkSession> Api::spark_;

std::vector<std::string> texts(const DataFrame& frame) {
  std::vector<std::string> out;
  for (const Row& row : frame.collect()) out.push_back(row.to_string());
  return out;
}

TEST_F(Api, ValuesOfEveryTypeComeBack) {
  const Row row = spark()
                      .sql(
                          "select true, 1Y, 2L, 1.5D, 12.50BD, 'x', X'0aff', date'2024-02-29', "
                          "timestamp'2024-02-29 00:00:00.5Z', timestamp_ntz'1969-12-31 23:59:59', "
                          "array(1, null), map('k', 1), named_struct('a', 1), null, "
                          "interval '1' day, interval '14' month")
                      .first();
  EXPECT_EQ(row[0], Value(true));
  EXPECT_EQ(row[1].as_long(), 1);
  EXPECT_EQ(row[2].as_long(), 2);
  EXPECT_EQ(row[3].as_double(), 1.5);
  EXPECT_EQ(row[4], Value(Decimal{"12.50"}));
  EXPECT_EQ(row[5].as_string(), "x");
  EXPECT_EQ(row[6], Value(Binary{"\x0a\xff"}));
  EXPECT_EQ(row[7].to_string(), "2024-02-29");
  EXPECT_EQ(row[8].to_string(), "2024-02-29 00:00:00.5");
  EXPECT_EQ(row[9].to_string(), "1969-12-31 23:59:59");
  EXPECT_EQ(row[10].to_string(), "[1, NULL]");
  EXPECT_EQ(row[11].to_string(), "{k -> 1}");
  EXPECT_EQ(row[12].to_string(), "Row(a=1)");
  EXPECT_TRUE(row[13].is_null());
  EXPECT_EQ(row[14], Value(DayTimeInterval{86'400'000'000}));
  EXPECT_EQ(row[15], Value(YearMonthInterval{14}));
}

TEST_F(Api, LocalRowsBecomeADataFrame) {
  const DataFrame frame =
      spark().create_data_frame({{1, "a", Values{1.5, nullptr}}, {nullptr, "b", nullptr}},
                                "id bigint, name string, xs array<double>");
  EXPECT_THAT(texts(frame.sort({"name"})),
              ElementsAre("Row(id=1, name=a, xs=[1.5, NULL])", "Row(id=NULL, name=b, xs=NULL)"));
  try {
    spark().create_data_frame({{1}, {"x"}}, "id int");
    FAIL();
  } catch (const SparkException& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("row 2, column id"));
  }
}

TEST_F(Api, RelationsAreSparks) {
  const DataFrame numbers = spark().range(10).with_column("even", col("id") % 2 == 0);
  EXPECT_THAT(texts(numbers.group_by({"even"})
                        .agg({F::sum("id").alias("total"), F::count("*").alias("n")})
                        .sort({F::desc("total")})),
              ElementsAre("Row(even=false, total=25, n=5)", "Row(even=true, total=20, n=5)"));
  const DataFrame names =
      spark().create_data_frame({{1, "one"}, {2, "two"}}, "id bigint, name string");
  EXPECT_EQ(numbers.join(names, {"id"}).count(), 2);
  EXPECT_EQ(numbers.join(names, numbers["id"] == names["id"], "left_anti").count(), 8);
  EXPECT_EQ(numbers.union_all(numbers).distinct().count(), 10);
  EXPECT_THAT(numbers.columns(), ElementsAre("id", "even"));
  EXPECT_EQ(numbers.schema()[0].type, "bigint");
  EXPECT_FALSE(numbers.is_streaming());
  EXPECT_EQ(spark().sql("select ? + ?", {1, 2}).first()[0].as_long(), 3);
  EXPECT_EQ(spark().range(1).show_string(), "+---+\n| id|\n+---+\n|  0|\n+---+\n");
}

TEST_F(Api, ColumnsAreSparks) {
  const DataFrame frame =
      spark().create_data_frame({{1, "ann"}, {2, "bob"}, {3, nullptr}}, "id int, name string");
  const WindowSpec by_id = WindowSpec().order_by({"id"}).rows_between(
      WindowSpec::unbounded_preceding, WindowSpec::current_row);
  EXPECT_THAT(
      texts(frame
                .select({F::coalesce(F::upper("name"), lit("?")).alias("n"),
                         F::when(col("id") > 2, lit("big")).otherwise(lit("small")).alias("size"),
                         F::sum("id").over(by_id).alias("s"),
                         col("id").between(lit(1), lit(2)).alias("b"),
                         col("name").is_in({"ann", "x"}).alias("i"),
                         (-col("id")).cast("string").alias("t")})
                .sort({"s"})),
      ElementsAre("Row(n=ANN, size=small, s=1, b=true, i=true, t=-1)",
                  "Row(n=BOB, size=small, s=3, b=true, i=false, t=-2)",
                  "Row(n=?, size=big, s=6, b=false, i=NULL, t=-3)"));
}

TEST_F(Api, ErrorsHaveSparksConditions) {
  try {
    spark().sql("select 1/0").collect();
    FAIL();
  } catch (const SparkException& error) {
    EXPECT_EQ(error.condition(), "DIVIDE_BY_ZERO");
    EXPECT_EQ(error.sql_state(), "22012");
    EXPECT_EQ(error.parameters().at("config"), "\"spark.sql.ansi.enabled\"");
    EXPECT_THAT(error.classes(), testing::Contains("java.lang.ArithmeticException"));
  }
  try {
    spark().range(1).select({"nope"}).collect();
    FAIL();
  } catch (const SparkException& error) {
    EXPECT_EQ(error.condition(), "UNRESOLVED_COLUMN.WITH_SUGGESTION");
  }
  EXPECT_THROW(spark().conf().get("spark.no.such"), SparkException);
}

TEST_F(Api, AnExceptionOfTheCallerEndsTheQuery) {
  int seen = 0;
  EXPECT_THROW(spark().range(100'000'000).for_each([&](const Row&) {
    if (++seen == 10) throw std::runtime_error("enough");
  }),
               std::runtime_error);
  EXPECT_EQ(seen, 10);
  EXPECT_EQ(spark().range(3).count(), 3);
}

TEST_F(Api, TablesAndStreams) {
  const std::string source = folder_ + "/source";
  const std::string target = folder_ + "/target";
  spark().range(5).write().format("delta").save(source);
  const auto query = spark()
                         .read_stream()
                         .format("delta")
                         .load(source)
                         .write_stream()
                         .format("delta")
                         .query_name("copy")
                         .option("checkpointLocation", folder_ + "/checkpoint")
                         .trigger_available_now()
                         .start(target);
  EXPECT_TRUE(query.await_termination(std::chrono::minutes(1)));
  EXPECT_EQ(query.name(), "copy");
  EXPECT_FALSE(query.is_active());
  EXPECT_FALSE(query.exception().has_value());
  EXPECT_THAT(query.last_progress(), testing::HasSubstr("\"numInputRows\""));
  EXPECT_EQ(spark().read().format("delta").load(target).count(), 5);
  EXPECT_TRUE(spark().streams().active().empty());

  spark().range(2).write().save_as_table("t");
  spark().range(3).write().insert_into("t");
  EXPECT_EQ(spark().table("t").count(), 5);
  spark().range(1).create_or_replace_temp_view("v");
  EXPECT_EQ(spark().sql("select * from v").count(), 1);
}

TEST_F(Api, ForeachBatchCallsAFunctionOfTheProgram) {
  const std::string source = folder_ + "/batches_source";
  const std::string checkpoint = folder_ + "/batches_checkpoint";
  spark().sql("create table silver (id bigint, n bigint) using delta");
  spark().range(5).write().format("delta").save(source);
  const auto run = [&](const std::function<void(DataFrame, std::int64_t)>& function) {
    return spark()
        .read_stream()
        .format("delta")
        .load(source)
        .write_stream()
        .foreach_batch(function)
        .option("checkpointLocation", checkpoint)
        .trigger_available_now()
        .start();
  };
  std::vector<std::int64_t> seen;
  const auto merge = [&](const DataFrame& batch, std::int64_t batch_id) {
    batch.persist();
    seen.push_back(batch_id * 100 + batch.count());
    batch.create_or_replace_temp_view("batch");
    spark().sql(
        "merge into silver s using batch b on s.id = b.id when matched then update set n = s.n + 1 "
        "when not matched then insert (id, n) values (b.id, 1)");
    batch.unpersist();
  };
  EXPECT_TRUE(run(merge).await_termination(std::chrono::minutes(1)));
  EXPECT_EQ(spark().table("silver").count(), 5);

  // A function that throws: the same batch comes again.
  spark().range(3, 8).write().mode("append").format("delta").save(source);
  const auto failing =
      run([](const DataFrame&, std::int64_t) { throw std::runtime_error("no more"); });
  try {
    failing.await_termination(std::chrono::minutes(1));
    FAIL();
  } catch (const SparkException& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("FOREACH_BATCH_USER_FUNCTION_ERROR"));
    EXPECT_THAT(error.what(), testing::HasSubstr("no more"));
  }
  EXPECT_TRUE(run(merge).await_termination(std::chrono::minutes(1)));
  EXPECT_THAT(seen, ElementsAre(5, 105));
  EXPECT_THAT(texts(spark().sql("select count(*) c, sum(n) s from silver")),
              ElementsAre("Row(c=8, s=10)"));
}

TEST_F(Api, ASessionMayGoBeforeItsQuery) {
  const std::string folder = folder_ + "/gone";
  {
    auto session = std::make_unique<SparkSession>(
        SparkSession::builder().warehouse(folder + "/warehouse").get_or_create());
    session->range(3).write().format("delta").save(folder + "/source");
    // The function holds the session, which holds the query.
    session->read_stream()
        .format("delta")
        .load(folder + "/source")
        .write_stream()
        .foreach_batch([own = *session](const DataFrame& batch, std::int64_t) {
          EXPECT_EQ(batch.count() + own.range(1).count(), 4);
        })
        .option("checkpointLocation", folder + "/checkpoint")
        .trigger_available_now()
        .start()
        .await_termination(std::chrono::minutes(1));
  }
  EXPECT_EQ(spark().range(3).count(), 3);
}

}  // namespace
}  // namespace millstream::api
