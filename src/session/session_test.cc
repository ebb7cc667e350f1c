#include <gtest/gtest.h>

#include "session/artifacts.h"
#include "session/conf.h"
#include "session/views.h"
#include "session/warehouse.h"

namespace millstream::session {
namespace {

TEST(RuntimeConf, AnswersSparksDefaults) {
  const RuntimeConf conf;
  EXPECT_EQ(conf.value("spark.sql.shuffle.partitions"), "200");
  EXPECT_EQ(conf.value("spark.sql.session.localRelationCacheThreshold"), "1048576");
  EXPECT_EQ(conf.value("spark.connect.session.planCompression.threshold"), "10485760");
  EXPECT_EQ(conf.time_zone(), machine_time_zone());
  EXPECT_TRUE(conf.flag("spark.sql.ansi.enabled"));
  // Known, without a default: no value, but no error.
  ASSERT_TRUE(conf.get("spark.sql.streaming.checkpointLocation").ok());
  EXPECT_FALSE(conf.get("spark.sql.streaming.checkpointLocation")->has_value());
}

TEST(RuntimeConf, UnknownKeysFailUntilTheyAreSet) {
  RuntimeConf conf;
  const Status unknown = conf.get("no.such.key").status();
  EXPECT_TRUE(unknown.is("SQL_CONF_NOT_FOUND"));
  EXPECT_EQ(unknown.kind(), ErrorKind::no_such_element);
  EXPECT_EQ(unknown.info().parameters.at("sqlConf"), "\"no.such.key\"");
  ASSERT_TRUE(conf.set("no.such.key", "1").ok());
  EXPECT_EQ(conf.value("no.such.key"), "1");
  ASSERT_TRUE(conf.unset("no.such.key").ok());
  EXPECT_TRUE(conf.get("no.such.key").status().is("SQL_CONF_NOT_FOUND"));
}

TEST(RuntimeConf, TheMeaningOfTimestampIsOneOfTwo) {
  RuntimeConf conf;
  EXPECT_TRUE(conf.set("spark.sql.timestampType", "timestamp_ltz").ok());
  EXPECT_TRUE(conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ").ok());
  EXPECT_TRUE(
      conf.set("spark.sql.timestampType", "DATE").is("INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS"));
}

TEST(RuntimeConf, RefusesWhatWouldChangeAnswers) {
  RuntimeConf conf;
  EXPECT_TRUE(conf.set("spark.sql.decimalOperations.allowPrecisionLoss", "True").ok());
  EXPECT_TRUE(conf.set("spark.sql.legacy.ctePrecedencePolicy", "CORRECTED").ok());
  for (const char* key :
       {"spark.sql.decimalOperations.allowPrecisionLoss", "spark.sql.legacy.sizeOfNull"}) {
    EXPECT_TRUE(conf.set(key, "false").is("UNSUPPORTED_FEATURE.MILLSTREAM")) << key;
  }
}

TEST(RuntimeConf, RefusesWhatSparkRefuses) {
  RuntimeConf conf;
  EXPECT_TRUE(conf.set("spark.sql.warehouse.dir", "/x").is("CANNOT_MODIFY_STATIC_CONFIG"));
  EXPECT_TRUE(conf.set("spark.executor.memory", "1g").is("CANNOT_MODIFY_CONFIG"));
  EXPECT_TRUE(conf.set("spark.default.parallelism", "4").ok());
  EXPECT_TRUE(
      conf.set("spark.sql.session.timeZone", "Nowhere/Land").is("INVALID_CONF_VALUE.TIME_ZONE"));
  EXPECT_TRUE(conf.set("spark.sql.session.timeZone", "+05:30").ok());
  EXPECT_TRUE(conf.set("spark.sql.session.timeZone", "../../etc/passwd")
                  .is("INVALID_CONF_VALUE.TIME_ZONE"));
  EXPECT_TRUE(conf.set("spark.sql.ansi.enabled", "maybe").is("INVALID_CONF_VALUE.TYPE_MISMATCH"));
  EXPECT_TRUE(
      conf.set("spark.sql.shuffle.partitions", "many").is("INVALID_CONF_VALUE.TYPE_MISMATCH"));
  EXPECT_FALSE(conf.is_modifiable("spark.sql.warehouse.dir"));
  EXPECT_FALSE(conf.is_modifiable("no.such.key"));
  EXPECT_TRUE(conf.is_modifiable("spark.sql.ansi.enabled"));
}

TEST(RuntimeConf, EffectiveIsDefaultsUnderWhatIsSet) {
  RuntimeConf conf;
  ASSERT_TRUE(conf.set("spark.sql.shuffle.partitions", "8").ok());
  EXPECT_EQ(conf.effective().at("spark.sql.shuffle.partitions"), "8");
  EXPECT_EQ(conf.effective().at("spark.sql.streaming.minBatchesToRetain"), "100");
  EXPECT_EQ(conf.explicitly_set().size(), 1u);
}

TEST(Artifacts, SameNameOtherBytesIsAnError) {
  Artifacts artifacts;
  ASSERT_TRUE(artifacts.add("pyfiles/a.py", "x = 1").ok());
  EXPECT_TRUE(artifacts.add("pyfiles/a.py", "x = 1").ok());
  EXPECT_TRUE(artifacts.add("pyfiles/a.py", "x = 2").is("ARTIFACT_ALREADY_EXISTS"));
  ASSERT_TRUE(artifacts.add("cache/abc", "bytes").ok());
  EXPECT_TRUE(artifacts.has_cached("cache/abc"));
  EXPECT_FALSE(artifacts.has_cached("pyfiles/a.py"));
  EXPECT_EQ(*artifacts.cached("abc"), "bytes");
  EXPECT_TRUE(artifacts.cached("nope").status().is(
      "CONNECT_INVALID_PLAN.CANNOT_FIND_CACHED_LOCAL_RELATION"));
}

TEST(Artifacts, NamesCannotLeaveTheFolder) {
  Artifacts artifacts;
  for (const char* name :
       {"pyfiles/../x", "/etc/x", "../x", "x", "pyfiles//x", "", "pyfiles/.", "other/x"}) {
    EXPECT_TRUE(artifacts.add(name, "").is("INVALID_ARTIFACT_PATH")) << name;
  }
}

TEST(Artifacts, AClonedSessionHasThemToo) {
  Artifacts source;
  ASSERT_TRUE(source.add("cache/abc", "bytes").ok());
  Artifacts copy;
  ASSERT_TRUE(copy.copy_from(source).ok());
  EXPECT_EQ(*copy.cached("abc"), "bytes");
}

TEST(Views, NamesIgnoreCase) {
  Views views;
  EXPECT_TRUE(views.put({.name = "V", .node = nullptr, .relation = "r1", .table = nullptr}, false));
  EXPECT_FALSE(
      views.put({.name = "v", .node = nullptr, .relation = "r2", .table = nullptr}, false));
  EXPECT_TRUE(views.put({.name = "v", .node = nullptr, .relation = "r2", .table = nullptr}, true));
  EXPECT_EQ(views.find("V")->relation, "r2");
  EXPECT_TRUE(views.drop("V"));
  EXPECT_FALSE(views.drop("V"));
}

TEST(Warehouse, LaysDatabasesOutAsSpark) {
  const auto store = io::memory_store();
  Warehouse warehouse(store, "/wh");
  EXPECT_EQ(warehouse.table_directory({"default", "T"}), "/wh/t");
  EXPECT_EQ(warehouse.table_directory({"Sales", "T"}), "/wh/sales.db/t");
  EXPECT_TRUE(*warehouse.database_exists("DEFAULT"));
  EXPECT_FALSE(*warehouse.database_exists("sales"));
  EXPECT_TRUE(warehouse.tables("sales").status().is("SCHEMA_NOT_FOUND"));
  ASSERT_TRUE(warehouse.create_database("Sales", false).ok());
  ASSERT_TRUE(store->put("/wh/sales.db/t/_delta_log/00000000000000000000.json", "{}").ok());
  EXPECT_TRUE(warehouse.create_database("sales", false).is("SCHEMA_ALREADY_EXISTS"));
  EXPECT_TRUE(warehouse.create_database("sales", true).ok());
  EXPECT_EQ(*warehouse.databases(), (std::vector<std::string>{"default", "sales"}));
  EXPECT_EQ(*warehouse.tables("sales"), (std::vector<std::string>{"t"}));
  EXPECT_TRUE(warehouse.drop_database("sales", false, false).is("SCHEMA_NOT_EMPTY"));
  EXPECT_TRUE(warehouse.drop_database("sales", false, true).ok());
  EXPECT_FALSE(*warehouse.database_exists("sales"));
  EXPECT_TRUE(
      warehouse.drop_database("default", false, true).is("UNSUPPORTED_FEATURE.DROP_DATABASE"));
}

TEST(Warehouse, KeepsViewsAndTablesElsewhereBesideTheFolders) {
  const auto store = io::memory_store();
  Warehouse warehouse(store, "/wh");
  Entry view;
  view.view = true;
  view.text = "SELECT 1 AS a";
  view.columns = {"a"};
  ASSERT_TRUE(warehouse.put_entry({"default", "V"}, view).ok());
  Entry table;
  table.provider = "parquet";
  table.location = "/elsewhere/t";
  table.external = true;
  ASSERT_TRUE(warehouse.put_entry({"default", "t"}, table).ok());
  EXPECT_EQ(*warehouse.views("default"), std::vector<std::string>{"v"});
  EXPECT_EQ(*warehouse.tables("default"), std::vector<std::string>{"t"});
  EXPECT_EQ(warehouse.table_directory({"default", "T"}), "/elsewhere/t");
  EXPECT_FALSE(*warehouse.table_exists({"default", "v"}));
  EXPECT_TRUE(*warehouse.is_taken({"default", "v"}));
  EXPECT_EQ((*warehouse.entry({"default", "v"}))->text, view.text);
  ASSERT_TRUE(store->put("/elsewhere/t/a.parquet", "x").ok());
  ASSERT_TRUE(warehouse.drop_table({"default", "t"}).ok());
  EXPECT_TRUE(*store->exists("/elsewhere/t/a.parquet"));
  EXPECT_FALSE(*warehouse.is_taken({"default", "t"}));
  ASSERT_TRUE(warehouse.rename_table({"default", "v"}, {"default", "w"}).ok());
  EXPECT_EQ(*warehouse.views("default"), std::vector<std::string>{"w"});
  for (const char* name : {"", ".", "..", "../x", "a/b", ".millstream", "a b"}) {
    const TableName bad{"default", name};
    EXPECT_TRUE(warehouse.put_entry(bad, view).is("INVALID_SCHEMA_OR_RELATION_NAME")) << name;
    EXPECT_TRUE(warehouse.drop_table(bad).is("INVALID_SCHEMA_OR_RELATION_NAME")) << name;
    EXPECT_TRUE(
        warehouse.rename_table({"default", "w"}, bad).is("INVALID_SCHEMA_OR_RELATION_NAME"));
    EXPECT_TRUE(warehouse.create_database(name, false).is("INVALID_SCHEMA_OR_RELATION_NAME"));
    EXPECT_FALSE(*warehouse.table_exists(bad)) << name;
    EXPECT_FALSE(*warehouse.database_exists(name)) << name;
  }
}

TEST(Warehouse, QuotesNames) {
  EXPECT_EQ(quote_identifiers({"a", "b`c"}), "`a`.`b``c`");
  EXPECT_EQ((TableName{"db", "t"}).quoted(), "`spark_catalog`.`db`.`t`");
}

}  // namespace
}  // namespace millstream::session
