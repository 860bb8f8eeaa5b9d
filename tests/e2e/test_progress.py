"""Long work shows its progress on a terminal, and clears the line at the end. A file contains no progress."""

import os
import pty
import subprocess

import pytest

WORK = "i=0; while [ $i -lt 6000 ]; do i=$((i+1)); done"  # a second in the simulator


@pytest.fixture(scope="module")
def trace(atoll, tmp_path_factory):
    path = tmp_path_factory.mktemp("trace") / "t"
    atoll("trace", "--timed", "--frontend", "dbi", "-o", path, "--", "sh", "-c", WORK)
    return path


def on_a_terminal(call):
    """Returns the standard error of a call for which it is a terminal."""
    own, terminal = pty.openpty()
    with subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=terminal) as running:
        os.close(terminal)
        shown = b""
        try:
            while part := os.read(own, 4096):
                shown += part
        except OSError:  # the other end of the terminal is closed
            pass
    os.close(own)
    assert running.returncode == 0
    return shown.decode()


def test_simulation_of_a_trace(atoll, trace):
    call = [str(atoll.program), "simulate", "--machine", "xeon-2x10", str(trace)]
    shown = on_a_terminal(call)
    assert f"reading {trace}"[:60] in shown and " %" in shown
    assert shown.endswith("\r\x1b[K")
    assert subprocess.run(call, capture_output=True, text=True, check=True).stderr == ""
