// A program to be recorded. Performs the actions that its first argument names, and prints the
// expected content of the recording as lines "WORD NUMBER NUMBER". Functions that allocate have
// names that say so.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "hard_programs.hpp"

extern "C" void* __libc_malloc(std::size_t bytes);

namespace {

#define FUNCTION __attribute__((noinline, noclone))

void say(const char* word, const void* address, std::size_t bytes) {
  std::printf("%s %zu %zu\n", word, reinterpret_cast<std::size_t>(address), bytes);
  std::fflush(stdout);
}

struct alignas(256) Wide {
  char bytes[256];
};

constexpr std::size_t kLarge = 1 << 20;

FUNCTION void by_malloc(std::size_t bytes) {
  say("by_malloc", malloc(bytes), bytes);
}
FUNCTION void by_calloc(std::size_t bytes) {
  say("by_calloc", calloc(bytes / 8, 8), bytes);
}
FUNCTION void by_realloc(std::size_t bytes) {
  void* first = malloc(bytes / 4);
  say("by_realloc", realloc(first, bytes), bytes);
}
FUNCTION void by_reallocarray(std::size_t bytes) {
  say("by_reallocarray", reallocarray(nullptr, bytes / 8, 8), bytes);
}
FUNCTION void by_posix_memalign(std::size_t bytes) {
  void* address = nullptr;
  if (posix_memalign(&address, 1024, bytes) == 0) say("by_posix_memalign", address, bytes);
}
FUNCTION void by_aligned_alloc(std::size_t bytes) {
  say("by_aligned_alloc", aligned_alloc(64, bytes), bytes);
}
FUNCTION void by_new(std::size_t bytes) {
  say("by_new", ::operator new(bytes), bytes);
}
FUNCTION void by_new_array(std::size_t bytes) {
  say("by_new_array", new char[bytes], bytes);
}
FUNCTION void by_new_nothrow(std::size_t bytes) {
  say("by_new_nothrow", new (std::nothrow) char[bytes], bytes);
}
FUNCTION void by_new_aligned(std::size_t bytes) {
  say("by_new_aligned", new Wide[bytes / sizeof(Wide)], bytes);
}
FUNCTION void by_vector(std::size_t bytes) {
  auto& some = *new std::vector<char>(bytes);
  say("by_vector", some.data(), bytes);
}
FUNCTION void by_strdup(std::size_t bytes) {
  say("by_strdup", strdup(std::string(bytes - 1, 'x').c_str()), bytes);
}
FUNCTION void by_mmap() {
  say("by_mmap", mmap(nullptr, kLarge, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), kLarge);
}

int allocate() {
  for (const std::size_t bytes : {std::size_t{512}, kLarge}) {
    by_malloc(bytes);
    by_calloc(bytes);
    by_realloc(bytes);
    by_reallocarray(bytes);
    by_posix_memalign(bytes);
    by_aligned_alloc(bytes);
    by_new(bytes);
    by_new_array(bytes);
    by_new_nothrow(bytes);
    by_new_aligned(bytes);
    by_vector(bytes);
    by_strdup(bytes);
  }
  by_mmap();
  return 0;
}

/// Allocates by sbrk, and from libc without the interposed malloc.
int grow_break() {
  say("by_sbrk", sbrk(kLarge), kLarge);
  say("by_libc", __libc_malloc(40'000), 40'000);
  return 0;
}

int free_and_allocate() {
  for (int i = 0; i < 100; ++i) {
    void* address = malloc(kLarge);
    std::memset(address, 1, kLarge);
    say("freed", address, kLarge);
    free(address);
  }
  return 0;
}

std::atomic<int> started{0};

/// Ends after all four threads have started, because an ended thread's stack would be reused by the
/// next one.
void* named_thread(void* word) {
  pthread_setname_np(pthread_self(), static_cast<const char*>(word));
  int on_stack = 0;
  say(static_cast<const char*>(word), &on_stack, static_cast<std::size_t>(gettid()));
  cpu_set_t pus;
  CPU_ZERO(&pus);
  CPU_SET(0, &pus);
  if (std::strcmp(word == nullptr ? "" : static_cast<const char*>(word), "bound") == 0)
    pthread_setaffinity_np(pthread_self(), sizeof pus, &pus);
  ++started;
  while (started < 4) sched_yield();
  return nullptr;
}

FUNCTION pthread_t create_here(const char* word) {
  pthread_t thread;
  pthread_create(&thread, nullptr, named_thread, const_cast<char*>(word));
  return thread;
}

FUNCTION thrd_t create_there(const char* word) {
  thrd_t thread;
  thrd_create(
      &thread,
      [](void* name) {
        named_thread(name);
        return 0;
      },
      const_cast<char*>(word));
  return thread;
}

int create_threads() {
  const pthread_t first = create_here("first");
  const pthread_t bound = create_here("bound");
  const thrd_t third = create_there("third");
  std::thread([] { pthread_join(create_here("nested"), nullptr); }).join();
  pthread_join(first, nullptr);
  pthread_join(bound, nullptr);
  thrd_join(third, nullptr);
  return 0;
}

FUNCTION void in_child() {
  say("in_child", malloc(kLarge), kLarge);
}

int fork_child(pid_t (*fork_here)()) {
  by_malloc(kLarge);
  const pid_t child = fork_here();
  if (child == 0) {
    in_child();
    _exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) == 3 ? 0 : 1;
}

int fail_to_execute() {
  if (execl("/nowhere/at/all", "all", nullptr) != -1 || errno != ENOENT) return 1;
  return raise(SIGKILL);
}

int execute(const char* self) {
  char* const nothing[] = {nullptr};
  execle(self, "renamed", "allocate", nullptr, nothing);
  return 1;
}

FUNCTION int open_library() {
  void* library = dlopen("libsqlite3.so.0", RTLD_NOW);
  if (library == nullptr) return 1;
  const auto open = reinterpret_cast<int (*)(const char*, void**)>(dlsym(library, "sqlite3_open"));
  void* database = nullptr;
  return open(":memory:", &database);
}

/// Starts children that end in every way, and waits for each. None of their ends is visible to
/// other processes.
int end_in_all_ways() {
  for (int way = 0; way < 5; ++way) {
    const pid_t child = fork();
    if (child == 0) {
      if (way == 0) exit(3);
      if (way == 1) _exit(4);
      if (way == 2) return 5;
      if (way == 3) execl("/bin/sh", "sh", "-c", "exit 6", nullptr);
      raise(SIGKILL);
    }
    waitpid(child, nullptr, 0);
  }
  const pid_t not_a_process_of_its_own = vfork();
  if (not_a_process_of_its_own == 0) _exit(7);
  waitpid(not_a_process_of_its_own, nullptr, 0);
  return 9;
}

int die() {
  by_malloc(kLarge);
  raise(SIGKILL);
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "allocate") return allocate();
  if (what == "brk") return grow_break();
  if (what == "free") return free_and_allocate();
  if (what == "threads") return create_threads();
  if (what == "fork") return fork_child(fork);
  if (what == "ends") return end_in_all_ways();
  if (what == "exec") return execute("/proc/self/exe");
  if (what == "exec-fails") return fail_to_execute();
  if (what == "_fork") return fork_child(_Fork);
  if (what == "dlopen") return open_library();
  if (what == "many-threads") return many_threads();
  if (what == "handlers") return allocate_in_handlers();
  if (what == "exits") return exit_in_handlers();
  if (what == "limit") return within_limit();
  if (what == "stacks") return many_stacks();
  if (what == "spin") return spin();
  if (what == "die") return die();
  return 2;
}
