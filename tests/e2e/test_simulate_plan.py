"""`atoll simulate --plan`: threads and objects are placed by a plan, in running programs and in traces."""

import json
import subprocess

import pytest

# Four threads; each reads all of `data`, which the first thread has filled. `other` isn't in plans.
READS = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "atoll/marks/marks.h"
enum { kWords = 1 << 19 };
static double *data, *other, sums[4 * 8];
static double table[1 << 16];
static double* make(void) { return malloc(kWords * sizeof(double)); }
static void* run(void* which) {
  double sum = 0;
  for (long i = 0; i < kWords; i += 8) sum += data[i];
  for (long i = 0; i < 1 << 16; i += 8) sum += table[i];
  sums[(long)which * 8] = sum;
  return NULL;
}
int main(void) {
  data = make();
  other = malloc(kWords * sizeof(double));
  for (long i = 0; i < kWords; i += 8) data[i] = i;
  for (long i = 0; i < 1 << 16; i += 8) table[i] = i;
  for (long i = 0; i < kWords; i += 8) other[i] = i;  /* takes the caches */
  atoll_mark_begin();
  pthread_t ids[4];
  for (long i = 1; i < 4; ++i) pthread_create(ids + i, NULL, run, (void*)i);
  run(NULL);
  for (long i = 1; i < 4; ++i) pthread_join(ids[i], NULL);
  atoll_mark_end();
  printf("%.0f\\n", sums[0] + sums[8] + sums[16] + sums[24]);
  return 0;
}
"""
BYTES = (1 << 19) * 8
LINE_OF = {word: next(i for i, line in enumerate(READS.lstrip().splitlines(), 1) if word in line)
           for word in ["pthread_create", "make(void)"]}
WORKER = {"creator": 0, "stack": [{"function": "main", "file": "reads.c", "line": LINE_OF["pthread_create"]}]}
DATA = {"kind": "heap", "bytes": BYTES, "stack": [{"function": "make", "file": "reads.c", "line": LINE_OF["make(void)"]}]}


@pytest.fixture(scope="module")
def program(atoll, source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reads")
    (folder / "reads.c").write_text(READS.lstrip())
    subprocess.run([atoll.program.parent / "atollcc", "-O1", "-g", "-fno-inline", "-fno-optimize-sibling-calls",
                    "-pthread", f"-I{source}/include",
                    folder / "reads.c", "-o", folder / "reads"], check=True)
    return folder / "reads"


@pytest.fixture(scope="module")
def trace(atoll, program):
    atoll("trace", "--timed", "-o", program.parent / "t", "--", program)
    return program.parent / "t"


@pytest.fixture(params=["online", "trace"])
def simulated(request, atoll, program, trace, tmp_path):
    """Returns a function that simulates an Opteron with a plan of these members."""
    def call(*options, **members):
        path = tmp_path / "plan.json"
        path.write_text(json.dumps({"atoll_plan": 1, **members}))
        what = [trace] if request.param == "trace" else ["--", program]
        done = subprocess.run([atoll.program, "simulate", "--machine", "opteron-8x8", "--no-interval", "--json", "--pages",
                               "4k", "--between-marks", "--plan", path, *options, *map(str, what)], capture_output=True,
                              text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
    return call


def by_memory(result):
    return [one["bytes"] for one in result["controllers"]]


def threads_on(nodes):
    names = ["main", "worker 1", "worker 2", "worker 3"]
    return [{"name": name, "node": node, **(WORKER | {"order": i - 1} if i else {})}
            for i, (name, node) in enumerate(zip(names, nodes))]


def test_threads_stand_where_the_plan_pins_them(simulated):
    result = simulated(bind_threads=True, threads=threads_on([5, 5, 2, 2]))
    # Traffic by node of the threads: only nodes 5 and 2. The pages are on the main thread's node.
    assert [node for node, row in enumerate(result["traffic"]) if sum(row) > 10_000] == [2, 5]
    assert by_memory(result)[5] > 0.9 * sum(by_memory(result))
    assert not any("the plan" in text for text in result["assumed"])


def test_threads_that_are_not_pinned_stand_as_without_a_plan(simulated):
    result = simulated("--threads", "4", threads=threads_on([5, 5, 2, 2]))
    assert sum(sum(row) > 10_000 for row in result["traffic"]) > 2


def test_pages_lie_where_the_plan_says(simulated):
    result = simulated(objects=[DATA | {"layout": {"kind": "single", "node": 6, "pages": "4k"}}])
    assert by_memory(result)[6] > 0.8 * sum(by_memory(result))
    result = simulated(objects=[DATA | {"layout": {"kind": "distributed", "nodes": [1, 3], "granule_bytes": 4096,
                                                   "pages": "4k"}}])
    carried = by_memory(result)
    assert carried[1] + carried[3] > 0.8 * sum(carried)
    assert carried[1] == pytest.approx(carried[3], rel=0.1)
    # The plan has one node for the first three quarters of the pages, and another one for the rest.
    result = simulated(objects=[DATA | {"layout": {"kind": "single", "node": 0, "pages": "4k"},
                                        "runs": [{"end_page": 768, "node": 4}, {"end_page": 1024, "node": 7}]}])
    carried = by_memory(result)
    assert carried[4] == pytest.approx(3 * carried[7], rel=0.3)


def test_a_plan_wins_over_layouts_and_policy(simulated):
    plan = {"objects": [DATA | {"layout": {"kind": "single", "node": 6, "pages": "4k"}}]}
    for options in (["--layout", "single"], ["--layout-of", f"reads.c:{LINE_OF['make(void)']}=distributed"], ["--policy", "interleave"]):
        assert by_memory(simulated(*options, **plan))[6] > 0.7 * sum(by_memory(simulated(*options, **plan)))


def test_globals_and_the_rest(simulated):
    table = {"kind": "global", "name": "table", "bytes": 1 << 19, "layout": {"kind": "single", "node": 3, "pages": "4k"}}
    result = simulated(objects=[table], rest={"kind": "single", "node": 1, "pages": "4k"})
    carried = by_memory(result)
    assert carried[3] > 100_000
    assert carried[1] + carried[3] > 0.95 * sum(carried)


def test_what_a_plan_names_in_vain_is_told(simulated):
    result = simulated(bind_threads=True, threads=threads_on([0, 1, 2, 99]),
                       objects=[{"kind": "heap", "bytes": 4096, "stack": [{"function": "nowhere", "file": "reads.c", "line": 1}],
                                 "layout": {"kind": "single", "node": 77, "pages": "4k"}}])
    told = [text for text in result["assumed"] if text.startswith("the plan: ")]
    assert any("no node 77, 99" in text for text in told)
    assert any("1 of the plan's 1 objects never came" in text for text in told)


def test_bad_plans_are_refused_in_one_line(atoll, program, tmp_path):
    (tmp_path / "plan.json").write_text('{"atoll_plan": 2}')
    for plan, words in [(tmp_path / "none", "can't be read"), (tmp_path / "plan.json", "/atoll_plan: version 2")]:
        assert words in atoll.refuses("simulate", "--machine", "opteron-8x8", "--plan", plan, "--", program)
