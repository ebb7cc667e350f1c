"""What happens when the store fails: the right result, or an error that names what failed and a table as it was."""

import pytest

from millstream_server import Server
from store import Proxy, environment, some_of

ALL = ["503", "500", "drop", "lost", "cut", "slow"]


@pytest.fixture
def behind(store):
    """Starts servers behind proxies; ends both."""
    running = []

    def begin(choose=None, check_signatures=False, **conf):
        proxy = Proxy(store, choose, check_signatures)
        conf = {"connection.timeout": "1s", **conf}
        extra = [part for key, value in conf.items() for part in ("--conf", f"spark.hadoop.fs.s3a.{key}={value}")]
        server = Server(extra=extra, env=environment(proxy.endpoint))
        running.extend([server, proxy])
        return server.session(), proxy

    yield begin
    for one in running:
        one.stop()


def ids(spark, path):
    return sorted(row.id for row in spark.read.format("delta").load(path).collect())


@pytest.mark.parametrize("seed", range(2))
def test_one_request_of_six_fails(behind, spark, bucket, seed):
    faulty, proxy = behind(some_of(ALL, 16, seed))
    path = f"s3://{bucket}/t"
    for i in range(12):
        faulty.range(i, i + 1).write.format("delta").mode("append").save(path)
    faulty.sql(f"DELETE FROM delta.`{path}` WHERE id = 3").collect()
    faulty.sql(f"MERGE INTO delta.`{path}` t USING (SELECT 20L AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *")
    faulty.sql(f"OPTIMIZE delta.`{path}`").collect()
    want = [i for i in range(12) if i != 3] + [20]
    assert ids(faulty, path) == want
    assert ids(spark, path) == want
    assert spark.sql(f"DESCRIBE HISTORY delta.`{path}`").count() == 15
    assert len(proxy.faults) > 20


def test_a_stream_goes_on(behind, spark, store, bucket):
    faulty, proxy = behind(some_of(ALL, 10, 7))
    for n in range(6):
        store.client().put_object(Bucket=bucket, Key=f"in/{n}.json", Body=b'{"n": %d}\n' % n)
    query = (faulty.readStream.format("cloudFiles").option("cloudFiles.format", "json")
             .option("cloudFiles.schemaLocation", f"s3://{bucket}/c").option("cloudFiles.maxFilesPerTrigger", 1)
             .load(f"s3://{bucket}/in").writeStream.format("delta").option("checkpointLocation", f"s3://{bucket}/c")
             .trigger(availableNow=True).start(f"s3://{bucket}/out"))
    assert query.awaitTermination(100)
    assert sorted(row.n for row in spark.read.format("delta").load(f"s3://{bucket}/out").collect()) == list("012345")
    assert proxy.faults


@pytest.mark.parametrize("fault", ["lost", "500", "drop"])
def test_the_answer_of_a_commit_is_lost(behind, spark, bucket, fault):
    hit = []

    def choose(method, target, number):
        if method == "PUT" and f"{1:020}.json" in target and not hit:
            hit.append(target)
            return fault
        return None

    faulty, _ = behind(choose)
    path = f"s3://{bucket}/t"
    faulty.range(1).write.format("delta").save(path)
    faulty.range(1, 2).write.format("delta").mode("append").save(path)
    assert hit
    assert ids(spark, path) == [0, 1]
    assert spark.sql(f"DESCRIBE HISTORY delta.`{path}`").count() == 2


@pytest.mark.parametrize("fault", ["503", "drop", "cut"])
def test_a_store_that_is_down(behind, spark, bucket, fault):
    down = []
    faulty, proxy = behind(lambda *_: fault if down else None, **{"attempts.maximum": "2"})
    path = f"s3://{bucket}/t"
    faulty.range(3).write.format("delta").save(path)
    down.append(1)
    for action in (lambda: faulty.range(3, 4).write.format("delta").mode("append").save(path),
                   lambda: faulty.sql(f"DELETE FROM delta.`{path}` WHERE id = 1").collect(),
                   lambda: faulty.read.format("delta").load(path).collect()):
        with pytest.raises(Exception, match=r"s3://" + bucket):
            action()
    assert ids(spark, path) == [0, 1, 2]
    down.clear()
    faulty.range(3, 4).write.format("delta").mode("append").save(path)
    assert ids(faulty, path) == ids(spark, path) == [0, 1, 2, 3]


def test_data_that_cannot_be_read(behind, bucket):
    down = []
    faulty, _ = behind(lambda m, target, n: "cut" if down and target.endswith(".parquet") else None,
                       **{"attempts.maximum": "2"})
    path = f"s3://{bucket}/t"
    faulty.range(100).write.format("delta").save(path)
    down.append(1)
    with pytest.raises(Exception, match="FAILED_READ_FILE"):
        faulty.read.format("delta").load(path).collect()


@pytest.mark.parametrize("fault", ["short", "garbage"])
def test_answers_that_are_none(behind, spark, bucket, store, fault):
    """Not a row of what nobody wrote, and no crash."""
    wrong = []
    faulty, _ = behind(lambda method, target, n: fault if wrong and method == "GET" else None)
    path = f"s3://{bucket}/t"
    faulty.range(10).write.format("delta").save(path)
    faulty.range(500_000).selectExpr("id", "uuid() AS u").repartition(1).write.json(f"s3://{bucket}/j")
    assert faulty.read.schema("id LONG").json(f"s3://{bucket}/j").count() == 500_000
    wrong.append(1)
    actions = [lambda: faulty.read.format("delta").load(path).collect(),
               lambda: faulty.sql(f"DESCRIBE HISTORY delta.`{path}`").collect()]
    if fault == "short":  # any bytes are rows of JSON
        actions.append(lambda: faulty.read.schema("id LONG").json(f"s3://{bucket}/j").collect())
    for action in actions:
        with pytest.raises(Exception) as error:
            action()
        assert "INTERNAL_ERROR" not in str(error.value)
    wrong.clear()
    assert ids(faulty, path) == ids(spark, path) == list(range(10))


def test_a_store_without_conditions_is_refused(behind, bucket, keys):
    faulty, _ = behind(lambda *_: "unconditional")
    with pytest.raises(Exception, match="If-None-Match"):
        faulty.range(1).write.format("delta").save(f"s3://{bucket}/t")
    assert not [key for key in keys() if key.endswith(".json") or "probe" in key]


def test_signatures(behind, spark, bucket):
    signed, proxy = behind(check_signatures=True)
    for key in ("plain", "a b", "100%25", "ü/ñ", "plus+and&more=x", "hash#?query", "(x)'!*~"):
        path = f"s3://{bucket}/{key}"
        signed.range(2).selectExpr("id", "id || ' %=ü/+' AS p").write.format("delta").partitionBy("p").save(path)
        assert ids(signed, path) == [0, 1]
    signed.range(10).write.mode("overwrite").parquet(f"s3://{bucket}/p")
    signed.range(10).write.mode("overwrite").parquet(f"s3://{bucket}/p")
    assert len(proxy.requests) > 50
    assert proxy.wrong == []


def test_errors_name_what_to_do(spark, bucket, store):
    with pytest.raises(Exception, match="NoSuchBucket"):
        spark.read.format("delta").load("s3://no-such-bucket-at-all/t").collect()
    with pytest.raises(Exception, match="NoSuchBucket"):
        spark.range(1).write.format("delta").save("s3://no-such-bucket-at-all/t")
    with pytest.raises(Exception, match="PATH_NOT_FOUND"):
        spark.read.parquet(f"s3://{bucket}/nothing").collect()
    with pytest.raises(Exception, match="no name of a bucket"):
        spark.read.parquet("s3://UP&DOWN/x").collect()
    with pytest.raises(Exception, match="'gs'"):
        spark.read.parquet("gs://bucket/x").collect()
    server = Server(env={**environment(store.endpoint), "AWS_ACCESS_KEY_ID": ""})
    try:
        with pytest.raises(Exception, match="AWS_ACCESS_KEY_ID"):
            server.session().read.format("delta").load(f"s3://{bucket}/t").collect()
    finally:
        server.stop()


def test_secrets_are_shown_nowhere(store, bucket):
    secrets = {"access.key": "AKIAHIDDEN", "secret.key": "hidden/secret", "session.token": "hidden-token"}
    extra = [part for key, value in secrets.items() for part in ("--conf", f"spark.hadoop.fs.s3a.{key}={value}")]
    server = Server(extra=[*extra, "--conf", f"spark.hadoop.fs.s3a.endpoint={store.endpoint}"],
                    env={**environment(store.endpoint), "AWS_ENDPOINT_URL_S3": ""})
    try:
        session = server.session()
        session.range(1).write.format("delta").save(f"s3://{bucket}/t")
        shown = [str(session.sql(text).collect()) for text in ("SET", "SET -v")]
        with pytest.raises(Exception, match="cannot be set in a session"):
            session.conf.set("spark.hadoop.fs.s3a.access.key", "x")
        with pytest.raises(Exception) as error:
            session.range(1).write.format("delta").save("s3://no-such-bucket-at-all/t")
        shown += [str(error.value), server.output()]
        assert session.conf.get("spark.hadoop.fs.s3a.endpoint") == store.endpoint
    finally:
        server.stop()
    assert not [text for text in shown for secret in secrets.values() if secret in text]
