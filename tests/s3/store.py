"""A store that speaks S3 on this machine's loopback, and a proxy before it that fails on purpose."""

import http.client
import http.server
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import boto3
import botocore.auth
import botocore.awsrequest
import botocore.config
import botocore.credentials

from millstream_server import free_port

KEY, SECRET, REGION = "AKIAMILLSTREAM", "secret/of+the=tests", "eu-central-1"


class Store:
    """A moto server; known by its process id."""

    def __init__(self):
        self.port = free_port()
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from moto.server import main; main()", "-H", "127.0.0.1", "-p", str(self.port)],
            stdout=self.log, stderr=subprocess.STDOUT, env={**os.environ, "MOTO_S3_DEFAULT_KEY_BUFFER_SIZE": "268435456"})
        deadline = time.monotonic() + 60
        while True:
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the moto server does not start")
            time.sleep(0.05)

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    def client(self):
        return boto3.client("s3", endpoint_url=self.endpoint, region_name=REGION, aws_access_key_id=KEY,
                            aws_secret_access_key=SECRET,
                            config=botocore.config.Config(s3={"addressing_style": "path"}))

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


def environment(endpoint):
    """What a server is told by its environment."""
    return {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION,
            "AWS_ENDPOINT_URL_S3": endpoint, "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
            "AWS_EC2_METADATA_DISABLED": "true"}


def storage_options(endpoint):
    """The same for deltalake."""
    return {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION,
            "AWS_ENDPOINT_URL": endpoint, "AWS_ALLOW_HTTP": "true", "aws_conditional_put": "etag"}


def expected_signature(method, target, headers, body):
    """The header Authorization as botocore would make it for the same request."""
    path, _, query = target.partition("?")
    named = headers["authorization"].split("SignedHeaders=")[1].split(",")[0].split(";")
    request = botocore.awsrequest.AWSRequest(
        method=method, url=f"http://{headers['host']}{path}", data=body,
        params=dict(urllib.parse.parse_qsl(query, keep_blank_values=True)),
        headers={name: headers[name] for name in named if name not in ("host", "x-amz-date")})
    request.context["timestamp"] = headers["x-amz-date"]
    signer = botocore.auth.S3SigV4Auth(botocore.credentials.Credentials(KEY, SECRET), "s3", REGION)
    if "X-Amz-Date" not in request.headers:
        request.headers["X-Amz-Date"] = headers["x-amz-date"]
    text = signer.string_to_sign(request, signer.canonical_request(request))
    return signer.signature(text, request)


class Proxy:
    """Hands requests on to the store. `choose(method, target, number)` names what befalls one: "" or None (nothing),
    "503", "500", "drop" (no answer, nothing done), "lost" (done, but no answer), "cut" (half of the answer), "slow",
    "expired" (the credentials are over), "short" (half of the answer, as if that were all), "garbage" (something else), "unconditional" (conditions are
    ignored)."""

    def __init__(self, store, choose=None, check_signatures=False):
        self.store = store
        self.choose = choose or (lambda method, target, number: None)
        self.check_signatures = check_signatures
        self.see = lambda headers: None
        self.faults, self.requests, self.wrong = [], [], []
        self.lock = threading.Lock()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_):
                pass

            def do(self):
                proxy.serve(self)

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = do

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def serve(self, handler):
        body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.see(headers)
        with self.lock:
            number = len(self.requests)
            self.requests.append((handler.command, handler.path))
            fault = self.choose(handler.command, handler.path, number)
            if fault:
                self.faults.append((fault, handler.command, handler.path))
        if self.check_signatures:
            mine = expected_signature(handler.command, handler.path, headers, body)
            if not headers.get("authorization", "").endswith("Signature=" + mine):
                self.wrong.append((handler.command, handler.path))
        if fault == "drop":
            handler.close_connection = True
            return
        if fault in ("500", "503"):
            text = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
            return answer(handler, int(fault), {"Content-Type": "application/xml"}, text)
        if fault == "expired":
            return answer(handler, 400, {}, b"<Error><Code>ExpiredToken</Code></Error>")
        if fault == "slow":
            time.sleep(1.5)
        if fault == "unconditional":
            headers.pop("if-none-match", None)
        upstream = http.client.HTTPConnection("127.0.0.1", self.store.port, timeout=60)
        try:
            upstream.request(handler.command, handler.path, body,
                             {k: v for k, v in headers.items() if k not in ("connection", "content-length")})
            reply = upstream.getresponse()
            content = reply.read()
        finally:
            upstream.close()
        if fault == "lost":
            handler.close_connection = True
            return
        if fault == "short":
            content = content[:len(content) // 2]
        if fault == "garbage":
            content = os.urandom(len(content))
        answer(handler, reply.status, dict(reply.getheaders()), content, cut=fault == "cut")


def answer(handler, status, headers, content, cut=False):
    handler.send_response_only(status)
    for name, value in headers.items():
        if name.lower() not in ("content-length", "transfer-encoding", "connection"):
            handler.send_header(name, value)
    length = headers.get("Content-Length") if handler.command == "HEAD" else None
    if status != 204:
        handler.send_header("Content-Length", length or str(len(content)))
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(content[:len(content) // 2] if cut else content)
    if cut:
        handler.wfile.flush()
        handler.close_connection = True


def some_of(kinds, percent, seed):
    """A chooser: so many of a hundred requests meet with one of these faults."""
    rand = random.Random(seed)
    return lambda method, target, number: rand.choice(kinds) if rand.randrange(100) < percent else None
