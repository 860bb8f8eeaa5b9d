"""`atoll simulate` of running programs with 64 threads on two large machines: their output, their end, and the traffic
of each memory."""

import json
import os
import subprocess

import pytest
from simulated_programs import QUEUE

pytestmark = pytest.mark.plain_build("programs of this build are recorded, and those with a sanitizer can't be")

MACHINES = {"opteron-8x8": 8, "xeon-x7550": 4}  # number of nodes
PAGES = 8192  # exceeds a chip's caches
# The first thread fills an array, which all threads then read; then they fill another one.
SHARED = """
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "atoll/marks/marks.h"
static double* pages(long n) {
  return mmap(NULL, n * sizeof(double), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
int main(int argc, char** argv) {
  long n = atol(argv[1]) * 512;
  double* shared = pages(n);
  double* own = pages(n);
  for (long i = 0; i < n; i += 8) shared[i] = i % 1000;
  for (long i = 0; i < n; i += 8) own[i] = 1;  /* the caches have nothing of the first one */
  double sum = 0;
  atoll_mark_begin();
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < n; i += 8) sum += shared[i];
  atoll_mark_end();
#pragma omp parallel for schedule(dynamic, 512)
  for (long i = 0; i < n; i += 8) own[i] = i;
  long parts = 0;
#pragma omp parallel reduction(+ : parts)
  parts += 1;
  printf("%ld threads: %.0f %.0f\\n", parts, sum, own[n - 8]);
  return 3;
}
"""


@pytest.fixture(scope="module")
def folder(atoll, source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("threads")
    for name, text, *flags in [("shared", SHARED, "-fopenmp"), ("queue", QUEUE, "-pthread")]:
        (folder / f"{name}.c").write_text(text)
        subprocess.run([atoll.program.parent / "atollcc", "-O1", "-g", *flags, f"-I{source}/include", folder / f"{name}.c",
                        "-o", folder / name], check=True)
    return folder


def online(atoll, machine, *arguments, code=0, text=True, **more):
    """Simulates a program with common checks. Returns the result and the program's output."""
    done = subprocess.run([atoll.program, "simulate", "--machine", machine, "--no-interval", "--json",
                           *map(str, arguments)], capture_output=True, timeout=300, **more)
    assert done.returncode == code, done.stderr[-2000:]
    result = json.loads(done.stdout)
    assert len(result["traffic"]) == MACHINES[machine]
    assert sum(result["stack"].values()) == pytest.approx(1)
    assert [sum(column) for column in zip(*result["traffic"])] == [one["bytes"] for one in result["controllers"]]
    return result, done.stderr.decode() if text else done.stderr


def natively(*command, threads=64):
    """Returns the program's native output with this number of threads, and its exit code."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, OMP_NUM_THREADS=str(threads)))
    return done.stdout, done.returncode


def from_memories(result):
    return [one["bytes"] for one in result["controllers"]]


@pytest.mark.parametrize("machine", MACHINES)
def test_an_openmp_program(atoll, folder, machine):
    command = [folder / "shared", PAGES]
    expected, code = natively(*command)
    result, said = online(atoll, machine, "--pages", "4k", "--between-marks", "--", *command, code=code)
    assert said == expected == f"64 threads: {sum(i % 1000 for i in range(0, PAGES * 512, 8))} {PAGES * 512 - 8}\n"
    assert result["threads"] == 64 and code == 3
    # The first thread touched all pages, so its node serves all threads.
    first, *others = from_memories(result)
    assert first > 20 * sum(others)
    assert min(row[0] for row in result["traffic"]) > 0.9 * PAGES * 4096 / MACHINES[machine]
    result, said = online(atoll, machine, "--pages", "4k", "--between-marks", "--layout", "distributed", "--", *command,
                          code=code)
    assert said == expected
    shares = from_memories(result)
    assert max(shares) < 1.1 * min(shares)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_pthreads_program(atoll, folder, machine):
    expected, code = natively(folder / "queue")
    result, said = online(atoll, machine, "--", folder / "queue", code=code)
    assert said == expected
    assert result["threads"] == 64
    assert not any("had no end" in text for text in result["assumed"])


@pytest.mark.parametrize("machine", MACHINES)
def test_pigz(atoll, tmp_path, machine):
    text = tmp_path / "text"
    text.write_bytes(b"".join(b"line %d of some text\n" % i for i in range(100_000)))
    # The program creates a thread for each processing unit that it sees, and two more.
    result, packed = online(atoll, machine, "--frontend", "dbi", "--", "pigz", "-1", "-b", "32", "-n", "-c", text, text=False)
    assert packed == subprocess.run(["pigz", "-1", "-b", "32", "-n", "-p", "64", "-c", text], check=True,
                                    capture_output=True).stdout
    assert 20 < result["threads"] <= 66
    assert (result["threads"] > 64) == any("more than processing units" in text for text in result["assumed"])


@pytest.mark.parametrize("machine", MACHINES)
def test_pagerank(atoll, source, tmp_path, machine):
    nodes = 2000
    graph = tmp_path / "ring.el"
    graph.write_text("".join(f"{i} {(i + 1) % nodes}\n{i} {i % 7}\n" for i in range(nodes)))
    call = [source / "apps/greenmarl/pagerank.gm", "--graph", graph, "--arg", "e=0", "--arg", "d=0.85", "--arg", "max=2"]
    result, said = online(atoll, machine, *call)
    assert result["threads"] == 64
    assert f"64 threads on node 0-{MACHINES[machine] - 1}" in said
    assert "Returned: 2\n" in said
    # Reports use the program's names for its arrays, and these are distributed over all nodes, as it requests.
    names = {one["name"]: one for one in result["objects"]}
    assert {"pg_rank", "pg_rank_term", "r_begin", "r_node_idx", "begin"} <= set(names)
    assert names["r_node_idx"]["accesses"] >= 2 * 2 * nodes
    if machine != "xeon-x7550":  # the faster of the two simulations
        return
    single, _ = online(atoll, machine, *call, "--layout-of", "r_node_idx=single", "--layout-of", "pg_rank_term=single")
    share = [sum(from_memories(one)[1:]) / sum(from_memories(one)) for one in (result, single)]
    assert share[1] < share[0]

    def ranks(text):
        return {node: float(rank) for _, node, rank in map(str.split, text.split("Highest pg_rank")[1].splitlines()[2:9])}
    assert ranks(said) == pytest.approx(ranks(atoll("run", *call, "--threads", 2).stdout))


@pytest.mark.parametrize("machine", MACHINES)
def test_streamcluster(atoll, build, tmp_path, machine):
    def call(name):
        return [build / "apps/streamcluster", *"2 5 8 400 200 20 none".split(), tmp_path / name, "64", "--scalar"]
    expected, code = natively(*call("here"))
    result, said = online(atoll, machine, "--", *call("there"), code=code)
    assert (tmp_path / "there").read_text() == (tmp_path / "here").read_text()
    assert result["threads"] == 64
    assert said.splitlines()[0].split(":")[0] == expected.splitlines()[0].split(":")[0]
