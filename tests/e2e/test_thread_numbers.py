"""The number of a thread is its position in the order of creation, in all outputs and independent of when it
begins to run."""

import subprocess

import pytest
from dbi_programs import compiled
from watched import watch

WORKERS = 8

# Worker i writes only the variable part_i, and records when it began.
PARTS = [f"part_{i}" for i in range(WORKERS)]
PROGRAM = f"""
    #include <time.h>
    enum {{ kPart = 16 * 4096 }};
    char {", ".join(part + "[kPart] __attribute__((aligned(4096)))" for part in PARTS)};
    char* parts[] = {{ {", ".join(PARTS)} }};
    long began[{WORKERS}];
    void* work(void* argument) {{
      long number = (long)argument;
      struct timespec now;
      clock_gettime(CLOCK_MONOTONIC, &now);
      began[number] = now.tv_sec * 1000000000L + now.tv_nsec;
      volatile char* mine = parts[number];
      for (int i = 0; i < kPart; i += 64) mine[i] = 1;
      return 0;
    }}
    int main(void) {{
      pthread_t workers[{WORKERS}];
      for (long i = 0; i < {WORKERS}; ++i) pthread_create(&workers[i], 0, work, (void*)i);
      for (int i = 0; i < {WORKERS}; ++i) pthread_join(workers[i], 0);
      int in_order = 1;
      for (int i = 1; i < {WORKERS}; ++i) in_order &= began[i - 1] < began[i];
      puts(in_order ? "in order" : "shuffled");
      return 0;
    }}
"""


@pytest.fixture(scope="module")
def workers(build, tmp_path_factory):
    """Returns the program, built for each front end."""
    folder = tmp_path_factory.mktemp("workers")
    plain = compiled(folder, "plain", PROGRAM)
    built = {"dbi": plain, "sample": plain}
    for frontend, driver in ("gcc", "atollgcc"), ("compiled", "atollcc"):
        built[frontend] = folder / frontend
        subprocess.run([build / driver, "-O1", "-g", "-pthread", folder / "plain.c", "-o", built[frontend]], check=True)
    return built


@pytest.mark.parametrize("frontend", ["compiled", "gcc", "dbi", "sample"])
def test_threads_are_numbered_as_they_are_created(atoll, workers, tmp_path, frontend):
    shuffled = 0
    for _ in range(50):
        seen = watch(atoll, tmp_path, workers[frontend], frontend=frontend)
        assert seen.returncode == 0
        shuffled += seen.stdout == b"shuffled\n"
        users = [seen.rows("SELECT c.thread FROM chunks c JOIN objects o ON o.id = c.object WHERE o.name = ?"
                           " GROUP BY c.thread", part) for part in PARTS]
        assert users == [[(i + 1,)] for i in range(WORKERS)]
    assert shuffled > 0, "the workers always began in the order of their creation: this shows nothing"


@pytest.mark.parametrize("frontend", ["compiled", "dbi"])
def test_processes_are_numbered_as_they_are_forked(atoll, build, tmp_path, frontend):
    program = compiled(tmp_path, "forks", f"""
        char {", ".join(part + "[4096] __attribute__((aligned(4096)))" for part in PARTS)};
        char* parts[] = {{ {", ".join(PARTS)} }};
        int main(void) {{
          for (int i = 0; i < {WORKERS}; ++i)
            if (fork() == 0) {{
              for (int j = 0; j < 4096; ++j) ++*(volatile char*)(parts[i] + j);
              exit(0);
            }}
          while (wait(0) > 0) {{}}
        }}
    """)
    if frontend == "compiled":
        subprocess.run([build / "atollcc", "-O1", "-g", tmp_path / "forks.c", "-o", program], check=True)
    for _ in range(10):
        seen = watch(atoll, tmp_path, program, frontend=frontend)
        users = [seen.rows("SELECT o.process, c.thread FROM chunks c JOIN objects o ON o.id = c.object WHERE o.name = ?",
                           part) for part in PARTS]
        assert users == [[(i + 1, i + 1)] for i in range(WORKERS)]
