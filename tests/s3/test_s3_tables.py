"""Delta tables and files in S3: the same as on a disk."""

import os
import subprocess

import deltalake
import pyarrow
import pytest

from millstream_server import BINARY
from store import environment


def rows(frame):
    return sorted(tuple(row) for row in frame.collect())


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_a_life_of_a_delta_table(spark, bucket, keys, options, scheme):
    path = f"{scheme}://{bucket}/lake/orders"
    table = f"delta.`{path}`"
    spark.range(5).selectExpr("id", "id * 10 AS v").write.format("delta").save(path)
    spark.createDataFrame([(5, 50)], "id LONG, v LONG").write.format("delta").mode("append").save(path)
    spark.sql(f"MERGE INTO {table} t USING (SELECT 1L AS id, 11L AS v UNION ALL SELECT 9L, 90L) s ON t.id = s.id "
              "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *").collect()
    spark.sql(f"DELETE FROM {table} WHERE id = 2").collect()
    spark.sql(f"UPDATE {table} SET v = -1 WHERE id = 3").collect()
    now = [(0, 0), (1, 11), (3, -1), (4, 40), (5, 50), (9, 90)]
    assert rows(spark.read.format("delta").load(path)) == now
    assert spark.sql(f"OPTIMIZE {table}").collect()[0].path == path
    assert rows(spark.read.format("delta").load(path)) == now
    assert rows(spark.read.option("versionAsOf", 0).format("delta").load(path)) == [(i, i * 10) for i in range(5)]
    first = spark.sql(f"DESCRIBE HISTORY {table}").orderBy("version").collect()[0]
    assert rows(spark.read.option("timestampAsOf", str(first.timestamp)).format("delta").load(path))[:1] == [(0, 0)]
    assert spark.sql(f"DESCRIBE DETAIL {table}").collect()[0].location == path
    before = len([key for key in keys("lake/orders/") if key.endswith(".parquet")])
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    spark.sql(f"VACUUM {table} RETAIN 0 HOURS").collect()
    after = [key for key in keys("lake/orders/") if key.endswith(".parquet")]
    assert len(after) == 1 < before
    assert rows(spark.read.format("delta").load(path)) == now
    there = deltalake.DeltaTable(f"s3://{bucket}/lake/orders", storage_options=options)
    assert sorted(zip(*there.to_pyarrow_table().to_pydict().values())) == now
    assert not [key for key in keys() if "probe" in key]


def test_deltalake_and_millstream_take_turns(spark, bucket, options):
    path = f"s3://{bucket}/t"
    deltalake.write_deltalake(path, pyarrow.table({"k": [1, 2], "p": ["a", "b c/d"]}), partition_by=["p"],
                              storage_options=options)
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (3, 'b c/d'), (4, 'é%')").collect()
    deltalake.write_deltalake(path, pyarrow.table({"k": [5], "p": ["é%"]}), mode="append", storage_options=options)
    want = [(1, "a"), (2, "b c/d"), (3, "b c/d"), (4, "é%"), (5, "é%")]
    assert rows(spark.read.format("delta").load(path)) == want
    assert rows(spark.read.format("delta").load(path).where("p = 'é%'")) == want[3:]
    there = deltalake.DeltaTable(path, storage_options=options).to_pyarrow_table().select(["k", "p"])
    assert sorted(zip(*there.to_pydict().values())) == want


def test_many_commits_with_checkpoints(spark, bucket, keys, options):
    path = f"s3://{bucket}/many"
    for i in range(23):
        spark.range(i, i + 1).write.format("delta").mode("append").save(path)
    assert spark.read.format("delta").load(path).count() == 23
    assert f"many/_delta_log/{20:020}.checkpoint.parquet" in keys("many/_delta_log/")
    assert deltalake.DeltaTable(path, storage_options=options).version() == 22


def test_a_table_that_is_dropped_and_made_anew(spark, bucket, store):
    path = f"s3://{bucket}/again"
    for value in ("a", "b"):
        spark.sql(f"SELECT '{value}' AS v").write.format("delta").save(path)
        assert rows(spark.read.format("delta").load(path)) == [(value,)]
        client = store.client()
        for entry in client.list_objects_v2(Bucket=bucket, Prefix="again/")["Contents"]:
            client.delete_object(Bucket=bucket, Key=entry["Key"])


def test_tables_with_names(spark, bucket):
    spark.sql(f"CREATE TABLE named (k INT, v STRING) USING delta LOCATION 's3a://{bucket}/named'")
    spark.sql("INSERT INTO named VALUES (1, 'x')")
    assert rows(spark.table("named")) == [(1, "x")]
    assert rows(spark.read.format("delta").load(f"s3a://{bucket}/named")) == [(1, "x")]
    spark.sql("DROP TABLE named")
    assert rows(spark.read.format("delta").load(f"s3a://{bucket}/named")) == [(1, "x")]


def test_a_clone_here_of_a_table_there(spark, bucket, tmp_path):
    path = f"s3://{bucket}/source of clones"
    spark.range(4).write.format("delta").save(path)
    spark.sql(f"CREATE TABLE delta.`{tmp_path}/clone` SHALLOW CLONE delta.`{path}`")
    assert rows(spark.read.format("delta").load(f"{tmp_path}/clone")) == [(i,) for i in range(4)]
    spark.sql(f"DELETE FROM delta.`{tmp_path}/clone` WHERE id = 2")
    assert rows(spark.read.format("delta").load(f"{tmp_path}/clone")) == [(0,), (1,), (3,)]
    assert rows(spark.read.format("delta").load(path)) == [(i,) for i in range(4)]


def test_one_place_in_several_spellings(spark, bucket):
    path = f"s3://{bucket}/spelt"
    spark.range(3).write.format("delta").save(path)
    assert spark.read.format("delta").load(f"s3a://{bucket}/spelt").count() == 3
    spark.sql(f"DELETE FROM delta.`s3n://{bucket}//spelt/./`")
    assert spark.read.format("delta").load(f"s3a://{bucket}/spelt/").count() == 0


def test_the_shell(store, bucket, tmp_path):
    env = environment(store.endpoint)
    settings = {"access.key": env.pop("AWS_ACCESS_KEY_ID"), "secret.key": env.pop("AWS_SECRET_ACCESS_KEY"),
                "endpoint": env.pop("AWS_ENDPOINT_URL_S3"), "endpoint.region": env.pop("AWS_REGION")}
    extra = [part for key, value in settings.items() for part in ("--conf", f"spark.hadoop.fs.s3a.{key}={value}")]
    text = f"CREATE TABLE delta.`s3://{bucket}/t` AS SELECT 7 AS k; SELECT k FROM delta.`s3://{bucket}/t`"
    done = subprocess.run([BINARY, "sql", *extra, "--warehouse", tmp_path, "--output", "csv", "-e", text],
                          env={**os.environ, **env}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "7", done.stderr


@pytest.mark.parametrize("format", ["parquet", "orc", "avro", "json", "csv", "text"])
def test_files(spark, bucket, keys, format):
    path = f"s3a://{bucket}/files of {format}"
    frame = spark.createDataFrame([("x y", "a"), ("z", "b=/c")], "v STRING, p STRING")
    if format == "text":
        frame.select("v").write.text(path)
    else:
        frame.write.format(format).partitionBy("p").save(path)
    read = spark.read.format(format).schema("v STRING" if format == "text" else "v STRING, p STRING").load(path)
    assert rows(read.select("v")) == [("x y",), ("z",)]
    names = [row[0] for row in read.selectExpr("input_file_name()").collect()]
    assert all(name.startswith(f"s3a://{bucket}/files%20of%20{format}/") for name in names)
    if format != "text":
        assert rows(read.select("p")) == [("a",), ("b=/c",)]
        frame.write.format(format).partitionBy("p").mode("overwrite").save(path)
        assert read.count() == 2
    assert f"files of {format}/_SUCCESS" in keys()
    assert not [key for key in keys() if "_temporary" in key]


def test_patterns(spark, bucket, store):
    client = store.client()
    for name in ("in/2024/a.json", "in/2025/b.json", "in/2025/c.txt", "in/2025/_d.json"):
        client.put_object(Bucket=bucket, Key=name, Body=b'{"k": 1}\n')
    schema = "k INT"
    assert spark.read.schema(schema).json(f"s3://{bucket}/in/*/*.json").count() == 2
    assert spark.read.schema(schema).json(f"s3://{bucket}/in/{{2024,2025}}/").count() == 3
    assert spark.read.schema(schema).option("recursiveFileLookup", True).json(f"s3://{bucket}").count() == 3
    assert spark.read.format("binaryFile").load(f"s3://{bucket}/in/2025/b.json").collect()[0].length == 9


def test_a_file_of_many_parts(spark, bucket, store):
    path = f"s3://{bucket}/large"
    frame = spark.range(0, 3_000_000, numPartitions=1).selectExpr("id", "uuid() AS u")
    frame.write.parquet(path)
    files = [f for f in store.client().list_objects_v2(Bucket=bucket)["Contents"] if f["Key"].endswith(".parquet")]
    assert len(files) == 1 and files[0]["Size"] > 50_000_000 and "-" in files[0]["ETag"]
    read = spark.read.parquet(path)
    assert read.selectExpr("count(*)", "sum(id)", "count(DISTINCT u)").collect()[0][:2] == (3_000_000, 4499998500000)
    assert read.where("id = 2999999").count() == 1


@pytest.mark.parametrize("key", ["plain", "a b", "100%", "100%25", "ü/ñ", "plus+and&more=x", "hash#?query", "(x)'!*"])
def test_odd_names(spark, bucket, keys, key):
    path = f"s3://{bucket}/{key}"
    spark.range(2).write.format("delta").save(path)
    assert spark.read.format("delta").load(path).count() == 2
    assert f"{key}/_delta_log/{0:020}.json" in keys()
