"""Assumptions that `atoll simulate` reports: each line is printed if and only if the program did what it describes."""

import json
import subprocess

import pytest

# A thread that writes pages while another one sleeps.
SLEEPS = """
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
enum { kWords = 1 << 18 };
static double* data;
static void* sleeps(void* how_long) { usleep(*(int*)how_long); return NULL; }
int main(int argc, char** argv) {
  data = malloc(kWords * sizeof(double));
  pthread_t thread;
  int how_long = argc > 1 ? 1000 * atoi(argv[1]) : 0;
  if (argc > 1) pthread_create(&thread, NULL, sleeps, &how_long);
  for (int i = 0; i < kWords; i += 8) data[i] = i;
  if (argc > 1) pthread_join(thread, NULL);
  return 0;
}
"""
LACKS = ["3 instructions before each access", "no access waits for another's data", "atomic accesses are as others"]


@pytest.fixture(scope="module")
def program(atoll, tmp_path_factory):
    folder = tmp_path_factory.mktemp("assumed")
    (folder / "sleeps.c").write_text(SLEEPS)
    subprocess.run([atoll.program.parent / "atollcc", "-O1", "-g", "-pthread", folder / "sleeps.c", "-o", folder / "sleeps"],
                   check=True)
    return folder / "sleeps"


def assumed(atoll, *arguments, machine="xeon-2x10"):
    return json.loads(atoll("simulate", "--machine", machine, "--no-interval", "--json", *arguments).stdout)["assumed"]


def has(texts, part):
    return any(part in text for text in texts)


def test_what_a_stream_lacks(atoll, program, tmp_path):
    atoll("trace", "-o", tmp_path / "plain", "--", program, 50)
    atoll("trace", "--timed", "-o", tmp_path / "timed", "--", program, 50)
    plain, timed, online = (assumed(atoll, *what) for what in
                            ([tmp_path / "plain"], [tmp_path / "timed"], ["--", program, 50]))
    for part in [*LACKS, "locks and barriers"]:
        assert has(plain, part) and not has(timed, part) and not has(online, part)
    assert all(has(texts, "system calls take no time") for texts in (plain, timed, online))


def test_pages(atoll, program):
    assert has(assumed(atoll, "--", program), "2 MiB pages where an object has all of one")
    assert not has(assumed(atoll, "--pages", "4k", "--", program), "2 MiB pages")


def test_sleeping_threads(atoll, program):
    assert has(assumed(atoll, "--", program, 1500), "some threads slept")  # even if the computer is busy
    assert not has(assumed(atoll, "--", program), "some threads slept")


def test_a_full_memory(atoll, program, tmp_path):
    machine = json.loads(atoll("machine", "--machine", "xeon-2x10", "--json").stdout)
    small = tmp_path / "small.json"
    machine["memories"][0]["capacity"][0] = "2 MiB"  # per node; the array and the libraries need more than that
    small.write_text(json.dumps(machine))
    assert has(assumed(atoll, "--pages", "4k", "--", program, machine=small), "a memory was full")
    assert not has(assumed(atoll, "--pages", "4k", "--", program), "a memory was full")


def test_a_machine_without_figures(atoll, program):
    told = assumed(atoll, "--", program, machine="pack:2 core:2 pu:1")
    assert len(told) > len(assumed(atoll, "--", program))
