"""Traffic of lines that several threads use: a write invalidates a line in other caches once, not at each later
read."""

import pytest
from watched import watch

N = 300000
THREADS = 6

ROUNDS = 30

# The main thread writes a line of `written` before it creates threads that read it, and a line of `after`, which a
# thread then writes. It repeatedly uses other lines of these pages. All threads update a line of `shared`, in rounds.
PROGRAM = f"""
    #define PAGE __attribute__((aligned(4096)))
    volatile long written[512] PAGE, shared[512] PAGE, after[512] PAGE, own[{THREADS}][512] PAGE;
    static pthread_barrier_t all;
    static volatile int is_done;
    static void* reads(void* which) {{
      for (int i = 0; i < {N}; ++i) own[(long)which][0] += written[0];
      for (int round = 0; round < {ROUNDS}; ++round) {{
        pthread_barrier_wait(&all);
        for (int i = 0; i < {N // ROUNDS}; ++i) shared[0] += 1;
      }}
      return 0;
    }}
    static void* uses(void* unused) {{
      for (int i = 0; i < {N}; ++i) after[0] = i;
      is_done = 1;
      return unused;
    }}
    int main(void) {{
      pthread_t threads[{THREADS}], first;
      for (int i = 0; i < {N}; ++i) written[0] = i, after[0] = i;
      pthread_barrier_init(&all, 0, {THREADS});
      pthread_create(&first, 0, uses, 0);
      while (!is_done) ++after[64];
      pthread_join(first, 0);
      for (long i = 0; i < {THREADS}; ++i) pthread_create(threads + i, 0, reads, (void*)i);
      for (int i = 0; i < {N}; ++i) ++written[64];
      for (int i = 0; i < {THREADS}; ++i) pthread_join(threads[i], 0);
      return 0;
    }}
"""


@pytest.fixture(scope="module")
def seen(atoll, programs, tmp_path_factory):
    done = watch(atoll, tmp_path_factory.mktemp("seen"), programs("invalidations", PROGRAM))
    assert done.returncode == 0, done.stderr.decode()
    return done


def traffic(seen, name):
    return seen.rows("SELECT c.thread, sum(c.traffic), sum(c.reads + c.writes) FROM chunks c JOIN objects o"
                     " ON o.id = c.object WHERE o.name = ? GROUP BY c.thread ORDER BY c.thread", name)


def test_what_was_written_before_threads_began_is_fetched_once(seen):
    (_, of_main, _), *others = traffic(seen, "written")
    assert len(others) == THREADS and of_main < 100
    for _, lines, accesses in others:
        assert accesses == N and lines < 100


def test_what_was_used_before_another_thread_began_stays_a_hit(seen):
    (_, of_main, _), (_, of_thread, _) = traffic(seen, "after")
    assert of_main < 100 and of_thread < 100


def test_what_threads_update_at_the_same_time_misses(seen):
    rows = traffic(seen, "shared")
    assert len(rows) == THREADS
    for _, lines, accesses in rows:
        assert lines > accesses / 8
