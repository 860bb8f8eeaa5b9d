"""`report`, `advise` and `simulate` assume the same places of threads, and print them."""

import json
import re

import pytest

# The first thread fills an array and a table. Each of eight more threads adds its own blocks to a part of the
# array, and reads all of the table.
NINE = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { kWords = 1 << 19, kWorkers = 8, kRounds = 8 };
static double *array, *table, sums[kWorkers * 8];
static pthread_barrier_t all;
double* make_array(void) { return malloc(kWords * 8); }
double* make_table(void) { return malloc(kWords / 4 * 8); }
static void* work(void* which) {
  const long me = (long)which, size = kWords / kWorkers;
  double* const own = malloc(size * 8);
  for (long i = 0; i < size; ++i) own[i] = i;
  pthread_barrier_wait(&all);
  for (int round = 0; round < kRounds; ++round) {
    for (long i = 0; i < size; ++i) array[me * size + i] += own[i];
    for (long i = 0; i < kWords / 4; ++i) sums[me * 8] += table[i];
    pthread_barrier_wait(&all);
  }
  return NULL;
}
int main(void) {
  array = make_array();
  table = make_table();
  for (long i = 0; i < kWords; ++i) array[i] = i;
  for (long i = 0; i < kWords / 4; ++i) table[i] = i;
  pthread_barrier_init(&all, NULL, kWorkers);
  pthread_t ids[kWorkers];
  for (long i = 0; i < kWorkers; ++i) pthread_create(ids + i, NULL, work, (void*)i);
  for (long i = 0; i < kWorkers; ++i) pthread_join(ids[i], NULL);
  printf("%.0f\\n", sums[0]);
  return 0;
}
"""
MACHINE = ["--machine", "xeon-4x8x2"]
PLACES = "threads 0-2 on node 0, 3-4 on node 1, 5-6 on node 2, 7-8 on node 3"

# Prints the processing units that the program sees: configured, online, and in its affinity.
SEES = """
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  printf("%ld %ld %d\\n", sysconf(_SC_NPROCESSORS_CONF), sysconf(_SC_NPROCESSORS_ONLN), CPU_COUNT(&set));
  return 0;
}
"""

# A thread on node 2 touches pages. Then seven more are created, and the thread moves to node 0. Prints the nodes of
# the pages before and after that.
PAGES = """
#include <linux/mempolicy.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
enum { kPage = 4096, kWorkers = 8, kKinds = 6 };
static char* pages[kKinds];
static pthread_barrier_t filled, all;
static char* mapped(int flags) {
  return mmap(NULL, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}
static char* touched(void) {
  char* const page = mapped(0);
  *page = 1;
  return page;
}
static void* first(void* nothing) {
  const unsigned long node_2 = 4, node_3 = 8;
  pages[0] = touched();
  pages[1] = mapped(0);
  syscall(SYS_mbind, pages[1], kPage, MPOL_PREFERRED, &node_3, 65, 0);
  *pages[1] = 1;
  pages[2] = touched();
  syscall(SYS_mbind, pages[2], kPage, MPOL_BIND, &node_2, 65, MPOL_MF_MOVE);
  pages[3] = mremap(touched(), kPage, kPage, MREMAP_MAYMOVE | MREMAP_FIXED, mapped(0));
  pages[4] = touched();
  madvise(pages[4], kPage, MADV_DONTNEED);
  syscall(SYS_set_mempolicy, MPOL_BIND, &node_2, 65);
  *pages[4] = 1;
  syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0);
  pages[5] = mapped(MAP_POPULATE);
  pthread_barrier_wait(&filled);
  pthread_barrier_wait(&all);
  return nothing;
}
static void* other(void* nothing) {
  pthread_barrier_wait(&all);
  return nothing;
}
static void print_nodes(void) {
  for (int i = 0; i < kKinds; ++i) {
    void* page = pages[i];
    int node = -1;
    syscall(SYS_move_pages, 0, 1UL, &page, NULL, &node, 0);
    printf("%d ", node);
  }
}
int main(void) {
  pthread_t ids[kWorkers];
  pthread_barrier_init(&filled, NULL, 2);
  pthread_barrier_init(&all, NULL, kWorkers + 1);
  pthread_create(ids, NULL, first, NULL);
  pthread_barrier_wait(&filled);
  print_nodes();
  for (int i = 1; i < kWorkers; ++i) pthread_create(ids + i, NULL, other, NULL);
  print_nodes();
  pthread_barrier_wait(&all);
  for (int i = 0; i < kWorkers; ++i) pthread_join(ids[i], NULL);
  return 0;
}
"""


def words_of(text):
    return re.sub(r"\s+", " ", text)


@pytest.fixture(scope="module")
def program(programs):
    return programs("nine", NINE, "-O1", "-g", "-pthread")


@pytest.fixture(scope="module")
def profile(atoll, program):
    path = program.parent / "nine.profile"
    atoll("profile", "--frontend", "dbi", "-o", path, "--", program)
    return path


def simulated(atoll, program, *options):
    return json.loads(atoll("simulate", *MACHINE, "--frontend", "dbi", "--no-interval", "--json", *options, "--",
                            program).stdout)


def test_report_and_simulation_place_threads_alike(atoll, program, profile):
    report = json.loads(atoll("report", profile, *MACHINE, "--json").stdout)
    nodes = [report["nodes"][position] for position in report["nodes_of_threads"]]
    assert nodes == [0, 0, 0, 1, 1, 2, 2, 3, 3]
    result = simulated(atoll, program)
    assert result["nodes_of_threads"] == nodes
    assert simulated(atoll, program, "--threads", 9)["nodes_of_threads"] == nodes


def test_places_are_printed(atoll, program, profile):
    assert PLACES in words_of(atoll("report", profile, *MACHINE).stdout)
    assert PLACES in words_of(atoll("advise", profile, *MACHINE).stdout)
    assert PLACES in words_of(atoll("simulate", *MACHINE, "--frontend", "dbi", "--no-interval", "--", program).stdout)


def test_the_number_of_threads_does_not_change_the_machine(atoll, programs):
    sees = programs("sees", SEES, "-D_GNU_SOURCE")

    def said(*options):
        done = atoll("simulate", *MACHINE, "--frontend", "dbi", "--no-interval", "--json", *options, "--", sees)
        return done.stderr.split()

    assert said() == ["64", "64", "64"]
    assert said("--threads", 9) == ["64", "9", "9"]
    nodes = atoll("simulate", *MACHINE, "--frontend", "dbi", "--no-interval", "--json", "--threads", 9, "--", "cat",
                  "/sys/devices/system/node/node3/cpulist").stderr
    assert nodes == "24-31,56-63\n"


def test_executed_and_forked_programs_have_the_affinity_of_the_start(atoll, programs, program):
    sees = programs("sees", SEES, "-D_GNU_SOURCE")
    script = ["sh", "-c", f"{sees}; exec {sees}"]
    done = atoll("simulate", *MACHINE, "--frontend", "dbi", "--no-interval", "--json", "--threads", 9, "--", *script)
    assert done.stderr.split() == ["64", "9", "9"] * 2
    done = atoll("simulate", *MACHINE, "--frontend", "dbi", "--no-interval", "--json", "--", "sh", "-c",
                 f"exec {program}")
    assert json.loads(done.stdout)["nodes_of_threads"] == [0, 0, 0, 1, 1, 2, 2, 3, 3]


def test_pages_move_with_the_thread_that_touched_them_first(atoll, programs):
    """Pages placed by a policy don't move, even if they were mapped before the policy was set."""
    pages = programs("pages", PAGES, "-D_GNU_SOURCE", "-pthread")
    done = atoll("simulate", *MACHINE, "--frontend", "dbi", "--no-interval", "--json", "--", pages)
    nodes = [int(word) for word in done.stderr.split()]
    assert nodes[:6] == [2, 3, 2, 2, 2, 2]
    assert nodes[6:] == [0, 3, 2, 0, 2, 0]


def test_report_and_simulation_agree_on_the_local_share(atoll, program, profile):
    traffic = json.loads(atoll("simulate", *MACHINE, "--no-interval", "--json", "--", program).stdout)["traffic"]
    simulated = sum(row[node] for node, row in enumerate(traffic)) / sum(map(sum, traffic))
    reported = json.loads(atoll("report", profile, *MACHINE, "--json").stdout)["memory_local_share"]
    assert abs(reported - simulated) < 0.1, (reported, simulated)
    assert f"{100 * reported:.0f} % of what passes the last-level caches is local" in words_of(
        atoll("report", profile, *MACHINE).stdout)


def test_a_table_that_is_filled_and_then_read_is_written_once(atoll, profile):
    report = words_of(atoll("report", profile, *MACHINE).stdout)
    assert re.search(r"make_table at \S+ written once, then read, by 9 threads", report), report
