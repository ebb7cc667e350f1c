#!/usr/bin/env python3
"""Checks that the rooms of src/ include each other only as declared, and that the declaration has no cycle.

Each room has a module.txt: "uses: base io" lists the rooms whose headers it may include; an optional line
"uses-in-tests: sink" adds rooms for its *_test.cc. Exits with 1 and one line a fault.
"""

import pathlib
import re
import sys

SRC = pathlib.Path(__file__).resolve().parent.parent / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z_]+)/[^"]+"', re.MULTILINE)


def declared(room: pathlib.Path, key: str) -> set[str]:
    for line in (room / "module.txt").read_text().splitlines():
        if line.startswith(key + ":"):
            return set(line.split(":", 1)[1].split())
    return set()


def find_cycle(uses: dict[str, set[str]]) -> list[str]:
    done: set[str] = set()

    def visit(room: str, path: list[str]) -> list[str]:
        if room in path:
            return path[path.index(room):] + [room]
        if room in done:
            return []
        for other in sorted(uses.get(room, ())):
            cycle = visit(other, path + [room])
            if cycle:
                return cycle
        done.add(room)
        return []

    for room in sorted(uses):
        cycle = visit(room, [])
        if cycle:
            return cycle
    return []


def main() -> int:
    rooms = {p.name: p for p in sorted(SRC.iterdir()) if p.is_dir()}
    faults = []
    uses = {}
    for name, room in rooms.items():
        if name == "main":
            continue
        if not (room / "module.txt").exists():
            faults.append(f"src/{name} has no module.txt")
            continue
        if not (room / "README.md").exists():
            faults.append(f"src/{name} has no README.md")
        uses[name] = declared(room, "uses")
        for other in sorted((uses[name] | declared(room, "uses-in-tests")) - rooms.keys()):
            faults.append(f"src/{name}/module.txt names {other}, which is no room")
        for file in sorted(room.rglob("*")):
            if file.suffix not in (".h", ".cc"):
                continue
            allowed = uses[name] | {name}
            if file.name.endswith("_test.cc"):
                allowed |= declared(room, "uses-in-tests")
            for other in sorted(set(INCLUDE.findall(file.read_text())) & rooms.keys() - allowed):
                faults.append(f"src/{name}/{file.name} includes {other}/: not in src/{name}/module.txt")
    cycle = find_cycle(uses)
    if cycle:
        faults.append("the rooms form a cycle: " + " -> ".join(cycle))
    print("\n".join(faults) or f"{len(rooms)} rooms, includes as declared, no cycle")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
