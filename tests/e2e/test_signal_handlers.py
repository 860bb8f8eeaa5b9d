"""Signal handlers in qemu's emulator return or end the program as they do natively."""

import subprocess

import pytest
from watched import watch

# Handlers that end the program or the wait in main, with all mechanisms of libc; the argument selects one.
ENDINGS = r"""
    #include <errno.h>
    #include <setjmp.h>
    #include <spawn.h>
    #include <sys/syscall.h>
    extern char** environ;
    static char way;
    static sigjmp_buf back;
    static volatile double third = 1.0 / 3;
    static int status_of(pid_t child) {
      int status = 0;
      waitpid(child, &status, 0);
      return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
    }
    static void end(int code) { syscall(SYS_exit_group, code); }
    static void on_signal(int number) {
      char* truth[] = {"true", 0};
      pid_t child = 0;
      switch (way) {
        case '_': _exit(42);
        case 'e': exit(42);
        case 'E': _Exit(42);
        case 'q': quick_exit(42);
        case 's': end(42);
        case 'f': child = fork(); if (child == 0) _exit(40); end(status_of(child) + 2);
        case 'v': child = vfork(); if (child == 0) _exit(40); end(status_of(child) + 2);
        case 'p': posix_spawnp(&child, "true", 0, 0, truth, environ); end(status_of(child) + 42);
        case 'x': execlp("sh", "sh", "-c", "exit 42", (char*)0); end(98);
        case 'l': siglongjmp(back, 1);
        case 'm': { char* p = malloc(300000); memset(p, number, 300000); free(p); exit(42); }
        case 'd': printf("%.3f %d\n", third, number); exit(42);
      }
    }
    static void* raises(void* unused) { raise(SIGTERM); return unused; }
    int main(int count, char** arguments) {
      way = arguments[1][0];
      signal(SIGTERM, on_signal);
      if (sigsetjmp(back, 1)) return 42;
      if (count > 2) { pthread_t t; pthread_create(&t, 0, raises, 0); pthread_join(t, 0); }
      raise(SIGTERM);
      return 1;
    }
"""
ENDS = ["_exit", "exit", "Exit", "quick_exit", "syscall", "fork", "vfork", "posix_spawn", "xec", "longjmp", "malloc",
        "double"]  # identified by their first letters


@pytest.mark.parametrize("where", ["main", "thread"])
@pytest.mark.parametrize("end", ENDS)
def test_a_handler_ends_the_program(atoll, programs, tmp_path, end, where):
    program = programs("endings", ENDINGS)
    arguments = [end] + ["t"] * (where == "thread")
    native = subprocess.run([program, *arguments], capture_output=True, timeout=60)
    assert native.returncode == 42
    seen = watch(atoll, tmp_path, program, *arguments)
    assert (seen.returncode, seen.stdout) == (42, native.stdout), seen.stderr.decode()


@pytest.mark.parametrize("end", ["_exit", "exit", "fork", "xec", "double"])
@pytest.mark.parametrize("verb", ["trace", "trace --timed", "simulate"])
def test_a_handler_ends_a_traced_program(atoll, programs, tmp_path, end, verb):
    program = programs("endings", ENDINGS)
    options = {"trace": ["trace", "--frontend", "dbi", "-o", tmp_path / "t"],
               "trace --timed": ["trace", "--timed", "--frontend", "dbi", "-o", tmp_path / "t"],
               "simulate": ["simulate", "--frontend", "dbi", "--machine", "xeon-2x10", "--no-interval"]}[verb]
    done = subprocess.run([str(atoll.program), *map(str, options), "--", program, end], capture_output=True, timeout=120)
    assert done.returncode == 42, done.stderr.decode()


# Handlers that return. Each checks its stack's alignment, the signal's number and the registers of the interrupted
# instruction; one runs on an alternate stack, one inside another handler.
RETURNS = r"""
    #include <ucontext.h>
    #include <sys/mman.h>
    static volatile long count, wrong;
    static char other_stack[1 << 16];
    static volatile double value = 2.5;
    static void look(int number, siginfo_t* info, ucontext_t* context) {
      char text[64];
      __attribute__((aligned(16))) volatile char here[16];
      if ((long)here % 16 != 0) wrong |= 1;
      if (info->si_signo != number) wrong |= 2;
      if (number != SIGSEGV && context->uc_mcontext.gregs[REG_RBX] != 0x1234567) wrong |= 4;
      if ((long)context->uc_mcontext.fpregs % 16 != 0) wrong |= 8;
      snprintf(text, sizeof text, "%.1f", value);
      if (strcmp(text, "2.5") != 0) wrong |= 16;
      ++count;
    }
    static void inner(int number, siginfo_t* info, void* context) {
      (void)context;
      if (info->si_signo != number) wrong |= 32;
      ++count;
    }
    static void outer(int number, siginfo_t* info, void* context) {
      look(number, info, context);
      raise(SIGUSR2);
    }
    static void* fault_at;
    static void repairs(int number, siginfo_t* info, void* context) {
      if (info->si_addr != fault_at) wrong |= 64;
      look(number, info, context);
      mprotect(fault_at, 4096, PROT_READ | PROT_WRITE);
    }
    static void install(int number, void (*handler)(int, siginfo_t*, void*), int flags) {
      struct sigaction action;
      memset(&action, 0, sizeof action);
      action.sa_sigaction = handler;
      action.sa_flags = SA_SIGINFO | flags;
      sigaction(number, &action, 0);
      struct sigaction told;
      sigaction(number, 0, &told);
      if (told.sa_sigaction != handler) wrong |= 128;
    }
    __attribute__((noinline)) static double kill_with_registers(int number, double kept) {
      register long rbx __asm__("rbx") = 0x1234567;
      long result = 62;  /* kill */
      __asm__ volatile("syscall" : "+a"(result) : "D"((long)getpid()), "S"((long)number), "r"(rbx) : "rcx", "r11", "memory");
      return kept * 2;
    }
    int main(void) {
      stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
      sigaltstack(&stack, 0);
      install(SIGUSR1, outer, 0);
      install(SIGUSR2, inner, 0);
      install(SIGALRM, (void (*)(int, siginfo_t*, void*))look, SA_ONSTACK);
      install(SIGSEGV, repairs, 0);
      double sum = 0;
      for (int i = 0; i < 100; ++i) {
        sum += kill_with_registers(SIGUSR1, i);
        sum += kill_with_registers(SIGALRM, i);
      }
      fault_at = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      *(volatile char*)fault_at = 1;
      printf("%ld %ld %.0f\n", count, wrong, sum);
      return 0;
    }
"""


@pytest.mark.parametrize("flags", [[], ["-static"]], ids=["dynamic", "static"])
def test_handlers_return_to_the_interrupted_code(atoll, programs, tmp_path, flags):
    program = programs("returns" + "".join(flags), RETURNS, "-D_GNU_SOURCE", *flags)
    native = subprocess.run([program], capture_output=True, timeout=60)
    assert native.stdout == b"301 0 19800\n"
    seen = watch(atoll, tmp_path, program)
    assert (seen.returncode, seen.stdout) == (0, native.stdout), seen.stderr.decode()


# libc cancels a thread by a signal whose handler unwinds through its own frame.
CANCELS = r"""
    static int cleaned;
    static void clean(void* unused) { (void)unused; ++cleaned; }
    static void* spins(void* unused) {
      int before;
      pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
      pthread_cleanup_push(clean, 0);
      for (volatile long i = 0;; ++i) {}
      pthread_cleanup_pop(0);
      return unused;
    }
    int main(void) {
      for (int i = 0; i < 5; ++i) {
        pthread_t thread;
        void* result = 0;
        pthread_create(&thread, 0, spins, 0);
        usleep(20000);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED) return 1;
      }
      return cleaned;
    }
"""


def test_threads_are_cancelled(atoll, programs, tmp_path):
    seen = watch(atoll, tmp_path, programs("cancels", CANCELS))
    assert seen.returncode == 5, seen.stderr.decode()
