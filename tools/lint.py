#!/usr/bin/env python3
"""Runs clang-tidy with the settings of .clang-tidy over the sources, and prints what it finds.

Usage: lint.py BUILD_FOLDER [--tidy PROGRAM] [FILE...]; without files, every source of the compile commands that the
repository holds. A file that was clean is not looked at again until it, a header of the project that it includes, its
command or the settings change. Exits with 1 when anything is found.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# clang cannot read the precompiled headers of GCC, and does not know these warnings.
FOR_GCC = re.compile(r" -Winvalid-pch| -Wno-restrict| -Wno-stringop-overflow| -include \S+cmake_pch\.hxx")


def commands(build: pathlib.Path) -> dict[pathlib.Path, dict]:
    """The compile command of each source in the repository, as clang takes it."""
    out = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        if file.is_relative_to(build) or not file.exists():
            continue
        out[file] = entry | {"command": FOR_GCC.sub("", entry["command"])}
    return out


def parts(file: pathlib.Path, seen: set[pathlib.Path]) -> None:
    """The file and all that it includes of the project."""
    seen.add(file)
    for name in INCLUDE.findall(file.read_text()):
        for folder in (ROOT / "src", ROOT / "tests" / "sim", file.parent):
            header = folder / name
            if header.exists():
                if header not in seen:
                    parts(header, seen)
                break


def fingerprint(file: pathlib.Path, command: str, settings: bytes) -> str:
    files: set[pathlib.Path] = set()
    parts(file, files)
    digest = hashlib.sha256(settings + command.encode())
    for part in sorted(files):
        digest.update(part.read_bytes())
    return digest.hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--tidy", default="clang-tidy")
    options = parser.parse_intermixed_args()

    work = options.build.resolve() / "lint"
    work.mkdir(exist_ok=True)
    known = commands(options.build.resolve())
    (work / "compile_commands.json").write_text(json.dumps(list(known.values())))
    settings = (ROOT / ".clang-tidy").read_bytes()

    def lint(file: pathlib.Path) -> str:
        stamp = work / (str(file.relative_to(ROOT)).replace("/", "+") + ".clean")
        key = fingerprint(file, known[file]["command"], settings)
        if stamp.exists() and stamp.read_text() == key:
            return ""
        run = subprocess.run([options.tidy, "-p", str(work), "--quiet", str(file)], capture_output=True, text=True)
        if run.returncode == 0:
            stamp.write_text(key)
            return ""
        return run.stdout or run.stderr

    files = [file.resolve() for file in options.files] or sorted(known)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lint, files):
            if found:
                failed += 1
                print(found, flush=True)
    print(f"{len(files)} files, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
