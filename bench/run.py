"""Races, one after the other: `run.py [RACE] [ARGUMENTS]`, all of them without a name. See README.md."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent



def start_of(race):
    program, *kind = programs.get(race, [f"{race}.py"])
    return [HERE / program, *kind]


arguments = sys.argv[1:]
races = ["cold", "idle", "heartbeat", "haystack", "drain", "tpch", "upsert", "spill", "interrupt"]
programs = {"tpch": ["tpc_race.py", "tpch"], "tpcds": ["tpc_race.py", "tpcds"]}
if arguments and not arguments[0].startswith("-"):
    races = [arguments.pop(0)]
failed = [race for race in races
          if subprocess.run([sys.executable, *start_of(race), *arguments]).returncode != 0]
sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
