"""End of threads, and reuse of their places: a thread ends with its process at the latest, and its place is
free once it is joined."""

import subprocess

import pytest
from dbi_programs import compiled
from watched import watch

FRONTENDS = ["compiled", "dbi", "sample"]


@pytest.fixture(scope="module")
def build_for(build, tmp_path_factory):
    """Returns a function that builds a C source text for a front end."""

    def make(frontend, name, text, *flags):
        folder = tmp_path_factory.mktemp(name)
        program = compiled(folder, name, text, *flags)
        if frontend == "compiled":
            subprocess.run([build / "atollcc", "-O1", "-g", "-pthread", *flags, program.with_suffix(".c"), "-o", program],
                           check=True)
        return program

    return make


ENDS = """
    #include <sys/syscall.h>
    #include <time.h>
    static long now(void) {
      struct timespec t;
      clock_gettime(CLOCK_MONOTONIC, &t);
      return t.tv_sec * 1000000000L + t.tv_nsec;
    }
    static void* stay(void* unused) { pause(); return 0; }
    int main(int count, char** words) {
      for (int how = 0; how < 6; ++how) {
        const long begin = now();
        pid_t child = fork();
        if (child == 0) {
          pthread_t other;
          pthread_create(&other, 0, stay, 0);
          usleep(30000);
          if (how == 0) exit(0);
          if (how == 1) _exit(0);
          if (how == 2) syscall(SYS_exit_group, 0);
          if (how == 3) abort();
          if (how == 4) raise(SIGKILL);
          execl("/bin/true", "true", (char*)0);
        }
        waitpid(child, 0, 0);
        printf("%d %ld %ld\\n", child, begin, now());
      }
      return 0;
    }
"""


@pytest.mark.parametrize("frontend", FRONTENDS)
def test_threads_end_with_their_process(atoll, build_for, tmp_path, frontend):
    """All kinds of ends of a process, also while another thread sleeps."""
    seen = watch(atoll, tmp_path, build_for(frontend, "ends", ENDS), frontend=frontend)
    assert seen.rows("SELECT t.id FROM threads t JOIN processes p ON p.id = t.process"
                     " WHERE t.ended_ns = 0 OR t.joined_ns = 0 OR t.ended_ns < t.started_ns OR p.ended_ns = 0") == []
    lines = [tuple(map(int, line.split())) for line in seen.stdout.splitlines()]
    first = min(begin for _, begin, _ in lines)
    start = seen.one("SELECT min(p.started_ns) FROM processes p WHERE p.parent IS NOT NULL")
    late = 20e6 * (5 if frontend == "dbi" else 1)  # new processes are detected every 10 ms
    assert len(lines) == 6
    for pid, begin, end in lines:
        of_child = seen.rows("SELECT t.started_ns, t.ended_ns FROM threads t JOIN processes p ON p.id = t.process"
                             " WHERE p.pid = ?", pid)
        assert len(of_child) >= 2
        for started, ended in of_child:
            assert begin - first - 200e6 <= started - start and ended - start <= end - first + late


JOINS = """
    static void* work(void* number) { usleep(2000); return 0; }
    int main(void) {
      pthread_t threads[12];
      for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, work, 0);
      usleep(100000);
      for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
      for (int i = 4; i < 8; ++i) {
        pthread_create(&threads[i], 0, work, 0);
        pthread_join(threads[i], 0);
      }
      pthread_attr_t detached;
      pthread_attr_init(&detached);
      pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
      for (int i = 8; i < 12; ++i) {
        pthread_create(&threads[i], i < 10 ? &detached : 0, work, 0);
        if (i == 10) pthread_detach(threads[i]);
        usleep(50000);
      }
      return 0;
    }
"""


@pytest.mark.parametrize("frontend", FRONTENDS)
def test_a_place_is_free_when_its_thread_was_joined(atoll, build_for, tmp_path, frontend):
    """Four threads created together, four one after the other, two detached, one detached later, one never joined."""
    seen = watch(atoll, tmp_path, build_for(frontend, "joins", JOINS), frontend=frontend)
    times = seen.rows("SELECT started_ns, ended_ns, joined_ns FROM threads ORDER BY id")[1:]
    assert len(times) == 12
    together, in_turn, detached = times[:4], times[4:8], times[8:11]
    assert max(end for _, end, _ in together) + 50e6 < min(joined for _, _, joined in together)
    for before, after in zip(in_turn, in_turn[1:]):
        assert before[1] <= before[2] <= after[0]
    assert all(end == joined for _, end, joined in detached)
    assert times[11][2] == seen.one("SELECT ended_ns FROM processes") > times[11][1]
    places = atoll.json("report", tmp_path / "watched.profile", "--machine", "opteron-8x8")["nodes_of_threads"]
    assert len(set(places[:5])) == 5
    assert len(set(places[5:9])) == 1  # each has the place of the previous one


FILLER = """
    enum { kWorkers = 4, kPart = 1 << 20 };  // 8 MiB, which no private cache holds
    static long* array;
    static void* work(void* number) {
      volatile long* mine = array + (long)number * kPart;
      for (int round = 0; round < 16; ++round)
        for (int i = 0; i < kPart; i += 8) ++mine[i];
      return 0;
    }
    int main(void) {
      pthread_t workers[kWorkers];
      array = malloc(kWorkers * kPart * sizeof *array);
      for (long i = 0; i < kWorkers * kPart; i += 512) array[i] = 0;  // a word of each page
      for (long i = 0; i < kWorkers; ++i) pthread_create(&workers[i], 0, work, (void*)i);
      for (int i = 0; i < kWorkers; ++i) pthread_join(workers[i], 0);
      return 0;
    }
"""


@pytest.mark.parametrize("frontend", ["compiled", "dbi"])
def test_processes_before_it_don_t_take_a_program_s_places(atoll, build_for, tmp_path, frontend):
    """The processes that a script runs before the program have ended when it starts. The advice is the same
    as for the program alone."""
    program = build_for(frontend, "filler", FILLER)

    def advised(*command):
        watch(atoll, tmp_path, *command, frontend=frontend)
        advice = atoll.json("advise", tmp_path / "watched.profile", "--machine", "opteron-8x8")
        return advice["before"]["local_share"], advice["after"]["local_share"]

    script = tmp_path / "script.sh"
    script.write_text(f"#!/bin/sh\nfor i in $(seq 30); do /bin/true; done\n{program}\n")
    script.chmod(0o755)
    alone, after_others = advised(program), advised(script)
    assert after_others[0] < 0.6 and after_others[1] > 0.8
    assert after_others[1] == pytest.approx(alone[1], abs=0.1)


def test_a_plan_of_several_processes_knows_each_by_what_it_executes(atoll, build_for, tmp_path):
    program = build_for("dbi", "planned", FILLER)
    script = tmp_path / "script.sh"
    script.write_text(f"#!/bin/sh\n/bin/true\n{program}\n/bin/true\n")
    script.chmod(0o755)
    watch(atoll, tmp_path, script)
    atoll("advise", tmp_path / "watched.profile", "-o", tmp_path / "plan", "--machine", "opteron-8x8")
    said = atoll("run", "--plan", tmp_path / "plan", "--", script).stderr
    # All threads except those of the shell's forks, which call exec at once.
    assert "recognised 8 of 11 threads" in said and "not in the plan" not in said
