"""Runs a command and says what it and everything it started cost.

CPU-seconds are user + system of the whole process tree: this process adopts orphans (as `init` does),
waits for all of them and reads the kernel's sums, so that a JVM left behind counts too. Memory is the
peak of the sum of the tree's resident sets, sampled; and the largest single process, exact.
"""

import ctypes
import dataclasses
import os
import pathlib
import resource
import subprocess
import threading
import time

PR_SET_CHILD_SUBREAPER = 36


@dataclasses.dataclass
class Cost:
    wall_s: float
    cpu_s: float
    tree_rss_mb: float
    process_rss_mb: float
    output: str


def children(pid):
    found = []
    try:
        for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
            found += [int(p) for p in task.read_text().split()]
    except OSError:
        pass  # It has ended meanwhile.
    return found


def tree(pid):
    todo, seen = [pid], []
    while todo:
        pid = todo.pop()
        seen.append(pid)
        todo += children(pid)
    return seen


def resident(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0


def cpu_seconds(pid):
    """CPU time so far of one live process, its waited-for children included."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(int(f) for f in fields[11:15]) / os.sysconf("SC_CLK_TCK")


class Sampler(threading.Thread):
    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid = pid
        self.tree_peak = self.process_peak = 0
        self.done = threading.Event()

    def run(self):
        while not self.done.wait(0.05):
            sizes = [resident(p) for p in tree(self.pid)]
            self.tree_peak = max(self.tree_peak, sum(sizes))
            self.process_peak = max(self.process_peak, max(sizes, default=0))


def run(command, env=None, check=True):
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, **(env or {})})
    sampler = Sampler(process.pid)
    sampler.start()
    output, errors = process.communicate()
    wall = time.monotonic() - started
    sampler.done.set()
    reap_orphans()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if check and process.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{output[-2000:]}\n{errors[-4000:]}")
    cpu = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
    sampler.join()
    return Cost(wall, cpu, sampler.tree_peak / 1e6, sampler.process_peak / 1e6, output)


def reap_orphans(patience_s=30):
    """Waits for what the command left behind; a JVM ends a moment after its Python."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            time.sleep(0.02)
    raise SystemExit("a process that the command started does not end")
