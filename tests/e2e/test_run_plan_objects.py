"""`atoll run --plan`: objects recognised in programs with all kinds of allocation: piecewise, growing, by explicit
mappings."""

import json
import sqlite3
import subprocess

LAYOUT = {"kind": "single", "node": 0, "pages": "4k"}

GROWING = """
#include <pthread.h>
#include <stdlib.h>
enum { kMaxElements = 1 << 18 };
static double* table;
__attribute__((noinline)) static void grow(long n) { free(table); table = malloc(n * 8); table[0] = n; }
static void* work(void* number) {
  for (long i = (long)number; i < kMaxElements; i += 2) table[i] += 1;
  return NULL;
}
int main(void) {
  for (long n = 8; n <= kMaxElements; n *= 8) grow(n);
  for (long i = 0; i < kMaxElements; ++i) table[i] = i;
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
"""


def test_small_allocations_of_a_place_do_not_count(atoll, build, tmp_path):
    """A growing vector allocates small blocks at the site where it becomes large."""
    source, program, profile, plan = (tmp_path / name for name in ["growing.c", "growing", "profile", "plan"])
    source.write_text(GROWING)
    subprocess.run([build / "atollcc", "-O1", "-g", "-pthread", source, "-o", program], check=True)
    atoll("profile", "-o", profile, "--frontend", "compiled", "--", program)
    with sqlite3.connect(profile) as database:
        heap = database.execute("select bytes, position, site from objects where kind = 'heap' order by 2").fetchall()
        pools = database.execute("select position from objects where kind = 'pool' and site = ?", heap[0][2:]).fetchall()
    assert [(size, position) for size, position, _ in heap] == [(8 << 15, 0), (8 << 18, 1)]
    assert pools == [(0,)]
    plan.write_text(json.dumps({"atoll_plan": 1, "objects": [
        {"kind": "heap", "bytes": heap[1][0], "order": heap[1][1], "layout": LAYOUT,
         "stack": [{"function": "grow"}, {"function": "main"}]}]}))
    report = atoll("run", "--plan", plan, "--", program).stderr
    assert "recognised 0 of 0 threads and 1 of 1 object\n" in report
    assert "not in the plan: 1 large allocation (256 KiB)" in report


KINDS = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static void* pieces[1000];
__attribute__((noinline)) void* make_small(void) { void* p = malloc(100); memset(p, 1, 100); return p; }
__attribute__((noinline)) char* grow(char* p, size_t n) { p = realloc(p, n); memset(p, 1, n); return p; }
__attribute__((noinline)) char* zeros(size_t n) { char* p = calloc(n, 1); if (p[n - 1]) exit(4); return p; }
__attribute__((noinline)) char* map(size_t n) {
  char* p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(p, 1, n);
  return p;
}
__attribute__((noinline)) char* remap(char* p, size_t n) {
  p = mremap(p, n / 2, n, MREMAP_MAYMOVE);
  memset(p, 1, n);
  return p;
}
static void* rest(void* p) { return p; }
int main(void) {
  for (int i = 0; i < 1000; ++i) pieces[i] = make_small();
  char* grown = NULL;
  for (size_t n = 16; n <= 1 << 20; n *= 2) grown = grow(grown, n);
  for (size_t i = 0; i < 1 << 20; ++i) if (grown[i] != 1) return 5;
  for (int i = 0; i < 50; ++i) { char* p = zeros(200000); memset(p, 1, 200000); free(p); }
  char* small = map(8192);
  if (remap(map(1 << 19), 1 << 20)[0] + small[0] != 2) return 6;
  pthread_t thread;
  pthread_create(&thread, NULL, rest, NULL);
  pthread_join(thread, NULL);
  for (int i = 0; i < 1000; ++i) free(pieces[i]);
  free(grown);
  return 0;
}
"""


def test_pools_grown_objects_mappings_and_stacks(atoll, tmp_path):
    """Memory allocated piecewise, enlarged by realloc, small and grown mappings, and a thread's stack; unplanned
    memory is allocated by libc's heap as usual."""
    source = tmp_path / "kinds.c"
    source.write_text(KINDS)
    subprocess.run(["gcc", "-g", "-O1", "-pthread", source, "-o", tmp_path / "kinds"], check=True)

    def plan(*kinds):
        def stack(function):
            return [{"function": function}, {"function": "main"}]

        objects = {"pool": {"kind": "pool", "bytes": 100000, "layout": LAYOUT, "stack": stack("make_small")},
                   "heap": {"kind": "heap", "bytes": 1 << 20, "layout": LAYOUT, "stack": stack("grow")},
                   "stack": {"kind": "stack", "name": "helper", "layout": LAYOUT},
                   "small mapping": {"kind": "mapping", "bytes": 8192, "layout": LAYOUT, "stack": stack("map")},
                   "second mapping": {"kind": "mapping", "bytes": 1 << 19, "order": 1, "layout": LAYOUT,
                                      "stack": stack("map")},
                   "grown mapping": {"kind": "mapping", "bytes": 1 << 20, "layout": LAYOUT, "stack": stack("remap")}}
        objects["first stack"] = {"kind": "stack", "name": "first", "layout": LAYOUT}
        file = tmp_path / "plan"
        file.write_text(json.dumps({
            "atoll_plan": 1, "bind_threads": True, "objects": [objects[kind] for kind in kinds],
            "threads": [{"name": "first", "node": 0}, {"name": "helper", "creator": 0, "node": 0, "stack": [{"function": "main"}]}]}))
        return atoll("run", "--plan", file, "--", tmp_path / "kinds").stderr

    report = plan("pool", "heap", "stack", "first stack", "small mapping", "second mapping", "grown mapping")
    assert "recognised 2 of 2 threads and 7 of 7 objects" in report
    assert "refused" not in report
    assert "not in the plan: 50 large allocations" in report
    assert "recognised 2 of 2 threads and 1 of 1 object\n" in plan("second mapping")
    assert "recognised 2 of 2 threads and 1 of 1 object\n" in plan("heap")
    assert "recognised 2 of 2 threads and 1 of 1 object\n" in plan("stack")
