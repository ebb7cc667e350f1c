"""Six processes of two engines change one table at once (with Spark among them: tests/spark/test_tables.py)."""

import race
from millstream_server import Server


def test_no_change_is_lost_or_doubled(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.sql(f"CREATE TABLE delta.`{path}` (k BIGINT, v BIGINT) USING delta")
    servers = [Server(), Server()]
    try:
        told = race.raced(path, [servers[0].remote, servers[1].remote, servers[1].remote] + ["deltalake"] * 3, 8)
        assert race.differences(path, told, spark) == []
    finally:
        for server in servers:
            server.stop()
    assert all(racer["commits"] > 0 for racer in told[:3])
