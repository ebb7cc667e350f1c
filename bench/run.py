"""Races, one after the other: `run.py [RACE] [ARGUMENTS]`, all of them without a name. See README.md."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

arguments = sys.argv[1:]
races = ["cold", "idle", "heartbeat", "haystack", "drain"]
if arguments and not arguments[0].startswith("-"):
    races = [arguments.pop(0)]
failed = [race for race in races
          if subprocess.run([sys.executable, HERE / f"{race}.py", *arguments]).returncode != 0]
sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
