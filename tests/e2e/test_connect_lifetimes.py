"""What lives how long: sessions, operations, streams that break, clients that vanish.

The expected errors are those of real Spark, asked with the same calls.
"""

import threading
import time
import uuid

import pyspark.sql.connect.proto as proto
import pytest
from millstream_server import Server
from pyspark.sql import SparkSession, functions as F
from wire import CutProxy, Wire, failure


def until(condition, seconds=30):
    """Waits for something that another process does."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.05)
    raise AssertionError("it did not happen")


@pytest.fixture(scope="module")
def hasty():
    """A server whose clocks run fast."""
    names = {
        "spark.connect.session.manager.defaultSessionTimeout": "2s",
        "spark.connect.session.manager.maintenanceInterval": "100ms",
        "spark.connect.execute.manager.detachedTimeout": "1s",
        "spark.connect.execute.reattachable.senderMaxStreamDuration": "300ms",
    }
    server = Server(extra=[word for key, value in names.items() for word in ("--conf", f"{key}={value}")])
    yield server
    server.stop()


def test_an_idle_session_is_closed_and_its_query_with_it(hasty, tmp_path):
    wire = Wire(hasty.port)
    wire.start_query(tmp_path / "ck")
    until((tmp_path / "ck/commits").is_dir)
    until(lambda: not (tmp_path / "ck/.millstream.lock").read_text())  # the query has ended
    assert failure(wire.version)[0] == "INVALID_HANDLE.SESSION_CLOSED"
    assert failure(lambda: wire.execute(wire.range_request(1)))[0] == "INVALID_HANDLE.SESSION_CLOSED"


def test_a_client_that_waits_keeps_its_session(hasty, tmp_path):
    spark = hasty.session()
    query = (spark.readStream.format("rate").load().writeStream.format("noop")
             .option("checkpointLocation", str(tmp_path / "ck")).start())
    # Longer than the session's time, over many streams of 300 ms each.
    assert query.awaitTermination(5) is False
    assert query.isActive
    query.stop()
    spark.stop()


def test_an_operation_that_nobody_attends_is_abandoned(hasty):
    wire = Wire(hasty.port)
    wire.version()  # opens the session
    request = wire.endless_request()
    call = wire.execute(request)
    until(lambda: wire.states().get(request.operation_id) == "RUNNING")  # a call cancelled sooner may never reach the server
    call.cancel()
    until(lambda: wire.states().get(request.operation_id) == "CANCELLED")
    condition, kind, _ = failure(lambda: wire.reattach(request.operation_id))
    assert condition == "INVALID_HANDLE.OPERATION_ABANDONED"
    assert kind == "org.apache.spark.SparkSQLException"
    # The same request again must not run twice.
    assert failure(lambda: wire.execute(request))[0] == "INVALID_HANDLE.OPERATION_ABANDONED"


def test_a_lost_stream_ends_what_cannot_be_attached_again(server):
    wire = Wire(server.port)
    wire.version()  # opens the session
    request = wire.endless_request(reattachable=False)
    call = wire.execute(request)
    until(lambda: wire.states().get(request.operation_id) == "RUNNING")
    call.cancel()
    until(lambda: wire.states().get(request.operation_id) == "CANCELLED")


def test_a_client_that_dies_leaves_nothing_but_its_queries(hasty, tmp_path):
    wire = Wire(hasty.port)
    request = wire.endless_request()
    attended = wire.execute(request)
    query = wire.start_query(tmp_path / "ck")
    other = Wire(hasty.port, wire.session_id)
    until(lambda: other.states().get(request.operation_id) == "RUNNING")
    wire.close()  # as a process that is killed
    del attended
    until(lambda: other.states().get(request.operation_id) == "CANCELLED")
    assert other.active_queries() == [query.id]
    other.release_session()


def test_a_result_survives_a_broken_connection(server):
    """Half of a large result has come when the connection breaks; the client goes on where it was."""
    proxy = CutProxy(server.port, cut_after=5 << 20)
    spark = SparkSession.builder.remote(f"sc://127.0.0.1:{proxy.port}").create()
    rows = 600_000
    table = spark.range(rows).withColumn("s", F.concat(F.lit("a row with text "), F.col("id"))).toArrow()
    assert proxy.cuts == 1
    assert table["id"].to_pylist() == list(range(rows))
    assert table["s"][rows - 1].as_py() == f"a row with text {rows - 1}"
    spark.stop()
    proxy.stop()


def test_a_write_happens_once_over_a_broken_connection(server, tmp_path):
    proxy = CutProxy(server.port, cut_after=2000)  # in the handshake or in the first answers
    spark = SparkSession.builder.remote(f"sc://127.0.0.1:{proxy.port}").create()
    out = str(tmp_path / "t")
    for _ in range(10):
        spark.range(100).write.format("delta").mode("append").save(out)
    assert proxy.cuts == 1
    assert spark.read.format("delta").load(out).count() == 1000
    spark.stop()
    proxy.stop()


def test_cursors(server):
    wire = Wire(server.port)
    request = wire.range_request(3)
    answers = list(wire.execute(request))
    operation = request.operation_id
    assert [r.response_id for r in wire.reattach(operation)] == [r.response_id for r in answers]
    assert len(list(wire.reattach(operation, answers[0].response_id))) == len(answers) - 1
    assert failure(lambda: wire.reattach(operation, str(uuid.uuid4())))[0] == "INVALID_CURSOR.POSITION_NOT_FOUND"
    assert failure(lambda: wire.reattach(str(uuid.uuid4())))[0] == "INVALID_HANDLE.OPERATION_NOT_FOUND"
    assert wire.release(operation, answers[1].response_id).operation_id == operation
    assert failure(lambda: wire.reattach(operation))[0] == "INVALID_CURSOR.POSITION_NOT_AVAILABLE"
    wire.release(operation)
    assert failure(lambda: wire.reattach(operation))[0] == "INVALID_HANDLE.OPERATION_ABANDONED"
    assert failure(lambda: wire.execute(request))[0] == "INVALID_HANDLE.OPERATION_ABANDONED"


def test_a_new_stream_takes_over_from_the_old_one(server):
    wire = Wire(server.port)
    wire.version()  # opens the session
    request = wire.endless_request()
    first = []
    thread = threading.Thread(target=lambda: first.append(failure(lambda: wire.execute(request))))
    thread.start()
    until(lambda: wire.states().get(request.operation_id) == "RUNNING")
    second = wire.reattach(request.operation_id)
    thread.join(20)
    assert first[0][0] == "INVALID_CURSOR.DISCONNECTED"
    wire.interrupt("OPERATION_ID", operation_id=request.operation_id)
    assert failure(lambda: second)[0] == "OPERATION_CANCELED"


def test_releasing_a_session_ends_all_that_is_open(server, tmp_path):
    spark = server.session()
    query = (spark.readStream.format("rate").load().writeStream.format("noop")
             .option("checkpointLocation", str(tmp_path / "ck")).start())
    other = SparkSession.builder.remote(f"{server.remote}/;session_id={spark.session_id}").create()
    outcome = {}

    def run(name, work):
        try:
            outcome[name] = work()
        except Exception as error:
            outcome[name] = str(error)

    endless = spark.range(10_000_000).crossJoin(spark.range(10_000_000).toDF("x")).agg(F.sum("x"))
    threads = [threading.Thread(target=run, args=a)
               for a in (("wait", query.awaitTermination), ("collect", endless.collect))]
    for thread in threads:
        thread.start()
    until(lambda: query.lastProgress is not None)
    other.stop()
    for thread in threads:
        thread.join(30)
    # As Spark: the wait is over because the query has ended, or its session has.
    assert outcome["wait"] is None or "SESSION_CLOSED" in outcome["wait"] or "CANCELED" in outcome["wait"]
    assert "SESSION_CLOSED" in outcome["collect"] or "OPERATION_CANCELED" in outcome["collect"]


def test_clones(server):
    spark = server.session()
    spark.range(3).createOrReplaceTempView("v")
    clone = spark.cloneSession()
    clone.client.set_retry_policies([])
    assert clone.table("v").count() == 3
    spark.stop()
    assert clone.table("v").count() == 3  # it lives on by itself
    wire = Wire(server.port)

    def clone_to(target):
        return wire.stub.CloneSession(wire.mine(proto.CloneSessionRequest(new_session_id=target)))

    assert failure(lambda: clone_to(str(uuid.uuid4())))[0] == "INVALID_HANDLE.SESSION_NOT_FOUND"
    wire.version()
    prefix = "INVALID_CLONE_SESSION_REQUEST.TARGET_SESSION_ID_"
    assert failure(lambda: clone_to("not-a-uuid"))[0] == prefix + "FORMAT"
    assert failure(lambda: clone_to(wire.session_id))[0] == prefix + "ALREADY_EXISTS"


def test_interrupts_name_what_they_stopped(server, tmp_path):
    """For a streaming query, the operation that started it: as Spark answers."""
    wire = Wire(server.port)
    start, other = str(uuid.uuid4()), str(uuid.uuid4())
    wire.start_query(tmp_path / "a", tags=["q"], operation_id=start)
    wire.start_query(tmp_path / "b", operation_id=other)
    batch = wire.endless_request(tags=["b"])
    call = wire.execute(batch)
    until(lambda: wire.states().get(batch.operation_id) == "RUNNING")
    assert wire.interrupt("TAG", operation_tag="none") == []
    assert wire.interrupt("TAG", operation_tag="q") == [start]
    until(lambda: len(wire.active_queries()) == 1)
    assert wire.interrupt("OPERATION_ID", operation_id=str(uuid.uuid4())) == []
    assert sorted(wire.interrupt("ALL")) == sorted([batch.operation_id, other])
    assert failure(lambda: call)[0] == "OPERATION_CANCELED"
    until(lambda: wire.active_queries() == [])
    assert wire.interrupt("ALL") == []
    prefix = "INVALID_PARAMETER_VALUE.INTERRUPT_TYPE_"
    assert failure(lambda: wire.interrupt("TAG"))[0] == prefix + "TAG_REQUIRES_TAG"
    assert failure(lambda: wire.interrupt("OPERATION_ID"))[0] == prefix + "OPERATION_ID_REQUIRES_ID"
