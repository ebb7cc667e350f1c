"""Files of a write are seen when they are whole, by readers and streams beside it."""

import resource
import threading

from millstream_server import Server

N = 300_000


def test_a_reader_sees_no_part_of_a_file(server, tmp_path):
    place = tmp_path / "out"
    place.mkdir()
    writer, reader = server.session(), server.session()
    done = threading.Event()
    failed = []

    def write():
        try:
            (writer.range(N).selectExpr("id", "sha2(cast(id as string), 256) AS s").coalesce(1)
             .write.mode("append").csv(str(place)))
        except Exception as error:  # noqa: BLE001: told below
            failed.append(error)
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    counts = set()
    while not done.is_set():
        counts.add(reader.read.schema("id LONG, s STRING").csv(str(place)).count())
    thread.join()
    assert not failed
    counts.add(reader.read.schema("id LONG, s STRING").csv(str(place)).count())
    assert counts <= {0, N} and N in counts
    assert sorted(p.name for p in place.iterdir() if not p.name.startswith("part-")) == ["_SUCCESS"]
    writer.stop()
    reader.stop()


def test_more_partitions_than_the_shell_lets_files_be_open(tmp_path):
    """A server takes what the machine allows, not what its shell begins with."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        server = Server()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    try:
        session = server.session()
        session.range(0, 800, 1, 1).selectExpr("id", "id % 400 AS p").write.partitionBy("p").parquet(str(tmp_path / "out"))
        assert len(list((tmp_path / "out").glob("p=*/*.parquet"))) == 400
        session.stop()
    finally:
        server.stop()
