"""The front end dbi during the lifetime of processes: fork, exec, scripts, exits, and refusals."""

import os
import shutil
import subprocess

import pytest
from dbi_programs import N, THREADS
from watched import watch


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
    assert seen.one("SELECT count(*) FROM processes") == 7  # `true` is a separate process
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
    seen = watch(atoll, tmp_path, "/bin/sh", "-c", "./narrow; echo $?")  # run by a 64-bit program
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
