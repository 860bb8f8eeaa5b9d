"""The front end dbi: unmodified programs in the emulator, counted exactly, however they start and end."""

import os
import shutil
import subprocess
import textwrap

import pytest
from watched import watch

N = 50000


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Compiles C texts."""
    folder = tmp_path_factory.mktemp("programs")

    def make(name, text, *flags):
        source = folder / f"{name}.c"
        source.write_text("#include <pthread.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
                          "#include <string.h>\n#include <sys/time.h>\n#include <sys/wait.h>\n"
                          "#include <unistd.h>\n"
                          "#define WHOLE_LINES __attribute__((aligned(64)))\n" + textwrap.dedent(text))
        program = folder / name
        subprocess.run(["gcc", "-O1", "-pthread", *flags, source, "-o", program], check=True)
        return program

    return make


# One array for each thread; every element is read and written once.
THREADS = f"""
    volatile long cells[8][{N}] WHOLE_LINES;
    void* work(void* which) {{
      volatile long* own = cells[(long)which];
      for (int i = 0; i < {N}; ++i) own[i] = own[i] + 1;
      return 0;
    }}
    int main(void) {{
      pthread_t threads[8];
      for (long i = 0; i < 8; ++i) pthread_create(threads + i, 0, work, (void*)i);
      for (int i = 0; i < 8; ++i) pthread_join(threads[i], 0);
      printf("%ld\\n", cells[7][{N - 1}]);
      return 0;
    }}
"""


@pytest.mark.parametrize("flags", [[], ["-static"], ["-s"], ["-static", "-s"], ["-static-pie"]],
                         ids=lambda flags: " ".join(flags) or "plain")
def test_threads_are_counted_exactly(atoll, programs, tmp_path, flags):
    program = programs("threads" + "".join(flags), THREADS, *flags)
    seen = watch(atoll, tmp_path, program)
    assert (seen.returncode, seen.stdout) == (0, b"1\n")
    assert seen.one("SELECT executable FROM processes") == str(program)
    assert seen.one("SELECT count(*) FROM threads") == 9
    if "-s" in flags:  # no symbols: no name for the array, and yet each thread's accesses
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
          cold = 1;
          pthread_create(&thread, 0, work, 0);
          pthread_join(thread, 0);
          return 0;
        }
    """, "-fno-toplevel-reorder")
    seen = watch(atoll, tmp_path, program)
    lines = seen.rows("SELECT DISTINCT address / 64 FROM objects WHERE name IN ('cold', 'hot', 'large')")
    assert len(lines) == 1
    assert seen.of_variable("hot") == [(1000, 1000)]
    assert seen.of_variable("cold") == [(0, 1)]
    assert seen.of_variable("large") == []
    shared = "SELECT write_shared_lines + falsely_shared_lines FROM objects WHERE name = ?"
    assert seen.one(shared, "hot") == seen.one(shared, "cold") == 1
    assert seen.one(shared, "large") == 0


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


@pytest.mark.parametrize("flags", [[], ["-static"]], ids=["plain", "static"])
def test_exit_codes_of_children(atoll, programs, tmp_path, flags):
    program = programs("codes" + "".join(flags), """
        int main(void) {
          for (int i = 1; i < 5; ++i) {
            if (fork() == 0) {
              if (i == 1) _exit(3);
              if (i == 2) exit(4);
              if (i == 3) execl("/bin/sh", "sh", "-c", "exit 5", (char*)0);
              raise(SIGKILL);
            }
            wait(0);
          }
          return 6;
        }
    """, *flags)
    seen = watch(atoll, tmp_path, program)
    assert seen.returncode == 6
    codes = seen.rows("SELECT exit_code, signal FROM processes ORDER BY coalesce(exit_code, 0)")
    assert codes == [(None, None)] * 2 + [(3, None), (4, None), (5, None), (6, None)]


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
    """Frames of one size and of many, which the library inside walks in different ways."""
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
    """More than a line's word can count; each access counts in both of its lines."""
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


FORKS = """
    volatile long cells[104] WHOLE_LINES;
    static void touch(long n) { for (long i = 0; i < n; ++i) ++cells[i % 100]; }
    static void child(long n, int end) {
      fflush(stdout);
      pid_t pid = fork();
      if (pid == 0) {
        touch(n);
        if (end == 0) _exit(3);
        if (end == 1) raise(SIGKILL);
        if (end == 2) abort();
        if (end == 3) *(volatile int*)16 = 1;
        execl("/bin/true", "true", (char*)0);
      }
      int status;
      waitpid(pid, &status, 0);
      printf("%d %d\\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
    int main(void) {
      touch(10000);
      for (int end = 0; end < 5; ++end) child(20000 + 10000 * end, end);
      return 7;
    }
"""


@pytest.mark.parametrize("flags", [[], ["-static"]], ids=["dynamic", "static"])
def test_nothing_is_lost_however_a_process_ends(atoll, programs, tmp_path, flags):
    program = programs("forks" + "".join(flags), FORKS, *flags)
    native = subprocess.run([program], capture_output=True)
    seen = watch(atoll, tmp_path, program)
    assert (seen.returncode, seen.stdout) == (native.returncode, native.stdout)
    counts = seen.rows("SELECT sum(c.reads), sum(c.writes), p.exit_code, p.signal FROM processes p"
                       " JOIN objects o ON o.process = p.id AND o.name = 'cells'"
                       " JOIN chunks c ON c.object = o.id GROUP BY p.id ORDER BY p.id")
    assert [row[:2] for row in counts] == [(10000 * i, 10000 * i) for i in range(1, 7)]
    assert [row[2:] for row in counts[:1]] == [(7, None)]
    assert seen.one("SELECT count(*) FROM processes") == 7  # `true` is one of its own
    assert seen.one("SELECT count(*) FROM processes WHERE executable LIKE '%/true'") == 1


@pytest.mark.parametrize("end, status", [
    ("abort();", 128 + 6), ("raise(SIGKILL);", 128 + 9), ("*(volatile int*)16 = 1;", 128 + 11),
    ("_exit(5);", 5), ("exit(6);", 6)])
def test_the_exit_status_is_the_program_s(atoll, programs, tmp_path, end, status):
    program = programs("ends", "volatile long cells[8] WHOLE_LINES; int main(void) { for (int i = 0; i < 1000; ++i) ++cells[i % 8]; "
                       + end + " }")
    seen = watch(atoll, tmp_path, program)
    assert seen.returncode == status
    assert seen.of_variable("cells") == [(1000, 1000)]


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


def test_pipelines_and_scripts_go_on_in_the_emulator(atoll, programs, tmp_path):
    inner = programs("threads", THREADS)
    script = tmp_path / "script.sh"
    script.write_text(f"#!/bin/sh -e\necho \"$0 $1\" | cat | tr a-z A-Z\nenv -i {inner}\nexit 4\n")
    script.chmod(0o755)
    outer = tmp_path / "outer.sh"
    outer.write_text(f"#! {script} first\n")
    outer.chmod(0o755)
    native = subprocess.run([outer, "x"], capture_output=True, cwd=tmp_path)
    seen = watch(atoll, tmp_path, outer, "x")
    assert (seen.returncode, seen.stdout) == (native.returncode, native.stdout)
    assert native.returncode == 4
    executed = {os.path.basename(row[0]) for row in seen.rows("SELECT executable FROM processes")}
    assert {"cat", "tr", "threads"} <= executed
    assert seen.of_variable("cells").count((N, N)) == 8


def test_posix_spawn_vfork_and_execveat(atoll, programs, tmp_path):
    program = programs("spawns", """
        #include <fcntl.h>
        #include <spawn.h>
        #include <sys/syscall.h>
        extern char** environ;
        int main(int count, char** words) {
          char* inner[] = {"inner", 0};
          pid_t pid;
          if (posix_spawn(&pid, words[1], 0, 0, inner, environ) != 0) return 1;
          waitpid(pid, 0, 0);
          pid = vfork();
          if (pid == 0) { execv(words[1], inner); _exit(1); }
          waitpid(pid, 0, 0);
          if (execl("/no/such/program", "x", (char*)0) == 0) return 1;
          int file = open(words[1], O_RDONLY | O_CLOEXEC);
          syscall(SYS_execveat, file, "", inner, environ, AT_EMPTY_PATH);
          return 1;
        }
    """, "-D_GNU_SOURCE")
    inner = programs("threads", THREADS)
    seen = watch(atoll, tmp_path, program, inner)
    assert (seen.returncode, seen.stdout) == (0, b"1\n" * 3)
    assert seen.of_variable("cells").count((N, N)) == 24


def test_a_thread_executes_another_program(atoll, programs, tmp_path):
    program = programs("other", """
        char** words;
        void* work(void* nothing) { execv(words[1], words + 1); return 0; }
        int main(int count, char** all) {
          words = all;
          pthread_t thread;
          pthread_create(&thread, 0, work, 0);
          pthread_join(thread, 0);
          return 1;
        }
    """)
    seen = watch(atoll, tmp_path, program, "/bin/echo", "it", "goes on")
    assert (seen.returncode, seen.stdout) == (0, b"it goes on\n")
    assert seen.one("SELECT count(*) FROM processes") == 2


def test_32_bit_programs(atoll, tmp_path):
    (tmp_path / "narrow.s").write_text("""
        .globl _start
        .data
        cells: .space 4096
        .type cells, @object
        .size cells, 4096
        .text
        _start: mov $1000, %ecx
        1: incl cells(, %ecx, 4)
           dec %ecx
           jnz 1b
           mov $1, %eax
           mov $9, %ebx
           int $0x80
    """)
    subprocess.run(["as", "--32", "narrow.s", "-o", "narrow.o"], check=True, cwd=tmp_path)
    subprocess.run(["ld", "-m", "elf_i386", "narrow.o", "-o", "narrow"], check=True, cwd=tmp_path)
    seen = watch(atoll, tmp_path, "./narrow")
    assert seen.returncode == 9
    assert seen.of_variable("cells") == [(1000, 1000)]
    seen = watch(atoll, tmp_path, "/bin/sh", "-c", "./narrow; echo $?")  # from a wide one
    assert seen.stdout == b"9\n" and seen.of_variable("cells") == [(1000, 1000)]


def test_the_program_sees_what_it_would_natively(atoll, tmp_path):
    command = ["/bin/sh", "-c", 'echo "$0" "$@"; readlink /proc/self/exe; tr "\\0" " " < /proc/self/cmdline; pwd', "zero",
               "-E", "two words", ""]
    native = subprocess.run(command, capture_output=True, cwd=tmp_path)
    assert watch(atoll, tmp_path, *command).stdout == native.stdout


def test_what_cannot_be_watched_is_refused(atoll, tmp_path):
    def refuses(*command):
        return atoll.refuses("profile", "--frontend", "dbi", "-o", tmp_path / "p", "--", *command)

    def a_file(name, content, mode=0o755):
        path = tmp_path / name
        path.write_bytes(content)
        path.chmod(mode)
        return path

    program = (shutil.which("true") and open("/bin/true", "rb").read())
    assert "not found" in refuses("no-such-program-anywhere")
    assert "does not exist" in refuses("/no/such/program")
    assert "not an executable file" in refuses(a_file("plain", program, 0o644))
    assert "not an executable file" in refuses(tmp_path)
    assert "setuid" in refuses(a_file("setuid", program, 0o4755))
    assert "setuid" in refuses(a_file("setgid", program, 0o2755))
    assert "neither an ELF program nor a script" in refuses(a_file("garbage", b"garbage\n"))
    assert "neither an ELF program nor a script" in refuses(a_file("empty", b""))
    assert "neither an ELF program nor a script" in refuses(a_file("short", program[:50]))
    assert "another processor" in refuses(a_file("arm", program[:18] + b"\xb7\x00" + program[20:]))
    assert "does not exist" in refuses(a_file("orphan", b"#!/no/such/interpreter\n"))
    assert "/no/such/interpreter" in refuses(tmp_path / "orphan")
    a_file("loop", b"#!" + bytes(tmp_path / "loop") + b"\n")
    assert "too many" in refuses(tmp_path / "loop")
    assert not (tmp_path / "p").exists()


def test_without_the_emulator_the_package_is_named(atoll, tmp_path):
    done = subprocess.run([str(atoll.program), "profile", "--frontend", "dbi", "--", "/bin/true"],
                          env={"PATH": str(tmp_path)}, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "qemu-user" in done.stderr
