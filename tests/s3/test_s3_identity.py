"""Credentials that are not given but asked for: a profile, a container, a role, the machine's own."""

import datetime
import http.server
import json
import threading

import pytest

from millstream_server import Server
from store import KEY, REGION, SECRET, Proxy


class Giver:
    """Gives credentials as Amazon's services do; `lease` seconds long. The key tells how often it was asked."""

    def __init__(self, lease=3600):
        self.asked = []
        giver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def answer(self, text):
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def do_PUT(self):
                giver.asked.append(("PUT", self.path, dict(self.headers)))
                self.answer("a-token")

            def do_GET(self):
                giver.asked.append(("GET", self.path, dict(self.headers)))
                if self.path.endswith("/security-credentials/"):
                    return self.answer("the-role")
                end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=lease)
                self.answer(json.dumps({"AccessKeyId": f"{KEY}{len(giver.asked)}", "SecretAccessKey": SECRET, "Token": "t/=",
                                        "Expiration": end.strftime("%Y-%m-%dT%H:%M:%SZ")}))

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def begin(store):
    """A server that has the environment given and no other way to credentials."""
    running = []

    def start(endpoint=None, extra=(), **env):
        bare = {"AWS_ENDPOINT_URL_S3": endpoint or store.endpoint, "AWS_REGION": REGION, "AWS_ACCESS_KEY_ID": "",
                "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
                "AWS_EC2_METADATA_DISABLED": "true"}
        server = Server(extra=extra, env={**bare, **env})
        running.append(server)
        return server.session()

    yield start
    for server in running:
        server.stop()


def write_and_read(session, bucket):
    path = f"s3://{bucket}/t"
    session.range(2).write.format("delta").mode("append").save(path)
    return session.read.format("delta").load(path).count()


def test_a_profile(begin, bucket, tmp_path):
    (tmp_path / "credentials").write_text(f"[work]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n")
    session = begin(AWS_PROFILE="work", AWS_SHARED_CREDENTIALS_FILE=str(tmp_path / "credentials"))
    assert write_and_read(session, bucket) == 2


def test_a_container(begin, bucket, store):
    giver, proxy = Giver(), Proxy(store)
    keys = []
    proxy.see = lambda headers: keys.append((headers["authorization"].split("Credential=")[1].split("/")[0],
                                             headers.get("x-amz-security-token")))
    session = begin(proxy.endpoint, AWS_CONTAINER_CREDENTIALS_FULL_URI=giver.url + "/creds",
                    AWS_CONTAINER_AUTHORIZATION_TOKEN="let me in")
    try:
        assert write_and_read(session, bucket) == 2
        assert [(method, path, headers["authorization"]) for method, path, headers in giver.asked] == [
            ("GET", "/creds", "let me in")]
        assert set(keys) == {(KEY + "1", "t/=")}
    finally:
        giver.stop()
        proxy.stop()


def test_leases_are_renewed(begin, bucket):
    giver = Giver(lease=60)  # less than what is left when they are renewed
    try:
        session = begin(AWS_CONTAINER_CREDENTIALS_FULL_URI=giver.url + "/creds")
        assert write_and_read(session, bucket) == 2
        assert len(giver.asked) > 1
    finally:
        giver.stop()


def test_keys_that_are_over_are_asked_for_anew(begin, bucket, store):
    over = ["expired"]
    giver, proxy = Giver(), Proxy(store, lambda method, target, number: over.pop() if over and method == "GET" else None)
    try:
        session = begin(proxy.endpoint, AWS_CONTAINER_CREDENTIALS_FULL_URI=giver.url + "/creds")
        assert write_and_read(session, bucket) == 2
        assert len(giver.asked) == 2
    finally:
        giver.stop()
        proxy.stop()


def test_the_machines_role(begin, bucket):
    giver = Giver()
    try:
        session = begin(AWS_EC2_METADATA_DISABLED="false", AWS_EC2_METADATA_SERVICE_ENDPOINT=giver.url)
        assert write_and_read(session, bucket) == 2
        assert [path for _, path, _ in giver.asked] == [
            "/latest/api/token", "/latest/meta-data/iam/security-credentials/",
            "/latest/meta-data/iam/security-credentials/the-role"]
        assert all(headers.get("x-aws-ec2-metadata-token") == "a-token" for _, _, headers in giver.asked[1:])
    finally:
        giver.stop()


def test_a_role_of_kubernetes(begin, bucket, store, tmp_path):
    (tmp_path / "token").write_text("some.web.token\n")
    session = begin(AWS_WEB_IDENTITY_TOKEN_FILE=str(tmp_path / "token"), AWS_ENDPOINT_URL_STS=store.endpoint,
                    AWS_ROLE_ARN="arn:aws:iam::123456789012:role/lake")
    assert write_and_read(session, bucket) == 2


def test_nobody(begin, bucket, store):
    session = begin(extra=["--conf", "spark.hadoop.fs.s3a.aws.credentials.provider="
                                     "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"])
    store.client().put_object(Bucket=bucket, Key="open.json", Body=b'{"k": 1}')
    store.client().put_object_acl(Bucket=bucket, Key="open.json", ACL="public-read")
    assert session.read.schema("k INT").json(f"s3a://{bucket}/open.json").count() == 1
