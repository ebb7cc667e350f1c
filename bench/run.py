"""All races, one after the other: `make bench`. Extra arguments go to each. See README.md."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

failed = [race for race in ("cold", "heartbeat", "drain")
          if subprocess.run([sys.executable, HERE / f"{race}.py", *sys.argv[1:]]).returncode != 0]
sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
