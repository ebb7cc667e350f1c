"""spark.catalog and what it answers."""

from cases._sql import views
from harness import Area

area = Area("sql_catalog")


def ready(c):
    spark = views(c)
    spark.sql("CREATE DATABASE IF NOT EXISTS catdb")
    spark.sql("CREATE TABLE IF NOT EXISTS catdb.ct (a INT COMMENT 'about a', p STRING) USING delta PARTITIONED BY (p)")
    spark.sql("CREATE OR REPLACE VIEW catdb.cv AS SELECT 1 AS x")
    return spark.catalog


def shown(rows):
    return [[getattr(r, f) for f in r._fields if f not in ("locationUri", "className", "description")] for r in rows]


CALLS = {
    "list_functions_pattern": lambda k: shown(k.listFunctions(pattern="array_dis*")),
    "list_functions_database": lambda k: len(k.listFunctions("catdb", "upper")),
    "list_functions_missing": lambda k: k.listFunctions("nosuch_db"),
    "function_exists": lambda k: [k.functionExists("upper"), k.functionExists("nosuch_f"), k.functionExists("default.upper")],
    "function_exists_database": lambda k: k.functionExists("upper", "catdb"),
    "get_function": lambda k: shown([k.getFunction("upper")]),
    "get_function_missing": lambda k: k.getFunction("nosuch_f"),
    "list_tables": lambda k: sorted((x for x in shown(k.listTables("catdb")) if not x[-1] or x[0] == "t"), key=str),
    "list_tables_pattern": lambda k: sorted(x for x in shown(k.listTables("catdb", "c*")) if not x[-1]),
    "list_tables_missing": lambda k: k.listTables("nosuch_db"),
    "get_table": lambda k: shown([k.getTable("catdb.ct")]),
    "get_table_view": lambda k: shown([k.getTable("catdb.cv")]),
    "get_table_temp": lambda k: shown([k.getTable("t")]),
    "get_table_missing": lambda k: k.getTable("catdb.nosuch"),
    "list_columns": lambda k: shown(k.listColumns("catdb.ct")),
    "list_columns_view": lambda k: shown(k.listColumns("catdb.cv")),
    "list_columns_missing": lambda k: k.listColumns("catdb.nosuch"),
    "table_exists": lambda k: [k.tableExists("catdb.ct"), k.tableExists("catdb.cv"), k.tableExists("t"), k.tableExists("nosuch")],
    "database_exists": lambda k: [k.databaseExists("catdb"), k.databaseExists("nosuch_db"), k.databaseExists("spark_catalog.catdb")],
    "get_database": lambda k: shown([k.getDatabase("catdb")]),
    "get_database_missing": lambda k: k.getDatabase("nosuch_db"),
    "list_databases": lambda k: shown(k.listDatabases("catd*")),
    "list_catalogs": lambda k: shown(k.listCatalogs()),
    "current": lambda k: [k.currentCatalog(), k.currentDatabase()],
    "set_current_missing": lambda k: k.setCurrentDatabase("nosuch_db"),
    "set_catalog_missing": lambda k: k.setCurrentCatalog("nosuch_cat"),
    "drop_temp_view": lambda k: k.dropTempView("nosuch_view"),
    "cache": lambda k: [k.isCached("t"), k.cacheTable("t"), k.isCached("t"), k.uncacheTable("t"), k.isCached("t")],
    "cache_missing": lambda k: k.cacheTable("nosuch"),
    "refresh": lambda k: [k.refreshTable("catdb.ct"), k.refreshByPath("/nosuch")],
    "refresh_missing": lambda k: k.refreshTable("nosuch"),
    "recover": lambda k: k.recoverPartitions("nosuch"),
}

for name, call in CALLS.items():
    area._add(name, lambda c, call=call: call(ready(c)))


@area.case()
def create_table(c):
    ready(c)
    c.spark.sql("DROP TABLE IF EXISTS cat1")
    frame = c.spark.catalog.createTable("cat1", schema="a INT, b STRING", source="delta", description="made")
    return [frame.schema.simpleString(), frame.count(), c.spark.catalog.getTable("cat1").description]


@area.case()
def create_external_table(c):
    ready(c)
    c.spark.sql("DROP TABLE IF EXISTS cat2")
    c.spark.range(3).write.parquet(c.path("p"))
    frame = c.spark.catalog.createTable("cat2", path=c.path("p"), source="parquet")
    return [frame.schema.simpleString(), frame.count(), c.spark.catalog.getTable("cat2").tableType]


@area.case()
def temp_view_over_sql(c):
    views(c).sql("SELECT v AS x FROM t").createOrReplaceTempView("tvs")
    return c.spark.sql("SELECT sum(x) FROM tvs")
