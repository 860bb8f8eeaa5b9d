"""`atoll simulate` of a program that runs meanwhile, on a computer that lets threads wait for processors: simulated time
decides who takes which work, never the computer. So the result is the same, to the byte."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

PAGERANK = "apps/greenmarl/pagerank.gm"
THREADS = 16


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """Some nodes have many edges, so that threads help each other."""
    file = tmp_path_factory.mktemp("graph") / "uneven.el"
    file.write_text("".join(f"{i} {(i * 7 + k * k) % 600}\n" for i in range(600) for k in range(1 + 40 * (i % 50 == 0))))
    return file


@pytest.fixture(scope="module")
def call(atoll, source, graph):
    return [atoll.program, "simulate", "--machine", "opteron-8x8", "--threads", THREADS, "--no-interval", "--json",
            source / PAGERANK, "--graph", graph, "--arg", "e=0", "--arg", "d=0.85", "--arg", "max=2"]


@pytest.fixture(scope="module")
def environment(atoll):
    """Where compiled programs are kept; and the same stack each time."""
    return dict(os.environ, XDG_CACHE_HOME=str(atoll.cache))


@pytest.fixture(scope="module")
def quiet(call, environment):
    return run(call, environment)


def run(call, environment, meanwhile=lambda process: None):
    process = subprocess.Popen(list(map(str, call)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    try:
        meanwhile(process)
        result, said = process.communicate(timeout=200)
    finally:
        process.kill()
    assert process.returncode == 0, said.decode()
    return result


def program_of(process):
    """The process that `atoll` has started and runs THREADS threads; None: there is none."""
    for children in Path(f"/proc/{process.pid}/task").glob("*/children"):
        try:
            for child in children.read_text().split():
                if len(os.listdir(f"/proc/{child}/task")) >= THREADS:
                    return int(child)
        except OSError:
            continue
    return None


def test_a_program_that_stands_still_now_and_then(call, environment, quiet):
    # All threads are stopped at any moment, some of them on their way to what others wait for.
    moments = random.Random(4)

    def stop_and_go(process):
        stops = 0
        while process.poll() is None:
            if (program := program_of(process)) is None:
                time.sleep(0.001)
                continue
            try:
                os.kill(program, signal.SIGSTOP)
                time.sleep(3 if stops == 10 else 0.03)
                os.kill(program, signal.SIGCONT)
            except ProcessLookupError:
                continue
            stops += 1
            time.sleep(moments.uniform(0.001, 0.03))
        assert stops > 20

    assert run(call, environment, stop_and_go) == quiet
