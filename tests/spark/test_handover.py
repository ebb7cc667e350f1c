"""A query started here continues in Spark, and the reverse: same checkpoint, same program, same output."""

import json
import os

import deltalake
import pytest

pytestmark = pytest.mark.timeout(300)

ORDERS = [("ours", "spark"), ("spark", "ours"), ("ours", "spark", "ours"), ("spark", "ours", "spark")]


class Handover:
    def __init__(self, engines, folder):
        self.engines = engines
        self.folder = folder
        self.input = folder / "in"
        self.input.mkdir()
        self.clock = 1_700_000_000
        self.count = 0

    def add_files(self, count):
        for _ in range(count):
            path = self.input / f"day {self.count:03}.json"
            hidden = path.with_name("." + path.name)
            hidden.write_text(f'{{"id":{self.count},"name":"n{self.count}"}}\n{{"id":{self.count + 1000}}}\n')
            self.clock += 10
            os.utime(hidden, (self.clock, self.clock))
            hidden.rename(path)
            self.count += 1

    def run(self, engine, source):
        spark = self.engines[engine]
        query = (source(spark).writeStream.format("delta").option("checkpointLocation", str(self.folder / "ck"))
                 .trigger(availableNow=True).start(str(self.folder / "out")))
        query.awaitTermination()
        return query

    def rows(self, column="id"):
        return sorted(deltalake.DeltaTable(str(self.folder / "out")).to_pyarrow_table()[column].to_pylist())

    def uncommit(self):
        """As if the process had died between the sink and the commit log."""
        last = max(int(n) for n in os.listdir(self.folder / "ck/commits") if n.isdigit())
        (self.folder / "ck/commits" / str(last)).unlink()
        (self.folder / "ck/commits" / f".{last}.crc").unlink(missing_ok=True)
        return last

    def log(self, name):
        return sorted(int(n) for n in os.listdir(self.folder / "ck" / name) if n.isdigit())


@pytest.fixture
def handover(spark, real, tmp_path):
    return Handover({"ours": spark, "spark": real}, tmp_path)


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_file_to_delta(handover, order):
    def source(spark):
        return (spark.readStream.schema("id long, name string").option("maxFilesPerTrigger", 2)
                .json(str(handover.input)))

    ids = set()
    for turn, engine in enumerate(order):
        handover.add_files(5)
        ids.add(str(handover.run(engine, source).id))
        assert handover.rows() == sorted(list(range(handover.count)) + [i + 1000 for i in range(handover.count)])
        assert handover.log("commits") == list(range(3 * (turn + 1)))
    assert len(ids) == 1


@pytest.mark.parametrize("order", ORDERS[:2], ids="-".join)
def test_file_to_delta_over_compaction(handover, order):
    def source(spark):
        return (spark.readStream.schema("id long, name string").option("maxFilesPerTrigger", 1)
                .json(str(handover.input)))

    for engine in order + order:
        handover.add_files(6)
        handover.run(engine, source)
    assert handover.rows() == sorted(list(range(24)) + [i + 1000 for i in range(24)])


@pytest.mark.parametrize("order", ORDERS[:2], ids="-".join)
def test_file_to_delta_after_a_crash(handover, order):
    """The other engine replays the batch that was not committed; the table's txn makes it count once."""
    def source(spark):
        return (spark.readStream.schema("id long, name string").option("maxFilesPerTrigger", 2)
                .json(str(handover.input)))

    handover.add_files(4)
    handover.run(order[0], source)
    last = handover.uncommit()
    handover.add_files(1)
    query = handover.run(order[1], source)
    assert [p.batchId for p in query.recentProgress][:2] == [last, last + 1]
    assert handover.rows() == sorted(list(range(5)) + [i + 1000 for i in range(5)])


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_rate_micro_batch_to_delta(handover, order):
    def source(spark):
        return (spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 10)
                .option("numPartitions", 1).option("startTimestamp", 1000)
                .option("advanceMillisPerBatch", 1000).load())

    for turn, engine in enumerate(order):
        handover.run(engine, source)
        assert handover.rows("value") == list(range(10 * (turn + 1)))
    offsets = (handover.folder / f"ck/offsets/{len(order) - 1}").read_text().split("\n")
    assert json.loads(offsets[2]) == {"offset": 10 * len(order), "timestamp": 1000 * (len(order) + 1)}


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_delta_to_delta(handover, order):
    path = str(handover.folder / "src")

    def source(spark):
        return spark.readStream.format("delta").option("maxFilesPerTrigger", 1).load(path)

    expected = []
    for turn, engine in enumerate(order):
        writer = handover.engines[order[-1 - turn]]
        for part in range(2):
            low = turn * 100 + part * 10
            writer.range(low, low + 5).coalesce(1).write.format("delta").mode("append").save(path)
            expected += range(low, low + 5)
        handover.run(engine, source)
        assert handover.rows() == expected


@pytest.mark.parametrize("order", ORDERS[:2], ids="-".join)
def test_new_columns_after_the_handover(handover, order):
    def source(columns):
        return lambda spark: spark.readStream.schema(columns).json(str(handover.input))

    handover.add_files(1)
    handover.run(order[0], source("id long"))
    handover.add_files(1)
    spark = handover.engines[order[1]]
    query = (source("id long, name string")(spark).writeStream.format("delta").option("mergeSchema", "true")
             .option("checkpointLocation", str(handover.folder / "ck"))
             .trigger(availableNow=True).start(str(handover.folder / "out")))
    query.awaitTermination()
    assert handover.rows() == [0, 1, 1000, 1001]


@pytest.mark.parametrize("order", ORDERS[:2], ids="-".join)
def test_a_renamed_column_in_the_middle_of_the_handover(handover, order):
    """One engine comes to the change and notes it, the other goes on with what it has noted."""
    path, names = str(handover.folder / "src"), ["a", "b", "c"]
    one, other = (handover.engines[name] for name in order)
    one.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, a STRING) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")

    def source(spark):
        options = {"schemaTrackingLocation": str(handover.folder / "ck/schemas"), "allowSourceColumnRename": "always"}
        return spark.readStream.format("delta").options(**options).load(path).select("id")

    def insert(spark, number):
        spark.sql(f"INSERT INTO delta.`{path}` VALUES ({number}, 'x')")

    insert(one, 0)
    handover.run(order[0], source)
    for turn, (first, second) in enumerate(((one, other), (other, one)), 1):
        first.sql(f"ALTER TABLE delta.`{path}` RENAME COLUMN {names[turn - 1]} TO {names[turn]}")
        insert(first, turn)
        with pytest.raises(Exception, match="DELTA_STREAMING_METADATA_EVOLUTION"):
            handover.run(order[turn - 1], source)
        handover.run(order[turn % 2], source)
        assert handover.rows() == list(range(turn + 1))
        assert second.read.format("delta").load(path).columns == ["id", names[turn]]
