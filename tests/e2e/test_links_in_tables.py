"""An overwrite of a table of files removes links in its folder, never what they lead to."""

import pytest

WRITES = [
    "insert overwrite linked select 1, 1",
    "insert overwrite linked partition (p = 9) select 1",
]


@pytest.mark.parametrize("statement", WRITES)
def test_what_a_link_leads_to_stays(spark, tmp_path, statement):
    place, outside = tmp_path / "t", tmp_path / "outside"
    spark.sql("drop table if exists linked")
    spark.sql(f"create table linked (i int, p int) using parquet partitioned by (p) location '{place}'")
    spark.sql("insert into linked values (2, 2)")
    outside.mkdir()
    for file in (place / "p=2").glob("*.parquet"):
        (outside / file.name).write_bytes(file.read_bytes())
    (place / "p=9").symlink_to(outside)
    spark.sql(statement)
    assert list(outside.glob("*.parquet"))
    assert (1,) in [(row.i,) for row in spark.table("linked").collect()]
    spark.sql("drop table linked")
