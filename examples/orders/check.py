"""Computes silver and the dead-letter table anew, in plain Python from the landed files, and compares; gold is compared with
silver, and with what another Delta reader sees in silver's change data feed.

usage: python examples/orders/check.py FOLDER
"""

import collections
import datetime
import decimal
import json
import pathlib
import sys

import deltalake
import pyarrow


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


def totals(orders):
    """(status, how many, worth) of (status, amount, sign)."""
    found = collections.defaultdict(lambda: [0, decimal.Decimal(0)])
    for status, amount, sign in orders:
        found[status][0] += sign
        found[status][1] += amount * sign
    return collections.Counter((status, count, worth) for status, (count, worth) in found.items())


def replayed(folder):
    """The totals that the change data feed of silver gives."""
    changes = deltalake.DeltaTable(str(folder / "silver")).load_cdf(starting_version=0)
    table = pyarrow.table(changes)
    return totals((status, amount, 1 if kind in ("insert", "update_postimage") else -1)
                  for status, amount, kind in zip(*(table[name].to_pylist() for name in ("status", "amount", "_change_type"))))


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
    gold = collections.Counter({row: n for row, n in rows(folder, "gold", ("status", "orders", "amount")).items() if row[1] != 0})
    for name, want in (("silver", totals((status, amount, 1) for _, status, amount, _ in silver)), ("its change data feed", replayed(folder))):
        want = collections.Counter({row: n for row, n in want.items() if row[1] != 0})
        if gold != want:
            found.append(f"gold is not what {name} says: {sorted(gold)}, not {sorted(want)}")
    return found


if __name__ == "__main__":
    result = differences(pathlib.Path(sys.argv[1]))
    print("\n".join(result) or "silver and dead_letter equal a recomputation from the files, gold a replay of silver's changes")
    sys.exit(1 if result else 0)
