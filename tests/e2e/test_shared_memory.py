"""Memory shared by several processes: writes of one process are visible in the others, a private page is its
parent's until the child writes to it, and a file's page is identified by the file."""

import subprocess
import sys

import pytest
from watched import watch

PAGES, ROUNDS = 16, 20
LONGS = PAGES * 512
EACH = ROUNDS * LONGS  # reads, and as many writes, of a thread that updates each element once per round

PROGRAM = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>
enum { PAGE = 4096, BYTES = %(PAGES)d * PAGE, LONGS = BYTES / sizeof(long long) };
typedef volatile long long cell;
static long long table[LONGS] __attribute__((aligned(PAGE)));
/* In some epochs, so that two who update at one time have some in common. */
static void update(cell* cells) {
  for (int round = 0; round < %(ROUNDS)d; ++round, usleep(8000))
    for (int i = 0; i < LONGS; ++i) ++cells[i];
}
static long long sum(cell* cells) {
  long long all = 0;
  for (int round = 0; round < %(ROUNDS)d; ++round)
    for (int i = 0; i < LONGS; ++i) all += cells[i];
  return all;
}
static void* map(int flags, int file) {
  void* at = mmap(0, BYTES, PROT_READ | PROT_WRITE, flags, file, 0);
  if (at == MAP_FAILED) exit(9);
  return at;
}
static void wait_for_all(void) {
  int status;
  while (wait(&status) > 0)
    if (status != 0) exit(8);
}
/* Each child in its turn. */
static void in_turn(int children, int (*work)(int, void*), void* with) {
  for (int i = 0; i < children; ++i) {
    if (fork() == 0) _exit(work(i, with));
    wait_for_all();
  }
}
static void at_once(int children, int (*work)(int, void*), void* with) {
  for (int i = 0; i < children; ++i)
    if (fork() == 0) _exit(work(i, with));
  wait_for_all();
}
static int update_it(int i, void* with) { update(with); return 0; }
static int attach(int i, void* with) {
  cell* at = shmat(*(int*)with, 0, 0);
  update(at);
  shmdt((void*)at);
  return 0;
}
static int use_table(int i, void* with) {
  if (i == 4) update(with);
  return i < 4 && sum(with) != %(ROUNDS)dLL * LONGS * (LONGS - 1) / 2;
}
static int remap(int i, void* with) {
  /* Other memory at the addresses that were inherited. */
  cell* own = mmap(with, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return sum(own) != 0;
}
static int grow(int i, void* with) {
  cell* at = mremap(with, BYTES, 4 * BYTES, MREMAP_MAYMOVE);
  if ((void*)at == MAP_FAILED) return 7;
  update(at);
  return 0;
}
int main(int argc, char** argv) {
  const char* mode = argv[1];
  if (!strcmp(mode, "anonymous")) {
    at_once(2, update_it, map(MAP_SHARED | MAP_ANONYMOUS, -1));
  } else if (!strcmp(mode, "-c")) {
    execl("/bin/sh", "sh", mode, argv[2], (char*)0);
  } else if (!strcmp(mode, "moved")) {
    int file = memfd_create("cells", 0);
    if (ftruncate(file, 4 * BYTES) != 0) return 6;
    at_once(2, grow, map(MAP_SHARED, file));
  } else if (!strcmp(mode, "phases")) {  /* one after the other at the same addresses */
    void* at = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    for (int phase = 0; phase < 2; ++phase) {
      mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      for (int i = 0; i < 2; ++i)
        if (fork() == 0) _exit((update(at), 0));
      munmap(at, BYTES);
      mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      wait_for_all();
    }
  } else if (!strcmp(mode, "file")) {  /* argv[2], by processes that know nothing of each other */
    int file = open(argv[2], O_RDWR);
    if (argc > 3) mmap(0, 100 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    update(map(MAP_SHARED, file));
  } else if (!strcmp(mode, "private-file")) {  /* the one who writes has copies */
    int file = open(argv[2], O_RDWR);
    cell* at = map(MAP_PRIVATE, file);
    if (argc > 3) update(at); else return sum(at) != 0;
  } else if (!strcmp(mode, "twice")) {  /* at two addresses of one process */
    int file = memfd_create("cells", 0);
    if (ftruncate(file, BYTES) != 0) return 6;
    cell* first = map(MAP_SHARED, file);
    update(first);
    return sum(map(MAP_SHARED, file)) != (long long)%(ROUNDS)d * %(ROUNDS)d * LONGS;
  } else if (!strcmp(mode, "system-v")) {
    int segment = shmget(IPC_PRIVATE, BYTES, IPC_CREAT | 0600);
    if (segment < 0) return 4;
    at_once(2, attach, &segment);
    shmctl(segment, IPC_RMID, 0);
  } else if (!strcmp(mode, "table")) {  /* filled by the parent, read by four, written by the last */
    for (int i = 0; i < LONGS; ++i) ((cell*)table)[i] = i;
    in_turn(5, use_table, table);
  } else if (!strcmp(mode, "remapped")) {
    cell* at = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    for (int i = 0; i < LONGS; ++i) at[i] = i;
    in_turn(2, remap, (void*)at);
  } else {
    return 3;
  }
  return 0;
}
""" % {"PAGES": PAGES, "ROUNDS": ROUNDS}
FRONT_ENDS = ["clang", "gcc", "dbi", "dbi-static"]


@pytest.fixture(params=FRONT_ENDS)
def run(request, atoll, build, tmp_path):
    """Returns a profile of a shell command, in which $P is the program."""
    (tmp_path / "p.c").write_text(PROGRAM)
    options = {"clang": [build / "atollcc"], "gcc": [build / "atollgcc"],
               "dbi": ["gcc"], "dbi-static": ["gcc", "-static"]}[request.param]
    subprocess.run([*options, "-O1", "-g", tmp_path / "p.c", "-o", tmp_path / "p"], check=True)
    (tmp_path / "zeros").write_bytes(bytes(PAGES * 4096))
    frontend = {"clang": "compiled", "gcc": "gcc"}.get(request.param, "dbi")

    def watched(command):
        seen = watch(atoll, tmp_path, tmp_path / "p", "-c", command, frontend=frontend,
                     environment={"P": str(tmp_path / "p"), "F": str(tmp_path / "zeros")})
        assert seen.returncode == 0, seen.stderr.decode()
        return seen
    return watched


def users(seen, least=EACH):
    """Returns [(object, pages, {thread: (reads, writes)})] of objects that a thread accesses at least that often."""
    found = []
    for (number,) in seen.rows("SELECT object FROM chunks GROUP BY object, thread HAVING sum(reads) >= ?"
                               " ORDER BY object", least):
        rows = seen.rows("SELECT thread, sum(reads), sum(writes), sum(pages) FROM chunks WHERE object = ? GROUP BY"
                         " thread", number)
        one = (number, max(row[3] for row in rows), {row[0]: row[1:3] for row in rows})
        if one not in found:
            found.append(one)
    return found


def processes_of(seen, threads):
    return [process for (process,) in seen.rows(
        f"SELECT process FROM threads WHERE id IN ({','.join(map(str, threads))}) ORDER BY id")]


def two_update_one(seen, name=None):
    ((number, pages, use),) = users(seen)
    assert pages == PAGES
    both = [thread for thread, (reads, writes) in use.items() if reads >= EACH]
    assert len(both) == 2 and len(set(processes_of(seen, both))) == 2
    assert all(use[thread] == (EACH, EACH) for thread in both)
    assert seen.one("SELECT written_lines FROM communication WHERE thread = ? AND other = ?", *both) >= 64 * PAGES
    assert seen.one("SELECT private_lines + read_shared_lines FROM objects WHERE id = ?", number) == 0
    if name is not None:
        assert seen.one("SELECT name FROM objects WHERE id = ?", number) == name
    return number


def test_a_shared_mapping_that_was_inherited(run):
    seen = run("exec $P anonymous")
    number = two_update_one(seen)
    assert seen.one("SELECT kind FROM objects WHERE id = ?", number) == "mapping"


def test_a_file_that_unrelated_processes_map(run):
    two_update_one(run("$P file $F & $P file $F elsewhere; wait"), "zeros")


def test_system_v(run):
    seen = run("exec $P system-v")
    number = two_update_one(seen)
    assert seen.one("SELECT name FROM objects WHERE id = ?", number).startswith("System V memory ")


def test_a_shared_mapping_that_grew_and_moved(run):
    two_update_one(run("exec $P moved"), "memfd:cells")


def test_mappings_one_after_the_other(run):
    """The children of each phase share memory only with each other, whatever their parent maps at the address later."""
    found = users(run("exec $P phases"))
    assert [pages for _, pages, _ in found] == [PAGES, PAGES]
    assert [len([1 for reads, _ in use.values() if reads >= EACH]) for _, _, use in found] == [2, 2]


def test_one_process_maps_twice(run):
    ((_, pages, use),) = users(run("exec $P twice"))
    assert pages == PAGES
    assert list(use.values()) == [(2 * EACH, EACH)]


def test_pages_of_a_file_that_some_write_to(run):
    """Two processes only read, and use the file's own pages; the third has copies."""
    found = users(run("$P private-file $F; $P private-file $F; $P private-file $F writes"))
    assert sorted(len(use) for _, _, use in found) == [1, 2]
    assert all(pages == PAGES for _, pages, _ in found)
    assert {counts for _, _, use in found if len(use) == 2 for counts in use.values()} == {(EACH, 0)}


def test_a_table_that_children_inherit(run, source, tmp_path):
    """Four children only read the table, so they use their parent's. The fifth writes to it, and has a copy."""
    seen = run("exec $P table")
    own, parents = sorted(users(seen), key=lambda found: len(found[2]))
    assert own[1] == parents[1] == PAGES
    assert list(own[2].values()) == [(EACH, EACH)]
    (writer, filled), *readers = sorted(parents[2].items())
    assert filled[1] == LONGS
    assert [counts for _, counts in readers] == [(EACH, 0)] * 4
    assert not set(own[2]) & {thread for thread, _ in readers}
    sys.path[:0] = [str(source / "tools")]
    import atoll_profile
    with atoll_profile.connect(str(tmp_path / "watched.profile")) as connection:
        touchers = connection.execute(
            "SELECT DISTINCT t.thread FROM first_touch t JOIN objects o ON o.process = t.process WHERE o.id = ?"
            " AND t.page BETWEEN o.address / 4096 AND (o.address + o.bytes - 1) / 4096", (parents[0],)).fetchall()
    assert touchers == [(writer,)]


def test_memory_that_took_the_place_of_what_was_inherited(run):
    found = users(run("exec $P remapped"))
    assert [(pages, list(use.values())) for _, pages, use in found] == [(PAGES, [(EACH, 0)])] * 2
