"""Auto Loader on JSON: finding files, schema, rescue and evolution. Ids are those of the case list."""

import json
import os
import shutil

import pytest
from pyspark.errors import PySparkException, StreamingQueryException
from streams import batches, in_order

ODD_NAMES = ["a b", "a[1]", "c#d", "e+f", "q?", "x{y,z}", "ünï", "st*r", "per%cent", "eq=ual"]


@pytest.mark.parametrize("source", ["cloud", "files"])
def test_al01_listed_names_are_literal(work, source):
    for name in ODD_NAMES:
        work.write(f"{name}.json", json.dumps({"v": name}) + "\n")
    frame = getattr(work, source)(schema="v string")
    work.run(frame)
    assert work.rows() == sorted((n,) for n in ODD_NAMES)
    again = work.run(getattr(work, source)(schema="v string"))
    assert sum(p.numInputRows for p in again.recentProgress) == 0
    assert len(work.rows()) == len(ODD_NAMES)


def test_al03_overwritten_file_is_not_read_again(work):
    work.write("f.json", '{"v":1}\n')
    work.run(work.cloud(schema="v int"))
    work.write("f.json", '{"v":2}\n')
    work.run(work.cloud(schema="v int"))
    assert work.rows() == [(1,)]


def test_al03_allow_overwrites(work):
    options = {"schema": "v int", "cloudFiles__allowOverwrites": "true"}
    work.write("f.json", '{"v":1}\n')
    work.run(work.cloud(**options))
    work.write("f.json", '{"v":2}\n')
    work.run(work.cloud(**options))
    work.run(work.cloud(**options))
    assert work.rows() == [(1,), (2,)]


def test_al05_latest_first_with_a_limit_reads_old_files_too(work):
    day = 24 * 3600
    for i, age in enumerate((30, 20, 10, 0)):
        os.utime(work.write(f"{i}.json", f'{{"v":{i}}}\n'), (1_700_000_000 - age * day,) * 2)
    work.run(work.files("v int", latestFirst="true", maxFilesPerTrigger=1, maxFileAge="7d"))
    logs = sorted((work.out / "_delta_log").glob("*.json"))
    adds = [json.loads(line)["add"] for log in logs for line in log.read_text().splitlines() if '"add"' in line]
    assert [json.loads(add["stats"])["minValues"]["v"] for add in adds] == [3, 2, 1, 0]


def test_al06_include_existing_files_counts_once(work):
    work.write("1.json", '{"v":1}\n')
    work.write("2.json", '{"v":2}\n')
    options = {"schema": "v int", "cloudFiles__includeExistingFiles": "false"}
    work.run(work.cloud(**options))
    work.write("3.json", '{"v":3}\n')
    work.run(work.cloud(**options))
    assert work.rows() == [(3,)]
    work.run(work.cloud(schema="v int", cloudFiles__includeExistingFiles="true"))
    assert work.rows() == [(3,)]


def test_al07_copies_are_new_files(work):
    first = work.write("a.json", '{"v":1}\n')
    work.run(work.cloud(schema="v int"))
    shutil.copy(first, work.input / "a_copy.json")
    (work.input / "sub").mkdir()
    shutil.copy(first, work.input / "sub" / "a.json")
    work.run(work.cloud(schema="v int"))
    assert work.rows() == [(1,)] * 3


def test_al09_nested_and_hidden(work):
    for name in ("top.json", "x/y/deep.json", "_under.json", ".hidden.json", "_dir/in.json"):
        work.write(name, json.dumps({"v": name}) + "\n")
    work.run(work.cloud(schema="v string"))
    assert work.rows() == [("top.json",), ("x/y/deep.json",)]


def test_al10_base_path_of_the_user(work):
    """Spark plans with the option and reads the batch without it: its query fails."""
    work.write("year=2024/month=01/f.json", '{"v":1}\n')
    schema = "v int, year int, month int"
    work.run(work.files(schema, path=work.input / "year=2024", basePath=str(work.input)))
    assert work.rows("v", "year", "month") == [(1, 2024, 1)]


def test_al10_without_base_path(work):
    work.write("year=2024/month=01/f.json", '{"v":1}\n')
    work.run(work.files("v int, year int, month int", path=work.input / "year=2024"))
    assert work.rows("v", "year", "month") == [(1, None, 1)]


@pytest.mark.parametrize("source", ["cloud", "files"])
def test_al11_file_deleted_between_planning_and_reading(work, source):
    work.write("1.json", '{"v":1}\n')
    work.write("2.json", '{"v":2}\n')
    stream = getattr(work, source)
    with pytest.raises(StreamingQueryException):  # batch 0 is planned, then the program fails
        work.run(stream(schema="v int").selectExpr("v", "1 div (v - 1) as x"))
    (work.input / "1.json").unlink()
    program = ("v", "v as x")
    with pytest.raises(StreamingQueryException) as error:
        work.run(stream(schema="v int").selectExpr(*program))
    assert "1.json" in str(error.value)
    work.run(stream(schema="v int", ignoreMissingFiles="true").selectExpr(*program))
    assert work.rows("v") == [(2,)]


def test_globs_in_the_path(work):
    for name in ("a1/f.json", "a2/f.json", "b/f.json"):
        work.write(name, json.dumps({"v": name}) + "\n")
    work.run(work.cloud(schema="v string", path=work.input / "a*"))
    assert work.rows() == [("a1/f.json",), ("a2/f.json",)]


def test_path_glob_filter(work):
    work.write("a.json", '{"v":1}\n')
    work.write("b.txt", '{"v":2}\n')
    work.run(work.cloud(schema="v int", pathGlobFilter="*.json"))
    assert work.rows() == [(1,)]


def test_max_files_per_trigger_is_hard(work):
    for i in range(5):
        work.write(f"{i}.json", json.dumps({"v": i}) + "\n")
    query = work.run(work.cloud(schema="v int", cloudFiles__maxFilesPerTrigger=2))
    assert [n for _, n in batches(query)] == [2, 2, 1]
    assert work.rows() == [(i,) for i in range(5)]


def test_max_bytes_per_trigger_takes_the_crossing_file(work):
    line = json.dumps({"v": 1, "pad": "x" * 83}) + "\n"
    assert 75 < len(line) < 150
    for i in range(4):
        work.write(f"{i}.json", line)
    query = work.run(work.cloud(schema="v int", cloudFiles__maxBytesPerTrigger="150b"))
    assert [n for _, n in batches(query)] == [2, 2]


def test_metadata_column(work):
    path = work.write("a b.json", '{"v":1}\n')
    frame = work.cloud(schema="v int").select("v", "_metadata.file_name", "_metadata.file_path", "_metadata.file_size")
    work.run(frame)
    assert work.rows() == [(1, "a%20b.json", "file:" + str(path).replace(" ", "%20"), 8)]


@pytest.mark.parametrize("infer", [False, True])
def test_sc01_types_are_strings_unless_asked(work, infer):
    work.write("1.json", '{"id":1,"price":2.5,"addr":{"zip":123}}\n')
    work.run(work.cloud(cloudFiles__inferColumnTypes=str(infer).lower()))
    types = work.types()
    rescued = types.pop("_rescued_data")
    assert rescued == "string"
    if infer:
        assert types == {"addr": "struct<zip:bigint>", "id": "bigint", "price": "double"}
    else:
        assert types == {"addr": "string", "id": "string", "price": "string"}
        assert work.rows("addr", "id", "price") == [('{"zip":123}', "1", "2.5")]


def test_sc02_new_column_fails_once_then_goes_on(work):
    program = lambda: work.run(work.cloud(cloudFiles__inferColumnTypes="true"), mergeSchema="true")  # noqa: E731
    work.write("1.json", '{"id":1}\n')
    program()
    assert sorted(os.listdir(work.checkpoint / "_schemas")) == ["0"]
    work.write("2.json", '{"id":2,"color":"red"}\n')
    with pytest.raises(StreamingQueryException) as error:
        program()
    assert "UNKNOWN_FIELD_EXCEPTION" in str(error.value) and "color" in str(error.value)
    assert sorted(os.listdir(work.checkpoint / "_schemas")) == ["0", "1"]
    assert work.rows("id") == [(1,)]
    program()
    assert work.rows("id", "color") == [(1, None), (2, "red")]
    program()
    assert len(work.rows()) == 2


def test_several_new_columns_of_one_batch_come_together(work):
    program = lambda: work.run(work.cloud(), mergeSchema="true")  # noqa: E731
    work.write("1.json", '{"id":1}\n')
    program()
    work.write("2.json", '{"id":2,"b":1}\n')
    work.write("3.json", '{"id":3,"a":1}\n')
    with pytest.raises(StreamingQueryException):
        program()
    program()
    assert [c for c in work.columns() if c != "_rescued_data"] == ["id", "a", "b"]
    assert work.rows("id") == [("1",), ("2",), ("3",)]


def test_sc04_rescue_never_changes_the_schema(work):
    options = {"cloudFiles__schemaEvolutionMode": "rescue", "cloudFiles__inferColumnTypes": "true"}
    work.write("1.json", '{"id":1}\n')
    work.run(work.cloud(**options))
    path = work.write("2.json", '{"id":2,"x":5}\n')
    work.run(work.cloud(**options))
    assert work.columns() == ["id", "_rescued_data"]
    rows = dict(work.rows())
    assert rows[1] is None
    rescued = json.loads(rows[2])
    assert rescued["x"] == 5
    assert rescued["_file_path"].endswith(path.name)


def test_rescue_of_a_wrong_type(work):
    options = {"cloudFiles__schemaEvolutionMode": "rescue", "cloudFiles__inferColumnTypes": "true"}
    work.write("1.json", '{"id":1,"n":5}\n')
    work.run(work.cloud(**options))
    work.write("2.json", '{"id":2,"n":"five"}\n')
    work.run(work.cloud(**options))
    (row,) = [r for r in work.rows("id", "n", "_rescued_data") if r[0] == 2]
    assert row[1] is None and json.loads(row[2])["n"] == "five"


@pytest.mark.parametrize("mode", ["addNewColumns", "rescue", "failOnNewColumns"])
def test_a_malformed_line_is_rescued(work, mode):
    path = work.write("1.json", '{"v":1}\n{bad\n')
    work.run(work.cloud(cloudFiles__schemaEvolutionMode=mode))
    rows = {v: rescued for v, rescued in work.rows("v", "_rescued_data")}
    assert rows["1"] is None
    assert json.loads(rows[None]) == {"_corrupt_record": "{bad", "_file_path": str(path)}


def test_duplicate_hints_are_refused(work):
    work.write("1.json", '{"id":1}\n')
    with pytest.raises(PySparkException) as error:
        work.cloud(cloudFiles__schemaHints="id int, ID bigint").schema  # noqa: B018
    assert error.value.getCondition() == "COLUMN_ALREADY_EXISTS" and "`id`" in str(error.value)


def test_files_without_columns_are_named(work):
    work.write("1.json", "rubbish\n")
    with pytest.raises(PySparkException) as error:
        work.cloud().schema  # noqa: B018
    assert error.value.getCondition() == "UNABLE_TO_INFER_SCHEMA" and "1.json" in str(error.value)


def test_rescue_of_another_spelling(work):
    options = {"cloudFiles__inferColumnTypes": "true"}
    work.write("1.json", '{"fee":1}\n')
    work.run(work.cloud(**options))
    work.write("2.json", '{"Fee":2}\n')
    work.run(work.cloud(**options))
    (row,) = [r for r in work.rows("fee", "_rescued_data") if r[0] is None]
    assert json.loads(row[1])["Fee"] == 2


def test_fail_on_new_columns_keeps_failing(work):
    options = {"cloudFiles__schemaEvolutionMode": "failOnNewColumns"}
    work.write("1.json", '{"id":1}\n')
    work.run(work.cloud(**options))
    work.write("2.json", '{"id":2,"x":1}\n')
    for _ in range(2):
        with pytest.raises(StreamingQueryException) as error:
            work.run(work.cloud(**options))
        assert "UNKNOWN_FIELD_EXCEPTION" in str(error.value)
    assert sorted(os.listdir(work.checkpoint / "_schemas")) == ["0"]
    (work.input / "2.json").unlink()


def test_mode_none_has_no_rescued_column(work):
    options = {"cloudFiles__schemaEvolutionMode": "none", "cloudFiles__inferColumnTypes": "true"}
    work.write("1.json", '{"id":1}\n')
    work.run(work.cloud(**options))
    work.write("2.json", '{"id":"x","y":1}\n')
    work.run(work.cloud(**options))
    assert work.columns() == ["id"]
    assert work.rows() == in_order([(1,), (None,)])


def test_sc07_given_schema(work):
    work.write("1.json", '{"id":1,"x":2}\n')
    work.run(work.cloud(schema="id int"))
    assert work.columns() == ["id"] and work.rows() == [(1,)]


def test_sc07_given_schema_with_rescued_column(work):
    work.write("1.json", '{"id":1,"x":2}\n')
    work.run(work.cloud(schema="id int", rescuedDataColumn="saved"))
    ((key, saved),) = work.rows("id", "saved")
    assert key == 1 and json.loads(saved)["x"] == 2


def test_sc07_given_schema_cannot_evolve(work):
    work.write("1.json", '{"id":1}\n')
    with pytest.raises(PySparkException) as error:
        work.run(work.cloud(schema="id int", cloudFiles__schemaEvolutionMode="addNewColumns"))
    assert "CF_ADD_NEW_NOT_SUPPORTED" in str(error.value)


def test_sc09_schema_hints(work):
    work.write("1.json", '{"amount":12.5,"meta":{"k":7}}\n')
    work.run(work.cloud(cloudFiles__schemaHints="amount double, meta.k int, late date"))
    types = work.types()
    assert types["amount"] == "double" and types["meta"] == "struct<k:int>" and types["late"] == "date"
    assert work.rows("amount", "late") == [(12.5, None)]


def test_sc13_one_schema_location_for_two_sources(work, tmp_path):
    work.write("1.json", '{"a":1}\n')
    work.run(work.cloud())
    other = tmp_path / "other"
    other.mkdir()
    (other / "1.json").write_text('{"b":1}\n')
    with pytest.raises(PySparkException) as error:
        frame = (work.spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
                 .option("cloudFiles.schemaLocation", str(work.checkpoint)).load(str(other)))
        query = (frame.writeStream.format("delta").option("checkpointLocation", str(tmp_path / "ck2"))
                 .trigger(availableNow=True).start(str(tmp_path / "out2")))
        query.awaitTermination()
    assert str(work.checkpoint) in str(error.value) or "schemaLocation" in str(error.value)


def test_unknown_option_is_named(work):
    work.write("1.json", '{"a":1}\n')
    with pytest.raises(PySparkException) as error:
        work.run(work.cloud(schema="a int", cloudFiles__maxFilesPerTriger=1))
    assert "CF_UNKNOWN_OPTION_KEYS_ERROR" in str(error.value)
    assert "maxfilespertriger" in str(error.value).lower()


def test_unsupported_format_is_named(work):
    with pytest.raises(PySparkException) as error:
        reader = work.spark.readStream.format("cloudFiles").option("cloudFiles.format", "avro").schema("a int")
        work.run(reader.load(str(work.input)))
    assert "avro" in str(error.value).lower()


def test_inference_needs_a_schema_location(work):
    work.write("1.json", '{"a":1}\n')
    with pytest.raises(PySparkException) as error:
        work.run(work.cloud(schema_location=False))
    assert "schemaLocation" in str(error.value)


def test_inference_over_an_empty_folder_is_an_error_with_a_remedy(work):
    with pytest.raises(PySparkException) as error:
        work.run(work.cloud())
    assert "schema" in str(error.value).lower()


def test_multi_line(work):
    work.write("1.json", '[\n {"v": 1},\n {"v": 2}\n]\n')
    work.run(work.cloud(schema="v int", multiLine="true"))
    assert work.rows() == [(1,), (2,)]


def test_progress_says_what_is_outstanding(work):
    for i in range(3):
        work.write(f"{i}.json", '{"v":1}\n')
    query = work.run(work.cloud(schema="v int", cloudFiles__maxFilesPerTrigger=2))
    metrics = query.recentProgress[0].sources[0].metrics
    assert metrics["numFilesOutstanding"] == "1"
    assert query.recentProgress[0].sources[0].description == f"CloudFilesSource[{work.input}]" or (
        "CloudFilesSource" in query.recentProgress[0].sources[0].description)


def test_two_streams_on_one_folder_are_independent(work, tmp_path):
    work.write("1.json", '{"v":1}\n')
    work.run(work.cloud(schema="v int"))
    other = tmp_path / "second"
    query = (work.cloud(schema="v int").writeStream.format("delta")
             .option("checkpointLocation", str(other / "ck")).trigger(availableNow=True).start(str(other / "out")))
    query.awaitTermination()
    assert work.spark.read.format("delta").load(str(other / "out")).count() == 1
