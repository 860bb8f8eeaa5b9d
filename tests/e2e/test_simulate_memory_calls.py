"""`atoll simulate -- COMMAND`: calls by which a program places its memory have the same effects as in Linux."""

import json
import subprocess

import pytest

# Random accesses to 64 MiB, with advice for or against huge pages.
WALK = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
int main(int argc, char** argv) {
  unsigned long bytes = 64ul << 20, n = bytes / 8, at = 1, sum = 0;
  unsigned long* a = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (argc > 1 && madvise(a, bytes, argv[1][0] == 'h' ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) != 0) return 1;
  for (unsigned long i = 0; i < n; i += 64) a[i] = i;
  for (int i = 0; i < 200000; ++i) { at = at * 6364136223846793005ul + 1442695040888963407ul; sum += a[(at >> 30) % n]; }
  printf("%lu\\n", sum);
  return 0;
}
"""

# The first thread populates memory or fills it, then four threads use a part each.
FILLED = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
enum { kThreads = 4, kBytes = 8 << 20 };
static long* all;
static void* use(void* which) {
  long part = kBytes / 8 / kThreads, sum = 0;
  for (int round = 0; round < 3; ++round)
    for (long i = (long)which * part; i < ((long)which + 1) * part; ++i) sum += all[i] += 1;
  return (void*)sum;
}
int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int map_way = strcmp(how, "populated") == 0 ? MAP_POPULATE : 0;
  all = mmap(0, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | map_way, -1, 0);
  int file = open("/dev/zero", O_RDONLY), is_done = 1;
  if (strcmp(how, "advised") == 0) is_done = madvise(all, kBytes, MADV_POPULATE_WRITE) == 0;
  if (strcmp(how, "locked") == 0) is_done = mlock(all, kBytes) == 0;
  if (strcmp(how, "read") == 0) is_done = read(file, all, kBytes) == kBytes;
  if (strcmp(how, "written") == 0) memset(all, 0, kBytes);
  if (strcmp(how, "dropped") == 0) { memset(all, 0, kBytes); is_done = madvise(all, kBytes, MADV_DONTNEED) == 0; }
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(threads + i, NULL, use, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  printf("%d %ld\\n", is_done, all[5]);
  return 0;
}
"""

# Reads memory several times. It was either never written, or written before.
ZEROS = """
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
int main(int argc, char** argv) {
  long n = 4 << 20, sum = 0;
  long* a = mmap(0, n * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (madvise(a, n * 8, MADV_NOHUGEPAGE) != 0) return 1;
  if (argc > 1) memset(a, 0, n * 8);
  for (int round = 0; round < 5; ++round) for (long i = 0; i < n; i += 8) sum += a[i];
  printf("%ld\\n", sum);
  return 0;
}
"""

# Writes 16 MiB. With an argument, it sets its policy before and executes itself.
WRITES = """
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char** argv) {
  unsigned long nodes = 1ul << 1;
  if (argc > 1 && syscall(SYS_set_mempolicy, 2, &nodes, 64) != 0) return 1;
  if (argc > 1) { execl(argv[0], argv[0], NULL); return 2; }
  long n = 2l << 20;
  double* all = malloc(n * 8);
  for (long i = 0; i < n; ++i) all[i] = i;
  printf("%g\\n", all[5]);
  return 0;
}
"""

# Like numactl: sets memory policy or processors, and executes another program; "forks" does so in a child.
LAUNCHER = """
#include <numa.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char** argv) {
  if (numa_available() < 0 || argc < 4) return 3;
  struct bitmask* nodes = numa_parse_nodestring(argv[2]);
  if (nodes == NULL) return 4;
  if (strcmp(argv[1], "membind") == 0 || strcmp(argv[1], "forks") == 0) numa_set_membind(nodes);
  if (strcmp(argv[1], "interleave") == 0) numa_set_interleave_mask(nodes);
  if (strcmp(argv[1], "preferred") == 0) numa_set_preferred(argv[2][0] - '0');
  if (strcmp(argv[1], "cpunodebind") == 0 && numa_run_on_node_mask(nodes) != 0) return 5;
  if (strcmp(argv[1], "forks") == 0 && fork() != 0) {
    int status = 0;
    wait(&status);
    return status == 0 ? 0 : 6;
  }
  execvp(argv[3], argv + 3);
  return 7;
}
"""

# A partitioned array, each part of it used by the threads of its node.
ARRAY = """
#include <atoll/atoll.hpp>
#include <cstdio>
using namespace Atoll;
int main() {
  const Machine machine = Machine::this_computer();
  const Team team(spread_places(machine));
  const memory::Context context{machine, team};
  std::vector<NodeId> nodes;
  for (const auto& memory : machine.memories()) nodes.push_back(memory.id);
  for (const PageSize pages : {PageSize::small, PageSize::huge}) {
    Array<double> array(context, 4 << 20, Layout{Partitioned{nodes}, pages});
    for_each(team, array, LoopSchedule::fixed, [p = array.master().data()](std::size_t i) { p[i] += 1; });
    for (const auto& copy : array.where()) std::printf("%d of %zu\\n", static_cast<int>(copy.misplaced), copy.pages.size());
  }
}
"""


@pytest.fixture(scope="module")
def programs(source, build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory_calls")
    for name, text, flags in [("walk", WALK, []), ("filled", FILLED, ["-pthread"]), ("zeros", ZEROS, []),
                              ("writes", WRITES, []), ("launch", LAUNCHER, ["-lnuma"])]:
        (folder / f"{name}.c").write_text(text)
        subprocess.run(["gcc", "-O1", "-g", folder / f"{name}.c", "-o", folder / name, *flags], check=True)
    return folder


def simulated(atoll, machine, *command, options=()):
    done = atoll("simulate", "--json", "--no-interval", "--machine", machine, *options, "--", *command, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def column(result, node):
    """Returns the fraction of the traffic that memory `node` serves."""
    return sum(row[node] for row in result["traffic"]) / sum(map(sum, result["traffic"]))


def tlb_misses(result):
    return sum(one["misses"]["tlb"] for one in result["objects"])


def test_advice_about_huge_pages(atoll, programs):
    as_it_is, _ = simulated(atoll, "xeon-2x10", programs / "walk")
    huge, _ = simulated(atoll, "xeon-2x10", programs / "walk", "h")
    none, _ = simulated(atoll, "xeon-2x10", programs / "walk", "n")
    small, _ = simulated(atoll, "xeon-2x10", programs / "walk", options=["--pages", "4k"])
    assert tlb_misses(huge) == pytest.approx(tlb_misses(as_it_is), rel=0.05, abs=50)
    assert tlb_misses(none) == pytest.approx(tlb_misses(small), rel=0.05)
    assert tlb_misses(none) > 50 * tlb_misses(huge)


@pytest.mark.parametrize("how", ["populated", "advised", "locked", "read", "written"])
def test_who_has_the_kernel_map_pages_has_them(atoll, programs, how):
    result, said = simulated(atoll, "xeon-x7550", programs / "filled", how, options=["--threads", 8])
    assert said == "1 3\n"
    assert column(result, 0) > 0.8


@pytest.mark.parametrize("how", ["", "dropped"])
def test_pages_that_nobody_mapped_are_where_they_are_used(atoll, programs, how):
    result, said = simulated(atoll, "xeon-x7550", programs / "filled", how, options=["--threads", 8])
    assert said == "1 3\n"
    assert column(result, 0) < 0.6


def test_reads_of_fresh_memory_are_of_one_page_of_zeros(atoll, programs):
    fresh, _ = simulated(atoll, "xeon-2x10", programs / "zeros")
    written, _ = simulated(atoll, "xeon-2x10", programs / "zeros", "x")
    assert sum(map(sum, fresh["traffic"])) < (32 << 20) / 20
    assert sum(map(sum, written["traffic"])) > 3 * (32 << 20)


def test_a_policy_survives_exec(atoll, programs):
    result, said = simulated(atoll, "xeon-2x10", programs / "writes", "x")
    assert said == "5\n"
    assert column(result, 1) > 0.97


@pytest.mark.parametrize("how,nodes,machine,shares", [
    ("membind", "1", "xeon-2x10", {1: 1}), ("forks", "1", "xeon-2x10", {1: 1}),
    ("preferred", "1", "xeon-2x10", {1: 1}), ("interleave", "0,1", "xeon-2x10", {0: 0.5, 1: 0.5}),
    ("cpunodebind", "1", "xeon-2x10", {1: 1}), ("membind", "2,3", "hbm-2s", {2: 1})])
def test_a_launcher_decides_where_memory_is(atoll, programs, how, nodes, machine, shares):
    result, said = simulated(atoll, machine, programs / "launch", how, nodes, programs / "writes")
    assert said == "5\n"
    for node, share in shares.items():
        assert column(result, node) == pytest.approx(share, abs=0.06)
    if how == "cpunodebind":  # the thread is on that node, too
        assert result["traffic"][1][1] > 0.9 * sum(map(sum, result["traffic"]))


@pytest.mark.plain_build("a program without a sanitizer links the library")
def test_an_array_is_where_its_layout_says(atoll, build, source, tmp_path):
    (tmp_path / "array.cpp").write_text(ARRAY)
    libraries = subprocess.run(["pkg-config", "--libs", "hwloc", "libxxhash", "libarchive", "fmt", "zlib", "numa"],
                               check=True, capture_output=True, text=True).stdout.split()
    subprocess.run(["g++", "-std=c++20", "-O2", "-fopenmp", f"-I{source}/include", tmp_path / "array.cpp", "-o",
                    tmp_path / "array", build / "src/libatoll.a", *libraries, "-lmetis", "-lpthread"], check=True)
    result, said = simulated(atoll, "xeon-2x10", tmp_path / "array")
    assert said == "0 of 8192\n0 of 8192\n"
    own = sum(row[i] for i, row in enumerate(result["traffic"]))
    assert own > 0.95 * sum(map(sum, result["traffic"]))
