// Tables that have names: the catalog, writeTo, MERGE; and the settings of the session.
#include "client/session_of_test.h"

namespace millstream::api {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;

class Tables : public SessionTest {
 protected:
  void TearDown() override {
    for (const char* name : {"t", "u"}) spark().sql(std::string("drop table if exists ") + name);
  }
  static std::vector<std::string> rows_of(const std::string& table, const std::string& order) {
    return texts(spark().table(table).sort({order}));
  }
};

TEST_F(Tables, TheCatalogTellsWhatHasAName) {
  const Catalog catalog = spark().catalog();
  EXPECT_EQ(catalog.current_catalog(), "spark_catalog");
  EXPECT_EQ(catalog.current_database(), "default");
  EXPECT_TRUE(catalog.database_exists("default"));
  EXPECT_FALSE(catalog.database_exists("nope"));
  EXPECT_THAT(catalog.list_databases(), Contains(Field(&Catalog::Database::name, "default")));
  EXPECT_EQ(catalog.get_database("default").catalog, "spark_catalog");

  EXPECT_FALSE(catalog.table_exists("t"));
  const DataFrame created = catalog.create_table(
      "t", {.source = "delta", .schema = "id int, name string", .description = "of a test"});
  EXPECT_THAT(created.columns(), ElementsAre("id", "name"));
  EXPECT_TRUE(catalog.table_exists("t"));
  const Catalog::Table table = catalog.get_table("t");
  EXPECT_EQ(table.name, "t");
  EXPECT_EQ(table.catalog, "spark_catalog");
  EXPECT_THAT(table.name_space, ElementsAre("default"));
  EXPECT_EQ(table.description, "of a test");
  EXPECT_EQ(table.table_type, "MANAGED");
  EXPECT_FALSE(table.is_temporary);
  EXPECT_THAT(catalog.list_tables("default", "t*"), Contains(Field(&Catalog::Table::name, "t")));
  EXPECT_THAT(catalog.list_tables("default", "zz*"), ElementsAre());
  const auto columns = catalog.list_columns("t");
  ASSERT_EQ(columns.size(), 2U);
  EXPECT_EQ(columns[0].name, "id");
  EXPECT_EQ(columns[0].data_type, "int");
  EXPECT_TRUE(columns[0].nullable);
  EXPECT_FALSE(columns[0].is_partition);
  EXPECT_EQ(condition_of([&] { catalog.get_table("nope"); }), "TABLE_OR_VIEW_NOT_FOUND");

  EXPECT_TRUE(catalog.function_exists("upper"));
  EXPECT_FALSE(catalog.function_exists("no_such_function"));
  EXPECT_EQ(catalog.get_function("upper").name, "upper");
  EXPECT_THAT(catalog.list_functions({}, "upp*"),
              Contains(Field(&Catalog::Function::name, "upper")));
}

TEST_F(Tables, TheCatalogChangesWhatItTells) {
  const Catalog catalog = spark().catalog();
  spark().sql("create database if not exists api_db");
  catalog.set_current_database("api_db");
  EXPECT_EQ(catalog.current_database(), "api_db");
  catalog.set_current_database("default");
  spark().sql("drop database api_db cascade");
  EXPECT_EQ(condition_of([&] { catalog.set_current_database("api_db"); }), "SCHEMA_NOT_FOUND");

  spark().range(3).create_or_replace_temp_view("api_view");
  EXPECT_THAT(catalog.list_tables(), Contains(Field(&Catalog::Table::name, "api_view")));
  EXPECT_TRUE(catalog.get_table("api_view").is_temporary);
  EXPECT_FALSE(catalog.is_cached("api_view"));
  catalog.cache_table("api_view");
  EXPECT_TRUE(catalog.is_cached("api_view"));
  catalog.uncache_table("api_view");
  EXPECT_FALSE(catalog.is_cached("api_view"));
  catalog.cache_table("api_view");
  catalog.clear_cache();
  EXPECT_FALSE(catalog.is_cached("api_view"));
  catalog.refresh_table("api_view");
  EXPECT_TRUE(catalog.drop_temp_view("api_view"));
  EXPECT_FALSE(catalog.drop_temp_view("api_view"));
  spark().range(3).create_global_temp_view("api_global_view");
  EXPECT_TRUE(catalog.drop_global_temp_view("api_global_view"));
  EXPECT_FALSE(catalog.drop_global_temp_view("api_global_view"));
}

TEST_F(Tables, SettingsTellWhetherTheyCanBeChanged) {
  const RuntimeConfig conf = spark().conf();
  EXPECT_TRUE(conf.is_modifiable("spark.sql.shuffle.partitions"));
  EXPECT_FALSE(conf.is_modifiable("spark.sql.warehouse.dir"));
  EXPECT_FALSE(conf.is_modifiable("spark.no.such"));
  conf.set("spark.sql.shuffle.partitions", "7");
  EXPECT_EQ(conf.get_all()["spark.sql.shuffle.partitions"], "7");
  EXPECT_EQ(conf.get_all("spark.sql.shuffle.")["partitions"], "7");
  conf.unset("spark.sql.shuffle.partitions");
}

TEST_F(Tables, WriteToCreatesAndReplaces) {
  const DataFrame rows = spark().range(4).with_column("part", col("id") % 2);
  rows.write_to("t")
      .using_provider("delta")
      .partitioned_by({"part"})
      .table_property("delta.appendOnly", "false")
      .create();
  EXPECT_EQ(spark().table("t").count(), 4);
  EXPECT_TRUE(spark().catalog().list_columns("t").at(1).is_partition);
  EXPECT_EQ(condition_of([&] { rows.write_to("t").using_provider("delta").create(); }),
            "TABLE_OR_VIEW_ALREADY_EXISTS");
  rows.write_to("t").append();
  EXPECT_EQ(spark().table("t").count(), 8);
  rows.filter("part = 1").write_to("t").overwrite_partitions();
  EXPECT_EQ(spark().table("t").count(), 6);
  rows.filter("part = 0").limit(1).write_to("t").overwrite(col("part") == 0);
  EXPECT_EQ(spark().table("t").count(), 3);
  spark().range(1).write_to("t").using_provider("delta").replace();
  EXPECT_THAT(spark().table("t").columns(), ElementsAre("id"));
  spark().range(2).write_to("u").using_provider("delta").create_or_replace();
  spark().range(3).write_to("u").using_provider("delta").create_or_replace();
  EXPECT_EQ(spark().table("u").count(), 3);
  EXPECT_EQ(condition_of([&] { rows.write_to("no_such_table").append(); }),
            "TABLE_OR_VIEW_NOT_FOUND");
}

TEST_F(Tables, WritersClusterAndReadersTellFiles) {
  if (remote_of_test() != nullptr) GTEST_SKIP() << "Delta's write() in Spark refuses cluster_by";
  spark().range(3).write().format("delta").cluster_by({"id"}).save_as_table("t");
  EXPECT_EQ(spark().table("t").count(), 3);
  const auto detail = spark().sql("describe detail t").select({"clusteringColumns"}).first();
  EXPECT_EQ(detail[0].to_string(), "[id]");
  const auto files = spark().table("t").input_files();
  ASSERT_FALSE(files.empty());
  EXPECT_TRUE(files.front().ends_with(".parquet"));
}

TEST_F(Tables, MergeChangesATable) {
  spark().sql("create table t (id bigint, n bigint) using delta");
  spark().sql("insert into t values (1, 10), (2, 20), (3, 30), (4, 40)");
  const DataFrame changes =
      spark().create_data_frame({{1, 11}, {2, 0}, {5, 50}, {6, 0}}, "id bigint, n bigint");
  changes.alias("s")
      .merge_into("t", expr("t.id = s.id"))
      .when_matched(expr("s.n = 0"))
      .delete_rows()
      .when_matched()
      .update({{"n", col("s.n") + 1}})
      .when_not_matched(expr("s.n > 0"))
      .insert({{"id", col("s.id")}, {"n", col("s.n")}})
      .when_not_matched_by_source(expr("t.id = 3"))
      .update({{"n", lit(-1)}})
      .when_not_matched_by_source()
      .delete_rows()
      .merge();
  EXPECT_THAT(rows_of("t", "id"),
              ElementsAre("Row(id=1, n=12)", "Row(id=3, n=-1)", "Row(id=5, n=50)"));
  spark()
      .create_data_frame({{1, 1}, {7, 7}}, "id bigint, n bigint")
      .alias("s")
      .merge_into("t", expr("t.id = s.id"))
      .when_matched()
      .update_all()
      .when_not_matched()
      .insert_all()
      .merge();
  EXPECT_THAT(rows_of("t", "id"), ElementsAre("Row(id=1, n=1)", "Row(id=3, n=-1)",
                                              "Row(id=5, n=50)", "Row(id=7, n=7)"));
  spark()
      .create_data_frame({{9, 9, "new"}}, "id bigint, n bigint, more string")
      .alias("s")
      .merge_into("t", expr("t.id = s.id"))
      .when_not_matched()
      .insert_all()
      .with_schema_evolution()
      .merge();
  EXPECT_THAT(spark().table("t").columns(), ElementsAre("id", "n", "more"));
}

}  // namespace
}  // namespace millstream::api
