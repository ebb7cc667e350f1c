"""Starts and stops `millstream serve` for tests. The process is known by its id and only that is ended."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(os.environ.get("MILLSTREAM_BIN", ROOT / "build/release/bin/millstream"))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Remote:
    """A server that somebody else runs: real Spark, to see what a test expects is what Spark does."""

    def __init__(self, remote):
        self.remote = remote
        self.port = int(remote.split("/")[2].split(":")[1])

    def session(self, **conf):
        return connect(self.remote, conf)

    def stop(self):
        pass


def connect(remote, conf):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote(remote)
    for key, value in conf.items():
        builder = builder.config(key, value)
    session = builder.create()
    # A client that retries for minutes would hide that the server is gone.
    session.client.set_retry_policies([])
    return session


class Server:
    """One server process with a warehouse folder of its own."""

    def __init__(self, warehouse=None, port=None, extra=(), env=None):
        self.warehouse = str(warehouse or tempfile.mkdtemp(prefix="millstream-warehouse-"))
        self.port = port or free_port()
        self.lines = []
        self.process = subprocess.Popen(
            [str(BINARY), "serve", "--host", "127.0.0.1", "--port", str(self.port),
             "--warehouse", self.warehouse, *extra],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            env={**os.environ, "TZ": "UTC", **(env or {})},
        )
        # The pipe is drained always: a full one would stop the server.
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()
        self._wait_until_listening()

    def _drain(self):
        for line in self.process.stdout:
            self.lines.append(line)

    def _wait_until_listening(self):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"server ended with {self.process.returncode}:\n{self.output()}")
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.01)
        self.kill()
        raise RuntimeError(f"server does not listen:\n{self.output()}")

    @property
    def remote(self):
        return f"sc://127.0.0.1:{self.port}"

    def output(self):
        return "".join(self.lines)

    def cpu_seconds(self):
        """What the process has computed until now: to wait for work that is seen, not for a time."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def session(self, **conf):
        return connect(self.remote, conf)

    def rss_bytes(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) * 1024

    def kill(self):
        """As a crash does."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
                raise RuntimeError("the server did not stop within 20 s of SIGTERM") from None
        self._reader.join(5)
        return self.process.returncode
