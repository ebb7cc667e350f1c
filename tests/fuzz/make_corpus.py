#!/usr/bin/env python3
"""usage: make_corpus.py FOLDER: the SQL texts of the conformance cases, a file each, as seeds for fuzzing."""

import ast
import hashlib
import pathlib
import re
import sys

CASES = pathlib.Path(__file__).resolve().parent.parent / "conformance/cases"
STATEMENT = re.compile(r"\s*(select|with|values|from|table|create|insert|alter|drop|show|describe|set|explain|declare)\b",
                       re.IGNORECASE)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for file in sorted(CASES.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            text = node.value
            if not STATEMENT.match(text):
                text = "select " + text + " from t"
            if 10 < len(text) < 2000:
                data = text.encode(errors="replace")
                (folder / hashlib.sha1(data).hexdigest()[:16]).write_bytes(data)


if __name__ == "__main__":
    main()
