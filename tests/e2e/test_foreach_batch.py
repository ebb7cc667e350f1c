"""writeStream.foreachBatch: the program's function, called in a Python worker with each batch."""

import os
import pathlib
import subprocess
import sys
import time

import pytest
from pyspark.errors import StreamingQueryException

from millstream_server import BINARY, Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = "id bigint, v string"


@pytest.fixture
def batches(work):
    """A stream over three files of two rows, one file a batch."""
    for i in range(3):
        work.write(f"{i}.json", f'{{"id":{2 * i},"v":"a"}}\n{{"id":{2 * i + 1},"v":"b"}}\n')
    return work.files(SCHEMA, maxFilesPerTrigger=1)


def run(work, frame, function, trigger=None):
    writer = frame.writeStream.foreachBatch(function).option("checkpointLocation", str(work.checkpoint))
    query = writer.trigger(**(trigger or {"availableNow": True})).start()
    return query


def workers_of(server):
    """The Python workers that the server has started, by their daemons."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            words = (folder / "cmdline").read_text()
        except (OSError, IndexError):
            continue
        if parent == server.process.pid and "pyspark.daemon" in words:
            found.append(int(folder.name))
    return found


def cpu_seconds(server):
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until(holds, seconds=20):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_each_batch_is_given_once_with_its_number(work, batches, spark):
    out = str(work.out)

    def save(frame, batch_id):
        from pyspark.sql import functions as sf

        assert not frame.isStreaming and frame.columns == ["id", "v"]
        frame.withColumn("batch", sf.lit(batch_id)).write.format("delta").mode("append").save(out)

    query = run(work, batches, save)
    query.awaitTermination()
    rows = spark.read.format("delta").load(out).orderBy("id").collect()
    assert [(r.id, r.v, r.batch) for r in rows] == [(i, "ab"[i % 2], i // 2) for i in range(6)]
    progress = query.recentProgress
    assert [p.batchId for p in progress if p.numInputRows] == [0, 1, 2]
    assert progress[0].sink.description == "ForeachBatchSink" and progress[0].sink.numOutputRows == -1


def test_all_actions_of_one_call_see_the_same_rows(work, batches, spark, tmp_path):
    out = str(tmp_path / "seen.txt")

    def look(frame, batch_id):
        numbers = [frame.count(), frame.count(), len(frame.collect()), frame.filter("v = 'a'").count(),
                   frame.join(frame.selectExpr("id as other"), frame.id == frame.id).count()]
        frame.persist()
        numbers += [frame.count(), frame.select("v").distinct().count()]
        frame.unpersist()
        with open(out, "a") as file:
            file.write(f"{batch_id} {numbers}\n")

    run(work, batches, look).awaitTermination()
    assert open(out).read().splitlines() == [f"{i} [2, 2, 2, 1, 4, 2, 2]" for i in range(3)]


def test_views_and_sql_of_the_batchs_session(work, batches, spark):
    spark.sql(f"create table delta.`{work.out}` (id bigint, v string)")
    out = str(work.out)

    def insert(frame, batch_id):
        frame.createOrReplaceTempView("batch_rows")
        frame.sparkSession.sql(f"insert into delta.`{out}` select id * 10, upper(v) from batch_rows")

    run(work, batches, insert).awaitTermination()
    assert [tuple(r) for r in spark.read.format("delta").load(out).orderBy("id").collect()] == [
        (10 * i, "AB"[i % 2]) for i in range(6)]
    # The rows are the batch's, and it is over.
    with pytest.raises(Exception, match="rows of batch 2 are gone"):
        spark.table("batch_rows").count()


def test_an_exception_comes_with_its_traceback_and_the_batch_comes_again(work, batches, spark, server, tmp_path):
    log = str(tmp_path / "calls.txt")
    broken = str(tmp_path / "broken")
    pathlib.Path(broken).touch()

    def failing_function(frame, batch_id):
        import os

        with open(log, "a") as file:
            file.write(f"{batch_id} {sorted(r.id for r in frame.collect())}\n")
        if batch_id == 1 and os.path.exists(broken):
            raise ValueError("boom-42")

    query = run(work, batches, failing_function)
    with pytest.raises(StreamingQueryException) as raised:
        query.awaitTermination()
    assert "boom-42" in str(raised.value) and "failing_function" in str(raised.value)
    assert "Traceback" in str(query.exception()) and not query.isActive
    assert not workers_of(server)
    os.unlink(broken)
    run(work, batches, failing_function).awaitTermination()
    assert open(log).read().splitlines() == ["0 [0, 1]", "1 [2, 3]", "1 [2, 3]", "2 [4, 5]"]


def test_a_worker_that_dies_fails_its_query_alone(work, batches, spark, server):
    def die(frame, batch_id):
        import os

        os._exit(7)

    query = run(work, batches, die)
    with pytest.raises(StreamingQueryException, match="exited unexpectedly"):
        query.awaitTermination()
    assert spark.range(3).count() == 3 and not workers_of(server)


def test_a_stop_does_not_wait_for_the_function(work, batches, server, tmp_path):
    begun = str(tmp_path / "begun")

    def sleep(frame, batch_id):
        import time

        open(begun, "w").close()
        time.sleep(600)

    query = run(work, batches, sleep)
    wait_until(lambda: os.path.exists(begun))
    since = time.monotonic()
    query.stop()
    assert time.monotonic() - since < 10
    assert query.exception() is None and not query.isActive and not workers_of(server)


def test_a_stop_ends_what_the_function_computes(work, batches, server, tmp_path):
    begun = str(tmp_path / "begun")

    def compute(frame, batch_id):
        open(begun, "w").close()
        frame.sparkSession.range(10**9).crossJoin(frame.sparkSession.range(10**9)).where("rand() < -1").count()

    query = run(work, batches, compute)
    wait_until(lambda: os.path.exists(begun))
    since = cpu_seconds(server)
    wait_until(lambda: cpu_seconds(server) > since + 0.2)  # it computes
    query.stop()
    assert query.exception() is None and not workers_of(server)


def test_a_session_that_ends_takes_its_workers(batches, work, server):
    session = server.session()
    frame = session.readStream.schema(SCHEMA).json(str(work.input))
    run(work, frame, lambda rows, batch_id: None, trigger={"processingTime": "1 hour"})
    assert workers_of(server)
    session.stop()
    wait_until(lambda: not workers_of(server))


def test_uploaded_modules_can_be_imported(work, batches, spark, tmp_path):
    module = tmp_path / "rules_of_the_shop.py"
    module.write_text("def shout(text):\n    return text.upper() + '!'\n")
    spark.addArtifact(str(module), pyfile=True)
    out = str(tmp_path / "said.txt")

    def say(frame, batch_id):
        import rules_of_the_shop

        with open(out, "a") as file:
            file.write(rules_of_the_shop.shout(frame.orderBy("id").first().v))

    run(work, batches, say).awaitTermination()
    assert open(out).read() == "A!A!A!"


def test_a_function_that_prints_much_disturbs_nobody(work, batches):
    def shout(frame, batch_id):
        for _ in range(3000):
            print("x" * 100)

    run(work, batches, shout).awaitTermination()


def test_what_cannot_be_loaded_fails_the_start(work, batches):
    class Unloadable:
        def __reduce__(self):
            return exec, ("raise RuntimeError('not here')",)

    held = Unloadable()
    with pytest.raises(Exception, match="STREAMING_PYTHON_RUNNER_INITIALIZATION_FAILURE.*not here|not here"):
        run(work, batches, lambda frame, batch_id: held)


def test_partitions_are_refused(work, batches):
    with pytest.raises(Exception, match="does not support partitioning"):
        batches.writeStream.foreachBatch(lambda frame, batch_id: None).partitionBy("v").start()


def test_an_interpreter_without_pyspark_is_named(tmp_path):
    server = Server(env={"PYSPARK_PYTHON": "/usr/bin/false"})
    try:
        session = server.session()
        with pytest.raises(Exception, match="PYSPARK_PYTHON"):
            session.readStream.format("rate").load().writeStream.foreachBatch(lambda frame, batch_id: None).start()
    finally:
        server.stop()


def test_a_batch_that_is_read_twice_is_warned_of_once(work):
    for i in range(2):
        work.write(f"{i}.json", '{"id":1}\n')
    server = Server()
    try:
        session = server.session()
        frame = session.readStream.schema("id bigint").option("maxFilesPerTrigger", 1).json(str(work.input))

        def twice(rows, batch_id):
            rows.count(), rows.count()

        run(work, frame, twice).awaitTermination()
    finally:
        server.stop()
    assert sum("FOREACH_BATCH_REPEATED_SCAN" in line for line in server.lines) == 1


PROGRAM = """
import os, sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote(os.environ["SPARK_REMOTE"]).create()
spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
spark.range(1).createOrReplaceTempView("mine")
out = sys.argv[2]
def save(frame, batch_id):
    session = frame.sparkSession
    assert session.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo" and session.table("mine").count() == 1
    frame.createOrReplaceTempView("u")
    session.sql(f"insert into delta.`{out}` select id + {batch_id} from u")
    assert frame.count() == 2
spark.sql(f"create table delta.`{out}` (id bigint)")
frame = spark.readStream.schema("id bigint").option("maxFilesPerTrigger", 1).json(sys.argv[1])
for _ in range(2):
    query = frame.writeStream.foreachBatch(save).option("checkpointLocation", out + ".ck").trigger(availableNow=True).start()
    query.awaitTermination()
print(sorted(r.id for r in spark.read.format("delta").load(out).collect()))
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


def ends_well(*words, env):
    done = subprocess.run(words, capture_output=True, text=True, env=env, timeout=110)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "[0, 1, 3, 4, 6, 7]" in done.stdout


def test_the_next_versions_worker_has_a_session_of_its_own(work, batches, program):
    client = {"PYTHONPATH": str(ROOT / "third_party/pyspark-4.3.0")}
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SPARK_")} | client
    server = Server(env=client)
    try:
        environment["SPARK_REMOTE"] = server.remote
        ends_well(sys.executable, program, work.input, work.out, env=environment)
    finally:
        server.stop()


def test_millstream_run_runs_functions_too(work, batches, program):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SPARK_")}
    ends_well(BINARY, "run", program, work.input, work.out, env=environment)


def test_a_server_that_is_killed_takes_its_workers(work, batches, tmp_path):
    begun = str(tmp_path / "begun")

    def sleep(frame, batch_id):
        import os
        import time

        with open(begun, "w") as file:
            file.write(str(os.getpid()))
        time.sleep(600)

    server = Server()
    frame = server.session().readStream.schema(SCHEMA).json(str(work.input))
    run(work, frame, sleep)
    wait_until(lambda: os.path.exists(begun) and open(begun).read())
    server.kill()
    wait_until(lambda: not pathlib.Path(f"/proc/{open(begun).read()}").exists())


def test_several_changes_of_one_key_in_a_batch(work, spark, tmp_path):
    table = f"delta.`{tmp_path / 't'}`"
    spark.sql(f"CREATE TABLE {table} (k INT, ts INT, v STRING) USING delta")
    spark.sql(f"INSERT INTO {table} VALUES (1, 0, 'old')")
    work.write("0.json", '{"k":1,"ts":1,"v":"a"}\n{"k":1,"ts":2,"v":"b"}\n')

    def merge(of_source):
        def function(batch, _):
            batch.createOrReplaceTempView("changes")
            batch.sparkSession.sql(f"MERGE INTO {table} t USING ({of_source}) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET *").collect()

        return function

    query = run(work, work.files("k int, ts int, v string"), merge("SELECT * FROM changes"))
    with pytest.raises(StreamingQueryException, match="MULTIPLE_SOURCE_ROW_MATCHING"):
        query.awaitTermination()
    last = "SELECT k, max(ts) AS ts, max_by(v, ts) AS v FROM changes GROUP BY k"
    run(work, work.files("k int, ts int, v string"), merge(last)).awaitTermination()
    assert spark.sql(f"SELECT * FROM {table}").collect() == [(1, 2, "b")]


def test_an_older_change_in_a_later_batch(work, spark, tmp_path):
    table = f"delta.`{tmp_path / 't'}`"
    spark.sql(f"CREATE TABLE {table} (k INT, at STRING, v STRING) USING delta")
    work.write("0.json", '{"k":1,"at":"10:05","v":"new"}\n')
    work.write("1.json", '{"k":1,"at":"10:02","v":"old"}\n')

    def merge(batch, _):
        batch.createOrReplaceTempView("changes")
        batch.sparkSession.sql(f"MERGE INTO {table} t USING changes s ON t.k = s.k WHEN MATCHED AND s.at > t.at THEN UPDATE SET * "
                               "WHEN NOT MATCHED THEN INSERT *").collect()

    run(work, work.files("k int, at string, v string", maxFilesPerTrigger=1), merge).awaitTermination()
    assert spark.sql(f"SELECT * FROM {table}").collect() == [(1, "10:05", "new")]


def test_versions_of_an_application_only_rise(spark, tmp_path):
    path = str(tmp_path / "t")
    for version, row in ((5, 50), (5, 51), (3, 30), (6, 60)):
        (spark.range(row, row + 1).write.format("delta").mode("append").option("txnAppId", "app")
         .option("txnVersion", version).save(path))
    assert sorted(row.id for row in spark.read.format("delta").load(path).collect()) == [50, 60]


def in_log(server, code):
    return [line for line in server.lines if code in line]


def writes(path, **options):
    def function(batch, number):
        given = {key: str(value(number) if callable(value) else value) for key, value in options.items()}
        batch.write.format("delta").mode("append").options(**given).save(path)

    return function


def test_a_new_checkpoint_under_an_old_application_is_told(work, spark, tmp_path, server):
    """Batch 0 of the new checkpoint would be skipped, and with it its rows."""
    path = str(tmp_path / "t")
    function = writes(path, txnAppId="old-app", txnVersion=lambda number: number)
    for i in range(3):
        work.write(f"{i}.json", f'{{"id":{i},"v":"a"}}\n')
    run(work, work.files(SCHEMA, maxFilesPerTrigger=1), function).awaitTermination()
    work.checkpoint = tmp_path / "another"
    query = run(work, work.files(SCHEMA), function)
    with pytest.raises(StreamingQueryException, match="FOREACH_BATCH_OLD_TXN_VERSION.*old-app"):
        query.awaitTermination()
    spark.conf.set("spark.millstream.foreachBatch.allowOldTxnVersion", "true")
    run(work, work.files(SCHEMA), function).awaitTermination()
    assert spark.read.format("delta").load(path).count() == 3
    assert in_log(server, "FOREACH_BATCH_OLD_TXN_VERSION: the streaming query")
    spark.conf.unset("spark.millstream.foreachBatch.allowOldTxnVersion")
    run(work, work.files(SCHEMA), writes(path, txnAppId="new-app", txnVersion=lambda number: number)).awaitTermination()
    assert spark.read.format("delta").load(path).count() == 3  # the skipped batch is done


def test_a_version_that_is_not_the_batchs_is_warned_of(work, batches, tmp_path, server):
    before = len(in_log(server, "FOREACH_BATCH_UNBOUND_TXN_VERSION"))
    run(work, batches, writes(str(tmp_path / "t"), txnAppId="a", txnVersion=lambda number: 7 + number)).awaitTermination()
    assert len(in_log(server, "FOREACH_BATCH_UNBOUND_TXN_VERSION")) == before + 1


@pytest.mark.parametrize("safe", [True, False])
def test_several_sinks_without_transactions_are_warned_of(work, batches, tmp_path, server, safe):
    before = len(in_log(server, "FOREACH_BATCH_SEVERAL_SINKS"))

    bound = {"txnAppId": "a", "txnVersion": lambda number: number}
    to_one, to_two = writes(str(tmp_path / "one"), **bound), writes(str(tmp_path / "two"), **(bound if safe else {}))

    def function(batch, number):
        batch.persist()
        to_one(batch, number)
        to_two(batch, number)
        batch.unpersist()

    run(work, batches, function).awaitTermination()
    assert len(in_log(server, "FOREACH_BATCH_SEVERAL_SINKS")) == before + (0 if safe else 1)


def test_the_same_transaction_twice_is_warned_of(work, batches, tmp_path, server):
    before = len(in_log(server, "FOREACH_BATCH_SAME_TXN"))

    to_table = writes(str(tmp_path / "t"), txnAppId="a", txnVersion=lambda number: number)

    def function(batch, number):
        for _ in range(2):
            to_table(batch, number)

    run(work, batches, function).awaitTermination()
    assert len(in_log(server, "FOREACH_BATCH_SAME_TXN")) == before + 1


@pytest.mark.parametrize("place, warned", [("ck", 1), ("_ck", 0)])
def test_a_checkpoint_among_the_data_is_warned_of(work, server, place, warned):
    work.write("0.json", '{"id":1,"v":"a"}\n')
    before = len(in_log(server, "CHECKPOINT_IN_DATA"))
    query = (work.files(SCHEMA).writeStream.format("delta").option("checkpointLocation", str(work.out / place))
             .trigger(availableNow=True).start(str(work.out)))
    query.awaitTermination()
    assert len(in_log(server, "CHECKPOINT_IN_DATA")) == before + warned


@pytest.mark.parametrize("place, warned", [("ck", 1), ("_ck", 0)])
def test_a_checkpoint_in_the_landing_folder_is_warned_of(work, server, place, warned):
    work.write("0.json", '{"id":1,"v":"a"}\n')
    before = len(in_log(server, "CHECKPOINT_IN_DATA"))
    query = (work.files(SCHEMA).writeStream.format("delta").option("checkpointLocation", str(work.input / place))
             .trigger(availableNow=True).start(str(work.out)))
    query.awaitTermination()
    assert len(in_log(server, "CHECKPOINT_IN_DATA")) == before + warned


def test_vacuum_behind_a_running_stream_is_warned_of(work, server, tmp_path):
    spark, table = work.spark, str(tmp_path / "t")
    for number in range(3):
        spark.range(1).write.format("delta").mode("append").save(table)
    spark.sql(f"DELETE FROM delta.`{table}` WHERE true")
    spark.range(1).write.format("delta").mode("append").save(table)
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    before = len(in_log(server, "VACUUM_BEHIND_STREAM"))
    gate = tmp_path / "gate"

    def slow(batch, number):
        import pathlib
        import time
        while number > 0 and not pathlib.Path(gate).exists():
            time.sleep(0.05)

    query = (spark.readStream.format("delta").option("startingVersion", 0).option("maxFilesPerTrigger", 1)
             .option("ignoreChanges", "true").load(table).writeStream.foreachBatch(slow)
             .option("checkpointLocation", str(tmp_path / "ck")).start())
    try:
        deadline = time.monotonic() + 30
        while query.lastProgress is None and time.monotonic() < deadline:
            time.sleep(0.05)
        spark.sql(f"VACUUM delta.`{table}` RETAIN 0 HOURS DRY RUN")
        assert len(in_log(server, "VACUUM_BEHIND_STREAM")) == before + 1
        spark.sql(f"VACUUM delta.`{table}` RETAIN 1 HOURS DRY RUN")
        assert len(in_log(server, "VACUUM_BEHIND_STREAM")) == before + 1
        gate.touch()
        query.processAllAvailable()
        spark.sql(f"VACUUM delta.`{table}` RETAIN 0 HOURS DRY RUN")
        assert len(in_log(server, "VACUUM_BEHIND_STREAM")) == before + 1
    finally:
        gate.touch()
        query.stop()
        spark.conf.unset("spark.databricks.delta.retentionDurationCheck.enabled")
