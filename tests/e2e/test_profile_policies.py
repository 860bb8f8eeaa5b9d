"""`atoll profile --machine M`: memory policies that a program requests determine the nodes of its pages in reports, as
under `atoll simulate`."""

import json
import os
import subprocess

import pytest
from test_simulate_memory_calls import LAUNCHER, WRITES
from watched import watch

MACHINE = "xeon-2x10"
PAGES = 4096  # pages that WRITES touches

# The program's own policy for 2048 pages, all of which one thread touches.
OWN = """
#include <numaif.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
enum { kPages = 2048, kPage = 4096 };
static char* all;
static void* touch(void* unused) { memset(all, 1, kPages * (long)kPage); return unused; }
static int bind(long first, long count, int mode, unsigned long nodes, unsigned flags) {
  return mbind(all + first * kPage, count * kPage, mode, &nodes, 64, flags) != 0;
}
int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  unsigned long second = 2, both = 3;
  all = mmap(0, kPages * (long)kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (strcmp(how, "range") == 0 && bind(0, kPages / 2, MPOL_BIND, 2, 0)) return 1;
  if (strcmp(how, "twice") == 0 && (bind(0, kPages, MPOL_BIND, 2, 0) || bind(0, kPages / 4, MPOL_BIND, 1, 0))) return 2;
  if (strcmp(how, "turn") == 0 && bind(0, kPages, MPOL_INTERLEAVE, 3, 0)) return 3;
  if (strcmp(how, "reset") == 0 && (bind(0, kPages, MPOL_BIND, 2, 0) || bind(0, kPages, MPOL_DEFAULT, 0, 0))) return 4;
  if (strcmp(how, "thread") == 0 && set_mempolicy(MPOL_PREFERRED, &second, 64) != 0) return 5;
  if (strcmp(how, "inherited") == 0 && set_mempolicy(MPOL_INTERLEAVE, &both, 64) != 0) return 6;
  if (strcmp(how, "forked") == 0) {
    if (set_mempolicy(MPOL_BIND, &second, 64) != 0) return 7;
    if (fork() != 0) { int status = 1; wait(&status); return status != 0; }
  }
  if (strcmp(how, "inherited") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, touch, NULL);
    if (set_mempolicy(MPOL_DEFAULT, NULL, 0) != 0) return 8;
    pthread_join(thread, NULL);
  }
  touch(NULL);
  if (strcmp(how, "later") == 0 && bind(0, kPages, MPOL_BIND, 2, 0)) return 9;
  if (strcmp(how, "moves") == 0 && bind(0, kPages / 2, MPOL_BIND, 2, MPOL_MF_MOVE)) return 10;
  if (strcmp(how, "pages") == 0) {
    void* pages[512];
    int nodes[512], status[512];
    for (int i = 0; i < 512; ++i) { pages[i] = all + i * kPage; nodes[i] = 1; }
    if (move_pages(0, 512, pages, nodes, status, MPOL_MF_MOVE) != 0) return 11;
  }
  for (long i = 0, sum = 0; i < 10 * kPages; ++i) { sum += all[i % kPages * kPage]; if (sum == 1000000000) return 12; }
  return 0;
}
"""


def seen_pages(atoll, folder, pages):
    """Returns the pages by node and the local fraction of the largest object, and the report."""
    report = atoll.json("report", folder / "watched.profile", "--machine", MACHINE)
    assert report["nodes"] == [0, 1]
    (found,) = [one for one in report["objects"] if one["pages"] >= pages]
    return found["balance"]["pages"], found["what_if"][0]["local_share"], report


def simulated_bytes(atoll, *command):
    """Returns the bytes that each node serves in a simulation."""
    done = subprocess.run([str(atoll.program), "simulate", "--json", "--no-interval", "--pages", "4k", "--machine",
                           MACHINE, "--", *map(str, command)],
                          capture_output=True, text=True, check=True, timeout=120, env=dict(os.environ))
    return [one["bytes"] for one in json.loads(done.stdout)["controllers"]]


@pytest.mark.parametrize(("arguments", "second"), [
    (["membind", "1"], 1), (["preferred", "1"], 1), (["interleave", "0,1"], 0.5), (["forks", "1"], 1),
    (["itself"], 1), (["none"], 0)], ids=lambda value: value[0] if isinstance(value, list) else "")
def test_a_policy_is_kept_by_executed_programs(atoll, programs, tmp_path, arguments, second):
    writes = programs("writes", WRITES)
    if arguments == ["itself"]:
        command = [writes, "x"]
    elif arguments == ["none"]:
        command = [writes]
    else:
        command = [programs("launcher", LAUNCHER, "-Wl,--no-as-needed", "-lnuma"), *arguments, writes]
    seen = watch(atoll, tmp_path, *command, options=["--machine", MACHINE])
    assert seen.returncode == 0 and seen.stdout == b"5\n", seen.stderr.decode()
    pages, local, report = seen_pages(atoll, tmp_path, PAGES)
    assert pages[1] / sum(pages) == pytest.approx(second, abs=0.01)
    node = report["nodes_of_threads"][-1]  # node of the writing thread
    assert local == pytest.approx(pages[node] / sum(pages), abs=0.02)
    loads = report["balance"]["traffic"]
    assert loads[1] / sum(loads) == pytest.approx(second, abs=0.1)
    of_nodes = simulated_bytes(atoll, *command)
    assert of_nodes[1] / sum(of_nodes) == pytest.approx(second, abs=0.1)


@pytest.mark.parametrize(("how", "second"), [
    ("range", 0.5), ("twice", 0.75), ("turn", 0.5), ("reset", 0), ("thread", 1), ("inherited", 0.5), ("forked", 1),
    ("later", 0), ("moves", 0.5), ("pages", 0.25), ("", 0)])
def test_calls_of_the_program(atoll, programs, tmp_path, how, second):
    program = programs("own", OWN, "-Wl,--no-as-needed", "-lnuma")
    seen = watch(atoll, tmp_path, program, how, options=["--machine", MACHINE])
    assert seen.returncode == 0, seen.stderr.decode()
    report = atoll.json("report", tmp_path / "watched.profile", "--machine", MACHINE)
    (found,) = [one for one in report["objects"] if one["kind"] == "mapping" and one["pages"] == 2048]
    pages = found["balance"]["pages"]
    assert pages == [2048 - round(2048 * second), round(2048 * second)]
    advice = atoll.json("advise", tmp_path / "watched.profile", "--machine", MACHINE)
    assert advice is not None


def test_other_front_ends(atoll, make, tmp_path):
    program = make.build(tmp_path, OWN, "-O1", "-D_GNU_SOURCE", "-pthread", "-Wl,--no-as-needed", "-lnuma")
    seen = watch(atoll, tmp_path, program, "range", frontend=make.frontend, options=["--machine", MACHINE])
    assert seen.returncode == 0, seen.stderr.decode()
    report = atoll.json("report", tmp_path / "watched.profile", "--machine", MACHINE)
    (found,) = [one for one in report["objects"] if one["kind"] == "mapping" and one["pages"] == 2048]
    assert found["balance"]["pages"] == [1024, 1024]


def test_policies_of_this_computer(atoll, programs, tmp_path):
    """Without --machine, the calls are passed to the kernel, and are recorded if they succeed."""
    program = programs("real", """
        #include <numaif.h>
        #include <sys/mman.h>
        int main(void) {
          unsigned long node = 1;
          char* all = mmap(0, 512 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
          int refused = mbind(all, 512 * 4096, MPOL_BIND, &node, 64, 0) != 0;
          memset(all, 1, 512 * 4096);
          printf("%d\\n", refused);
          return 0;
        }""", "-Wl,--no-as-needed", "-lnuma")
    seen = watch(atoll, tmp_path, program)
    assert seen.returncode == 0, seen.stderr.decode()
    policies = seen.rows("SELECT mode, hex(nodes) FROM policies")
    assert policies == ([] if seen.stdout == b"1\n" else [(2, "0100000000000000")])
