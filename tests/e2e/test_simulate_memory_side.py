"""`atoll simulate` on machines whose memories have caches in front of them."""

import json
import subprocess

import pytest

# Fills an array, then reads it repeatedly: argv[1] pages, argv[2] times.
ROUNDS = """
#include <stdlib.h>
static volatile double sink;
int main(int argc, char** argv) {
  long n = atol(argv[1]) * 512;
  double* data = malloc(n * sizeof *data);
  for (long i = 0; i < n; ++i) data[i] = i;
  for (int round = 0; round < atoi(argv[2]); ++round) {
    double sum = 0;
    for (long i = 0; i < n; ++i) sum += data[i];
    sink = sum;
  }
  return 0;
}
"""
PAGES, ROUND_COUNT = 2048, 4
LINES = PAGES * 64


@pytest.fixture(scope="module")
def trace(atoll, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rounds")
    (folder / "rounds.c").write_text(ROUNDS)
    subprocess.run([atoll.program.parent / "atollcc", "-O1", "-g", folder / "rounds.c", "-o", folder / "rounds"],
                   check=True)
    atoll("trace", "--timed", "-o", folder / "t", "--", folder / "rounds", PAGES, ROUND_COUNT)
    return folder / "t"


@pytest.fixture
def machine_with(atoll, tmp_path):
    """Knights Landing in cache mode, with another size of the cache; 0 means no cache."""
    def make(size, more=()):
        machine = json.loads(atoll("machine", "--machine", "knl-7210-cache", "--json").stdout)
        cache = machine["memory_side_caches"][0]
        cache["size"][0] = size
        cache.update(more)
        if size == 0:
            del machine["memory_side_caches"]
        path = tmp_path / f"{str(size).replace(' ', '')}.json"
        path.write_text(json.dumps(machine))
        return path
    return make


def simulated(atoll, machine, trace):
    return json.loads(atoll("simulate", "--machine", machine, "--json", trace).stdout)


def test_what_fits_comes_from_the_cache(atoll, trace):
    result = simulated(atoll, "knl-7210-cache", trace)
    asked, cache, memory = result["traffic"][0][0], result["memory_side_caches"][0], result["controllers"][0]
    # The memory delivers each line once; the cache serves all requests, and loads each line once.
    assert 64 * LINES <= memory["bytes"] < 1.1 * 64 * LINES
    assert asked >= (ROUND_COUNT + 1) * 64 * LINES
    assert cache["bytes"] == asked + memory["bytes"]
    assert 0 < cache["load"] <= 1 and 0 < memory["load"] <= 1
    assert result["stack"]["memory-side cache"] > 0 and sum(result["stack"].values()) == pytest.approx(1)
    array = max(result["objects"], key=lambda one: one["accesses"])
    assert array["misses"]["memory_side"] <= array["misses"]["l2"]
    level = result["camat"]["memory_side"]
    of_five = level["hit_time"] / level["hit_concurrency"]
    of_five += level["pure_miss_ratio"] * level["pure_miss_penalty"] / level["miss_concurrency"]
    assert of_five == pytest.approx(level["camat"])
    figures = [one["figure"] for one in result["sensitivities"]]
    assert "latency of memory-side caches" in figures and "check of memory-side caches" in figures
    assert "bandwidth of memory-side caches" not in figures  # known from the paper
    assert result["seconds_from"] < result["seconds"] < result["seconds_to"]


def test_what_does_not_fit_is_slower_than_without(atoll, trace, machine_with):
    fits, does_not, without = (simulated(atoll, machine_with(size), trace) for size in ("16 MiB", "1 MiB", 0))
    assert fits["seconds"] < does_not["seconds"] and without["seconds"] < does_not["seconds"]
    assert "memory_side_caches" not in without and "memory_side" not in without["camat"]
    assert "memory_side" not in without["objects"][0]["misses"]
    # A round of reads misses in all lines; written lines are written back to the memory.
    assert does_not["controllers"][0]["bytes"] > 1.8 * (ROUND_COUNT + 1) / 2 * 64 * LINES
    assert fits["controllers"][0]["bytes"] < 0.4 * does_not["controllers"][0]["bytes"]


def test_text_has_80_columns(atoll, trace):
    text = atoll("simulate", "--machine", "knl-7210-cache", trace).stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "of memory 0" in text and "memory-side cache" in text
    text = atoll("machine", "--machine", "knl-7210-cache").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "in front of memory 0: a cache of 16 GiB, direct mapped" in " ".join(text.split())


@pytest.mark.parametrize("more,words", [
    ({"nodes": "3"}, "of memory 3: there is no such memory"),
    ({"size": ["0 B", "paper"]}, "a size of 0 B"),
    ({"line": "48 B"}, "a line of 48 bytes"),
    ({"latency": ["1 ns", "paper", "2 ns", "3 ns"]}, "isn't between"),
])
def test_bad_caches_are_refused_in_one_line(atoll, trace, machine_with, more, words):
    line = atoll.refuses("simulate", "--machine", machine_with("16 GiB", more), trace)
    assert "/memory_side_caches" in line and words in line


def test_programs_see_it(atoll):
    """The cache is visible below /sys, as in Linux."""
    path = "/sys/devices/system/node/node0/memory_side_cache/index1/size"
    out = atoll("simulate", "--machine", "knl-7210-cache", "--no-interval", "--threads", 2, "--frontend", "dbi", "--",
                "cat", path)
    assert out.stdout.splitlines()[0] == str(16 << 30)
