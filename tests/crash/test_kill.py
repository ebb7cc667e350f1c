"""`kill -9` at random moments: nothing lost, nothing doubled. 200 rounds of small batches in all, and some of the orders
example (all 200 of those: kill_orders.py)."""

import pathlib
import subprocess
import sys

import pytest

KILL = pathlib.Path(__file__).parent / "kill.py"


@pytest.mark.timeout(600)
@pytest.mark.parametrize("source, rounds", [("cloud", 140), ("files", 60)])
def test_kill(source, rounds):
    done = subprocess.run([sys.executable, str(KILL), "--rounds", str(rounds), "--source", source],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.timeout(600)
def test_kill_orders():
    done = subprocess.run([sys.executable, str(KILL.with_name("kill_orders.py")), "--rounds", "15"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
