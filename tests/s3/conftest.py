import pathlib
import sys
import uuid

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from millstream_server import Server  # noqa: E402
from store import Store, environment, storage_options  # noqa: E402


@pytest.fixture(scope="session")
def store():
    running = Store()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def server(store):
    """In the place of the server of all tests: one that knows the store."""
    running = Server(env=environment(store.endpoint))
    yield running
    running.stop()


@pytest.fixture
def bucket(store):
    """The name of a bucket of the test's own."""
    name = "test-" + uuid.uuid4().hex
    store.client().create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    return name


@pytest.fixture
def options(store):
    return storage_options(store.endpoint)


@pytest.fixture
def keys(store, bucket):
    """Lists the keys of the test's bucket below a prefix."""
    def list_keys(prefix=""):
        pages = store.client().get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    return list_keys
