"""What a server must bear: unknown messages, garbage, half-open connections, large messages, crowds."""

import concurrent.futures
import os
import socket

import grpc
import pyspark.sql.connect.proto as proto
import pytest
from millstream_server import Server
from pyspark.sql import functions as F
from wire import Wire, failure

# Field 1015, a message without content: of no version.
UNKNOWN = bytes([0xBA, 0x3F, 0x00])


@pytest.fixture
def wire(server):
    wire = Wire(server.port)
    yield wire
    wire.close()


def project_of_one_row(wire):
    request = wire.execute_request()
    request.plan.root.project.input.range.end = 1
    request.plan.root.project.input.range.step = 1
    return request


def put_unknown(request, place):
    expressions = request.plan.root.project.expressions
    if place == "relation":
        request.plan.root.MergeFromString(UNKNOWN)
    elif place == "command":
        request.plan.command.MergeFromString(UNKNOWN)
    elif place == "expression":
        expressions.add().MergeFromString(UNKNOWN)
    elif place == "literal":
        expressions.add().literal.MergeFromString(UNKNOWN)
    elif place == "type":
        cast = expressions.add().cast
        cast.expr.literal.integer = 1
        cast.type.MergeFromString(UNKNOWN)


@pytest.mark.parametrize("place", ["relation", "command", "expression", "literal", "type"])
def test_cn13_what_a_newer_client_sends_is_refused_by_its_number(wire, place):
    request = (project_of_one_row if place in ("expression", "literal", "type") else Wire.execute_request)(wire)
    put_unknown(request, place)
    condition, kind, message = failure(lambda: wire.execute(request))
    assert kind == "org.apache.spark.sql.connect.common.InvalidPlanInput"
    assert "field 1015" in message
    if place in ("relation", "command", "expression"):  # real Spark's condition
        assert condition == "CONNECT_INVALID_PLAN.INVALID_ONE_OF_FIELD_NOT_SET"
        assert f"spark.connect.{place.capitalize()}" in message
    assert len(list(wire.execute(wire.range_request(1)))) > 1  # the session goes on


@pytest.mark.parametrize("in_lambda", [False, True])
def test_a_lambda_variable_without_a_name_is_refused(wire, in_lambda):
    request = project_of_one_row(wire)
    expression = request.plan.root.project.expressions.add()
    if in_lambda:
        call = expression.unresolved_function
        call.function_name = "transform"
        call.arguments.add().expression_string.expression = "array(id)"
        function = call.arguments.add().lambda_function
        function.arguments.add().name_parts.append("x")
        expression = function.function
    expression.unresolved_named_lambda_variable.SetInParent()
    assert failure(lambda: wire.execute(request))[0] == "CONNECT_INVALID_PLAN.FIELD_CANNOT_BE_EMPTY"
    assert len(list(wire.execute(wire.range_request(1)))) > 1


def test_cn13_a_plan_without_content(wire):
    condition, _, message = failure(lambda: wire.execute(wire.execute_request()))
    assert condition == "CONNECT_INVALID_PLAN.INVALID_ONE_OF_FIELD_NOT_SET"
    assert "OPTYPE_NOT_SET" in message


@pytest.mark.parametrize("name", ["ms_select", "ms_row", "ms_within_group", "MS_LIMIT", "builtin.ms_filter"])
def test_a_clients_plan_holds_none_of_the_parsers_own_calls(wire, name):
    request = project_of_one_row(wire)
    request.plan.root.project.expressions.add().unresolved_function.function_name = name
    assert failure(lambda: wire.execute(request))[0] == "UNRESOLVED_ROUTINE"
    request = wire.execute_request()
    request.plan.root.sql.query = f"select {name}(id) from range(1)"
    assert failure(lambda: wire.execute(request))[0] == "UNRESOLVED_ROUTINE"


@pytest.mark.parametrize("part", ["filter", "sort", "join", "alias", "cast", "window"])
def test_parts_that_are_missing_are_named(wire, part):
    request = project_of_one_row(wire)
    if part in ("filter", "sort", "join"):
        getattr(request.plan.root, part).SetInParent()
    else:
        getattr(request.plan.root.project.expressions.add(), part).SetInParent()
    condition, _, message = failure(lambda: wire.execute(request))
    assert condition == "CONNECT_INVALID_PLAN.INVALID_ONE_OF_FIELD_NOT_SET", message


def test_text_that_is_not_utf8_is_refused_and_nothing_is_logged_of_it():
    server = Server()
    wire = Wire(server.port)
    request = wire.execute_request()
    request.plan.root.sql.query = "select 'abcdefgh'"
    raw = request.SerializeToString().replace(b"abcdefgh", b"abc\xff\xfefgh")
    call = wire.channel.unary_stream("/spark.connect.SparkConnectService/ExecutePlan",
                                     response_deserializer=proto.ExecutePlanResponse.FromString)
    with pytest.raises(grpc.RpcError):
        list(call(raw))
    assert len(list(wire.execute(wire.range_request(1)))) > 1
    wire.close()
    server.stop()
    assert "libprotobuf" not in server.output()


def test_an_operation_id_that_is_no_uuid(wire):
    assert failure(lambda: wire.execute(wire.range_request(1, operation_id="x")))[0] == "INVALID_HANDLE.FORMAT"


@pytest.mark.parametrize("data", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", os.urandom(4096),
                                  b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + os.urandom(512)],
                         ids=["http1", "tls", "noise", "noise after the preface"])
def test_garbage_on_the_port(server, wire, data):
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port)) as s:
            try:
                s.sendall(data)
            except OSError:  # the server has closed it
                pass
    assert wire.version()


def test_half_open_connections(server, wire):
    crowd = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
    for s in crowd[::2]:
        s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    assert wire.version()
    assert len(list(wire.execute(wire.range_request(10)))) > 1
    for s in crowd:
        s.close()


def test_a_message_that_is_too_large():
    server = Server(extra=["--conf", "spark.connect.grpc.maxInboundMessageSize=1m"])
    wire = Wire(server.port)
    request = wire.mine(proto.ConfigRequest())
    request.operation.set.pairs.add(key="a", value="x" * (2 << 20))
    with pytest.raises(grpc.RpcError) as error:
        wire.stub.Config(request)
    assert error.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert wire.version()
    server.stop()


def test_a_hundred_sessions_of_ten_queries_each(server):
    def client(number):
        session = server.session()
        try:
            session.range(number).createOrReplaceTempView("v")
            frame = session.table("v").withColumn("x", F.col("id") * 2)
            return [frame.filter(f"id >= {i}").count() for i in range(10)]
        finally:
            session.stop()

    def crowd():
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            return list(pool.map(client, range(100)))

    expected = [[max(0, number - i) for i in range(10)] for number in range(100)]
    assert crowd() == expected
    before = server.rss_bytes()
    assert crowd() == expected
    assert server.rss_bytes() - before < 48 << 20
