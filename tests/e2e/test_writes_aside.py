"""Files of a write are seen when they are whole, by readers and streams beside it."""

import threading

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
