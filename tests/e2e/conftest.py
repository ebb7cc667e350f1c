import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from streams import Work  # noqa: E402


@pytest.fixture
def work(spark, tmp_path):
    return Work(spark, tmp_path)
