"""`atoll simulate`: traces of real programs on other machines."""

import json
import subprocess

import pytest

# Two threads. The first one fills an array, then each thread reads half of it. argv[1]: pages.
HALVES = """
#include <pthread.h>
#include <stdlib.h>
#include "atoll/marks/marks.h"
static double* shared; static long n; static volatile double sink;
static void* half(void* which) {
  long from = which ? n / 2 : 0; double sum = 0;
  for (long i = from; i < from + n / 2; ++i) sum += shared[i];
  sink = sum;
  return NULL;
}
int main(int argc, char** argv) {
  n = atol(argv[1]) * 512;
  shared = malloc(n * sizeof *shared);
  for (long i = 0; i < n; ++i) shared[i] = i;
  atoll_mark_begin();
  pthread_t thread;
  pthread_create(&thread, NULL, half, (void*)1);
  half(NULL);
  pthread_join(thread, NULL);
  atoll_mark_end();
  return argc > 2 ? 7 : 0;
}
"""
PAGES = 2048


@pytest.fixture(scope="module")
def halves(atoll, source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("halves")
    (folder / "halves.c").write_text(HALVES)
    subprocess.run([atoll.program.parent / "atollcc", "-O1", "-g", "-pthread", f"-I{source}/include",
                    folder / "halves.c", "-o", folder / "halves"], check=True)
    return folder / "halves"


@pytest.fixture(scope="module")
def trace(atoll, halves):
    path = halves.parent / "t"
    atoll("trace", "-o", path, "--", halves, PAGES)
    return path


def bytes_between(result):
    """Returns sums of the traffic matrix: (from each node's own memory, from other nodes' memories)."""
    own = sum(row[i] for i, row in enumerate(result["traffic"]))
    return own, sum(map(sum, result["traffic"])) - own


def simulated(atoll, *arguments):
    result = atoll.json("simulate", *arguments)
    interval = {"seconds_from", "seconds_to"}
    assert set(result) - interval == {"atoll_simulate", "machine", "threads", "nodes_of_threads", "seconds", "accesses",
                                      "traffic", "controllers", "links", "stack", "objects", "camat", "sensitivities",
                                      "assumed"}
    assert set(result) & interval == (set() if "--no-interval" in arguments else interval)
    assert sum(result["stack"].values()) == pytest.approx(1)
    loads = [one["load"] for one in result["controllers"] + result["links"]]
    assert all(0 <= share <= 1 for share in [*loads, *result["stack"].values()])
    if interval <= set(result):
        assert result["seconds_from"] <= result["seconds"] <= result["seconds_to"]
    assert sum(map(sum, result["traffic"])) == sum(one["bytes"] for one in result["controllers"])
    for level in result["camat"].values():
        of_five = level["hit_time"] / level["hit_concurrency"]
        if level["miss_concurrency"]:
            of_five += level["pure_miss_ratio"] * level["pure_miss_penalty"] / level["miss_concurrency"]
        assert of_five == pytest.approx(level["camat"])
    return result


def array(result):
    return next(one for one in result["objects"] if one["where"].endswith("halves.c:14"))


@pytest.mark.parametrize("machine", ["opteron-8x8", "xeon-4x8x2", "xeon-2x10", "xeon-x7550", "altix-3700", "knl-7210",
                                     "p100-host", "hbm-2s", "cxl-2s", "pack:2 core:2 pu:1"])
def test_traffic_is_where_pages_are(atoll, trace, machine):
    result = simulated(atoll, "--machine", machine, "--between-marks", trace)
    assert result["threads"] == 2
    assert result["accesses"] >= PAGES * 512
    reads = array(result)
    assert reads["accesses"] == PAGES * 512
    assert reads["where"].endswith("halves.c:14")
    # The first thread touched all pages. If the threads are on two nodes, half of the array crosses nodes.
    own, crossing = bytes_between(result)
    if len(result["traffic"]) > 1:
        assert crossing == pytest.approx(PAGES * 4096 / 2, rel=0.35)
    else:
        assert crossing == 0


def test_layouts_move_the_traffic(atoll, trace):
    crossing = {}
    for layout in ["single", "distributed", "partitioned", "replicated"]:
        # (The program writes to other objects, which can't be replicated.)
        options = ["--layout-of", f"halves.c:14={layout}"] if layout == "replicated" else ["--layout", layout]
        result = simulated(atoll, "--machine", "xeon-x7550", "--between-marks", "--pages", "4k", *options, trace)
        crossing[layout] = bytes_between(result)[1] / (PAGES * 4096)
    assert crossing["single"] == pytest.approx(0.5, abs=0.1)
    # The first thread's half is in its chip's cache, because it wrote it; half of the second one's is on its own node.
    assert crossing["distributed"] == pytest.approx(0.25, abs=0.1)
    assert crossing["partitioned"] < 0.05
    assert crossing["replicated"] < 0.05
    by_name = simulated(atoll, "--machine", "xeon-x7550", "--between-marks", "--pages", "4k", "--layout-of",
                        "halves.c:14=partitioned", trace)
    assert bytes_between(by_name)[1] / (PAGES * 4096) < 0.05


def test_the_same_trace_gives_the_same_bytes(atoll, trace):
    arguments = ["simulate", "--machine", "opteron-8x8", "--json", trace]
    assert atoll(*arguments).stdout == atoll(*arguments).stdout


def test_policies_place_threads_and_pages(atoll, trace):
    compact = simulated(atoll, "--machine", "opteron-8x8", "--policy", "compact", "--between-marks", trace)
    assert bytes_between(compact)[1] == 0  # both threads are on node 0
    interleaved = simulated(atoll, "--machine", "opteron-8x8", "--policy", "interleave", "--pages", "4k", "--between-marks",
                            trace)
    used = [one["bytes"] for one in interleaved["controllers"] if one["bytes"] > 0]
    assert len(used) == 2 and max(used) < 1.1 * min(used)


def test_small_pages_walk_more_than_large_ones(atoll, trace):
    walks = {}
    for pages in ["4k", "2m", "1g"]:
        result = simulated(atoll, "--machine", "xeon-2x10", "--no-interval", "--between-marks", "--pages", pages, trace)
        walks[pages] = array(result)["misses"]["tlb"]
    assert walks["4k"] == PAGES + 1 or walks["4k"] == PAGES
    assert walks["2m"] <= PAGES / 512 + 2
    assert walks["1g"] <= 3


def test_a_command_keeps_its_output_and_exit_code(atoll, halves):
    done = atoll("simulate", "--machine", "xeon-2x10", "--json", "--", halves, 64, "x", check=False)
    assert done.returncode == 7
    result = json.loads(done.stdout)
    assert result["machine"] == "xeon-2x10" and result["threads"] == 2
    told = atoll("simulate", "--machine", "xeon-2x10", "--frontend", "dbi", "--", "echo", "said").stdout
    assert told.startswith("said\n")
    assert all(len(line) <= 80 for line in told.splitlines())


def test_bad_input_is_refused_in_one_line(atoll, trace, tmp_path):
    for words, arguments in [
        ("the trace has 2", ["--threads", "3", trace]),
        ("no object of that name", ["--layout-of", "nothing=single", trace]),
        ("isn't an object and its layout", ["--layout-of", "main", trace]),
        ("2 threads", ["--machine", "pack:1 core:1 pu:1", trace]),
        ("is written while time counts", ["--layout", "replicated", trace]),
        ("no size of pages", ["--pages", "3k", trace]),
        ("is missing", []),
        ("can't be opened", [tmp_path / "none"]),
        ("samples aren't", ["--frontend", "sample", "--", "true"]),
    ]:
        assert words in atoll.refuses("simulate", *arguments)
    whole = trace.read_bytes()
    for length in [8, 40, len(whole) // 2, len(whole) - 1]:
        (tmp_path / "cut").write_bytes(whole[:length])
        assert "cut" in atoll.refuses("simulate", tmp_path / "cut")
