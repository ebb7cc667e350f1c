"""Events of orders as a shop's systems send them: many changes an order, out of order, twice, and some of them broken.

usage: python examples/orders/events.py FOLDER [--orders N] [--files N]

Writes FOLDER/landing/*.json, one event a line; FOLDER is emptied first. The same arguments give the same bytes.
"""

import argparse
import json
import os
import pathlib
import random
import shutil

STATUSES = ["placed", "paid", "packed", "shipped", "delivered"]
BROKEN = ['{"order_id": 17, "status": "paid"', "null and void", '{"status":"paid","amount":"1.00","updated_at":"2024-01-01T00:00:00Z"}',
          '{"order_id":1,"status":"paid","amount":"many","updated_at":"2024-01-01T00:00:00Z"}',
          '{"order_id":1,"status":"paid","amount":"-5.00","updated_at":"2024-01-01T00:00:00Z"}',
          '{"order_id":1,"status":"paid","amount":"5.00","updated_at":"yesterday"}']


def events(orders, rand):
    """The lines, in the order of their arrival."""
    lines, second = [], 0
    for order in range(orders):
        amount = f"{rand.randrange(100, 100_000) / 100:.2f}"
        for status in STATUSES[:rand.randrange(1, len(STATUSES) + 1)]:
            second += 1  # no two events of one order have the same time
            at = f"2024-01-{1 + second // 86400:02}T{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}Z"
            line = json.dumps({"order_id": order, "status": status, "amount": amount, "updated_at": at})
            lines += [line] * (2 if rand.random() < 0.1 else 1)
            if rand.random() < 0.02:
                lines.append(rand.choice(BROKEN))
    # Late by up to some hundred events.
    return [line for _, line in sorted((i + rand.randrange(300), line) for i, line in enumerate(lines))]


def land(folder, name, lines):
    """As a careful producer does: under a hidden name, then renamed."""
    hidden = folder / f".{name}.part"
    hidden.write_text("".join(line + "\n" for line in lines))
    hidden.rename(folder / name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--orders", type=int, default=20_000)
    parser.add_argument("--files", type=int, default=40)
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    landing = options.folder / "landing"
    os.makedirs(landing)
    lines = events(options.orders, random.Random(7))
    share = -(-len(lines) // options.files)
    for i in range(options.files):
        land(landing, f"{i:05}.json", lines[i * share:(i + 1) * share])
    print(f"{len(lines)} events of {options.orders} orders in {options.files} files")


if __name__ == "__main__":
    main()
