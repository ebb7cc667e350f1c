"""Random histories that delta-spark went through and whose outcome was recorded (record_histories.py): ours goes through
the same, and the table, its history and its feed are Spark's. What deltalake reads of it is the same too."""

import json
import pathlib

import deltalake
import histories
import pytest
from deltalake import QueryBuilder

RECORDED = json.loads((pathlib.Path(__file__).parent / "histories.json").read_text())


@pytest.mark.parametrize("seed", histories.SEEDS)
def test_a_history_ends_as_sparks(spark, tmp_path, seed):
    path = str(tmp_path / "t")
    told = [histories.take(spark, path, step) for step in histories.steps_of(seed)]
    found = json.loads(json.dumps({"told": told, **histories.read_whole(spark, path)}))
    assert found == RECORDED[str(seed)]
    last = found["history"][-1][0]
    table = QueryBuilder().register("t", deltalake.DeltaTable(path)).execute("SELECT * FROM t").read_all()
    rows = zip(*(table.column(name).to_pylist() for name in table.schema.names), strict=True)
    assert [",".join(table.schema.names)] + sorted(repr(tuple(row)) for row in rows) == found["rows"][str(last)]
