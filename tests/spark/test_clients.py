"""Millstream's own clients, the shell and the C++ API beneath it, against real Spark."""

import os
import subprocess

import pytest
from millstream_server import BINARY


def sql(remote, *arguments):
    return subprocess.run([BINARY, "sql", "--remote", remote, *arguments], capture_output=True, text=True, timeout=120)


def test_the_shell_speaks_to_real_spark(spark_remote):
    done = sql(spark_remote, "--output", "csv", "-e",
               "select 1.50 a, 'x' b, null c, array(1, 2) d, X'0aff' e; select count(*) n from range(100000)")
    assert done.returncode == 0, done.stderr
    assert done.stdout == 'a,b,c,d,e\n1.50,x,,"[1, 2]",0AFF\nn\n100000\n'
    json = sql(spark_remote, "--output", "json", "-e", "select 1.50 a, null c, map('k', 1) m")
    assert json.stdout == '{"a":1.50,"c":null,"m":{"k":1}}\n', json.stderr


def test_errors_of_real_spark_come_whole(spark_remote):
    done = sql(spark_remote, "-e", "select 1/0")
    assert done.returncode == 1
    assert "[DIVIDE_BY_ZERO]" in done.stderr and "== SQL" in done.stderr


@pytest.mark.timeout(400)
def test_the_cpp_api_says_sparks_words(spark_remote):
    # What the embedded engine answers in the same tests, Spark answers too.
    done = subprocess.run([BINARY.parent / "client_test", "--gtest_filter=Frames.*:Tables.*:Listeners.*"],
                          capture_output=True, text=True, timeout=390,
                          env={**os.environ, "MILLSTREAM_TEST_REMOTE": spark_remote})
    assert done.returncode == 0, done.stdout[-3000:]
