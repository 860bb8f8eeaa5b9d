"""Long work shows its progress on a terminal, and clears the line at the end. A file contains no progress."""

import os
import pty
import re
import signal
import subprocess
import threading
import time

import pytest

WORK = "i=0; while [ $i -lt 6000 ]; do i=$((i+1)); done"  # a second in the simulator
CLEAR = "\r\x1b[K"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("progress")


@pytest.fixture(scope="module")
def trace(atoll, folder):
    path = folder / "t"
    atoll("trace", "--timed", "--frontend", "dbi", "-o", path, "--", "sh", "-c", WORK)
    return path


def slow_down(running, share):
    """Lets the process run for a share of the time, so that short work takes more than a second."""
    while running.poll() is None:
        for signal_, seconds in ((signal.SIGSTOP, 0.1 * (1 - share)), (signal.SIGCONT, 0.1 * share)):
            running.send_signal(signal_)
            time.sleep(seconds)


def on_a_terminal(call, share=1.0):
    """Standard error of a call, which is a terminal there. The call runs for a share of the time."""
    own, terminal = pty.openpty()
    with subprocess.Popen([str(word) for word in call], stdout=subprocess.DEVNULL, stderr=terminal) as running:
        os.close(terminal)
        if share < 1:
            threading.Thread(target=slow_down, args=(running, share)).start()
        shown = b""
        try:
            while part := os.read(own, 4096):
                shown += part
        except OSError:  # the terminal is closed
            pass
    os.close(own)
    assert running.returncode == 0, shown
    return shown.decode()


def steps_of(shown, what):
    """The texts of the line that begin with `what`. Its last drawing is cleared."""
    parts = re.split(r"\r\x1b\[K|\r\n", shown)
    steps = [part for part in parts if part.startswith(what[:60])]
    assert steps, shown
    assert shown[shown.rindex(steps[-1]) + len(steps[-1]):].startswith(CLEAR)
    return steps


def is_silent_in_a_file(call):
    done = subprocess.run([str(word) for word in call], capture_output=True, check=True)
    return b"\r" not in done.stderr and b"\x1b" not in done.stderr


def test_simulation_of_a_trace(atoll, trace):
    call = [atoll.program, "simulate", "--machine", "xeon-2x10", trace]
    shown = on_a_terminal(call)
    assert f"reading {trace}"[:60] in shown and " %" in shown
    assert shown.endswith(CLEAR)
    assert subprocess.run([str(word) for word in call], capture_output=True, text=True, check=True).stderr == ""


def test_building_of_graphs(atoll, folder):
    made, out = folder / "made.atoll", folder / "out.atoll"
    generate = [atoll.program, "graph", "generate", "rmat", "--scale", "17", "-o", made]
    assert steps_of(on_a_terminal(generate, share=0.1), "building the graph: ")[0].endswith(": 1 s")
    assert is_silent_in_a_file(generate)
    atoll("graph", "generate", "rmat", "--scale", "18", "-o", made)
    atoll("graph", "convert", made, "--directions", "out", "-o", out)
    convert = [atoll.program, "graph", "convert", out, "-o", made]
    assert steps_of(on_a_terminal(convert, share=0.03), "building the in-edges: ")
    assert is_silent_in_a_file(convert)


def test_building_of_a_graph_from_text(atoll, folder):
    text, graph = folder / "edges.el", folder / "graph.atoll"
    atoll("graph", "generate", "uniform", "--scale", "16", "--edge-factor", "8", "-o", text)
    convert = [atoll.program, "graph", "convert", text, "--relabel", "-o", graph]
    assert steps_of(on_a_terminal(convert, share=0.1), f"building the graph of {text}")
    assert is_silent_in_a_file(convert)


def test_partitioning(atoll, folder):
    graph, schedule = folder / "tasks.atoll", folder / "tasks.schedule"
    atoll("graph", "generate", "uniform", "--scale", "13", "-o", graph)
    call = [atoll.program, "schedule", graph, "--machine", "xeon-2x10", "-o", schedule]
    steps = steps_of(on_a_terminal(call, share=0.1), "dividing 8,192 tasks among 20 threads (METIS, greedy): ")
    assert steps[0].endswith(": 1 s")
    assert is_silent_in_a_file(call)


def test_the_end_of_a_profile(atoll, programs, folder):
    program = programs("touches", """
        int main(void) {
          volatile char* memory = malloc(128 << 20);
          for (int i = 0; i < 128 << 20; i += 32) memory[i] = 1;
          return 0;
        }""")
    profile = folder / "touches.profile"
    call = [atoll.program, "profile", "--frontend", "dbi", "-o", profile, "--", program]
    shown = on_a_terminal(call, share=0.05)
    assert steps_of(shown, f"reading the recording of {program}")
    assert steps_of(shown, f"writing and analysing {profile}")
    assert f"atoll: {profile} written" in shown.replace("\r\n", "\n")
    assert is_silent_in_a_file(call)


def test_simulation_of_a_command(atoll):
    call = [atoll.program, "simulate", "--machine", "xeon-2x10", "--", "sh", "-c", WORK]
    steps = steps_of(on_a_terminal(call), "simulating sh: ")
    times = [step.removeprefix("simulating sh: ") for step in steps]
    assert all(re.fullmatch(r"[\d.]+ (us|ms|s) simulated", time) for time in times), times
    assert times[0] != times[-1]
    assert is_silent_in_a_file(call)
