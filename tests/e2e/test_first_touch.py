"""First touches of stacks, thread-local variables and arenas: each front end agrees with the kernel's page
faults of the same program without recording."""

import subprocess
import textwrap

import pytest
import zoo
from watched import watch

# Each program has at least three workers, and prints the addresses of interest. Threads are numbered in order of
# creation; pages of a stack are counted from the top.
COMMON = """
    #define _GNU_SOURCE
    #include <pthread.h>
    #include <stdint.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    enum { kPage = 4096, kWorkers = 3, kTop = 48 };
    static pthread_t threads[16];
    static int tids[16];
    static struct { char name[24]; uintptr_t begin; size_t pages; } areas[64];
    static int thread_count = 1, area_count;
    static void area(const char* name, int number, volatile void* begin, size_t pages) {
      int i = __atomic_fetch_add(&area_count, 1, __ATOMIC_SEQ_CST);
      snprintf(areas[i].name, sizeof areas[i].name, "%s-%d", name, number);
      areas[i].begin = (uintptr_t)begin / kPage * kPage;
      areas[i].pages = pages;
    }
    /* By the thread itself: its number, and its stack. */
    static void enter(int number) {
      pthread_attr_t about;
      void* stack;
      size_t bytes;
      tids[number] = (int)syscall(SYS_gettid);
      pthread_getattr_np(pthread_self(), &about);
      pthread_attr_getstack(&about, &stack, &bytes);
      pthread_attr_destroy(&about);
      area("stack", number, (char*)stack + bytes - kTop * kPage, kTop);
    }
    static void fill(volatile char* begin, size_t bytes) {
      for (size_t i = 0; i < bytes; i += 64) begin[i] = 1;
    }
    __attribute__((noinline)) static int deeper(int levels) {
      volatile char frame[1000];
      frame[0] = (char)levels;
      return levels == 0 ? 0 : deeper(levels - 1) + frame[0];
    }
    static void start(void* (*work)(void*), const pthread_attr_t* how) {
      long number = thread_count++;
      if (pthread_create(&threads[number], how, work, (void*)number) != 0) abort();
    }
    static void* map(size_t pages) {
      return mmap(0, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    static void join_all(void) { for (int i = 1; i < thread_count; ++i) pthread_join(threads[i], 0); }
    static int tell(void) {
      tids[0] = getpid();
      for (int i = 0; i < thread_count; ++i) printf("thread %d\\n", tids[i]);
      for (int i = 0; i < area_count; ++i) printf("%s %lu %zu\\n", areas[i].name, (long)areas[i].begin, areas[i].pages);
      return 0;
    }
"""
START = "for (int i = 0; i < kWorkers; ++i) start(work, 0); join_all();"
# A frame of the recording version is about 70 bytes larger, so that 100 calls would reach two more pages.
PROGRAMS = {
    "small frames": ("static void* work(void* number) { enter((int)(long)number); return 0; }", START),
    "deep calls": ("""
        static void* work(void* number) { enter((int)(long)number); deeper(50); return 0; }""", START),
    "large locals": ("""
        static void* work(void* number) {
          volatile char local[20 * kPage];
          enter((int)(long)number);
          fill(local, sizeof local);
          return 0;
        }""", START),
    "stacks used again": ("""
        static void* work(void* number) { enter((int)(long)number); deeper(20 * (int)(long)number); return 0; }""",
        "for (int i = 0; i < kWorkers; ++i) { start(work, 0); pthread_join(threads[i + 1], 0); }"),
    "nested creators": ("""
        static void* work(void* number) {
          enter((int)(long)number);
          if (thread_count < 4) { start(work, 0); pthread_join(threads[(long)number + 1], 0); }
          deeper(30);
          return 0;
        }""", "start(work, 0); pthread_join(threads[1], 0);"),
    "own stacks": ("""
        static void* work(void* number) { enter((int)(long)number); deeper(40); return 0; }""", """
        for (int i = 0; i < kWorkers; ++i) {
          pthread_attr_t how;
          char* stack = map(64);
          pthread_attr_init(&how);
          pthread_attr_setstack(&how, stack, 64 * kPage);
          stack[20 * kPage] = 1;
          start(work, &how);
        }
        join_all();"""),
    "small thread-local": ("""
        static __thread int count;
        static void* work(void* number) {
          enter((int)(long)number);
          for (int i = 0; i < 1000; ++i) ++*(volatile int*)&count;
          return 0;
        }""", START),
    "large thread-local": ("""
        static __thread char zeros[6 * kPage];
        static __thread char ones[3 * kPage] = {1};
        static void* work(void* number) {
          enter((int)(long)number);
          fill(zeros, sizeof zeros);
          fill(ones, sizeof ones);
          deeper(20);
          return 0;
        }""", START),
    "arenas of threads": ("""
        static void* work(void* number) {
          enter((int)(long)number);
          char* arena = map(16);
          area("arena", (int)(long)number, arena, 16);
          fill(arena, 10 * kPage);
          return 0;
        }""", START),
    "arenas of the creator": ("""
        static char* arenas;
        static void* work(void* number) {
          enter((int)(long)number);
          char* arena = arenas + ((long)number - 1) * 8 * kPage;
          area("arena", (int)(long)number, arena, 8);
          fill(arena, 8 * kPage);
          return 0;
        }""", """
        arenas = map(8 * kWorkers);
        for (int i = 0; i < kWorkers; ++i) fill(arenas + i * 8 * kPage, 2 * kPage);
        """ + START),
    "allocations": ("""
        static void* work(void* number) {
          enter((int)(long)number);
          char* own = aligned_alloc(kPage, 32 * kPage);
          area("own", (int)(long)number, own, 32);
          fill(own + 16 * kPage, 16 * kPage);
          return 0;
        }""", START),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("first-touch")


@pytest.fixture(scope="module")
def page_faults(folder, source):
    program = folder / "page_faults"
    subprocess.run(["gcc", "-O1", source / "tests/programs/page_faults.c", "-o", program], check=True)
    if subprocess.run(["sh", "-c", f"{program} true 3>/dev/null"]).returncode == 77:
        pytest.skip("page faults can't be sampled here: see kernel.perf_event_paranoid")
    return program


def told(output):
    """Returns {kernel's thread id: thread number} and {page: label}. A page of a reused stack has the first
    thread's label."""
    words = [line.split() for line in output.splitlines()]
    numbers = {int(line[1]): i for i, line in enumerate(line for line in words if line[0] == "thread")}
    labels = {}
    for name, begin, pages in (line for line in words if line[0] != "thread"):
        for page in range(int(pages)):
            labels.setdefault(int(begin) // 4096 + page, (name, page))
    return numbers, labels


@pytest.mark.parametrize("frontend", ["compiled", "gcc", "dbi", "sample"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_first_touch_is_the_kernel_s(atoll, build, folder, page_faults, name, frontend):
    code, main = PROGRAMS[name]
    program = folder / (name.replace(" ", "-") + "-" + frontend)
    text = folder / (program.name + ".c")
    text.write_text(textwrap.dedent(COMMON) + code + f"\nint main(void) {{ {main} return tell(); }}\n")
    compiler = {"compiled": build / "atollcc", "gcc": build / "atollgcc"}.get(frontend, "gcc")
    subprocess.run([compiler, "-O1", "-g", "-pthread", text, "-o", program], check=True)

    # The library is preloaded without recording, so that thread-local variables and stacks have the same
    # addresses as in the recorded run.
    faults = folder / "faults"
    library = build / "lib/atoll/libatoll-record.so"
    native = subprocess.run(["sh", "-c", f"{page_faults} env LD_PRELOAD={library} {program} 3>{faults}"],
                            check=True, capture_output=True, text=True).stdout
    numbers, labels = told(native)
    truth = {}
    for tid, address in (map(int, line.split()) for line in faults.read_text().splitlines()):
        label = labels.get(address // 4096)
        if label is not None and tid in numbers:
            truth.setdefault(label, numbers[tid])

    seen = watch(atoll, folder, program, frontend=frontend)
    _, labels = told(seen.stdout.decode())
    first = {labels[page]: thread for page, thread in
             zoo.atoll_profile.connect(folder / "watched.profile").execute("SELECT page, thread FROM first_touch")
             if page in labels}
    both = first.keys() & truth.keys()
    assert {area for area, _ in both} == {area for area, _ in labels.values()}
    assert {label: first[label] for label in both} == {label: truth[label] for label in both}
    # A few accesses more or fewer may reach another page of a stack, and front ends don't see all accesses of
    # libc.
    assert len(first.keys() - truth.keys()) <= len(labels) // 40
    if frontend in ("dbi", "sample"):
        assert len(truth.keys() - first.keys()) <= len(labels) // 40
