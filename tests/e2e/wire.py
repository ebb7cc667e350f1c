"""Spark Connect calls made by hand, for what the stock client hides: cursors, broken streams, odd messages."""

import json
import socket
import threading
import uuid

import grpc
import pyspark.sql.connect.proto as proto
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from pyspark.sql.connect.proto.base_pb2_grpc import SparkConnectServiceStub

USER = "wire"


class Wire:
    """One session of a server, over a channel of its own."""

    def __init__(self, port, session_id=None):
        size = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=size)
        self.stub = SparkConnectServiceStub(self.channel)
        self.session_id = session_id or str(uuid.uuid4())

    def mine(self, request):
        request.session_id = self.session_id
        request.user_context.user_id = USER
        return request

    def execute_request(self, operation_id=None, reattachable=True, tags=()):
        request = self.mine(proto.ExecutePlanRequest(operation_id=operation_id or str(uuid.uuid4()), tags=tags))
        if reattachable:
            request.request_options.add().reattach_options.reattachable = True
        return request

    def range_request(self, end, **options):
        request = self.execute_request(**options)
        request.plan.root.range.end = end
        request.plan.root.range.step = 1
        return request

    def endless_request(self, **options):
        """A query that runs until it is stopped."""
        request = self.execute_request(**options)
        aggregate = request.plan.root.aggregate
        aggregate.group_type = proto.Aggregate.GROUP_TYPE_GROUPBY
        for side in (aggregate.input.join.left, aggregate.input.join.right):
            side.range.end = 10_000_000
            side.range.step = 1
        aggregate.input.join.join_type = proto.Join.JOIN_TYPE_CROSS
        aggregate.aggregate_expressions.add().unresolved_function.function_name = "count"
        aggregate.aggregate_expressions[0].unresolved_function.arguments.add().literal.integer = 1
        return request

    def execute(self, request):
        return self.stub.ExecutePlan(request)

    def reattach(self, operation_id, last=None):
        request = self.mine(proto.ReattachExecuteRequest(operation_id=operation_id))
        if last:
            request.last_response_id = last
        return self.stub.ReattachExecute(request)

    def release(self, operation_id, until=None):
        request = self.mine(proto.ReleaseExecuteRequest(operation_id=operation_id))
        if until:
            request.release_until.response_id = until
        else:
            request.release_all.SetInParent()
        return self.stub.ReleaseExecute(request)

    def version(self):
        request = self.mine(proto.AnalyzePlanRequest())
        request.spark_version.SetInParent()
        return self.stub.AnalyzePlan(request).spark_version.version

    def states(self):
        request = self.mine(proto.GetStatusRequest())
        request.operation_status.SetInParent()
        names = proto.GetStatusResponse.OperationStatus.OperationState.Name
        return {s.operation_id: names(s.state).removeprefix("OPERATION_STATE_")
                for s in self.stub.GetStatus(request).operation_statuses}

    def interrupt(self, kind, **arguments):
        request = self.mine(proto.InterruptRequest(**arguments))
        request.interrupt_type = getattr(proto.InterruptRequest, f"INTERRUPT_TYPE_{kind}")
        return list(self.stub.Interrupt(request).interrupted_ids)

    def release_session(self):
        return self.stub.ReleaseSession(self.mine(proto.ReleaseSessionRequest()))

    def start_query(self, checkpoint, tags=(), operation_id=None):
        """A rate stream into noop; gives its ids."""
        request = self.execute_request(tags=tags, operation_id=operation_id)
        start = request.plan.command.write_stream_operation_start
        start.input.read.is_streaming = True
        start.input.read.data_source.format = "rate"
        start.format = "noop"
        start.output_mode = "append"
        start.options["checkpointLocation"] = str(checkpoint)
        (result,) = [r.write_stream_operation_start_result for r in self.execute(request)
                     if r.HasField("write_stream_operation_start_result")]
        return result.query_id

    def active_queries(self):
        request = self.execute_request()
        request.plan.command.streaming_query_manager_command.active = True
        (result,) = [r.streaming_query_manager_command_result for r in self.execute(request)
                     if r.HasField("streaming_query_manager_command_result")]
        return [q.id.id for q in result.active.active_queries]

    def close(self):
        self.channel.close()


def failure(call):
    """(condition, class, message) of the error that a call ends by."""
    try:
        result = call()
        if hasattr(result, "__next__"):
            list(result)
    except grpc.RpcError as error:
        status = rpc_status.from_call(error)
        if status is None:
            return None, None, f"{error.code().name}: {error.details()}"
        info = error_details_pb2.ErrorInfo()
        status.details[0].Unpack(info)
        return info.metadata.get("errorClass"), json.loads(info.metadata["classes"])[0], status.message
    raise AssertionError("the call did not fail")


class CutProxy:
    """Passes bytes on to a server, and breaks the first connection after so many bytes of answers."""

    def __init__(self, port, cut_after):
        self._target = port
        self._left = cut_after
        self.cuts = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._target))
            threading.Thread(target=self._pass, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    def _pass(self, source, sink, answers):
        try:
            while data := source.recv(65536):
                if answers and self._left is not None:
                    self._left -= len(data)
                    if self._left <= 0:
                        self._left = None
                        self.cuts += 1
                        break
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def stop(self):
        self._listener.close()
