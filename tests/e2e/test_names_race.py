"""Tables and databases of one name, made and dropped by several sessions at once: named errors, and never half a table."""

import threading

from pyspark.errors import PySparkException

ROUNDS = 15
NAMED = {"TABLE_OR_VIEW_ALREADY_EXISTS", "TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_ALREADY_EXISTS", "SCHEMA_NOT_FOUND",
         "DELTA_CONCURRENT_WRITE", "DELTA_METADATA_CHANGED", "DELTA_PROTOCOL_CHANGED", "DELTA_TABLE_NOT_FOUND",
         "FAILED_READ_FILE.FILE_NOT_EXIST", "PATH_NOT_FOUND"}


def in_all_sessions(server, work):
    """work(session, number) in four sessions at once; the errors that have no name among those of races."""
    strange = []

    def run(number):
        session = server.session()
        try:
            work(session, number, attempt)
        finally:
            session.stop()

    def attempt(session, text):
        try:
            return session.sql(text).collect()
        except PySparkException as error:
            if error.getCondition() not in NAMED:
                strange.append(f"{text}: {error}")
        return None

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return strange


def test_create_and_drop_of_one_table(server):
    def work(session, number, attempt):
        for _ in range(ROUNDS):
            attempt(session, "create table race_t as select id, id * 2 as b from range(10)")
            rows = attempt(session, "select count(*), sum(b) from race_t")
            # All of the table or none of it, whoever drops it meanwhile.
            assert rows is None or tuple(rows[0]) == (10, 90)
            attempt(session, "drop table race_t")

    assert in_all_sessions(server, work) == []


def test_create_and_drop_of_one_database(server):
    def work(session, number, attempt):
        for _ in range(ROUNDS):
            attempt(session, "create database race_d")
            attempt(session, "create table race_d.t (a int)")
            attempt(session, "drop database race_d cascade")

    assert in_all_sessions(server, work) == []
