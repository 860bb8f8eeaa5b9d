// Tests a migrator that maps threads. Four threads form two pairs that access common pages; the
// threads of a pair start on different nodes. Each pair must become bound to a node of its own. A
// thread that a bound thread starts must become unbound. After the program binds a thread itself,
// the other threads must become unbound, and that thread must stay bound. Fails if a step takes
// more than SECONDS.
//   pairs_for_seconds SECONDS
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kPage = 4096, kPages = 256;

struct Worker {
  std::atomic<int> tid{0};
  std::atomic<unsigned> node{0};  ///< its node before it was in a pair
  std::atomic<int> pair{-1};      ///< number of its pair and the pair's pages; -1: none yet
};
std::array<Worker, 4> workers;
std::array<volatile char*, 2> pages;
std::atomic<bool> over{false}, starts_another{false}, another_is_free{false};

cpu_set_t units_of(int tid) {
  cpu_set_t units;
  CPU_ZERO(&units);
  if (sched_getaffinity(tid, sizeof units, &units) != 0) std::abort();
  return units;
}

bool same(const cpu_set_t& a, const cpu_set_t& b) {
  return CPU_EQUAL(&a, &b) != 0;
}

const cpu_set_t all_units = units_of(0);
int seconds = 0;

template <typename Condition>
bool comes(const char* what, const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (!condition() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const bool came = condition();
  std::printf("%s: %s\n", what, came ? "yes" : "no");
  return came;
}

int tid_here() {
  return static_cast<int>(syscall(SYS_gettid));
}

void work(Worker& self) {
  self.tid = tid_here();
  for (std::size_t i = 0; !over; ++i) {
    if (const int pair = self.pair; pair >= 0) {
      volatile char& byte = pages.at(static_cast<std::size_t>(pair))[i * 7 % kPages * kPage];
      byte = static_cast<char>(byte + 1);
    } else {
      unsigned unit = 0, node = 0;
      syscall(SYS_getcpu, &unit, &node, nullptr);
      self.node = node;
    }
    if (&self != workers.data() || !starts_another.exchange(false)) continue;
    std::thread([] {
      another_is_free =
          comes("what a bound thread starts is free", [] { return same(units_of(0), all_units); });
    }).detach();
  }
}

/// Forms two pairs: in the order of the threads' nodes, the first and third, and the second and
/// fourth. If each node has two threads, the threads of a pair are on different nodes.
void make_pairs() {
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  std::sort(order.begin(), order.end(),
            [](std::size_t a, std::size_t b) { return workers[a].node < workers[b].node; });
  for (std::size_t i = 0; i < order.size(); ++i) workers[order[i]].pair = static_cast<int>(i % 2);
}

bool are_bound() {
  std::array<cpu_set_t, 2> units{all_units, all_units};
  for (const Worker& worker : workers) {
    const cpu_set_t now = units_of(worker.tid);
    cpu_set_t& pairs = units.at(static_cast<std::size_t>(worker.pair.load()));
    if (same(now, all_units) || (!same(pairs, all_units) && !same(pairs, now))) return false;
    pairs = now;
  }
  return !same(units[0], units[1]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  seconds = std::atoi(argv[1]);
  for (auto& part : pages) part = static_cast<char*>(std::malloc(kPages * kPage));
  std::vector<std::thread> threads;
  for (Worker& worker : workers) threads.emplace_back([&] { work(worker); });
  std::this_thread::sleep_for(std::chrono::seconds(1));  // until the system has distributed them
  make_pairs();
  bool good = comes("pairs are bound to nodes", are_bound);
  if (good) {
    good = same(units_of(0), all_units);
    starts_another = true;
    good = comes("it was seen", [] { return another_is_free.load(); }) && good;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(0, &own);
    const int bound = workers[3].tid;
    if (sched_setaffinity(bound, sizeof own, &own) != 0) std::abort();
    good = comes("the others are free once the program binds one",
                 [] {
                   return same(units_of(workers[0].tid), all_units) &&
                          same(units_of(workers[1].tid), all_units) &&
                          same(units_of(workers[2].tid), all_units);
                 }) &&
           good;
    std::this_thread::sleep_for(std::chrono::seconds(2));
    good = same(units_of(bound), own) && good;
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  return good ? 0 : 1;
}
