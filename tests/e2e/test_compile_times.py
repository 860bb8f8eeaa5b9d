"""The limit of the processor time of a compilation, with a compiler that takes a known time."""

import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
BUSY = "import time\nwhile time.process_time() < 0.5: pass\n"


def check(folder, most):
    return subprocess.run([sys.executable, TOP / "tests/compile_times.py", folder, str(most)], text=True,
                          capture_output=True)


def test_an_object_above_the_limit_is_named(tmp_path):
    def compile(name, program):
        return subprocess.run([TOP / "tools/log-compile-time", sys.executable, "-c", program, "-o", tmp_path / name]).returncode

    assert "no compilation was timed" in check(tmp_path, 1).stderr
    assert compile("busy.o", BUSY) == 0 and compile("asleep.o", "import time; time.sleep(0.7)") == 0
    assert check(tmp_path, 5).returncode == 0
    done = check(tmp_path, 0.4)
    assert done.returncode == 1 and done.stderr.count(" s: ") == 1 and done.stderr.endswith(" s: busy.o\n")
    assert compile("wrong.o", "raise SystemExit(3)") == 3  # the compiler's exit code
