"""The program as its operator sees it: the command line, the log, explain()."""

import os
import re
import subprocess

import pytest
from millstream_server import BINARY, Server
from pyspark.errors import PySparkException
from pyspark.sql import functions as F


def run(*words, **options):
    env = {k: v for k, v in os.environ.items() if k != "SPARK_REMOTE"}
    return subprocess.run([str(BINARY), *map(str, words)], capture_output=True, text=True, env=env, timeout=60, **options)


@pytest.mark.parametrize("words, complaint", [
    (["frob"], "no command 'frob'"),
    ([], "subcommand is required"),
    (["run"], "program's file"),
    (["run", "--frob", "p.py"], "--frob"),
    (["serve", "--port", "x"], "--port"),
    (["serve", "--frob"], "--frob"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_a_wrong_command_line_is_told_with_the_usage(words, complaint):
    done = run(*words)
    assert done.returncode == 2
    assert complaint in done.stderr and "Usage:" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("setting, complaint", [
    ("spark.executor.memory=1g", "spark.executor.memory"),
    ("spark.connect.execute.manager.detachedTimeout=soon", "soon"),
    ("nothing", "KEY=VALUE"),
])
def test_a_setting_that_the_server_does_not_have(setting, complaint):
    done = run("serve", "--port", "0", "--conf", setting)
    assert done.returncode == 1 and complaint in done.stderr


def test_help_tells_all_options():
    text = run("--help").stdout
    for option in ("--host", "--port", "--warehouse", "--memory", "--conf", "--quiet", "--version"):
        assert option in text


def test_a_setting_of_the_start_is_seen_by_sessions():
    server = Server(extra=["--conf", "spark.connect.execute.manager.detachedTimeout=7m"])
    session = server.session()
    assert session.conf.get("spark.connect.execute.manager.detachedTimeout") == "7m"
    with pytest.raises(PySparkException):
        session.conf.set("spark.connect.execute.manager.detachedTimeout", "1m")
    session.stop()
    server.stop()


def test_the_programs_arguments_are_its_own(tmp_path):
    program = tmp_path / "p.py"
    program.write_text("import sys\nprint(sys.argv[1:])\n")
    done = run("run", "--quiet", program, "--quiet", "--memory", "x", "--", "a")
    assert done.stdout.strip() == "['--quiet', '--memory', 'x', '--', 'a']"


def test_run_tells_each_batch_and_its_sink(tmp_path):
    program = tmp_path / "p.py"
    program.write_text(f"""
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.range(3).write.mode('overwrite').json({str(tmp_path / 'in')!r})
for sink in ("noop", "console"):
    (spark.readStream.schema("id long").json({str(tmp_path / 'in')!r}).writeStream.format(sink)
     .option("checkpointLocation", {str(tmp_path)!r} + "/" + sink).trigger(availableNow=True).start().awaitTermination())
""")
    lines = re.findall(r"batch 0: 3 rows in .* s -> (.*)", run("run", program).stderr)
    assert lines == ["noop", "console"]
    assert " rows in " not in run("run", "--quiet", program).stderr


def test_the_example_without_its_folder():
    done = run("run", BINARY.parents[3] / "examples/flights.py")
    assert done.returncode == 1 and "usage:" in done.stderr and "Traceback" not in done.stderr


def provoke(server, folder):
    session = server.session()
    with pytest.raises(PySparkException):
        session.range(1).select("secret_column").collect()
    with pytest.raises(PySparkException):
        session.range(1).select("secret_column").schema
    query = (session.readStream.format("rate").load().select(F.raise_error(F.lit("boom")).alias("x"))
             .writeStream.format("noop").option("checkpointLocation", str(folder / "ck")).start())
    with pytest.raises(PySparkException):
        query.awaitTermination()
    session.stop()
    server.stop()
    return session.session_id, query.id, server.output().splitlines()[1:]


def test_failures_are_logged_one_line_each(tmp_path):
    session, query, lines = provoke(Server(), tmp_path)
    execute, analyze, stream = lines
    for line, call in ((execute, "execute"), (analyze, "analyze")):
        assert f"WARN {call} failed" in line and f"session={session}" in line
        assert "condition=UNRESOLVED_COLUMN.WITH_SUGGESTION sqlstate=42703" in line
        assert "class=org.apache.spark.sql.AnalysisException" in line
    assert re.search(r"operation=[0-9a-f-]{36} ", execute)
    assert "WARN streaming query failed" in stream and f"query={query}" in stream and "boom" in stream
    assert f"session={session}" in stream


def test_quiet_logs_nothing(tmp_path):
    assert provoke(Server(extra=["--quiet"]), tmp_path)[2] == []


def explained(frame, mode):
    return frame._explain_string(mode=mode)


def test_explain_draws_what_runs(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.range(10).withColumn("k", F.col("id") % 3).write.parquet(path)
    frame = spark.read.parquet(path).filter("id > 5").groupBy("k").agg(F.sum("id").alias("s"))
    simple = explained(frame, "simple")
    assert simple.startswith("== Physical Plan ==\n")
    tree = re.sub(r"#\d+", "", simple)
    assert "DuckDBStatement [k, s]" in tree and "   +- Filter (id > 5)" in tree
    assert f"Scan parquet [file:{path}] [id, k]" in tree and "PushedFilters: [GreaterThan(id,5)]" in tree
    titles = re.findall("== (.*) ==", explained(frame, "extended"))
    assert titles == ["Parsed Logical Plan", "Analyzed Logical Plan", "Optimized Logical Plan", "Physical Plan"]
    assert re.findall("== (.*) ==", explained(frame, "cost")) == ["Optimized Logical Plan", "Physical Plan"]
    formatted = explained(frame, "formatted")
    assert "(1) Scan parquet" in formatted and "ReadSchema: struct<id:bigint,k:bigint>" in formatted
    assert "SELECT" in explained(frame, "codegen")
    # Rows that are only picked are not handed to an engine at all.
    assert "Passthrough" in explained(spark.read.parquet(path).select("k"), "simple")
    assert explained(spark.read.parquet(path), "codegen") == "Found 0 WholeStageCodegen subtrees.\n"


@pytest.mark.parametrize("call", [
    lambda f, p: f.sparkSession.read.format("nope").load(p).schema,
    lambda f, p: f.write.format("nope").save(p),
    lambda f, p: f.sparkSession.readStream.format("nope").load(p).schema,
    lambda f, p: (f.sparkSession.readStream.format("rate").load().writeStream.format("nope")
                  .option("checkpointLocation", p + "ck").start(p)),
], ids=["read", "write", "readStream", "writeStream"])
def test_an_unknown_format_is_told_the_known_ones(spark, tmp_path, call):
    with pytest.raises(PySparkException) as error:
        call(spark.range(1), str(tmp_path / "x"))
    assert error.value.getCondition() == "DATA_SOURCE_NOT_FOUND" and error.value.getSqlState() == "42K02"
    assert error.value.getMessageParameters() == {"provider": "nope"}
    assert "delta" in str(error.value)


@pytest.mark.parametrize("format, text", [
    ("parquet", "(org.apache.hadoop.fs.ParentNotDirectoryException) Parent path is not a directory: file:"),
    ("json", "(org.apache.hadoop.fs.ParentNotDirectoryException) Parent path is not a directory: file:"),
    ("delta", "(org.apache.spark.sql.delta.DeltaIOException) [DELTA_CANNOT_CREATE_LOG_PATH] Cannot create file:"),
])
@pytest.mark.parametrize("below", ["/x", ""])
def test_a_target_that_is_a_file(spark, tmp_path, format, text, below):
    """As real Spark says it."""
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(PySparkException) as error:
        spark.range(1).write.format(format).mode("append").save(str(file) + below)
    assert str(error.value).startswith(text)
    assert file.read_text() == "mine"


def test_a_target_that_cannot_be_made(spark):
    with pytest.raises(PySparkException) as error:
        spark.range(1).write.format("delta").save("/proc/nope/x")
    assert error.value.getCondition() == "DELTA_CANNOT_CREATE_LOG_PATH"
    with pytest.raises(PySparkException) as error:
        spark.range(1).write.parquet("/proc/nope/x")
    assert type(error.value).__name__ == "SparkException" and "/proc/nope/x" in str(error.value)


def test_levels_of_persisted_frames_and_tables(spark):
    """What real Spark answers, although nothing is kept."""
    frame = spark.range(5)
    none, both = "StorageLevel(False, False, False, False, 1)", "StorageLevel(True, True, False, True, 1)"
    assert (frame.is_cached, repr(frame.storageLevel)) == (False, none)
    frame.persist()
    assert (frame.is_cached, repr(frame.storageLevel)) == (True, both)
    assert spark.range(5).is_cached  # the same plan
    frame.unpersist()
    assert (frame.is_cached, repr(frame.storageLevel)) == (False, none)
    frame.cache()
    spark.catalog.clearCache()
    assert not frame.is_cached
    frame.createOrReplaceTempView("v")
    spark.catalog.cacheTable("v")
    assert spark.catalog.isCached("v") and spark.table("v").is_cached
    spark.catalog.uncacheTable("v")
    assert not spark.catalog.isCached("v")
    with pytest.raises(PySparkException):
        spark.catalog.cacheTable("nobody")


@pytest.mark.parametrize("call, words", [
    (lambda f: f.mapInPandas(lambda x: x, "id long"), ["mapInPandas", "pyspark.sql.functions"]),
], ids=["mapInPandas"])
def test_a_refusal_speaks_of_the_api_and_of_what_to_do(spark, call, words):
    with pytest.raises(PySparkException) as error:
        call(spark.range(1)).collect()
    assert all(word in str(error.value) for word in words)
