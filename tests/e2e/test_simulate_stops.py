"""`atoll simulate -- COMMAND`: programs that are stopped, killed or crash are reported up to there. Nothing is left."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

# Two threads write for ever, until they are stopped; or the program ends by a mistake of its own.
WRITES = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { kWords = 1 << 16 };
static double data[2][kWords];
static void* run(void* which) {
  if (which != NULL) { puts("runs"); fflush(stdout); }
  for (long round = 0;; ++round)
    for (int i = 0; i < kWords; ++i) data[(long)which][i] += round;
}
int main(int argc, char** argv) {
  for (int i = 0; i < kWords; ++i) data[0][i] = i;
  puts("begun");
  fflush(stdout);
  if (argc > 1 && strcmp(argv[1], "abort") == 0) abort();
  if (argc > 1 && strcmp(argv[1], "null") == 0) *(volatile int*)0 = 1;
  if (argc > 1 && strcmp(argv[1], "kill") == 0) kill(getpid(), SIGKILL);
  pthread_t thread;
  pthread_create(&thread, NULL, run, (void*)1);
  run(NULL);
  return 0;
}
"""


@pytest.fixture(scope="module")
def program(atoll, tmp_path_factory):
    folder = tmp_path_factory.mktemp("writes")
    (folder / "writes.c").write_text("#include <signal.h>\n#include <unistd.h>\n" + WRITES)
    subprocess.run([atoll.program.parent / "atollcc", "-O1", "-g", "-pthread", folder / "writes.c", "-o", folder / "writes"],
                   check=True)
    return folder / "writes"


def left():
    """Files that a run may leave behind."""
    return {path for folder in ["/dev/shm", "/tmp"] for path in Path(folder).glob("atoll-machine-*")}


def processes_of(group):
    """Those that live and were started by a run: `group` is its process group."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] not in "ZX":
            found.append(stat.parent.name)
    return found


@pytest.fixture
def start(atoll, program):
    before = left()
    started = []

    def call(*arguments, frontend="auto"):
        process = subprocess.Popen([atoll.program, "simulate", "--machine", "xeon-2x10", "--no-interval", "--json",
                                    "--frontend", frontend, "--", program, *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        assert process.stderr.readline() == "begun\n"
        started.append(process)
        return process

    yield call
    for process in started:
        deadline = time.monotonic() + 20
        while (processes_of(process.pid) or left() - before) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert processes_of(process.pid) == []
    assert left() <= before


def result_of(process, code):
    out, said = process.communicate(timeout=120)
    assert process.returncode == code, said
    result = json.loads(out)
    assert sum(result["stack"].values()) == pytest.approx(1)
    assert any(one["name"] == "data" and one["accesses"] >= 1 << 16 for one in result["objects"])
    return result, said


@pytest.mark.parametrize("frontend", ["compiled", "dbi"])
def test_ctrl_c(start, frontend):
    process = start(frontend=frontend)
    assert process.stderr.readline() == "runs\n"  # the second thread
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    result, said = result_of(process, 128 + signal.SIGINT)
    assert result["threads"] == 2
    assert "ended by signal 2" in said


def test_a_killed_program(start, program):
    process = start()
    assert process.stderr.readline() == "runs\n"
    time.sleep(0.5)
    victims = [pid for pid in processes_of(process.pid)
               if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(bytes(program))]
    assert victims
    for victim in victims:
        os.kill(int(victim), signal.SIGKILL)
    result, _ = result_of(process, 128 + signal.SIGKILL)
    assert result["threads"] == 2


@pytest.mark.parametrize("how,sent", [("abort", signal.SIGABRT), ("null", signal.SIGSEGV), ("kill", signal.SIGKILL)])
@pytest.mark.parametrize("frontend", ["compiled", "dbi"])
def test_a_crash(start, frontend, how, sent):
    result, said = result_of(start(how, frontend=frontend), 128 + sent)
    assert result["threads"] == 1
    assert f"ended by signal {sent.value}" in said


def test_a_killed_simulator_leaves_nothing(start):
    """The program goes on alone, and its files go."""
    process = start()
    time.sleep(0.3)
    process.kill()
    process.wait(timeout=20)
    for pid in processes_of(process.pid):
        os.kill(int(pid), signal.SIGTERM)
