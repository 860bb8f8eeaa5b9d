"""The front end dbi: unmodified programs in the emulator, counted exactly."""

import pytest
from dbi_programs import N, THREADS
from watched import watch


@pytest.mark.parametrize("flags", [[], ["-static"], ["-s"], ["-static", "-s"], ["-static-pie"]],
                         ids=lambda flags: " ".join(flags) or "plain")
def test_threads_are_counted_exactly(atoll, programs, tmp_path, flags):
    program = programs("threads" + "".join(flags), THREADS, *flags)
    seen = watch(atoll, tmp_path, program)
    assert (seen.returncode, seen.stdout) == (0, b"1\n")
    assert seen.one("SELECT executable FROM processes") == str(program)
    assert seen.one("SELECT count(*) FROM threads") == 9
    if "-s" in flags:  # without symbols, the array has no name, but each thread's accesses are counted
        threads = seen.rows("SELECT sum(reads), sum(writes) FROM chunks GROUP BY thread ORDER BY thread")
        for reads, writes in threads[1:]:
            assert N <= reads <= N + 2000 and N <= writes <= N + 2000
    else:
        counts = seen.of_variable("cells")
        assert counts.count((N, N)) == 8
        assert seen.one("SELECT count(*) FROM objects WHERE kind = 'stack'") == 9


def test_variables_in_one_line_have_their_own_counts(atoll, programs, tmp_path):
    program = programs("neighbours", """
        volatile long cold WHOLE_LINES;
        volatile long hot;
        volatile long large[6];
        void* work(void* unused) {
          for (int i = 0; i < 1000; ++i) hot = hot + 1;
          return unused;
        }
        int main(void) {
          pthread_t thread;
          for (int i = 0; i < 20; ++i) cold = i; /* one write alone would fill the line */
          pthread_create(&thread, 0, work, 0);
          pthread_join(thread, 0);
          return 0;
        }
    """, "-fno-toplevel-reorder")
    seen = watch(atoll, tmp_path, program)
    lines = seen.rows("SELECT DISTINCT address / 64 FROM objects WHERE name IN ('cold', 'hot', 'large')")
    assert len(lines) == 1
    assert seen.of_variable("hot") == [(1000, 1000)]
    assert seen.of_variable("cold") == [(0, 20)]
    assert seen.of_variable("large") == []
    shared = "SELECT write_shared_lines + falsely_shared_lines FROM objects WHERE name = ?"
    assert seen.one(shared, "hot") == seen.one(shared, "cold") == 1
    assert seen.one(shared, "large") == 0


@pytest.mark.parametrize("flags", [["-fPIE", "-pie"], ["-fno-pie", "-no-pie"], ["-static"]],
                         ids=lambda flags: flags[-1])
def test_addresses_however_they_come_about(atoll, programs, tmp_path, flags):
    """Fixed addresses, and addresses from a register, with an index, far from the register, and from memory;
    in groups and alone."""
    program = programs("addresses" + flags[-1], f"""
        typedef volatile long Line[8] WHOLE_LINES;
        Line fixed_one, fixed_pair, from_register, from_register_pair, with_index, with_index_pair, by_pointer;
        volatile long far[100000] WHOLE_LINES;
        volatile char bytes[64] WHOLE_LINES;
        volatile long* volatile pointers[8] WHOLE_LINES;
        __attribute__((noinline)) void at(volatile long* one, volatile long* pair, volatile long* far, long i) {{
          *one = i;
          pair[0] = pair[1];
          far[90000] = far[90001];
        }}
        __attribute__((noinline)) void indexed(volatile long* one, volatile long* pair, volatile char* bytes, long i) {{
          one[i & 7] = i;
          pair[(i & 3) + 2] = pair[(i & 3) + 3];
          bytes[(i & 31) + 1] = bytes[i & 31];
        }}
        int main(void) {{
          pointers[0] = by_pointer;
          for (long i = 0; i < {N}; ++i) {{
            fixed_one[0] = i;
            fixed_pair[0] = fixed_pair[1];
            at(from_register, from_register_pair, far, i);
            indexed(with_index, with_index_pair, bytes, i);
            volatile long* pointer = pointers[0];
            pointer[0] = pointer[1];
          }}
          return 0;
        }}
    """, *flags)
    seen = watch(atoll, tmp_path, program)
    for name, counts in {"fixed_one": (0, N), "fixed_pair": (N, N), "from_register": (0, N),
                          "from_register_pair": (N, N), "with_index": (0, N), "with_index_pair": (N, N),
                          "far": (N, N), "bytes": (N, N), "pointers": (N, 1), "by_pointer": (N, N)}.items():
        assert seen.of_variable(name) == [counts], name


def test_memory_from_brk_is_an_object(atoll, programs, tmp_path):
    program = programs("brk", """
        int main(void) {
          volatile long* cells = (volatile long*)((long)sbrk(1 << 20) + 63 & ~63L);
          for (int i = 0; i < 3000; ++i) cells[8 * i] = 1;
          sbrk(-(1 << 20));
          cells = (volatile long*)((long)sbrk(1 << 20) + 63 & ~63L);
          for (int i = 0; i < 3000; ++i) cells[8 * i] = 1;
          return 0;
        }
    """, "-static")
    seen = watch(atoll, tmp_path, program)
    kind, writes = seen.one("SELECT kind, writes FROM objects WHERE name = 'heap (brk)'")
    assert kind == "mapping" and 6000 <= writes < 7000


def test_creators_and_sites_of_threads(atoll, programs, tmp_path):
    seen = watch(atoll, tmp_path, programs("threads", THREADS, "-g"))
    assert seen.rows("SELECT creator FROM threads ORDER BY id") == [(None,)] + [(0,)] * 8
    frames = seen.rows("SELECT DISTINCT f.function FROM threads t JOIN frames f"
                       " ON f.site = t.creation_site WHERE f.function = 'main'")
    assert frames == [("main",)]


PATHS = """
    #include <alloca.h>
    #include <stdlib.h>
    #include <string.h>
    static unsigned whole_path, round;
    static char* next(unsigned path, int depth);
    __attribute__((noinline)) char* fixed(unsigned path, int depth) {
      char* found = next(path, depth);
      __asm__ volatile("" : : "r"(found) : "memory");
      return found;
    }
    __attribute__((noinline)) char* varying(unsigned path, int depth) {
      char* room = alloca(16 + 48 * ((whole_path >> depth) * 7 % 5 + round));
      memset(room, round, 16);
      char* found = next(path, depth);
      __asm__ volatile("" : : "r"(found), "r"(room) : "memory");
      return found;
    }
    static inline __attribute__((always_inline)) char* next(unsigned path, int depth) {
      if (depth == 0) return malloc((64 << 10) + 16 * whole_path);
      return path & 1 ? varying(path >> 1, depth - 1) : fixed(path >> 1, depth - 1);
    }
    int main(void) {
      for (round = 0; round < 3; ++round)
        for (whole_path = 0; whole_path < 64; ++whole_path) *next(whole_path, 6) = 1;
      return 0;
    }
"""


def test_stacks_are_those_of_the_calls(atoll, programs, tmp_path):
    """Frames of one size, and of different sizes, for which the library inside the program has different ways
    to unwind."""
    seen = watch(atoll, tmp_path, programs("paths", PATHS, "-g"))
    called = {}
    for object_id, size, function in seen.rows(
            "SELECT o.id, o.bytes, f.function FROM objects o JOIN frames f ON f.site = o.site"
            " WHERE o.bytes >= 65536 AND f.function IN ('fixed', 'varying') ORDER BY o.id, f.level DESC"):
        called.setdefault((object_id, (size - 65536) // 16), []).append(function)
    assert len(called) == 3 * 64
    for (_, path), functions in called.items():
        assert functions == [["fixed", "varying"][path >> i & 1] for i in range(6)]


def test_vector_accesses_are_one_each(atoll, programs, tmp_path):
    program = programs("vectors", """
        #include <immintrin.h>
        double cells[64] __attribute__((aligned(64)));
        int main(void) {
          for (int i = 0; i < 1000; ++i)
            __asm__ volatile(
                "vmovupd (%0), %%ymm0\\n vmovupd 32(%0), %%ymm1\\n vmovapd %%ymm0, 64(%0)\\n"
                "movapd 128(%0), %%xmm2\\n addpd 144(%0), %%xmm2\\n movups %%xmm2, 160(%0)\\n"
                "movsd 8(%0), %%xmm3\\n movsd 16(%0), %%xmm4\\n movddup 24(%0), %%xmm5\\n"
                "vbroadcastsd 32(%0), %%ymm6\\n movhpd %%xmm3, 200(%0)\\n"
                : : "r"(cells) : "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6");
          return 0;
        }
    """, "-mavx2")
    assert watch(atoll, tmp_path, program).of_variable("cells") == [(8000, 3000)]


def test_counts_that_become_full_by_accesses_across_lines(atoll, programs, tmp_path):
    """More accesses than a line's word can count. Each access counts in both of its lines."""
    n = 2**23 + 100_000
    program = programs("across", f"""
        volatile char cells[8192] __attribute__((aligned(4096)));
        typedef volatile unsigned long Across __attribute__((aligned(1)));
        int main(void) {{
          for (long i = 0; i < {n}; ++i) *(Across*)(cells + 60) = (unsigned long)i;
          return 0;
        }}
    """)
    seen = watch(atoll, tmp_path, program)
    assert seen.rows("SELECT sum(c.reads), sum(c.writes) FROM chunks c JOIN objects o ON o.id = c.object"
                     " WHERE o.name = 'cells'") == [(0, 2 * n)]


def test_a_thousand_short_threads(atoll, programs, tmp_path):
    program = programs("short", """
        volatile int cells[1008] WHOLE_LINES;
        void* work(void* which) { ++cells[(long)which]; return 0; }
        int main(void) {
          for (long i = 0; i < 1008; ++i) {
            pthread_t thread;
            if (pthread_create(&thread, 0, work, (void*)i) != 0) return 1;
            pthread_join(thread, 0);
          }
          return 0;
        }
    """)
    seen = watch(atoll, tmp_path, program)
    assert seen.returncode == 0
    assert seen.one("SELECT count(*) FROM threads") == 1009
    assert seen.of_variable("cells") == [(1, 1)] * 1008


def test_signal_handlers_are_counted(atoll, programs, tmp_path):
    program = programs("signals", """
        volatile long handled, cells[64] WHOLE_LINES;
        static void handler(int signal) {
          for (int i = 0; i < 64; ++i) ++cells[i];
          ++handled;
        }
        int main(void) {
          signal(SIGALRM, handler);
          struct itimerval each = {{0, 1000}, {0, 1000}};
          setitimer(ITIMER_REAL, &each, 0);
          while (handled < 100) { }
          each.it_value.tv_usec = each.it_interval.tv_usec = 0;
          setitimer(ITIMER_REAL, &each, 0);
          printf("%ld\\n", cells[0]);
          return 0;
        }
    """)
    seen = watch(atoll, tmp_path, program)
    runs = int(seen.stdout)
    ((reads, writes),) = seen.of_variable("cells")
    assert runs >= 100 and writes == 64 * runs and reads == 64 * runs + 1
