"""`atoll simulate -- COMMAND`: programs that are stopped, killed or crash are reported up to that point. No
files or processes remain."""

import json
import os
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

# Two threads write until they are stopped, or until the program crashes.
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
    """Returns files that a run may leave behind."""
    return {path for folder in ["/dev/shm", "/tmp"] for path in Path(folder).glob("atoll-machine-*")}


def processes_of(group):
    """Returns the living processes started by a run: `group` is its process group."""
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
    assert process.stderr.readline() == "runs\n"  # printed by the second thread
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
    """The program continues without the simulator, and its files are removed."""
    process = start()
    time.sleep(0.3)
    process.kill()
    process.wait(timeout=20)
    for pid in processes_of(process.pid):
        os.kill(int(pid), signal.SIGTERM)


# Many threads each read their own memory for a while: the interval takes much longer than the program.
MANY = """
#include <pthread.h>
#include <stdio.h>
enum { kThreads = 64, kLongs = 1 << 12 };
static long data[kThreads][kLongs];
static void* run(void* which) {
  long* mine = which;
  for (int round = 0; round < 8; ++round)
    for (int i = 0; i < kLongs; ++i) mine[i * 61 % kLongs] += round;
  return NULL;
}
int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, run, data[i]);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  puts("ended");
  return 0;
}
"""


def call_with_interval(atoll, machine, *command):
    return subprocess.Popen([atoll.program, "simulate", "--machine", machine, "--json", "--", *command],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_program_has_no_interval(atoll, program, sent):
    process = call_with_interval(atoll, "knl-7210", program)
    assert [process.stderr.readline() for _ in range(2)] == ["begun\n", "runs\n"]
    time.sleep(0.5)
    start = time.monotonic()
    process.send_signal(sent)
    result, _ = result_of(process, 128 + sent)
    assert time.monotonic() - start < 20  # 2 s on an idle computer
    assert "seconds_from" not in result and result["sensitivities"] == []
    assert any("no interval" in text for text in result["assumed"])


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_interval_is_computed(atoll, tmp_path, sent):
    (tmp_path / "many.c").write_text(MANY)
    subprocess.run([atoll.program.parent / "atollcc", "-O1", "-pthread", tmp_path / "many.c", "-o", tmp_path / "many"],
                   check=True)
    process = call_with_interval(atoll, "knl-7210", tmp_path / "many")
    assert process.stderr.readline() == "ended\n"
    while len(processes_of(process.pid)) > 1 or len(os.listdir(f"/proc/{process.pid}/task")) > 1:
        time.sleep(0.01)  # the program runs, or a thread simulates its accesses
    process.send_signal(sent)
    out, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    result = json.loads(out)
    assert result["threads"] == 65 and result["accesses"] > 64 * 8 * 4096
    assert "seconds_from" not in result
    assert any("a signal came" in text for text in result["assumed"])


def waits_until_it_catches_signals(process):
    """Waits until the simulator handles SIGINT. Before it has read the trace, a signal ends it without a result."""
    caught = 0
    while process.poll() is None and not caught:
        status = Path(f"/proc/{process.pid}/status").read_text()
        caught = int(status.split("SigCgt:")[1].split()[0], 16) & 1 << (signal.SIGINT - 1)


def processor_time(process):
    """Returns the CPU time of a running process in seconds."""
    text = Path(f"/proc/{process.pid}/schedstat").read_text().split()
    return int(text[0]) / 1e9


@pytest.fixture(scope="module")
def trace_of_many(atoll, tmp_path_factory):
    """Returns a trace of 65 threads, its result without an interval, and the CPU time of this simulation in seconds."""
    folder = tmp_path_factory.mktemp("many")
    (folder / "many.c").write_text(MANY)
    subprocess.run([atoll.program.parent / "atollcc", "-O1", "-pthread", folder / "many.c", "-o", folder / "many"], check=True)
    atoll("trace", "--timed", "-o", folder / "t", "--", folder / "many")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = atoll.json("simulate", "--machine", "knl-7210", "--no-interval", folder / "t")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return folder / "t", whole, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_trace_is_simulated(atoll, trace_of_many, sent):
    trace, whole, _ = trace_of_many
    process = subprocess.Popen([atoll.program, "simulate", "--machine", "knl-7210", "--json", trace],
                               stdout=subprocess.PIPE, text=True)
    waits_until_it_catches_signals(process)
    start = time.monotonic()
    process.send_signal(sent)
    result = json.loads(process.communicate(timeout=60)[0])
    assert time.monotonic() - start < 20  # 2 s on an idle computer
    assert process.returncode == 0
    assert "seconds_from" not in result and result["accesses"] < whole["accesses"]
    assert any("the rest of the trace is left out" in text for text in result["assumed"])


def test_a_signal_behind_a_simulated_trace_stops_the_interval_alone(atoll, trace_of_many):
    trace, whole, seconds = trace_of_many
    early, late = 0, 4 * seconds
    for _ in range(12):
        process = subprocess.Popen([atoll.program, "simulate", "--machine", "knl-7210", "--json", trace],
                                   stdout=subprocess.PIPE, text=True)
        waits_until_it_catches_signals(process)
        moment = (early + late) / 2
        while process.poll() is None and processor_time(process) < moment:
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        result = json.loads(process.communicate(timeout=60)[0])
        assert process.returncode == 0
        if "seconds_from" in result:
            late = moment  # the process had already ended
        elif result["accesses"] < whole["accesses"]:
            early = moment
        else:
            break
    assert "seconds_from" not in result and result["seconds"] == whole["seconds"]
    assert any("before the interval was known" in text for text in result["assumed"])
