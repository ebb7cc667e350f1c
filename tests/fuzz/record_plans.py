#!/usr/bin/env python3
"""usage: record_plans.py FOLDER: the plans that the client sends in the conformance cases, a file each, as seeds for fuzzing.

They run against the release build; what they answer does not matter here.
"""

import hashlib
import logging
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "conformance"), str(TESTS)]

import harness  # noqa: E402
from millstream_server import Server  # noqa: E402
from pyspark.sql.connect.proto import base_pb2_grpc  # noqa: E402

PLAN_BYTES_MAX = 4000  # as the fuzzer's inputs


def keep_relation(folder, relation):
    data = relation.SerializeToString()
    if 0 < len(data) <= PLAN_BYTES_MAX:
        (folder / hashlib.sha1(data).hexdigest()[:16]).write_bytes(data)


def watch_stub(folder):
    """Every relation that a stub sends is kept first."""
    begin = base_pb2_grpc.SparkConnectServiceStub.__init__

    def watched(self, channel):
        begin(self, channel)
        execute, analyze = self.ExecutePlan, self.AnalyzePlan

        def keep_and_execute(request, *args, **kwargs):
            if request.plan.HasField("root"):
                keep_relation(folder, request.plan.root)
            return execute(request, *args, **kwargs)

        def keep_and_analyze(request, *args, **kwargs):
            if request.HasField("schema"):
                keep_relation(folder, request.schema.plan.root)
            return analyze(request, *args, **kwargs)

        self.ExecutePlan, self.AnalyzePlan = keep_and_execute, keep_and_analyze

    base_pb2_grpc.SparkConnectServiceStub.__init__ = watched


def main():
    logging.disable(logging.CRITICAL)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    watch_stub(folder)
    server = Server()
    session = server.session()
    try:
        for case in (case for area in harness.load_areas() for case in area.cases):
            harness.run_case(case, session)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
