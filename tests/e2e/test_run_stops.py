"""A run ends within a second after Ctrl-C and after its time limit, with one line, and writes no file."""

import os
import signal
import subprocess
import time

import pytest

NOTHING = ["int=0", "long=0", "float=0", "double=0", "bool=False", "node=NIL", "edge=NIL"]


@pytest.fixture
def start(build, tmp_path):
    (tmp_path / "g.el").write_text("0 1\n")

    def call(spin, *options, **more):
        words = [w for argument in [*NOTHING, f"spin={spin}"] for w in ("--arg", argument)]
        return subprocess.Popen([build / "tests/atoll_echo", "--graph", tmp_path / "g.el", *words, "--save",
                                 f"degree={tmp_path}/degree", *options],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    return call


def ended(process, tmp_path):
    """Waits until a run ends, within a second and with one line on standard error, which is returned. It must
    not leave other output or files."""
    start = time.monotonic()
    out, said = process.communicate(timeout=60)
    assert time.monotonic() - start < 1
    assert out == "" and len(said.splitlines()) == 1
    assert os.listdir(tmp_path) == ["g.el"]
    return said


@pytest.mark.parametrize("spin", [1, 2], ids=["one thread", "parallel loops"])
def test_an_interrupted_run(start, tmp_path, spin):
    process = start(spin)
    time.sleep(1)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert "interrupted" in ended(process, tmp_path)
    assert process.returncode == 130


@pytest.mark.parametrize("spin", [1, 2], ids=["one thread", "parallel loops"])
def test_a_run_beyond_its_limit(start, tmp_path, spin):
    began = time.monotonic()
    process = start(spin, "--time-limit", "1.5")
    while process.poll() is None and time.monotonic() < began + 30:
        time.sleep(0.02)
    assert 1.5 <= time.monotonic() - began < 2.5
    assert "took longer than 1.5 s" in ended(process, tmp_path)
    assert process.returncode == 124


def test_a_run_within_its_limit(start, tmp_path):
    process = start(0, "--time-limit", "30")
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert sorted(os.listdir(tmp_path)) == ["degree", "g.el"]


def test_an_ignored_interrupt_stays_ignored(start, tmp_path):
    """A shell's background job ignores SIGINT."""
    process = start(1, "--time-limit", "2", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    process.communicate(timeout=60)
    assert process.returncode == 124
