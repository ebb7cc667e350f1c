"""Computes silver and the dead-letter table anew, in plain Python from the landed files, and compares.

usage: python examples/orders/check.py FOLDER
"""

import collections
import datetime
import decimal
import json
import pathlib
import sys

import deltalake


def read_line(line):
    """(reason, None) or (None, event)."""
    try:
        event = json.loads(line)
    except ValueError:
        return "no event", None
    if not isinstance(event, dict) or event.get("status") is None:
        return "no event", None
    if event.get("order_id") is None:
        return "no order_id", None
    try:
        amount = decimal.Decimal(event["amount"])
    except (decimal.InvalidOperation, KeyError):
        return "bad amount", None
    if amount < 0:
        return "bad amount", None
    try:
        at = datetime.datetime.fromisoformat(event["updated_at"].replace("Z", "+00:00"))
    except (ValueError, KeyError):
        return "bad updated_at", None
    return None, (event["order_id"], event["status"], amount, at)


def expected(folder):
    silver, dead = {}, collections.Counter()
    for path in sorted((folder / "landing").glob("*.json")):
        for line in path.read_text().splitlines():
            reason, event = read_line(line)
            if reason:
                dead[(line, reason, path.name)] += 1
            elif event[0] not in silver or silver[event[0]][3] < event[3]:
                silver[event[0]] = event
    return collections.Counter(silver.values()), dead


def rows(folder, name, columns):
    table = deltalake.DeltaTable(str(folder / name)).to_pyarrow_table()
    return collections.Counter(zip(*(table[column].to_pylist() for column in columns)))


def differences(folder):
    """Texts; none: the tables are right."""
    silver, dead = expected(folder)
    found = []
    for name, want, columns in (("silver", silver, ("order_id", "status", "amount", "updated_at")),
                                ("dead_letter", dead, ("line", "reason", "file"))):
        have = rows(folder, name, columns)
        for kind, wrong in (("missing", want - have), ("too many", have - want)):
            if wrong:
                found.append(f"{name}: {sum(wrong.values())} rows {kind}, first {next(iter(wrong))}")
    return found


if __name__ == "__main__":
    result = differences(pathlib.Path(sys.argv[1]))
    print("\n".join(result) or "silver and dead_letter equal a recomputation from the files")
    sys.exit(1 if result else 0)
