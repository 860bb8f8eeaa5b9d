"""atoll schedule PROFILE: schedules a program's own threads by their communication."""

import json
import subprocess

import pytest

PAIRS = 4
TEXT = """
#include <pthread.h>
#include <stdio.h>
enum { PAIRS = %d, WORDS = 1 << 14, ROUNDS = 20 };
static double tables[PAIRS][WORDS], sums[2 * PAIRS][8];
static pthread_barrier_t all;
static void* work(void* argument) {
  const long me = (long)argument;
  double* table = tables[me %% PAIRS], sum = 0; /* worker i's and worker i + PAIRS's */
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; i < WORDS && me < PAIRS; ++i) table[i] += round;
    pthread_barrier_wait(&all);
    for (int i = 0; i < WORDS && me >= PAIRS; ++i) sum += table[i];
    pthread_barrier_wait(&all);
  }
  sums[me][0] = sum;
  return 0;
}
int main(void) {
  pthread_t threads[2 * PAIRS];
  pthread_barrier_init(&all, 0, 2 * PAIRS);
  for (long i = 0; i < 2 * PAIRS; ++i) pthread_create(threads + i, 0, work, (void*)i);
  for (long i = 0; i < 2 * PAIRS; ++i) pthread_join(threads[i], 0);
  printf("%%g\\n", sums[PAIRS][0]);
  return 0;
}
""" % PAIRS


@pytest.fixture(scope="module")
def profile(atoll, build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pairs")
    (folder / "pairs.c").write_text(TEXT)
    subprocess.run([build / "atollcc", "-O1", "-g", "-pthread", folder / "pairs.c", "-o", folder / "pairs"], check=True)
    atoll("profile", "--frontend", "compiled", "-o", folder / "profile", "--", folder / "pairs")
    return folder / "profile"


def test_threads_that_communicate_are_bound_to_one_node(atoll, profile, tmp_path):
    done = atoll("schedule", profile, "-o", tmp_path / "plan", "--graph", tmp_path / "graph", "--machine", "xeon-x7550")
    assert all(len(line) <= 80 for line in done.stdout.splitlines()[1:4]), done.stdout
    assert "9 threads, of which" in done.stdout and "stays inside nodes" in done.stdout
    plan = json.loads((tmp_path / "plan").read_text())
    assert plan["bind_threads"] and not plan.get("objects")
    nodes = [thread["node"] for thread in plan["threads"]]  # the first thread, then the workers
    assert [nodes[1 + i] == nodes[1 + PAIRS + i] for i in range(PAIRS)] == [True] * PAIRS
    assert len(set(nodes[1:1 + PAIRS])) == PAIRS
    _, *rows = (tmp_path / "graph").read_text().splitlines()
    for worker in range(2 * PAIRS):
        row = list(map(int, rows[1 + worker].split()))
        weights = dict(zip(row[::2], row[1::2]))  # by vertex, from 1
        partner = 2 + (worker + PAIRS) % (2 * PAIRS)
        assert weights[partner] == max(weights.values())
        assert weights[partner] > 0.9 * sum(weights.values())


def test_the_plan_is_run(atoll, profile, tmp_path):
    atoll("schedule", profile, "-o", tmp_path / "plan")
    done = atoll("run", "--plan", tmp_path / "plan", "--", profile.parent / "pairs")
    assert done.stdout == subprocess.run([profile.parent / "pairs"], capture_output=True, text=True, check=True).stdout


def test_a_command_in_one_step(atoll, profile, tmp_path):
    program = profile.parent / "pairs"
    call = ["schedule", "--kernel-threads", "--frontend", "compiled", "--machine", "xeon-x7550"]
    done = atoll(*call, "-o", tmp_path / "plan", "--graph", tmp_path / "graph", "--", program)
    assert "9 threads, of which" in done.stdout
    nodes = [thread["node"] for thread in json.loads((tmp_path / "plan").read_text())["threads"]]
    assert [nodes[1 + i] == nodes[1 + PAIRS + i] for i in range(PAIRS)] == [True] * PAIRS
    assert int((tmp_path / "graph").read_text().split()[0]) == 2 * PAIRS + 1
    told = json.loads(atoll(*call, "-o", tmp_path / "plan", "--json", "--", program).stdout)
    assert told == json.loads((tmp_path / "plan").read_text())


def test_kernel_threads_are_of_profiles_and_commands(atoll, profile, tmp_path):
    (tmp_path / "mesh.graph").write_text("2 1\n2\n1\n")
    assert "profile" in atoll.refuses("schedule", "--kernel-threads", tmp_path / "mesh.graph", "-o", tmp_path / "plan")
    for option in (("--threads", "2"), ("--location", "line")):
        assert option[0] in atoll.refuses("schedule", "--kernel-threads", "-o", tmp_path / "plan", *option, "--",
                                          profile.parent / "pairs")
    assert not (tmp_path / "plan").exists()
    atoll("schedule", "--kernel-threads", profile, "-o", tmp_path / "plan")
    assert (tmp_path / "plan").exists()


def test_json_and_drawings(atoll, profile, tmp_path):
    told = json.loads(atoll("schedule", profile, "-o", tmp_path / "plan", "--json").stdout)
    assert told == json.loads((tmp_path / "plan").read_text())
    atoll("schedule", profile, "--dot", tmp_path / "dot")
    drawn = subprocess.run(["dot", "-Tplain", tmp_path / "dot"], capture_output=True, text=True, timeout=60)
    assert sum(line.startswith("node") for line in drawn.stdout.splitlines()) == 2 * PAIRS + 1


def test_what_is_no_whole_profile(atoll, profile, tmp_path):
    (tmp_path / "cut").write_bytes(profile.read_bytes()[:-100])
    assert "truncated" in atoll.refuses("schedule", tmp_path / "cut", "-o", tmp_path / "plan")
    assert not (tmp_path / "plan").exists()


@pytest.mark.parametrize("option", [("--threads", "2"), ("--seed", "3"), ("--loop", "a"), ("--location", "line")])
def test_options_that_play_no_part_are_refused(atoll, profile, tmp_path, option):
    assert option[0] in atoll.refuses("schedule", profile, "-o", tmp_path / "plan", *option)
    assert not (tmp_path / "plan").exists()
