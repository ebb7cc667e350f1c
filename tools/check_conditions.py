#!/usr/bin/env python3
"""A condition is in the catalogue once, and no error message keeps a <placeholder>: where the code raises a condition of the catalogue with the
names of its parameters written out, these are all that the condition's sentence asks for.

Calls whose parameters are not written out in place (passed on, built up) are not looked at."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "src"
SENTENCE = re.compile(r'\{"([A-Z0-9_.]+)",\s*"[^"]*",\s*\w+,\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\}', re.S)
CALL = re.compile(r'(?:Status::error|script_error|parse_condition)\(\s*"([A-Z0-9_.]+)"\s*([,)])')


def catalogue(wrong):
    out = {}
    for path in sorted((ROOT / "base/conditions").glob("*.inc")):
        for name, text in SENTENCE.findall(path.read_text()):
            if name in out:
                wrong.append(f"{path.relative_to(ROOT.parent)}: {name} is in the catalogue twice")
            out[name] = set(re.findall(r"<(\w+)>", text))
    return out


def argument(text, start):
    """The text of the call's arguments from `start` to the bracket that closes the call."""
    depth, i, quoted = 1, start, False
    while i < len(text) and depth:
        c = text[i]
        if quoted:
            i += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        else:
            depth += (c in "({") - (c in ")}")
        i += 1
    return text[start : i - 1]


def given(arguments):
    """The parameters' names when all are written out; None: they are not."""
    arguments = arguments.strip()
    if not arguments:
        return set()
    if not arguments.startswith("{"):
        return None
    names, depth, i = set(), 0, 0
    while i < len(arguments):
        c = arguments[i]
        if c == '"':
            end = i + 1
            while arguments[end] != '"':
                end += 1 + (arguments[end] == "\\")
            if depth == 2 and arguments[:i].rstrip().endswith("{"):
                names.add(arguments[i + 1 : end])
            i = end
        depth += (c in "({") - (c in ")}")
        i += 1
    return names


def main():
    wrong = []
    known = catalogue(wrong)
    for path in sorted(ROOT.rglob("*.cc")):
        text = path.read_text()
        for match in CALL.finditer(text):
            name, after = match.groups()
            line = text.count("\n", 0, match.start()) + 1
            where = f"{path.relative_to(ROOT.parent)}:{line}: {name}"
            if name not in known:
                wrong.append(f"{where} is not in the catalogue")
                continue
            names = set() if after == ")" else given(argument(text, match.end()))
            if names is None or path.name.endswith("_test.cc"):
                continue
            missing = known[name] - names
            if missing:
                wrong.append(f"{where} is raised without {', '.join(sorted(missing))}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
