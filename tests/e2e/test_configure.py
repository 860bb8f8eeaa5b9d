"""Configuring: the compiler's launcher."""

import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


def configure(folder, *options, check=True, **environment):
    """Configures the library alone, with these variables and without a launcher of the caller's environment."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_COMPILER_LAUNCHER")}
    done = subprocess.run([TOP / "tools/build", folder, "-DATOLL_TESTS=OFF", "-DATOLL_BENCH=OFF", *options,
                           "--configure-only"], text=True, capture_output=True, cwd=TOP, env=dict(kept, **environment))
    assert not check or done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("options, used", [([], True), (["-DCMAKE_CXX_COMPILER_LAUNCHER=env"], False),
                                           (["-DCMAKE_CXX_COMPILER_LAUNCHER="], False)])
def test_ccache_is_used_unless_a_launcher_is_set(tmp_path, options, used):
    ccache = tmp_path / "bin/ccache"
    ccache.parent.mkdir()
    ccache.write_text("#!/bin/sh\nexec \"$@\"\n")
    ccache.chmod(0o755)
    configure(tmp_path / "build", *options, PATH=f"{ccache.parent}:{os.environ['PATH']}")
    commands = subprocess.run(["ninja", "-C", tmp_path / "build", "-t", "commands", "atoll"], text=True, check=True,
                              capture_output=True).stdout
    compilations = [line for line in commands.splitlines() if line.endswith("src/base/error.cpp")]
    assert compilations and all((str(ccache) in line) == used for line in compilations)
