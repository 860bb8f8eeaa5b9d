"""`atoll simulate` refuses bad input with exit code 2 and one line with the mistake and the remedy."""

import json
import subprocess

import pytest

THREADS = """
#include <pthread.h>
#include <stdlib.h>
static pthread_barrier_t all; static long* words;
static void* run(void* which) { words[(long)which * 512] = 1; pthread_barrier_wait(&all); return NULL; }
int main(int argc, char** argv) {
  long n = atol(argv[1]);
  pthread_t ids[n];
  words = calloc(n, 4096);
  pthread_barrier_init(&all, NULL, n);
  for (long i = 1; i < n; ++i) pthread_create(ids + i, NULL, run, (void*)i);
  run(NULL);
  for (long i = 1; i < n; ++i) pthread_join(ids[i], NULL);
  return 0;
}
"""


@pytest.fixture(scope="module")
def program(atoll, tmp_path_factory):
    folder = tmp_path_factory.mktemp("refused")
    (folder / "threads.c").write_text(THREADS)
    subprocess.run([atoll.program.parent / "atollcc", "-O1", "-g", "-pthread", folder / "threads.c", "-o",
                    folder / "threads"], check=True)
    return folder / "threads"


@pytest.fixture(scope="module")
def trace(atoll, program):
    atoll("trace", "--timed", "-o", program.parent / "t", "--", program, 3)
    return program.parent / "t"


def test_more_threads_than_the_machine_has(atoll, program, trace):
    small = ["--machine", "pack:1 core:2 pu:1"]
    assert "2 processing units" in atoll.refuses("simulate", *small, "--threads", 3, "--", program, 1)
    line = atoll.refuses("simulate", *small, trace)
    assert "has 2 processing units, and the trace 3 threads" in line and "larger machine" in line
    line = atoll.refuses("simulate", *small, "--", program, 3)
    assert "2 processing units" in line and "more threads" in line and "--threads" in line
    assert "4 processing units" in atoll.refuses("simulate", "--machine", "pack:1 core:4 pu:1", "--", program, 5)


def test_more_threads_than_were_told_of(atoll, program):
    """--threads sets the number of threads over which places are spread. The program starts one more, and the
    machine has places for it."""
    result = json.loads(atoll("simulate", "--machine", "xeon-2x10", "--threads", 4, "--json", "--", program, 5).stdout)
    assert result["threads"] == 5
    assert result["nodes_of_threads"] == [0, 0, 0, 1, 1]


def test_a_few_more_threads_share_places(atoll, program):
    """One additional thread per eight processing units is accepted: such threads often only wait for the others."""
    eight = ["--machine", "pack:1 core:8 pu:1"]
    result = json.loads(atoll("simulate", *eight, "--json", "--", program, 9).stdout)
    assert result["threads"] == 9
    assert any("1 threads more than processing units" in text for text in result["assumed"])
    assert "8 processing units" in atoll.refuses("simulate", *eight, "--", program, 10)


def test_another_number_than_the_trace_has(atoll, trace):
    line = atoll.refuses("simulate", "--machine", "xeon-2x10", "--threads", 2, trace)
    assert "--threads 2" in line and "the trace has 3" in line


def test_a_layout_for_what_never_came(atoll, program, trace):
    for what in ([trace], ["--", program, 1]):
        line = atoll.refuses("simulate", "--machine", "xeon-2x10", "--layout-of", "nothing=single", *what)
        assert "--layout-of nothing" in line and "no object of that name" in line


def test_a_cut_trace(atoll, trace, tmp_path):
    whole = trace.read_bytes()
    for length in [*range(0, 200, 23), len(whole) // 3, len(whole) - 1]:
        (tmp_path / "cut").write_bytes(whole[:length])
        assert "cut" in atoll.refuses("simulate", "--machine", "xeon-2x10", tmp_path / "cut")


@pytest.mark.parametrize("wires,words", [
    ([{"between": ["0", "1"], "rate": ["24 GB/s", "guessed"]}], "no wires lead from node"),
    ([{"between": ["0-7", "r"], "rate": ["1 MB/s", "guessed"]}], "/wires"),
])
def test_wires_that_contradict_the_machine(atoll, program, trace, tmp_path, wires, words):
    machine = json.loads(atoll("machine", "--machine", "opteron-8x8", "--json").stdout)
    machine["wires"] = wires
    machine["sources"]["guessed"] = next(iter(machine["sources"].values()))
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(machine))
    for what in ([trace], ["--", program, 1]):
        line = atoll.refuses("simulate", "--machine", path, *what)
        assert "machine.json" in line and words in line


def test_other_mistakes(atoll, program, trace, tmp_path):
    (tmp_path / "p.gm").write_text("Procedure p(G: Graph): Int { Return 1; }")
    for words, arguments in [
        ("samples aren't all accesses", ["--frontend", "sample", "--", program, 1]),
        ("isn't an object and its layout", ["--layout-of", "main", trace]),
        ("no size of pages", ["--pages", "3k", trace]),
        ("give one of them", [trace, "--", program, 1]),
        ("is no Green-Marl program", ["--graph", "g.el", trace]),
        ("--graph", [tmp_path / "p.gm"]),
        ("does not exist", ["--", tmp_path / "nowhere"]),
    ]:
        assert words in atoll.refuses("simulate", "--machine", "xeon-2x10", *arguments)
