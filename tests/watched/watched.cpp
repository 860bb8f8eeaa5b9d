// A program to be watched: does what its first argument names and prints what a watcher should
// find, a line each: "WORD NUMBER NUMBER". Every function that allocates says so by its name.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

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

/// An allocator of its own, and libc's where the interposed malloc isn't asked.
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

/// Ends when all four have started: one that ended leaves its stack to the next.
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

/// Blocks with what they should hold; checks them as it frees them.
struct Churn {
  struct Held {
    unsigned char* at;
    std::size_t bytes;
    unsigned char value;
  };
  std::vector<Held> held = std::vector<Held>(64);
  std::minstd_rand random;
  bool good = true;

  explicit Churn(unsigned seed) : random(seed) {}
  ~Churn() {
    for (Held& one : held) free(one.at);
  }
  void check(const Held& one) {
    for (std::size_t i = 0; i < one.bytes; ++i) good = good && one.at[i] == one.value;
  }
  void step() {
    Held& one = held[random() % held.size()];
    if (one.at != nullptr) check(one);
    const std::size_t bytes = random() % (random() % 64 == 0 ? 100'000 : 700) + 1;
    if (random() % 3 == 0 && one.at != nullptr) {
      one.at = static_cast<unsigned char*>(realloc(one.at, bytes));
    } else {
      free(one.at);
      one.at = static_cast<unsigned char*>(malloc(bytes));
    }
    one.bytes = bytes;
    one.value = static_cast<unsigned char>(random());
    std::memset(one.at, one.value, bytes);
  }
};

/// Children that end in all ways, each waited for, and none of them seen by anybody else.
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

/// Thousands of short threads, some of them forking, all of them allocating.
int many_threads() {
  std::atomic<int> bad{0};
  for (int round = 0; round < 250; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&, round, i] {
        Churn churn(static_cast<unsigned>(round * 8 + i));
        for (int step = 0; step < 50; ++step) churn.step();
        if (i == 0 && round % 10 == 0) {
          const pid_t child = fork();
          if (child == 0) {
            for (int step = 0; step < 200; ++step) churn.step();
            _exit(churn.good ? 0 : 1);
          }
          int status = 0;
          waitpid(child, &status, 0);
          if (status != 0) ++bad;
        }
        if (!churn.good) ++bad;
      });
    for (std::thread& thread : threads) thread.join();
  }
  return bad == 0 ? 0 : 1;
}

std::atomic<int> signals{0};

/// Not allowed, and yet done by many programs: allocating in a handler.
int allocate_in_handlers() {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    static Churn* churn = new Churn(7);
    churn->step();
    if (!churn->good) _exit(2);
    ++signals;
  };
  sigaction(SIGALRM, &action, nullptr);
  itimerval often = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &often, nullptr);
  Churn churn(8);
  while (signals < 2000) churn.step();
  often = {};
  setitimer(ITIMER_REAL, &often, nullptr);
  return churn.good ? 0 : 1;
}

/// Handlers that end the process, which is allowed, wherever it is.
int exit_in_handlers() {
  for (int i = 0; i < 150; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      struct sigaction action = {};
      action.sa_handler = [](int) { _exit(5); };
      sigaction(SIGALRM, &action, nullptr);
      const itimerval once = {{0, 0}, {0, 300 + i * 7}};
      setitimer(ITIMER_REAL, &once, nullptr);
      for (Churn churn(10);;) churn.step();
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != 5) return 1;
  }
  return 0;
}

/// With 1 GiB of address space: 4 GiB are allocated and freed in turn, and running out is seen.
int within_limit() {
  rlimit limit = {1 << 30, 1 << 30};
  setrlimit(RLIMIT_AS, &limit);
  for (int i = 0; i < 64; ++i) {
    void* address = malloc(64 << 20);
    if (address == nullptr) return 1;
    free(address);
  }
  if (malloc(std::size_t{2} << 30) != nullptr) return 2;
  try {
    const std::vector<char> too_much(std::size_t{2} << 30);
    asm volatile("" : : "r"(too_much.data()));  // else clang leaves it out
    return 3;
  } catch (const std::bad_alloc&) {
  }
  void* last = nullptr;
  for (std::size_t bytes = 0; bytes < (std::size_t{2} << 30); bytes += 1000) {
    void* address = malloc(1000);
    if (address == nullptr) break;
    *static_cast<void**>(address) = last;
    last = address;
  }
  while (last != nullptr) {
    void* following = *static_cast<void**>(last);
    free(last);
    last = following;
  }
  return 0;
}

FUNCTION std::unique_ptr<std::string> deep(unsigned path, int depth) {
  if (depth == 0) return std::make_unique<std::string>(100, 'x');
  std::unique_ptr<std::string> found;
  if ((path & 1) != 0) {  // the texts: else compilers make one call of the two, or a loop
    asm volatile("# left");
    found = deep(path >> 1, depth - 1);
    asm volatile("# from left");
  } else {
    asm volatile("# right");
    found = deep(path >> 1, depth - 1);
    asm volatile("# from right");
  }
  return found;
}

/// More stacks than can be told apart.
int many_stacks() {
  for (unsigned path = 0; path < 100'000; ++path)
    if (deep(path, 17)->size() != 100) return 1;
  return 0;
}

/// Sums up what a chain of allocations took, as a benchmark of the heap.
int spin() {
  Churn churn(9);
  for (int i = 0; i < 2'000'000; ++i) churn.step();
  return churn.good ? 0 : 1;
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
