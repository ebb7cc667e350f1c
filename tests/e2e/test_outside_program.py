"""A CMake project outside of the repository: it adds the checkout, links one target and compiles with the compiler's defaults."""

import json
import shutil
import subprocess

import pytest
from millstream_server import ROOT


@pytest.mark.timeout(300)
def test_another_project_adds_the_checkout(tmp_path):
    source = shutil.copytree(ROOT / "examples/program", tmp_path / "program")
    build = tmp_path / "build"

    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DMILLSTREAM_CHECKOUT={ROOT}",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    # The public headers need nothing of the build: no generated file, no library's header.
    commands = json.loads((build / "compile_commands.json").read_text())
    command = next(one["command"] for one in commands if one["file"] == str(source / "main.cpp"))
    (build / "CMakeFiles/program.dir").mkdir(parents=True, exist_ok=True)
    run("sh", "-c", f"cd {build} && {command}")
    assert "libms_client.a" in run("ninja", "-C", build, "-t", "query", "program")
    targets = run("ninja", "-C", build, "-t", "targets", "all")
    assert "client_test" not in targets and "bin/flights" not in targets
