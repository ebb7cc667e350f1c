"""`millstream sql`: scripts, formats, exit codes, ^C, a terminal, and another server."""

import json
import os
import pty
import select
import signal
import subprocess
import time

import pytest

from millstream_server import BINARY


def sql(*arguments, cwd, text=None):
    return subprocess.run([BINARY, "sql", *arguments], cwd=cwd, input=text, capture_output=True, text=True, timeout=60)


def test_statements_run_in_order_and_tables_show_their_rows(tmp_path):
    done = sql("-e", "create table t (id int, name string); insert into t values (1, 'a'), (2, null)",
               "-e", "select * from t order by id", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "+----+------+\n| id | name |\n+----+------+\n| 1  | a    |\n| 2  | NULL |\n+----+------+\n")
    assert sql("-e", "select count(*) from t", "--output", "csv", "--no-header", cwd=tmp_path).stdout == "2\n"


def test_csv_and_json_are_sparks_texts(tmp_path):
    query = "select 1.50 a, 'x,\"y' b, null c, array(1, 2) d, X'0aff' e"
    assert sql("--output", "csv", "-e", query, cwd=tmp_path).stdout == (
        'a,b,c,d,e\n1.50,"x,""y",,"[1, 2]",0AFF\n')
    line = sql("--output", "json", "-e", query, cwd=tmp_path).stdout
    assert json.loads(line) == {"a": 1.5, "b": 'x,"y', "c": None, "d": [1, 2], "e": "Cv8="}
    assert "1.50" in line


def test_a_script_stops_at_its_first_error_and_names_the_place(tmp_path):
    (tmp_path / "job.sql").write_text("select 1;\n\n-- a; comment\nselect 1/0;\nselect 2;\n")
    done = sql("-f", "job.sql", "--output", "csv", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == "1\n1\n(1 / 0)\n"  # the names come before the first row does
    assert done.stderr.startswith("job.sql:4: [DIVIDE_BY_ZERO]")
    from_input = sql(cwd=tmp_path, text="select 'a;b' as x\n")
    assert from_input.returncode == 0 and "a;b" in from_input.stdout


@pytest.mark.parametrize("arguments, code, message", [
    (["--nope"], 2, "--nope"),
    (["--output", "xml"], 2, "xml"),
    (["--remote", "sc://x", "--warehouse", "w"], 2, "excludes"),
    (["--remote", "http://x", "-e", "select 1"], 1, "INVALID_CONNECT_URL"),
    (["-f", "nowhere.sql"], 1, "nowhere.sql"),
    (["--conf", "novalue", "-e", "select 1"], 1, "KEY=VALUE"),
])
def test_wrong_use_says_what_is_wrong(tmp_path, arguments, code, message):
    done = sql(*arguments, cwd=tmp_path)
    assert done.returncode == code
    assert message in done.stderr


def test_another_server_answers(server, tmp_path):
    done = sql("--remote", server.remote, "--output", "csv", "--no-header", "-e", "select 6 * 7", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "42\n"), done.stderr
    assert not (tmp_path / "spark-warehouse").exists()


ENDLESS = "select count(*) from range(100000000) a cross join range(100000000) b where a.id * b.id % 7 = 3"


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def begin_endless_script(folder):
    process = subprocess.Popen([BINARY, "sql", "-e", f"select 'begun'; {ENDLESS}; select 'after'"], cwd=folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    shown = [process.stdout.readline() for _ in range(5)]
    assert "begun" in shown[3]
    return process


def test_no_interrupt_is_lost_between_the_operations_of_a_statement(tmp_path):
    """Wherever the script is by then: at the end of one statement, in the analysis of the next, in its run."""
    for _ in range(5):
        process = begin_endless_script(tmp_path)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "after" not in out


def test_an_interrupt_ends_the_statement_and_the_script(tmp_path):
    process = begin_endless_script(tmp_path)
    busy_since, end = cpu_seconds(process.pid), time.monotonic() + 30
    while cpu_seconds(process.pid) < busy_since + 0.3:  # the endless statement computes
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "after" not in out and "cancelled" in err


class Terminal:
    """The shell in a terminal of its own. It is not begun by pty.fork(): a fork of a process that has gRPC's threads may hang
    before its exec."""

    def __init__(self, cwd):
        self.master, terminal = pty.openpty()
        environment = {**os.environ, "HOME": str(cwd), "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        self.process = subprocess.Popen(["setsid", "--ctty", BINARY, "sql"], cwd=cwd, env=environment,
                                        stdin=terminal, stdout=terminal, stderr=terminal)
        os.close(terminal)
        self.seen = ""

    def write(self, text):
        os.write(self.master, text.encode())

    def wait_for(self, text, seconds=30):
        end = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self.master], [], [], max(0, end - time.monotonic()))
            assert ready, f"{text!r} did not come; seen: {self.seen!r}"
            self.seen += os.read(self.master, 65536).decode(errors="replace")
        before, self.seen = self.seen.split(text, 1)
        return before

    def close(self):
        status = self.process.wait(timeout=30)
        os.close(self.master)
        return status


def test_a_terminal_has_lines_history_completion_and_cancel(tmp_path):
    shell = Terminal(tmp_path)
    shell.wait_for("millstream> ")
    shell.write("select 40 + 2\n")
    shell.wait_for("-> ")
    shell.write("as answer;\n")
    shell.wait_for("42")
    shell.wait_for("1 row, ")
    shell.wait_for("millstream> ")

    shell.write("create table flights (carrier string);\n")
    shell.wait_for("0 rows, ")
    shell.wait_for("millstream> ")
    shell.write("select car\t")  # no table is named yet: nothing fits
    shell.write("\x03")
    shell.wait_for("millstream> ")
    shell.write("select count(*) from fli\t;\n")
    shell.wait_for("ghts")
    shell.wait_for("1 row, ")
    shell.wait_for("millstream> ")

    shell.write(ENDLESS + ";\n")
    shell.wait_for("running, ")
    shell.write("\x03")
    shell.wait_for("cancelled")
    shell.wait_for("millstream> ")
    shell.write(".output csv\n")
    shell.wait_for("millstream> ")
    shell.write("selec 1;\n")
    shell.wait_for("PARSE_SYNTAX_ERROR")
    shell.wait_for("millstream> ")
    shell.write("quit\n")
    assert shell.close() == 0
    assert "as answer;" in (tmp_path / ".millstream_history").read_text().replace("\\040", " ")


def test_an_interrupt_may_throw_away_what_was_just_written(tmp_path):
    """The terminal drops unread input at ^C. A shell that has been told of that input must not wait for it."""
    shell = Terminal(tmp_path)
    shell.wait_for("millstream> ")
    for round in range(5000):
        shell.write("select")
        end = time.perf_counter() + round % 30 * 1e-5
        while time.perf_counter() < end:
            pass
        shell.write("\x03")
        shell.wait_for("millstream> ")
    shell.write("quit\n")
    assert shell.close() == 0


def test_a_recalled_statement_keeps_its_lines(tmp_path):
    """They are part of its texts, and end its comments."""
    recall = "\x10\n"
    shell = Terminal(tmp_path)
    shell.wait_for("millstream> ")
    shell.write("select ascii(substring('a\n")
    shell.wait_for("-> ")
    shell.write("b', 2, 1)) -- one\n")
    shell.wait_for("-> ")
    shell.write("+ 70707 as code;\n")
    shell.wait_for("70717")
    shell.wait_for("millstream> ")
    shell.write(recall)
    shell.wait_for("70717")
    shell.wait_for("millstream> ")
    shell.write("quit\n")
    assert shell.close() == 0
    again = Terminal(tmp_path)  # from the history's file
    again.wait_for("millstream> ")
    again.write("\x10\x10\n")
    again.wait_for("70717")
    again.wait_for("millstream> ")
    again.write("quit\n")
    assert again.close() == 0
