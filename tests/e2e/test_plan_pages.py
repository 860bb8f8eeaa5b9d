"""A plan selects the same pages in `run` and `simulate`, also for objects that don't divide evenly: the rule of
docs/plan-file.md, "The node of each page". (tests/unit/simulate_page_map_test.cpp also tests `advise` and arrays, and
tests/guest/placed_run_test.cpp the pages of computers with several nodes.)"""

import json
import subprocess

import pytest

# Maps objects of these numbers of pages at one call site, one after the other, and writes to them. Prints for
# each page of the last object whether its memory policy prefers node 0.
PROGRAM = """
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
enum { kObjects = 500, kPage = 4096 };
static volatile char* objects[kObjects];
static char* map(long n) { return mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
int main(int argc, char** argv) {
  const long bytes = (argc > 1 ? atol(argv[1]) : 1) * kPage;
  for (int i = 0; i < kObjects; ++i) objects[i] = map(bytes);
  for (int round = 0; round < 4; ++round)
    for (int i = 0; i < kObjects; ++i)
      for (long byte = 0; byte < bytes; byte += 64) objects[i][byte] += 1;
  for (long byte = 0; byte < bytes; byte += kPage) {
    int mode = -1;
    unsigned long nodes[16] = {0};
    if (syscall(SYS_get_mempolicy, &mode, nodes, 1024UL, objects[kObjects - 1] + byte, 2UL) != 0) return 3;
    printf("%d\\n", mode != 0 && nodes[0] == 1);
  }
  return 0;
}
"""
RUNS = {"bytes": 3 * 4096, "layout": {"kind": "single", "node": 0, "pages": "4k"},
        "runs": [{"end_page": 1, "node": 0}, {"end_page": 3, "node": 1}]}
PARTS = {"bytes": 5 * 4096, "layout": {"kind": "partitioned", "nodes": [0, 1, 2], "pages": "4k"}}
BOUNDS = {"bytes": 7 * 4096, "layout": {"kind": "partitioned", "nodes": [0, 1, 2], "ends": [1, 3, 7], "pages": "4k"}}
GRANULES = {"bytes": 4096, "layout": {"kind": "distributed", "nodes": [0, 2, 2], "granule_bytes": 8192, "pages": "4k"}}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    (folder / "pages.c").write_text(PROGRAM.lstrip())
    subprocess.run(["gcc", "-O1", "-g", "-fno-inline", folder / "pages.c", "-o", folder / "pages"], check=True)
    return folder / "pages"


CASES = [
    (RUNS, 3, [1, 2, 0, 0]), (RUNS, 4, [1, 3, 0, 0]), (RUNS, 5, [2, 3, 0, 0]),  # 4/3 and 5/3 of a page
    (PARTS, 4, [1, 2, 1, 0]), (PARTS, 5, [2, 1, 2, 0]),  # 4/3 and 8/3; 5/3 and 10/3
    (BOUNDS, 5, [1, 1, 3, 0]), (BOUNDS, 11, [2, 3, 6, 0]),  # 5/7 and 15/7; 11/7 and 33/7
    (GRANULES, 4, [2, 0, 2, 0]), (GRANULES, 9, [4, 0, 5, 0]),
]


@pytest.fixture
def plan(tmp_path):
    def write(planned):
        stack = [{"function": "map", "file": "pages.c"}, {"function": "main"}]
        objects = [{"kind": "mapping", "stack": stack, **planned}]
        (tmp_path / "plan.json").write_text(json.dumps({"atoll_plan": 1, "objects": objects}))
        return tmp_path / "plan.json"
    return write


@pytest.mark.parametrize("planned, pages, on_nodes", CASES)
def test_simulated_traffic(atoll, program, plan, planned, pages, on_nodes):
    done = atoll("simulate", "--machine", "xeon-4x8x2", "--no-interval", "--json", "--plan", plan(planned), "--", program,
                 str(pages))
    by_memory = [sum(column) for column in zip(*json.loads(done.stdout)["traffic"])]
    assert [round(pages * traffic / sum(by_memory)) for traffic in by_memory] == on_nodes


@pytest.mark.parametrize("planned, pages, on_nodes", [case for case in CASES if case[0] != GRANULES])
def test_policies_of_the_pages(build, program, plan, planned, pages, on_nodes):
    """Checks node 0 only, as this computer may lack the other nodes. Granules alternate over the existing nodes."""
    done = subprocess.run([build / "atoll", "run", "--plan", plan(planned), "--", program, str(pages)],
                          capture_output=True, text=True, timeout=60)
    if done.returncode == 3:
        pytest.skip("the system doesn't tell a page's policy")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split().count("1") == on_nodes[0]
