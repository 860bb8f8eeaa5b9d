"""The same program under `atoll profile --machine M` and under `atoll simulate --machine M`: its pages are on the same
nodes, page by page, and each node serves the same fraction of the traffic.

A report counts lines that miss a core's level-2 cache, and a simulation the bytes beyond the last-level cache. Both
must agree if no reused data stay in any cache: each thread passes over 8 MiB several times. Fractions are compared,
because a report counts lines and a simulation also has write-backs."""

import json
import os
import subprocess
import sys

import pytest
from watched import watch

MACHINE = "pack:2 [numa] l3:1(size=4194304) l2:4(size=262144) core:1 pu:1"
BYTES = 32 << 20
PAGES = BYTES // 4096
NODES = 2

# "parts": each thread writes its part first; "main": the first thread writes all; "turn": memory interleaved over both
# nodes; "populated": the kernel populates all for the first thread; "skewed": one thread writes three quarters first.
# Then each thread passes over its part. Prints the node of each page as the system reports it.
PASSES = f"""
    #include <numaif.h>
    #include <sys/mman.h>
    enum {{ kThreads = 4, kPasses = 3 }};
    static const long kBytes = {BYTES}, kPage = 4096, kLine = 64, kAligned = 2 << 20;
    static volatile char* all;
    static pthread_barrier_t barrier;
    static const char* how;
    static void* work(void* which) {{
      long part = kBytes / kThreads, me = (long)which, from = me * part;
      if (strcmp(how, "parts") == 0)
        for (long i = 0; i < part; i += kLine) all[from + i] = 1;
      if (strcmp(how, "skewed") == 0 && (me == 0 || me == kThreads - 1))
        for (long i = 0; i < (me == 0 ? 3 : 1) * part; i += kLine) all[from + i] = 1;
      pthread_barrier_wait(&barrier);
      for (int pass = 0; pass < kPasses; ++pass)
        for (long i = 0; i < part; i += kLine) all[from + i] += 1;
      return NULL;
    }}
    int main(int argc, char** argv) {{
      (void)argc;
      how = argv[1];
      unsigned long both = 3;
      if (strcmp(how, "turn") == 0 && set_mempolicy(MPOL_INTERLEAVE, &both, 64) != 0) return 1;
      char* mapped = mmap(0, kBytes + kAligned, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      all = (char*)(((unsigned long)mapped + kAligned - 1) / kAligned * kAligned);
      madvise((void*)all, kBytes, MADV_NOHUGEPAGE);
      if (strcmp(how, "populated") == 0 && madvise((void*)all, kBytes, 23) != 0) return 2;
      if (strcmp(how, "main") == 0 || strcmp(how, "turn") == 0)
        for (long i = 0; i < kBytes; i += kLine) all[i] = 1;
      pthread_barrier_init(&barrier, NULL, kThreads);
      pthread_t threads[kThreads];
      for (long i = 0; i < kThreads; ++i) pthread_create(threads + i, NULL, work, (void*)i);
      for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
      static void* pages[{PAGES}];
      static int nodes[{PAGES}];
      for (long i = 0; i < {PAGES}; ++i) pages[i] = (void*)(all + i * kPage);
      if (move_pages(0, {PAGES}, pages, NULL, nodes, 0) != 0) return 3;
      for (long i = 0; i < {PAGES}; ++i) putchar('0' + nodes[i]);
      putchar('\\n');
      return 0;
    }}
"""


def nodes_of_pages(folder, source, nodes_of_threads):
    """Returns the node of each page of the array in the profile: that of its thread, or according to its policy."""
    sys.path.insert(0, str(source / "tools"))
    import atoll_profile

    database = atoll_profile.connect(str(folder / "watched.profile"))
    ((address, process),) = database.execute(
        "SELECT address, process FROM objects WHERE kind = 'mapping' AND bytes >= ?", (BYTES,)).fetchall()
    homes = {home: (mode, int.from_bytes(nodes or b"", "little")) for home, mode, nodes in database.execute(
        "SELECT h.id, y.mode, y.nodes FROM homes h LEFT JOIN policies y ON y.id = h.policy")}
    aligned = -(-address // (2 << 20)) * 512
    found = []
    for page, first in sorted(database.execute("SELECT page, thread FROM first_touch WHERE process = ?", (process,))):
        if not aligned <= page < aligned + PAGES:
            continue
        if first < len(nodes_of_threads):
            found.append(nodes_of_threads[first])
            continue
        mode, mask = homes[first]
        assert mode == 3  # MPOL_INTERLEAVE
        turn = [node for node in range(64) if mask >> node & 1]
        found.append(turn[page % len(turn)])
    return found


@pytest.mark.parametrize("how", ["parts", "main", "turn", "populated", "skewed"])
def test_same_pages_and_traffic(atoll, programs, source, tmp_path, how):
    program = programs("passes", PASSES, "-D_GNU_SOURCE", "-Wl,--no-as-needed", "-lnuma")
    seen = watch(atoll, tmp_path, program, how, options=["--machine", MACHINE])
    assert seen.returncode == 0, seen.stderr.decode()
    report = atoll.json("report", tmp_path / "watched.profile", "--machine", MACHINE)
    assert report["nodes"] == list(range(NODES))
    done = subprocess.run([str(atoll.program), "simulate", "--json", "--no-interval", "--frontend", "dbi", "--pages",
                           "4k", "--machine", MACHINE, "--", str(program), how],
                          capture_output=True, text=True, check=True, timeout=300, env=dict(os.environ))
    result = json.loads(done.stdout)
    (simulated,) = [line for line in done.stderr.splitlines() if len(line) == PAGES]

    assert report["nodes_of_threads"] == result["nodes_of_threads"]
    recorded = nodes_of_pages(tmp_path, source, report["nodes_of_threads"])
    differ = [page for page, node in enumerate(simulated) if recorded[page:page + 1] != [int(node)]]
    assert len(recorded) == PAGES and differ[:5] == []
    (array,) = [one for one in report["objects"] if one["kind"] == "mapping" and one["bytes"] >= BYTES]
    assert array["balance"]["pages"] == [simulated.count(str(node)) for node in range(NODES)]

    loads = report["balance"]["traffic"]
    traffic = result["traffic"]
    columns = [sum(row[memory] for row in traffic) for memory in range(NODES)]
    for node in range(NODES):
        assert loads[node] / sum(loads) == pytest.approx(columns[node] / sum(columns), abs=0.02)
    local = sum(traffic[node][node] for node in range(NODES)) / sum(columns)
    assert report["what_if"][0]["local_share"] == pytest.approx(local, abs=0.02)
