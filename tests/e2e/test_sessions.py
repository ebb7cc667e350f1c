"""The server as stock clients see it: sessions, configs, errors, plans of any depth, large data."""

import concurrent.futures
import os
import subprocess
import sys
import threading
import time
import uuid

import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import functions as F


def test_version_is_sparks(spark):
    assert spark.version.startswith("4.2")


def test_alternating_calls_see_one_server_session(spark):
    for _ in range(3):
        spark.conf.set("a.b", "c")
        assert spark.range(2).schema.names == ["id"]
        assert spark.range(2).count() == 2


def test_two_hundred_chained_filters(spark):
    frame = spark.range(3)
    for _ in range(200):
        frame = frame.filter("id >= 0")
    assert frame.schema.names == ["id"]
    assert frame.count() == 3


def test_long_error_text_arrives_whole(spark):
    with pytest.raises(PySparkException) as error:
        spark.range(1).select(F.raise_error(F.lit("x" * 100_000))).collect()
    assert "x" * 100_000 in str(error.value)


def test_error_then_next_call(spark):
    for _ in range(3):
        with pytest.raises(AnalysisException) as error:
            spark.range(1).select("nope").collect()
        assert error.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
        assert spark.range(1).count() == 1


def test_chunked_local_relation(spark):
    rows = [(i, "text %d " % i * 10) for i in range(40_000)]
    frame = spark.createDataFrame(rows, "i int, s string")
    assert frame.count() == 40_000
    again = spark.createDataFrame(rows, "i int, s string")
    assert again.agg(F.sum("i")).first()[0] == sum(range(40_000))


def test_large_result(spark):
    frame = spark.range(200_000).withColumn("s", F.concat(F.lit("row "), F.col("id").cast("string")))
    table = frame.toArrow()
    assert table.num_rows == 200_000 and table["id"].to_pylist()[-1] == 199_999


def test_zero_rows_have_columns(spark):
    assert list(spark.range(0).toPandas().columns) == ["id"]
    assert spark.range(1).isEmpty() is False


def test_cn01_cn02_duplicate_names(spark):
    frame = spark.createDataFrame([(1, 2)], ["c", "c"])
    assert [tuple(r) for r in frame.collect()] == [(1, 2)]
    pdf = spark.range(1).select(F.lit(1).alias("v"), F.lit(2).alias("v")).toPandas()
    assert list(pdf.columns) == ["v", "v"] and pdf.values.tolist() == [[1, 2]]


def test_plan_compression(spark):
    frame = spark.range(1).filter(F.col("id").isin(list(range(300_000))))
    assert frame.count() == 1


def test_sessions_do_not_share_views_and_configs(server):
    a, b = server.session(), server.session()
    a.range(3).createOrReplaceTempView("mine")
    a.conf.set("my.key", "a")
    with pytest.raises(AnalysisException):
        b.table("mine").collect()
    assert b.conf.get("my.key", "none") == "none"
    assert a.table("mine").count() == 3
    a.stop()
    assert b.range(2).count() == 2
    b.stop()


def test_global_temp_view(server):
    a, b = server.session(), server.session()
    a.range(3).createOrReplaceGlobalTempView("e2e_shared")
    assert b.table("global_temp.e2e_shared").count() == 3
    a.stop()
    b.stop()


def test_many_sessions_at_once(server):
    def work(i):
        session = server.session()
        try:
            return session.range(i).count()
        finally:
            session.stop()

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(24))) == list(range(24))


def test_stopped_session_is_closed(server):
    session = server.session()
    key = session.session_id
    session.range(1).count()
    session.stop()
    from pyspark.sql import SparkSession

    again = SparkSession.builder.remote(f"{server.remote}/;session_id={key}").create()
    with pytest.raises(PySparkException) as error:
        again.range(1).count()
    assert "INVALID_HANDLE.SESSION_CLOSED" in str(error.value)


def test_clone_session(spark):
    spark.range(4).createOrReplaceTempView("cloned_view")
    spark.conf.set("my.clone", "yes")
    twin = spark.cloneSession()
    assert twin.table("cloned_view").count() == 4
    assert twin.conf.get("my.clone") == "yes"
    twin.conf.set("my.clone", "no")
    assert spark.conf.get("my.clone") == "yes"


def test_interrupt_all_stops_streams(spark, tmp_path):
    query = (spark.readStream.format("rate").load().writeStream.format("noop")
             .option("checkpointLocation", str(tmp_path / "ck")).start())
    spark.interruptAll()
    assert query.awaitTermination(20) is True


def test_interrupt_tag(spark):
    outcome = []

    def slow():
        spark.addTag("slow")
        frame = spark.range(3_000_000).crossJoin(spark.range(3_000_000).withColumnRenamed("id", "x"))
        try:
            outcome.append(frame.agg(F.sum(F.col("id") % (F.col("x") + 1))).collect())
        except PySparkException as error:
            outcome.append(error)

    thread = threading.Thread(target=slow, daemon=True)
    thread.start()
    deadline = time.monotonic() + 30
    interrupted = []
    while not interrupted and time.monotonic() < deadline:
        interrupted = spark.interruptTag("slow")
        time.sleep(0.05)
    assert len(interrupted) == 1
    thread.join(20)
    assert outcome and "OPERATION_CANCELED" in str(outcome[0])


def test_bad_session_id(server):
    from pyspark.sql import SparkSession

    with pytest.raises(Exception) as error:
        SparkSession.builder.remote(f"{server.remote}/;session_id=not-a-uuid").create().range(1).count()
    assert "uuid" in str(error.value).lower() or "INVALID_HANDLE" in str(error.value)


def test_session_given_by_id_is_found_again(server):
    from pyspark.sql import SparkSession

    url = f"{server.remote}/;session_id={uuid.uuid4()}"
    first = SparkSession.builder.remote(url).create()
    first.range(5).createOrReplaceTempView("kept")
    second = SparkSession.builder.remote(url).create()
    assert second.table("kept").count() == 5
    second.stop()


def test_cn11_client_goes_away(server, tmp_path):
    """The query goes on when its client is killed; the same session id finds it again."""
    from pyspark.sql import SparkSession

    url = f"{server.remote}/;session_id={uuid.uuid4()}"
    program = f"""
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote({url!r}).create()
q = (spark.readStream.format("rate").load().writeStream.format("noop").queryName("orphan")
     .option("checkpointLocation", {str(tmp_path / "ck")!r}).start())
print("started", flush=True)
q.awaitTermination()
"""
    # What this process' own sessions put into the environment is not for the other client.
    env = {k: v for k, v in os.environ.items() if not k.startswith("SPARK_")}
    file = tmp_path / "client.py"
    file.write_text(program)
    client = subprocess.Popen([sys.executable, str(file)], stdout=subprocess.PIPE, text=True, env=env)
    assert client.stdout.readline().strip() == "started"
    client.kill()
    client.wait()
    spark = SparkSession.builder.remote(url).create()
    (query,) = spark.streams.active
    assert query.name == "orphan"
    query.stop()
    assert spark.streams.active == []
    spark.stop()


def test_sql_text_runs_and_a_statement_that_is_not_there_is_refused_by_name(spark):
    assert spark.sql("select id + :n as x from range(2)", {"n": 1}).collect() == [(1,), (2,)]
    with pytest.raises(PySparkException) as error:
        spark.sql("grant select on t to somebody")
    assert "GRANT" in str(error.value)


def test_udf_is_refused_by_name(spark):
    with pytest.raises(PySparkException):
        spark.range(1).select(F.udf(lambda x: x, "long")("id")).collect()


def test_time_zone_changes_what_is_shown(spark, capsys):
    frame = spark.createDataFrame([(0,)], "s long").select(F.timestamp_seconds("s").alias("t"))
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    frame.show()
    assert "1969-12-31 19:00:00" in capsys.readouterr().out
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    frame.show()
    assert "1970-01-01 00:00:00" in capsys.readouterr().out


def test_observation(spark):
    from pyspark.sql import Observation

    seen = Observation("o")
    spark.range(5).observe(seen, F.count("*").alias("n"), F.max("id").alias("top")).collect()
    assert seen.get == {"n": 5, "top": 4}


def test_progress_handler_is_accepted(spark):
    spark.registerProgressHandler(lambda **_: None)
    assert spark.range(10).count() == 10
    spark.clearProgressHandlers()


def test_add_artifact(spark, tmp_path):
    module = tmp_path / "helper_module.py"
    module.write_text("x = 1\n")
    spark.addArtifacts(str(module), pyfile=True)
    spark.addArtifacts(str(module), pyfile=True)
    module.write_text("x = 2\n")
    with pytest.raises(PySparkException) as error:
        spark.addArtifacts(str(module), pyfile=True)
    assert "ARTIFACT_ALREADY_EXISTS" in str(error.value)


def test_port_in_use(server):
    from millstream_server import BINARY

    process = subprocess.run([str(BINARY), "serve", "--port", str(server.port)], capture_output=True, text=True,
                             timeout=30)
    assert process.returncode != 0
    assert str(server.port) in process.stdout + process.stderr


def test_run_passes_on_the_exit_code_and_output(tmp_path):
    from millstream_server import BINARY

    program = tmp_path / "p.py"
    program.write_text(
        "import sys\nfrom pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.getOrCreate()\nprint(spark.range(3).count(), sys.argv[1:])\nsys.exit(7)\n"
    )
    env = {k: v for k, v in os.environ.items() if k != "SPARK_REMOTE"}
    done = subprocess.run([str(BINARY), "run", str(program), "a", "b"], capture_output=True, text=True, env=env,
                          timeout=60)
    assert done.returncode == 7, done.stderr
    assert "3 ['a', 'b']" in done.stdout


def test_memory_at_rest():
    from millstream_server import Server

    server = Server()
    try:
        assert server.rss_bytes() < 128 << 20
    finally:
        server.stop()


def test_sigterm_stops_with_queries_running(tmp_path):
    from millstream_server import Server

    server = Server()
    session = server.session()
    (session.readStream.format("rate").load().writeStream.format("noop")
     .option("checkpointLocation", str(tmp_path / "ck")).start())
    assert server.stop() == 0


def test_no_statement_reaches_beyond_the_folder_of_its_table(tmp_path):
    """Names of tables are names of folders: none may lead elsewhere, least of all one that is dropped."""
    from millstream_server import Server

    (tmp_path / "mine").write_text("keep me")
    server = Server(warehouse=tmp_path / "warehouse")
    spark = server.session()
    try:
        spark.sql("create table kept (a int)")
        for name in ["``", "`.`", "`..`", "`../mine`", "`kept/_delta_log`", "`.millstream`"]:
            for statement in ["create table {} (a int)", "create view {} as select 1 a", "drop table {}",
                              "alter table kept rename to {}", "drop view {}", "create database {}",
                              "drop database {} cascade", "truncate table {}"]:
                with pytest.raises(PySparkException):
                    spark.sql(statement.format(name))
        with pytest.raises(PySparkException):
            spark.range(1).write.saveAsTable("`..`")
        with pytest.raises(PySparkException):
            spark.range(1).writeTo("`..`").create()
        assert spark.table("kept").count() == 0
        assert (tmp_path / "mine").read_text() == "keep me"
        assert not (tmp_path / "_delta_log").exists()
    finally:
        spark.stop()
        server.stop()


def test_an_overwrite_never_drops_more_than_it_says(spark):
    spark.sql("create table dynamic_overwrite (a int, d string) partitioned by (d)")
    spark.sql("insert into dynamic_overwrite values (1, 'x'), (2, 'y')")
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    spark.sql("insert overwrite dynamic_overwrite values (7, 'x')")
    assert sorted(spark.table("dynamic_overwrite").collect()) == [(2, "y"), (7, "x")]
    spark.sql("select 8 a, 'x' d").write.mode("overwrite").insertInto("dynamic_overwrite")
    assert sorted(spark.table("dynamic_overwrite").collect()) == [(2, "y"), (8, "x")]
    spark.sql("insert overwrite dynamic_overwrite partition (d = 'x') values (9)")
    assert sorted(spark.table("dynamic_overwrite").collect()) == [(2, "y"), (9, "x")]


def test_rows_of_a_csv_table_come_back_with_its_options(spark):
    spark.sql("create table with_header (a int, b string) using csv options (header true, sep ';')")
    spark.sql("insert into with_header values (1, 'x'), (2, 'y')")
    spark.sql("insert into with_header values (3, 'z;')")
    assert sorted(spark.table("with_header").collect()) == [(1, "x"), (2, "y"), (3, "z;")]
