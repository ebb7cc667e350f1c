"""TPC-H and TPC-DS at scale 0.01 on Delta tables, through the stock client: each answer is Spark's."""

import json

import pytest

from tpc.answers import HERE, difference, queries_of, rows_of

KINDS = ("tpch", "tpcds")


@pytest.fixture(scope="module")
def sessions(server, tmp_path_factory):
    made = {}
    for kind in KINDS:
        session = server.session()
        folder = tmp_path_factory.mktemp(kind)
        for file in sorted((HERE / kind).glob("*.parquet")):
            session.read.parquet(str(file)).write.format("delta").save(str(folder / file.stem))
            session.read.format("delta").load(str(folder / file.stem)).createOrReplaceTempView(file.stem)
        made[kind] = session
    yield made
    for session in made.values():
        session.stop()


@pytest.mark.parametrize("kind,number", [(k, n) for k in KINDS for n in range(1, len(queries_of(k)) + 1)])
def test_answer_is_sparks(sessions, kind, number):
    expected = json.loads((HERE / kind / "answers.json").read_text())[number - 1]
    got = rows_of(sessions[kind], queries_of(kind)[number - 1])
    assert difference(expected, got) is None
