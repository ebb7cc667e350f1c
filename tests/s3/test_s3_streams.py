"""Streams whose files, tables and checkpoints are in S3."""

import json
import random
import time

import pytest

from millstream_server import Server
from store import environment


def put_files(store, bucket, prefix, numbers, rows=10):
    client = store.client()
    for n in numbers:
        body = "".join(json.dumps({"file": n, "row": i}) + "\n" for i in range(rows))
        client.put_object(Bucket=bucket, Key=f"{prefix}/f-{n:04}.json", Body=body.encode())


def file_stream(spark, bucket):
    return (spark.readStream.schema("file INT, row INT").option("maxFilesPerTrigger", 2)
            .json(f"s3a://{bucket}/in"))


def auto_loader(spark, bucket):
    return (spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
            .option("cloudFiles.inferColumnTypes", True).option("cloudFiles.maxFilesPerTrigger", 2)
            .option("cloudFiles.schemaLocation", f"s3://{bucket}/checkpoint").load(f"s3://{bucket}/in"))


def start(frame, bucket):
    return (frame.writeStream.format("delta").option("checkpointLocation", f"s3://{bucket}/checkpoint")
            .trigger(availableNow=True).start(f"s3://{bucket}/out"))


def run(frame, bucket):
    query = start(frame, bucket)
    assert query.awaitTermination(60)
    assert query.exception() is None
    return query


def counts(spark, bucket):
    rows = spark.read.format("delta").load(f"s3://{bucket}/out").groupBy("file").count().collect()
    return {int(row.file): row["count"] for row in rows}


@pytest.mark.parametrize("source", [file_stream, auto_loader])
def test_files_go_into_a_table_once(spark, store, bucket, keys, source):
    put_files(store, bucket, "in", range(5))
    run(source(spark, bucket), bucket)
    assert counts(spark, bucket) == {n: 10 for n in range(5)}
    put_files(store, bucket, "in", range(5, 8))
    query = run(source(spark, bucket), bucket)
    assert counts(spark, bucket) == {n: 10 for n in range(8)}
    assert query.lastProgress["sources"][0]["description"].count(f"//{bucket}/in")
    run(source(spark, bucket), bucket)
    assert counts(spark, bucket) == {n: 10 for n in range(8)}
    assert "checkpoint/metadata" in keys("checkpoint/") and "checkpoint/commits/0" in keys("checkpoint/")


def test_paths_in_the_checkpoint_are_spelt_as_given(spark, store, bucket):
    put_files(store, bucket, "in", [1])
    run(file_stream(spark, bucket), bucket)
    log = store.client().get_object(Bucket=bucket, Key="checkpoint/sources/0/0")["Body"].read().decode()
    assert json.loads(log.splitlines()[1])["path"] == f"s3a://{bucket}/in/f-0001.json"


def test_new_columns_of_auto_loader(spark, store, bucket):
    put_files(store, bucket, "in", [0])
    run(auto_loader(spark, bucket), bucket)
    store.client().put_object(Bucket=bucket, Key="in/wider.json", Body=b'{"file": 1, "row": 1, "more": "x"}\n')
    query = start(auto_loader(spark, bucket), bucket)
    with pytest.raises(Exception, match="UNKNOWN_FIELD_EXCEPTION"):
        query.awaitTermination(60)
    query = (auto_loader(spark, bucket).writeStream.format("delta").option("mergeSchema", True)
             .option("checkpointLocation", f"s3://{bucket}/checkpoint").trigger(availableNow=True)
             .start(f"s3://{bucket}/out"))
    assert query.awaitTermination(60)
    assert spark.read.format("delta").load(f"s3://{bucket}/out").where("more = 'x'").count() == 1


def test_a_table_follows_a_table(spark, bucket):
    source, target, checkpoint = (f"s3://{bucket}/{name}" for name in ("source", "target", "followed"))
    for i in range(3):
        spark.range(i * 10, i * 10 + 10).write.format("delta").mode("append").save(source)
        query = (spark.readStream.format("delta").load(source).writeStream.format("delta")
                 .option("checkpointLocation", checkpoint).trigger(availableNow=True).start(target))
        assert query.awaitTermination(60)
        got = [row.id for row in spark.read.format("delta").load(target).orderBy("id").collect()]
        assert got == list(range(i * 10 + 10))


@pytest.mark.parametrize("source", [file_stream, auto_loader])
def test_kills_lose_and_double_nothing(store, bucket, source):
    rand = random.Random(source.__name__)
    put_files(store, bucket, "in", range(30), rows=3)
    for kill in range(6):
        server = Server(env=environment(store.endpoint))
        try:
            spark = server.session()
            query = start(source(spark, bucket), bucket)
            if kill < 5:
                time.sleep(0.2 + rand.random() * 0.8)
                server.kill()
            else:
                assert query.awaitTermination(90)
                assert counts(spark, bucket) == {n: 3 for n in range(30)}
        finally:
            server.stop()


def test_two_servers_with_one_checkpoint(store, bucket):
    put_files(store, bucket, "in", range(20), rows=3)
    servers = [Server(env=environment(store.endpoint)) for _ in range(2)]
    try:
        sessions = [server.session() for server in servers]
        queries = [start(file_stream(spark, bucket), bucket) for spark in sessions]
        ends = []
        for query in queries:
            try:
                assert query.awaitTermination(90)
                ends.append(None)
            except Exception as error:  # noqa: BLE001: its text is looked at
                ends.append(str(error))
            print(ends)
        assert all(end is None or "Concurrent update to the log" in end for end in ends)
        run(file_stream(sessions[0], bucket), bucket)
        assert counts(sessions[0], bucket) == {n: 3 for n in range(20)}
    finally:
        for server in servers:
            server.stop()
