"""Functions written in SQL: how far they may grow, what is left of statements that failed, and what files of theirs may hold."""

import pathlib
import time

import pytest
from delta.tables import DeltaTable
from millstream_server import Server
from pyspark.errors import PySparkException


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    warehouse = tmp_path_factory.mktemp("warehouse")
    server = Server(warehouse=warehouse)
    server.folder = warehouse
    yield server
    server.stop()


@pytest.fixture
def session(own):
    session = own.session()
    yield session
    session.stop()


def grown(session, levels, body):
    session.sql("CREATE OR REPLACE TEMPORARY FUNCTION g0(x INT) RETURNS INT RETURN x + 1")
    for level in range(1, levels + 1):
        session.sql(f"CREATE OR REPLACE TEMPORARY FUNCTION g{level}(x INT) RETURNS INT RETURN {body.format(level - 1)}")


@pytest.mark.parametrize("body", ["g{0}(x) + g{0}(x)", "g{0}(g{0}(x))"])
def test_functions_that_call_one_another_twice_are_bound(session, body):
    grown(session, 6, body)
    assert session.sql("SELECT g6(1) AS a").collect()[0].a > 0
    started = time.monotonic()
    with pytest.raises(PySparkException) as error:
        grown(session, 40, body)
    assert error.value.getCondition() in ("UNSUPPORTED_FEATURE.MILLSTREAM", "FAILED_TO_PARSE_TOO_COMPLEX")
    assert time.monotonic() - started < 10


def test_arguments_that_are_written_twice_are_bound(session):
    session.sql("CREATE OR REPLACE TEMPORARY FUNCTION twice(x INT) RETURNS INT RETURN x + x")
    text = "id"
    for _ in range(40):
        text = f"twice({text})"
    started = time.monotonic()
    with pytest.raises(PySparkException) as error:
        session.sql(f"SELECT {text} FROM range(1)").collect()
    assert error.value.getCondition() == "FAILED_TO_PARSE_TOO_COMPLEX"
    assert time.monotonic() - started < 10


def test_names_of_with_are_not_those_of_a_body(session):
    session.sql("CREATE OR REPLACE TEMPORARY VIEW seen AS SELECT 1 AS a")
    session.sql("CREATE OR REPLACE TEMPORARY FUNCTION count_seen() RETURNS BIGINT RETURN (SELECT count(*) FROM seen)")
    rows = session.sql("WITH seen AS (SELECT * FROM range(5)) SELECT count_seen() AS n, count(*) AS m FROM seen").collect()
    assert (rows[0].n, rows[0].m) == (1, 5)


def test_a_failed_statement_leaves_no_folder(own, session):
    for name, statement in {
        "failed_a": "CREATE TABLE failed_a USING parquet AS SELECT 1 / (id - id) AS a FROM range(3)",
        "failed_b": "CREATE TABLE failed_b USING json AS SELECT raise_error('x') AS a",
    }.items():
        with pytest.raises(PySparkException):
            session.sql(statement)
        assert not (own.folder / name).exists()
    with pytest.raises(PySparkException):
        session.sql("SELECT raise_error('x') AS a").write.format("parquet").saveAsTable("failed_c")
    assert not (own.folder / "failed_c").exists()


def test_a_folder_in_the_place_of_a_function(own, session):
    session.sql("CREATE OR REPLACE FUNCTION odd() RETURNS INT RETURN 1")
    file = own.folder / ".millstream" / "functions" / "odd.json"
    file.unlink()
    file.mkdir()
    with pytest.raises(PySparkException) as error:
        session.sql("DROP FUNCTION odd")
    assert "odd" in str(error.value)
    file.rmdir()


def test_a_clone_of_a_path_is_a_table(session, tmp_path):
    source, target = str(tmp_path / "source"), str(tmp_path / "target")
    session.range(3).write.format("delta").save(source)
    clone = DeltaTable.forPath(session, source).clone(target, isShallow=True)
    assert sorted(row.id for row in clone.toDF().collect()) == [0, 1, 2]
    assert pathlib.Path(target, "_delta_log").is_dir()
