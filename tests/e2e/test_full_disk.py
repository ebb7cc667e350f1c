"""A disk that fills up under the checkpoint or the table: the error says so, and with room again nothing is missing."""

import pathlib
import subprocess

import millstream_server
import pytest
from pyspark.errors import PySparkException

MOUNTS = subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0
pytestmark = pytest.mark.skipif(not MOUNTS, reason="needs a mount of its own")

PAGE = 4096


class SmallDisk:
    """A server that sees `folder` as a disk of its own, which can be filled from here."""

    def __init__(self, folder, monkeypatch, kilobytes):
        folder.mkdir()
        script = folder.parent / "serve.sh"
        script.write_text(f'#!/bin/sh\nexec unshare -m sh -c \'mount -t tmpfs -o size={kilobytes}k none "{folder}" && '
                          f'exec "$@"\' sh "{millstream_server.BINARY}" "$@"\n')
        script.chmod(0o755)
        monkeypatch.setattr(millstream_server, "BINARY", script)
        self.server = millstream_server.Server(warehouse=folder.parent / "warehouse")
        self.seen_here = pathlib.Path(f"/proc/{self.server.process.pid}/root{folder}")

    def leave(self, pages):
        """Fills the disk but for so many pages."""
        filler = self.seen_here / "filler"
        filler.unlink(missing_ok=True)
        with filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * PAGE)
            except OSError:
                pass
            file.truncate(max(0, file.tell() // PAGE * PAGE - pages * PAGE))

    def make_room(self):
        (self.seen_here / "filler").unlink()


@pytest.mark.parametrize("source", ["cloud", "files"])
@pytest.mark.parametrize("full", ["ck", "out"])
def test_full_disk(tmp_path, monkeypatch, full, source):
    disk = SmallDisk(tmp_path / "disk", monkeypatch, 24_000)
    spark = disk.server.session()
    place = {"ck": tmp_path / "ck", "out": tmp_path / "out", full: tmp_path / "disk" / full}
    (tmp_path / "in").mkdir()

    def run(values):
        (tmp_path / "in" / f"{len(values)}.json").write_text("".join(f'{{"v":{v}}}\n' for v in values))
        reader = spark.readStream.schema("v int")
        if source == "cloud":
            reader = reader.format("cloudFiles").option("cloudFiles.format", "json")
        else:
            reader = reader.format("json")
        query = (reader.load(str(tmp_path / "in")).writeStream.format("delta")
                 .option("checkpointLocation", str(place["ck"])).trigger(availableNow=True).start(str(place["out"])))
        query.awaitTermination()

    try:
        refusals = 0
        expected = []
        for pages in (0, 1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 30):
            disk.leave(pages)
            batch = list(range(100 * pages, 100 * pages + pages + 1))
            expected += batch
            try:
                run(batch)
            except PySparkException as error:
                refusals += 1
                assert "space" in str(error) and str(tmp_path / "disk") in str(error), error
        assert refusals > 2
        disk.make_room()
        expected += [-1] * 40
        run([-1] * 40)
        rows = [r.v for r in spark.read.format("delta").load(str(place["out"])).collect()]
        assert sorted(rows) == sorted(expected)
    finally:
        spark.stop()
        disk.server.stop()
