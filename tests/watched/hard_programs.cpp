#include "hard_programs.hpp"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Allocated blocks with their expected content, which is checked when a block is freed.
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

std::atomic<int> signals{0};

__attribute__((noinline, noclone)) std::unique_ptr<std::string> deep(unsigned path, int depth) {
  if (depth == 0) return std::make_unique<std::string>(100, 'x');
  std::unique_ptr<std::string> found;
  if ((path & 1) != 0) {  // different texts: otherwise compilers would merge the two calls, or make
                          // a loop
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

}  // namespace

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
    asm volatile("" : : "r"(too_much.data()));  // otherwise clang removes the vector
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

int many_stacks() {
  for (unsigned path = 0; path < 100'000; ++path)
    if (deep(path, 17)->size() != 100) return 1;
  return 0;
}

int spin() {
  Churn churn(9);
  for (int i = 0; i < 2'000'000; ++i) churn.step();
  return churn.good ? 0 : 1;
}
