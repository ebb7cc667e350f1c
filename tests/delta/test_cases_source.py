"""Cases from bug reports: a Delta table as a source of streams (DS), and its change data feed (CD)."""

import json
import os
import pathlib
import shutil
import time

import pytest
from delta_streams import Copy, failure


@pytest.fixture
def table(spark, tmp_path):
    """ids 0 to 9 in one file, under `path`; `sql` with {t} for it."""
    class Table:
        path = str(tmp_path / "t")

        def sql(self, text):
            return spark.sql(text.replace("{t}", f"delta.`{self.path}`")).collect()

        def append(self, *ids):
            spark.createDataFrame([(i,) for i in ids], "id long").coalesce(1).write.format("delta").mode("append").save(self.path)

    made = Table()
    spark.range(10).coalesce(1).write.format("delta").save(made.path)
    return made


def change_much(table):
    table.sql("DELETE FROM {t} WHERE id = 3")
    table.append(100, 101)
    table.sql("MERGE INTO {t} t USING (SELECT * FROM VALUES (4L), (200L) AS v (id)) s ON t.id = s.id "
              "WHEN MATCHED THEN UPDATE SET id = t.id + 1000 WHEN NOT MATCHED THEN INSERT *")
    table.sql("MERGE INTO {t} t USING (SELECT 300L AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *")
    table.sql("OPTIMIZE {t}")


def test_ds01_a_delete_in_the_source_stops_with_its_version_and_the_way_out(spark, tmp_path, table):
    copy = Copy(spark, tmp_path, table.path)
    copy.run()
    table.sql("DELETE FROM {t} WHERE id = 3")
    for _ in range(2):
        text = failure(copy.run)
        assert "skipChangeCommits" in text and "version 1" in text and "DELETE" in text
    assert copy.column() == list(range(10))


def test_ds02_skip_change_commits_leaves_whole_commits_out(spark, tmp_path, table):
    copy = Copy(spark, tmp_path, table.path)
    copy.run()
    change_much(table)
    copy.run(skipChangeCommits="true")
    assert copy.column() == [*range(10), 100, 101, 300]


def test_ds03_ignore_changes_brings_rewritten_files_again(spark, tmp_path, table):
    copy = Copy(spark, tmp_path, table.path)
    copy.run()
    change_much(table)
    copy.run(ignoreChanges="true")
    # 4 came once more, when 3 was deleted from its file.
    assert sorted(copy.column()) == sorted(
        [*range(10)] + [0, 1, 2, 4, 5, 6, 7, 8, 9] + [0, 1, 2, 5, 6, 7, 8, 9] + [100, 101, 200, 300, 1004])


def test_ds05_optimize_is_no_news_and_an_insert_only_merge_comes_once(spark, tmp_path, table):
    copy = Copy(spark, tmp_path, table.path)
    copy.run()
    table.sql("MERGE INTO {t} t USING (SELECT 300L AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *")
    table.sql("OPTIMIZE {t}")
    copy.run()
    assert copy.column() == [*range(10), 300]


def test_ds06_latest_is_pinned_at_the_first_start(spark, tmp_path, table):
    copy = Copy(spark, tmp_path, table.path)
    copy.run(startingVersion="latest")
    table.append(77)
    copy.run(startingVersion="latest")
    assert copy.column() == [77]


def test_ds07_starts_out_of_range(spark, tmp_path, table):
    table.append(10)
    late = failure(Copy(spark, tmp_path / "a", table.path).run, startingTimestamp="2099-01-01")
    assert "2099" in late and time.strftime("%Y-") in late
    everything = Copy(spark, tmp_path / "b", table.path)
    everything.run(startingTimestamp="1990-01-01")
    assert everything.column() == list(range(11))
    beyond = failure(Copy(spark, tmp_path / "c", table.path).run, startingVersion="5")
    assert "5" in beyond and "1" in beyond
    assert "startingVersion" in failure(Copy(spark, tmp_path / "d", table.path).run, startingVersion="-1")


def test_ds09_a_log_that_was_cleaned_behind_a_stream(spark, tmp_path, table):
    table.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.checkpointInterval' = '10')")
    copy = Copy(spark, tmp_path, table.path)
    for i in range(4):
        table.append(1000 + i)
    copy.run()
    for i in range(20):
        table.append(2000 + i)
    log = pathlib.Path(table.path, "_delta_log")
    for version in range(12):
        (log / f"{version:020}.json").unlink()
    for name in list(log.glob("*10.checkpoint*")):
        name.unlink()
    kept = tmp_path / "kept"
    shutil.copytree(copy.checkpoint, kept)
    text = failure(copy.run)
    assert "failOnDataLoss" in text and "6" in text
    assert copy.column() == [*range(10), 1000, 1001, 1002, 1003]
    copy.run(failOnDataLoss="false")
    assert set(copy.column()) >= {2019, 2007} and 2000 not in copy.column()


def test_ds10_columns_that_are_added_come_with_the_next_run(spark, tmp_path, table):
    copy = Copy(spark, tmp_path, table.path)
    copy.run()
    table.sql("ALTER TABLE {t} ADD COLUMNS (extra STRING)")
    table.sql("INSERT INTO {t} VALUES (50, 'e')")
    try:
        copy.run()
    except Exception as error:  # noqa: BLE001: it may stop once to take the new schema
        assert "DELTA_SCHEMA_CHANGED" in str(error)
        copy.run()
    assert (50, "e") in copy.rows() and len(copy.rows()) == 11


MAPPED = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"


@pytest.fixture
def mapped(spark, tmp_path, table):
    table.path = str(tmp_path / "mapped")
    table.sql("CREATE TABLE {t} (id BIGINT, name STRING) USING delta " + MAPPED)
    table.sql("INSERT INTO {t} VALUES (1, 'a')")
    return table


def test_ds10_a_renamed_column_stops_a_stream_that_tracks_no_schemas(spark, tmp_path, mapped):
    copy = Copy(spark, tmp_path, mapped.path)
    copy.run()
    mapped.sql("ALTER TABLE {t} RENAME COLUMN name TO label")
    mapped.sql("INSERT INTO {t} VALUES (2, 'b')")
    for _ in range(2):
        assert "schemaTrackingLocation" in failure(copy.run)
    assert copy.rows() == [(1, "a")]


def test_ds10_a_stream_that_tracks_schemas_goes_on_over_a_rename(spark, tmp_path, mapped):
    copy = Copy(spark, tmp_path, mapped.path)
    tracked = {"schemaTrackingLocation": copy.checkpoint + "/_schemas"}
    copy.run(**tracked)
    mapped.sql("ALTER TABLE {t} RENAME COLUMN name TO label")
    mapped.sql("INSERT INTO {t} VALUES (2, 'b')")
    assert "DELTA_STREAMING_METADATA_EVOLUTION" in failure(copy.run, **tracked)
    text = failure(copy.run, **tracked)
    assert "DELTA_STREAMING_CANNOT_CONTINUE_PROCESSING_POST_SCHEMA_EVOLUTION" in text and "'name' -> 'label'" in text
    copy.run(**tracked, allowSourceColumnRename="always")
    frame = spark.read.format("delta").load(copy.out)
    assert sorted(map(tuple, frame.select("id", "name", "label").collect())) == [(1, "a", None), (2, None, "b")]
    mapped.sql("INSERT INTO {t} VALUES (3, 'c')")
    copy.run(**tracked, allowSourceColumnRename="always")
    assert spark.read.format("delta").load(copy.out).count() == 3


def test_ds10_two_streams_of_one_query_need_schema_locations_of_their_own(spark, tmp_path, mapped):
    checkpoint = str(tmp_path / "both-checkpoint")

    def run(*ids):
        frames = [spark.readStream.format("delta").option("schemaTrackingLocation", checkpoint + "/s").options(**i).load(mapped.path) for i in ids]
        (frames[0].union(frames[1]).writeStream.format("delta").option("checkpointLocation", checkpoint)
         .trigger(availableNow=True).start(str(tmp_path / "both")).awaitTermination())

    assert "DELTA_STREAMING_SCHEMA_LOCATION_CONFLICT" in failure(run, {}, {})
    run({}, {"streamingSourceTrackingId": "other"})
    assert spark.read.format("delta").load(str(tmp_path / "both")).count() == 2


@pytest.mark.parametrize("text", ["", "v1", "v1\n{", "v1\n[]", "v2\n{}", "v1\n{\"tableId\": 1}", "\0" * 100])
def test_ds10_a_damaged_schema_log_is_named(spark, tmp_path, mapped, text):
    copy = Copy(spark, tmp_path, mapped.path)
    tracked = {"schemaTrackingLocation": copy.checkpoint + "/_schemas"}
    copy.run(**tracked)
    entry, = pathlib.Path(copy.checkpoint, "_schemas").glob("_schema_log_*/0")
    entry.write_text(text)
    assert "DELTA_STREAMING_SCHEMA_LOG_DESERIALIZE_FAILED" in failure(copy.run, **tracked)


DAYS = (3, 1, 2, 9)


@pytest.fixture
def days(spark, tmp_path, table):
    """A commit each of the days, in an order of their own."""
    table.path = str(tmp_path / "days")
    table.sql("CREATE TABLE {t} (day INT, at TIMESTAMP) USING delta")
    for day in DAYS:
        table.sql(f"INSERT INTO {{t}} VALUES ({day}, TIMESTAMP'2024-01-0{day} 12:00:00')")
    return table


class Days:
    """A stream with a watermark, and the days that each of its batches had."""

    def __init__(self, spark, folder, source, delay="1 hour"):
        self.spark, self.folder, self.source, self.delay = spark, folder, source, delay

    def run(self, limit=None, **options):
        frame = self.spark.readStream.format("delta").options(maxFilesPerTrigger="1", **options).load(self.source)
        query = (frame.withWatermark("at", self.delay).writeStream.format("delta")
                 .option("checkpointLocation", str(self.folder / "days-checkpoint")).trigger(availableNow=True)
                 .start(str(self.folder / "days-copy")))
        query.awaitTermination()
        return query

    def batches(self):
        """The days that each commit of the sink has."""
        out = []
        for path in sorted((self.folder / "days-copy" / "_delta_log").glob("*.json")):
            adds = [json.loads(line)["add"] for line in path.read_text().splitlines() if '"add"' in line]
            stats = [json.loads(add["stats"]) for add in adds]
            out.append(sorted({s[b]["day"] for s in stats for b in ("minValues", "maxValues")}))
        return [days for days in out if days]


def test_ds14_the_snapshot_comes_in_event_time_order(spark, tmp_path, days):
    stream = Days(spark, tmp_path, days.path)
    query = stream.run(withEventTimeOrder="true")
    assert stream.batches() == [[1], [2], [3], [9]]
    watermarks = [p.eventTime["watermark"] for p in query.recentProgress]
    assert len(watermarks) >= 4 and watermarks == sorted(watermarks)
    # What is appended later comes as it comes.
    days.sql("INSERT INTO {t} VALUES (5, TIMESTAMP'2024-01-05 12:00:00')")
    stream.run(withEventTimeOrder="true")
    assert stream.batches()[-1] == [5]


def test_ds14_without_it_files_come_as_they_were_written(spark, tmp_path, days):
    stream = Days(spark, tmp_path, days.path)
    stream.run()
    assert stream.batches() == [[3], [1], [2], [9]]


def test_ds14_a_batch_takes_what_would_be_late_after_it(spark, tmp_path, days):
    days.sql("INSERT INTO {t} SELECT * FROM VALUES (1, TIMESTAMP'2024-01-01 10:00:00'), (2, TIMESTAMP'2024-01-02 20:00:00')")
    stream = Days(spark, tmp_path, days.path)
    stream.run(withEventTimeOrder="true")
    assert stream.batches() == [[1, 2], [3], [9]]


def test_ds14_it_needs_a_watermark_on_a_column_of_the_table(spark, tmp_path, days):
    assert "withEventTimeOrder needs withWatermark" in failure(Copy(spark, tmp_path, days.path).run, withEventTimeOrder="true")


def test_ds14_the_order_does_not_change_in_mid_snapshot(spark, tmp_path, days):
    """A checkpoint in the middle: its batches after the second are taken away."""
    stream = Days(spark, tmp_path, days.path)
    stream.run(withEventTimeOrder="true")
    checkpoint = tmp_path / "days-checkpoint"
    for batch in (2, 3):
        for kind in ("offsets", "commits"):
            (checkpoint / kind / str(batch)).unlink(missing_ok=True)
            (checkpoint / kind / f".{batch}.crc").unlink(missing_ok=True)
    assert "cannot change while the initial snapshot" in failure(stream.run)
    stream.run(withEventTimeOrder="true")
    assert sorted(sum(stream.batches(), [])) == [1, 2, 3, 9]


def test_progress_tells_what_is_outstanding(spark, tmp_path, table):
    for i in range(3):
        table.append(100 + i)
    copy = Copy(spark, tmp_path, table.path)
    query = copy.run(maxFilesPerTrigger="1")
    sizes = [os.path.getsize(path) for path in pathlib.Path(table.path).glob("*.parquet")]
    told = [p.sources[0].metrics for p in query.recentProgress if p.numInputRows]
    assert [m["numFilesOutstanding"] for m in told] == ["3", "2", "1", "0"]
    assert 0 < int(told[0]["numBytesOutstanding"]) < sum(sizes) and told[-1]["numBytesOutstanding"] == "0"
    for i in range(3):
        table.append(200 + i)
    told = [p.sources[0].metrics for p in copy.run(maxFilesPerTrigger="2").recentProgress if p.numInputRows]
    assert [m["numFilesOutstanding"] for m in told] == ["1", "0"]


def fed(spark, tmp_path, columns, values, name="f"):
    path = str(tmp_path / name)
    spark.sql(f"CREATE TABLE delta.`{path}` ({columns}) USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES {values}")
    return path


def feed(spark, path, start):
    frame = spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", start).load(path)
    return sorted((tuple(row) for row in frame.drop("_commit_timestamp").collect()), key=repr)


def test_cd01_rows_that_were_copied_are_no_changes(spark, tmp_path):
    path = fed(spark, tmp_path, "k INT, t STRING", "(1, 'a'), (2, 'b'), (3, 'c')")
    spark.sql(f"MERGE INTO delta.`{path}` t USING (SELECT * FROM VALUES (1, 'a'), (2, 'B') AS v (k, t)) s ON t.k = s.k "
              "WHEN MATCHED AND s.t <> t.t THEN UPDATE SET *")
    assert feed(spark, path, 2) == [(2, "B", "update_postimage", 2), (2, "b", "update_preimage", 2)]


def test_cd02_a_delete_that_matches_twice_is_one_event(spark, tmp_path):
    path = fed(spark, tmp_path, "k INT, v INT", "(1, 1)")
    spark.sql(f"MERGE INTO delta.`{path}` t USING (SELECT * FROM VALUES (1), (1) AS v (k)) s ON t.k = s.k WHEN MATCHED THEN DELETE")
    assert feed(spark, path, 2) == [(1, 1, "delete", 2)]


def test_cd03_an_overwrite_in_the_feed(spark, tmp_path):
    path = fed(spark, tmp_path, "k INT, t STRING", "(1, 'a'), (2, 'b')")
    spark.sql(f"INSERT OVERWRITE delta.`{path}` VALUES (1, 'a'), (3, 'c')")
    assert feed(spark, path, 2) == [(1, "a", "delete", 2), (1, "a", "insert", 2), (2, "b", "delete", 2), (3, "c", "insert", 2)]


def test_cd05_a_range_by_two_times(spark, tmp_path):
    path = fed(spark, tmp_path, "k INT", "(0)")
    for k in (1, 2):
        spark.sql(f"INSERT INTO delta.`{path}` VALUES ({k})")
    # The log's own times, a minute apart.
    for version in range(4):
        file = pathlib.Path(path, "_delta_log", f"{version:020}.json")
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        at = 1_700_000_000 + 60 * version
        for line in lines:
            if "commitInfo" in line:
                line["commitInfo"]["timestamp"] = at * 1000
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))

        os.utime(file, (at, at))
    def time_of(seconds):
        return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(1_700_000_000 + seconds))

    frame = (spark.read.format("delta").option("readChangeFeed", "true").option("startingTimestamp", time_of(60))
             .option("endingTimestamp", time_of(179)).load(path))
    assert sorted((row.k, row._commit_version) for row in frame.collect()) == [(0, 1), (1, 2)]


def test_cd06_a_feed_stream_without_a_start_begins_with_the_snapshot(spark, tmp_path):
    path = fed(spark, tmp_path, "id INT", "(0), (1)")
    spark.sql(f"UPDATE delta.`{path}` SET id = 100 WHERE id = 0")
    copy = Copy(spark, tmp_path, path)
    copy.run(readChangeFeed="true")
    assert [row[:3] for row in copy.rows()] == [(1, "insert", 2), (100, "insert", 2)]


def test_cd08_a_feed_with_a_generated_column(spark, tmp_path):
    path = fed(spark, tmp_path, "x INT, y INT GENERATED ALWAYS AS (x * 2)", "(1, 2)")
    spark.sql(f"UPDATE delta.`{path}` SET x = 5")
    assert feed(spark, path, 2) == [(1, 2, "update_preimage", 2), (5, 10, "update_postimage", 2)]


def test_cd10_several_versions_in_one_batch(spark, tmp_path):
    path = fed(spark, tmp_path, "k INT, v INT", "(1, 0)")
    copy = Copy(spark, tmp_path, path)
    copy.run(readChangeFeed="true")
    for v in (1, 2):
        spark.sql(f"UPDATE delta.`{path}` SET v = {v}")
    query = copy.run(readChangeFeed="true")
    assert query.lastProgress["sources"][0]["numInputRows"] == 4
    after = [(v, kind, version) for _, v, kind, version, _ in copy.rows() if kind == "update_postimage"]
    assert sorted(after, key=lambda row: row[2])[-1][0] == 2 and len(after) == 2


def test_cd11_before_the_feed_was_enabled(spark, tmp_path):
    path = str(tmp_path / "t")
    for i in range(3):
        spark.range(i, i + 1).write.format("delta").mode("append").save(path)
    spark.sql(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES (delta.enableChangeDataFeed = true)")
    text = failure(feed, spark, path, 0)
    assert "DELTA_MISSING_CHANGE_DATA" in text and "delta.enableChangeDataFeed" in text
    assert feed(spark, path, 3) == []


def test_cd12_an_end_of_a_stream_is_never_ignored(spark, tmp_path):
    path = fed(spark, tmp_path, "k INT", "(0)")
    copy = Copy(spark, tmp_path, path)
    for k in range(3):
        spark.sql(f"INSERT INTO delta.`{path}` VALUES ({k + 10})")
    try:
        copy.run(readChangeFeed="true", startingVersion="0", endingVersion="2")
    except Exception as error:  # noqa: BLE001
        assert "endingVersion" in str(error)
    else:
        assert copy.column() == [0, 10]
