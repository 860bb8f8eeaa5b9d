"""The front ends compiled and gcc: programs built by the drivers count each access of an array exactly."""

import os
import subprocess
from pathlib import Path

import pytest
from watched import counts, watch

LEVELS = ["-O0", "-O1", "-O2", "-O3 -march=native"]

KERNELS = """
    #include <setjmp.h>
    #include <string.h>
    enum { N = 5120, M = 40 };
    double a[N] PAGES, b[N] PAGES, c[N] PAGES;
    double ma[M * M] PAGES, mb[M * M] PAGES, mc[M * M] PAGES;
    int strided[7 * N] PAGES;
    long reversed[N] PAGES;
    char flags[N] PAGES;
    short chosen[N] PAGES;
    struct { long values[6]; } from[N] PAGES, to[N] PAGES;
    char copied[4096] PAGES, copy[4096] PAGES, filled[4096] PAGES;
    int found[N] PAGES, jumped[N] PAGES, called[N] PAGES;
    long sums[8] PAGES;
    jmp_buf back;
    APART void triad(long n) { for (long i = 0; i < n; ++i) a[i] = b[i] + 3 * c[i]; }
    APART void multiply(int n) {
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          double sum = 0;
          for (int k = 0; k < n; ++k) sum += ma[i * n + k] * mb[k * n + j];
          mc[i * n + j] = sum;
        }
    }
    APART void stride(int n) { for (int i = 0; i < n; ++i) strided[7 * i] = i; }
    APART void reverse(int n) { for (int i = n - 1; i >= 0; --i) reversed[i] += i; }
    APART void choose(int n) { for (int i = 0; i < n; ++i) if (flags[i]) chosen[i] = (short)(chosen[i] * 3 + i); }
    APART void assign(int n) { for (int i = 0; i < n; ++i) to[i] = from[n - 1 - i]; }
    APART void move(size_t n) { memcpy(copy, copied, n); memset(filled, 1, n); }
    APART int find(int n, int wanted) {
      for (int i = 0; i < n; ++i) if (found[i] == wanted) return i;
      return -1;
    }
    APART void leave(int i) { if (i == 37) longjmp(back, 1); }
    APART void jump(int n) { for (int i = 0; i < n; ++i) { jumped[i] = i; leave(i); } }
    APART void add(int n) { for (int i = 0; i < n; ++i) sums[i & 7] += i; }
    int main(void) {
      volatile int n = N, m = M;
      for (int i = 0; i < n; i += 3) flags[i] = 1;
      for (int i = 0; i < n; ++i) found[i] = i;
      triad(n); multiply(m); stride(n); reverse(n); choose(n); assign(n); move((size_t)m * 25 + 1);
      int at = find(n, 1234);
      if (setjmp(back) == 0) jump(n);
      add(n);
      return at != 1234 || strided[7 * 4999] != 4999 || reversed[77] != 77 || chosen[9] != 9 || sums[1] == 0;
    }
"""
N, M = 5120, 40
CHOSEN = (N + 2) // 3
KNOWN = {  # (reads, writes), including those of main's checks
    "a": (0, N), "b": (N, 0), "c": (N, 0),
    "ma": (M**3, 0), "mb": (M**3, 0), "mc": (0, M**2),
    "strided": (1, N), "reversed": (N + 1, N),
    "flags": (N, CHOSEN), "chosen": (CHOSEN + 1, CHOSEN),
    "from": (6 * N, 0), "to": (0, 6 * N),
    "copied": (126, 0), "copy": (0, 126), "filled": (0, 126),  # 1001 bytes
    "found": (1235, N), "jumped": (0, 38), "sums": (N + 1, N),
}


@pytest.mark.parametrize("level", LEVELS)
def test_kernels_are_counted_exactly(atoll, make, tmp_path, level):
    program = make.build(tmp_path, KERNELS, *level.split())
    assert subprocess.run([program]).returncode == 0  # not recorded
    seen = watch(atoll, tmp_path, program, frontend=make.frontend)
    assert seen.returncode == 0
    assert counts(seen, KNOWN) == KNOWN


@pytest.mark.parametrize("level", LEVELS)
def test_atomics(atoll, make, tmp_path, level):
    program = make.build(tmp_path, """
        #include <stdatomic.h>
        enum { N = 1000 };
        atomic_long added[8] PAGES; atomic_int loaded[16] PAGES, stored[16] PAGES; _Atomic short exchanged[32] PAGES;
        atomic_uchar compared[64] PAGES;
        int main(void) {
          int sum = 0;
          for (int i = 0; i < N; ++i) {
            atomic_fetch_add(&added[0], 2);
            sum += atomic_load_explicit(&loaded[3], memory_order_relaxed);
            atomic_store(&stored[5], i);
            sum += atomic_exchange(&exchanged[1], 0);
            unsigned char expected = 0;
            atomic_compare_exchange_strong(&compared[2], &expected, 0);
          }
          return added[0] != 2 * N || sum != 0;
        }
    """, *level.split())
    seen = watch(atoll, tmp_path, program, frontend=make.frontend)
    assert seen.returncode == 0
    known = {"added": (1001, 1000), "loaded": (1000, 0), "stored": (0, 1000), "exchanged": (1000, 1000),
             "compared": (1000, 1000)}
    assert counts(seen, known) == known


def test_exceptions_leave_loops(atoll, make, tmp_path):
    program = make.build(tmp_path, """
        long y[1000] PAGES, z[1000] PAGES;
        APART void perhaps(int i) { if (i == 41) throw i; }
        APART void loop(int n) { for (int i = 0; i < n; ++i) { y[i] = i; perhaps(i); z[i] = y[i]; } }
        int main() { try { loop(1000); } catch (int i) { return i != 41; } return 1; }
    """, "-O2", cplusplus=True)
    seen = watch(atoll, tmp_path, program, frontend=make.frontend)
    assert seen.returncode == 0
    assert counts(seen, "z")["z"] == (0, 41)
    assert counts(seen, "y")["y"][1] == 42


def test_accesses_stay_behind_marks(atoll, make, tmp_path):
    """A loop that contains a call isn't recorded in advance, so accesses after the mark are excluded."""
    program = make.build(tmp_path, """
        #include <atoll/marks/marks.h>
        long y[1000] PAGES, outside[1000] PAGES;
        APART void loop(int n) { for (int i = 0; i < n; ++i) { y[i] = i; if (i == 9) atoll_mark_end(); } }
        int main(void) {
          for (int i = 0; i < 1000; ++i) outside[i] = i;
          atoll_mark_begin();
          loop(1000);
          return 0;
        }
    """, "-O3")
    seen = watch(atoll, tmp_path, program, frontend=make.frontend, options=["--between-marks"])
    assert counts(seen, ["y", "outside"]) == {"y": (0, 10), "outside": (0, 0)}


def test_iterations(atoll, make, tmp_path):
    program = make.build(tmp_path, """
        #include <atoll/marks/marks.h>
        long y[1000] PAGES;
        int main(void) {
          for (int turn = 0; turn < 5; ++turn) {
            atoll_mark_iteration();
            for (int i = 0; i < 1000; ++i) y[i] += i;
          }
          return 0;
        }
    """, "-O2")
    seen = watch(atoll, tmp_path, program, frontend=make.frontend, options=["--iterations", "3"])
    assert counts(seen, ["y"]) == {"y": (3000, 3000)}


def test_samples_are_not_mixed_with_counts(atoll, make, tmp_path):
    program = make.build(tmp_path, """
        long y[512] PAGES;
        APART void loop(long k) { for (int i = 0; i < 512; ++i) y[i] += k; }
        int main(void) { for (int k = 0; k < 20000; ++k) loop(k); return 0; }
    """, "-O2")
    seen = watch(atoll, tmp_path, program, frontend="sample")
    assert sum(counts(seen, ["y"])["y"]) < 20000 * 512 / 10  # the loops make 20 million


REUSE = """
    #define _GNU_SOURCE
    #include <pthread.h>
    #include <sys/mman.h>
    enum { N = 2048 };
    APART void use(volatile char* p) { for (int i = 0; i < N; ++i) p[i] = (char)i; }
    void* work(void* p) { volatile char own[N]; use(own); return p; }
    APART char* map(void* at) {
      return mmap(at, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
    }
    int main(int n, char** words) {
      (void)words;
      for (int i = 0; n == 1 && i < 6; ++i) {
        pthread_t thread;
        pthread_create(&thread, 0, work, 0);
        pthread_join(thread, 0);
      }
      char* first = map(0);
      if (n > 1) { use(first); munmap(first, 1 << 20); use(map(first)); }
      return 0;
    }
"""


def test_stacks_at_one_address_are_one_object(atoll, make, tmp_path):
    seen = watch(atoll, tmp_path, make.build(tmp_path, REUSE, "-O1", "-pthread"), frontend=make.frontend)
    rows = seen.rows("SELECT o.name, sum(c.writes) FROM objects o JOIN chunks c ON c.object = o.id"
                     " WHERE o.kind = 'stack' GROUP BY o.id HAVING sum(c.writes) >= 2048")
    assert [name for name, _ in rows] == ["stacks of threads 1, 2, 3, 4, …"]
    assert rows[0][1] >= 6 * 2048


def test_mappings_at_one_address_are_a_loss(atoll, make, tmp_path):
    program = make.build(tmp_path, REUSE, "-O1", "-pthread")
    losses = watch(atoll, tmp_path, program, "again", frontend=make.frontend).rows("SELECT kind, count FROM losses")
    assert len(losses) == 1 and losses[0][0] == "accesses_to_the_last" and losses[0][1] == 2 * 2048
    assert watch(atoll, tmp_path, program, frontend=make.frontend).rows("SELECT kind, count FROM losses") == []


def test_drivers_are_compilers(make, tmp_path):
    """The drivers accept -c, -E, -S, -shared, response files and link-time optimisation, and print no
    additional output."""
    (tmp_path / "one.c").write_text("int data[100]; int one(int i) { return data[i]; }\n")
    (tmp_path / "two.c").write_text("int one(int); int main(int n, char** a) { (void)a; return one(n); }\n")
    quiet = {"cwd": tmp_path, "capture_output": True, "text": True}
    for arguments in (["-E", "one.c"], ["-S", "one.c", "-o", "one.s"], ["-M", "one.c"],
                      ["-Wall", "-Wextra", "-Werror", "-c", "one.c"], ["-fsyntax-only", "one.c"],
                      ["-shared", "-fPIC", "one.c", "-o", "libone.so"],
                      ["two.c", "-L.", "-lone", "-Wl,-rpath,$ORIGIN", "-o", "two"]):
        done = make.run(*arguments, **quiet)
        assert done.stderr == "", arguments
    assert subprocess.run([tmp_path / "two"]).returncode == 0
    (tmp_path / "words").write_text('-O2 -o "with spaces" one.o two.c')
    make.run("@words", **quiet)
    assert subprocess.run([tmp_path / "with spaces"]).returncode == 0
    make.run("-O2", "-flto", "one.c", "two.c", "-o", "whole", **quiet)
    assert subprocess.run([tmp_path / "whole"]).returncode == 0
    assert make.run("--version", **quiet).stdout
    done = make.run("-v", **quiet)  # configure calls compilers in this way; there is no input to link
    assert "version" in done.stderr
    done = make.run("-static", "two.c", "one.c", check=False, **quiet)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1 and "-static" in done.stderr


def test_unknown_clang_is_refused(build, tmp_path):
    for environment, choice in (({}, ["--atoll-clang=3"]), ({"ATOLL_CLANG": "3"}, [])):
        done = subprocess.run([build / "atollcc", *choice, "x.c"], capture_output=True, text=True,
                              env=dict(os.environ, **environment))
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1 and "clang 3" in done.stderr


def cpu_has(flag):
    return flag in Path("/proc/cpuinfo").read_text().split()


@pytest.mark.skipif(not cpu_has("avx2"), reason="this processor has no AVX2")
def test_vectors_masks_and_gathers(atoll, make, tmp_path):
    if make.frontend == "gcc":
        pytest.skip("gcc's instrumentation doesn't see masked accesses and gathers")
    program = make.build(tmp_path, """
        #include <immintrin.h>
        double whole[512] PAGES, masked[512] PAGES, stored[512] PAGES, gathered[512] PAGES;
        int main(void) {
          volatile int n = 100;
          __m256d sum = _mm256_setzero_pd();
          __m256i some = _mm256_set_epi64x(0, -1, -1, 0), none = _mm256_setzero_si256();
          for (int i = 0; i < n; ++i) {
            sum = _mm256_add_pd(sum, _mm256_load_pd(whole + 4 * i));
            __m256i mask = i % 2 ? some : none;
            sum = _mm256_add_pd(sum, _mm256_maskload_pd(masked + 4 * i, mask));
            _mm256_maskstore_pd(stored + 4 * i, mask, sum);
            sum = _mm256_add_pd(sum, _mm256_i32gather_pd(gathered, _mm_set_epi32(3 * i, 1, 2, i), 8));
          }
          return sum[0] != 0;
        }
    """, "-O2", "-mavx2")
    seen = watch(atoll, tmp_path, program, frontend=make.frontend)
    assert seen.returncode == 0
    known = {"whole": (100, 0), "masked": (50, 0), "stored": (0, 50), "gathered": (400, 0)}
    assert counts(seen, known) == known


def test_the_programs_own_headers_come_first(make, tmp_path):
    own = tmp_path / "include/atoll/marks"
    own.mkdir(parents=True)
    (own / "marks.h").write_text("enum { own = 7 };\n")
    for option in ["-I", "-isystem", "-idirafter"]:
        program = make.build(tmp_path, """
            #include <atoll/marks/marks.h>
            int main(void) { return own; }
        """, option, tmp_path / "include")
        assert subprocess.run([program], check=False).returncode == 7


def test_what_has_no_use_for_the_options_is_no_warning(make, tmp_path):
    (tmp_path / "some.s").write_text(".globl some\nsome: ret\n")
    (tmp_path / "main.i").write_text("void some(void);\nint main(void) { some(); return 0; }\n")
    for name in ["some.s", "main.i"]:
        done = make.run("-Werror", "-c", tmp_path / name, "-o", tmp_path / f"{name}.o", capture_output=True)
        assert done.stderr == b""
