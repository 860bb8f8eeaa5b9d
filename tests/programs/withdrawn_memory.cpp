// Repeats for some seconds all that programs do with large allocations, and checks each result:
// stdio with buffers in them, system calls that read and write them, condition variables and
// futexes in them, realloc, madvise, mprotect, fork. To be run while `sample` withdraws pages.
//   withdrawn_memory SECONDS
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kLarge = 128 << 10;

void check(bool good, const char* what) {
  if (good) return;
  std::printf("wrong: %s\n", what);
  std::_Exit(1);
}

template <class T>
T* large(std::size_t bytes = kLarge) {
  void* memory = std::malloc(bytes);
  check(memory != nullptr, "malloc");
  return static_cast<T*>(memory);
}

/// Allocates whole pages.
std::uint64_t* aligned(std::size_t bytes) {
  return static_cast<std::uint64_t*>(std::aligned_alloc(4096, bytes));
}

std::uint64_t pattern(std::size_t i, std::uint64_t seed) {
  return (i + seed) * 0x9e3779b97f4a7c15;
}
void fill(std::uint64_t* data, std::size_t bytes, std::uint64_t seed) {
  for (std::size_t i = 0; i < bytes / 8; ++i) data[i] = pattern(i, seed);
}
bool holds(const std::uint64_t* data, std::size_t bytes, std::uint64_t seed) {
  for (std::size_t i = 0; i < bytes / 8; ++i)
    if (data[i] != pattern(i, seed)) return false;
  return true;
}

/// Memory that is kept, with its pattern, until the program ends.
std::uint64_t* kept = nullptr;
constexpr std::size_t kKeptBytes = 2 << 20;

void stdio(std::uint64_t seed) {
  auto *data = large<std::uint64_t>(), *back = large<std::uint64_t>();
  auto* buffer = large<char>();
  fill(data, kLarge, seed);
  std::FILE* file = std::tmpfile();
  check(file != nullptr && std::setvbuf(file, buffer, _IOFBF, kLarge) == 0, "tmpfile");
  for (std::size_t at = 0; at < kLarge; at += 4096)
    check(std::fwrite(data + at / 8, 1, 4096, file) == 4096, "fwrite");
  std::rewind(file);
  check(std::fread(back, 1, kLarge, file) == kLarge, "fread");
  check(holds(back, kLarge, seed), "what stdio gave back");
  std::fclose(file);
  std::free(data);
  std::free(back);
  std::free(buffer);
}

void system_calls(std::uint64_t seed) {
  auto *data = large<std::uint64_t>(), *back = large<std::uint64_t>();
  fill(data, kLarge, seed);
  int pipe[2];
  check(::pipe(pipe) == 0, "pipe");
  for (std::size_t at = 0; at < kLarge; at += 32768) {
    check(::write(pipe[1], data + at / 8, 32768) == 32768, "write");
    iovec parts[2] = {{back + at / 8, 100}, {reinterpret_cast<char*>(back + at / 8) + 100, 32668}};
    ssize_t got = ::readv(pipe[0], parts, 2);
    check(got > 0, "readv");
    while (got < 32768) {
      const ssize_t more =
          ::read(pipe[0], reinterpret_cast<char*>(back + at / 8) + got, 32768 - got);
      check(more > 0, "read");
      got += more;
    }
  }
  check(holds(back, kLarge, seed), "what the pipe gave back");
  ::close(pipe[0]);
  ::close(pipe[1]);
  std::free(data);
  std::free(back);
}

/// Lets two threads alternate: by a condition variable, a private futex and a shared futex.
struct Turns {
  char before[8192];
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int turn;
  char between[8192];
  std::atomic<int> private_word;
  char behind[8192];
  std::atomic<int> shared_word;
};

void wait_for(std::atomic<int>& word, int value, int flag) {
  for (int seen = 0; (seen = word.load()) != value;)
    ::syscall(SYS_futex, &word, FUTEX_WAIT | flag, seen, nullptr, nullptr, 0);
}
void set(std::atomic<int>& word, int value, int flag) {
  word.store(value);
  ::syscall(SYS_futex, &word, FUTEX_WAKE | flag, 64, nullptr, nullptr, 0);
}

void take_turns(Turns& turns, int me) {
  for (int i = 0; i < 50; ++i) {
    pthread_mutex_lock(&turns.mutex);
    while (turns.turn != 2 * i + me) pthread_cond_wait(&turns.changed, &turns.mutex);
    ++turns.turn;
    pthread_cond_broadcast(&turns.changed);
    pthread_mutex_unlock(&turns.mutex);
    wait_for(turns.private_word, 2 * i + me, FUTEX_PRIVATE_FLAG);
    set(turns.private_word, 2 * i + me + 1, FUTEX_PRIVATE_FLAG);
    wait_for(turns.shared_word, 2 * i + me, 0);
    set(turns.shared_word, 2 * i + me + 1, 0);
  }
}

void synchronisation() {
  auto* turns = static_cast<Turns*>(std::calloc(1, kLarge));
  pthread_mutex_init(&turns->mutex, nullptr);
  pthread_cond_init(&turns->changed, nullptr);
  std::thread other([&] { take_turns(*turns, 1); });
  take_turns(*turns, 0);
  other.join();
  check(turns->turn == 100 && turns->private_word == 100 && turns->shared_word == 100, "turns");
  std::free(turns);
}

void sizes(std::uint64_t seed) {
  auto* data = large<std::uint64_t>();
  fill(data, kLarge, seed);
  for (std::size_t bytes = kLarge; bytes < 16 * kLarge; bytes *= 2) {
    data = static_cast<std::uint64_t*>(std::realloc(data, 2 * bytes));
    check(data != nullptr && holds(data, kLarge, seed), "what realloc moved");
  }
  std::free(data);
  data = aligned(kLarge);
  fill(data, kLarge, seed);
  // After MADV_DONTNEED, memory reads as zeros. mprotect() also protects in a child.
  check(::madvise(data, kLarge, MADV_DONTNEED) == 0, "madvise");
  for (std::size_t i = 0; i < kLarge / 8; ++i) check(data[i] == 0, "zeros");
  fill(data, kLarge, seed);
  check(::mprotect(data, 4096, PROT_READ) == 0, "mprotect");
  const pid_t child = ::fork();
  if (child == 0) {
    data[0] = 1;
    std::_Exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  check(WIFSIGNALED(status), "a protected page");
  check(::mprotect(data, 4096, PROT_READ | PROT_WRITE) == 0, "mprotect");
  check(holds(data, kLarge, seed), "what was protected");
  std::free(data);
  auto* zeros = static_cast<std::uint64_t*>(std::calloc(kLarge / 8, 8));
  check(std::accumulate(zeros, zeros + kLarge / 8, std::uint64_t{0}) == 0, "calloc");
  std::free(zeros);
}

/// The child has the parent's data as of the fork. Later writes of either process aren't visible to
/// the other.
void forks(std::uint64_t seed) {
  auto* data = aligned(4 * kLarge);
  fill(data, 4 * kLarge, seed);
  int written[2];
  check(::pipe(written) == 0, "pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    char byte = 0;
    ::close(written[1]);
    (void)!::read(written[0], &byte, 1);  // waits until the parent has overwritten everything
    check(holds(data, 4 * kLarge, seed), "the child's data");
    check(holds(kept, kKeptBytes, 1), "the child's old data");
    fill(data, 4 * kLarge, seed + 2);
    auto* own = large<std::uint64_t>();
    fill(own, kLarge, seed + 3);
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      check(holds(data, 4 * kLarge, seed + 2) && holds(own, kLarge, seed + 3), "a grandchild's");
      fill(own, kLarge, 0);
      std::_Exit(0);
    }
    int status = 0;
    ::waitpid(grandchild, &status, 0);
    check(status == 0 && holds(own, kLarge, seed + 3), "after the grandchild");
    std::free(own);
    std::_Exit(0);
  }
  fill(data, 4 * kLarge, seed + 1);
  ::close(written[0]);
  (void)!::write(written[1], "", 1);
  ::close(written[1]);
  int status = 0;
  ::waitpid(child, &status, 0);
  check(status == 0, "the child");
  check(holds(data, 4 * kLarge, seed + 1), "the parent's data");
  check(::madvise(data, kLarge, MADV_DONTNEED) == 0 && data[5] == 0, "zeros after a fork");
  std::free(data);
}

}  // namespace

int main(int argc, char** argv) {
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::milliseconds(argc > 1 ? std::atoi(argv[1]) * 1000 : 1000);
  kept = large<std::uint64_t>(kKeptBytes);
  fill(kept, kKeptBytes, 1);
  std::uint64_t rounds = 0;
  for (; std::chrono::steady_clock::now() < end; ++rounds) {
    stdio(rounds);
    system_calls(rounds);
    synchronisation();
    sizes(rounds);
    auto* fresh = large<std::uint64_t>(kKeptBytes);  // memory of before a fork isn't withdrawn
    fill(fresh, kKeptBytes, rounds);                 // fresh memory is
    for (int i = 0; i < 20; ++i) check(holds(fresh, kKeptBytes, rounds), "fresh data");
    if (rounds % 4 == 3) forks(rounds);
    std::free(fresh);
    check(holds(kept, kKeptBytes, 1), "kept data");
  }
  // Closes all files, as daemons do.
  ::syscall(SYS_close_range, 3, ~0U, 0);
  check(std::freopen("/dev/null", "r", stdin) != nullptr, "another file");
  for (int i = 0; i < 1100; ++i) (void)::dup(0);
  system_calls(7);
  forks(8);
  check(holds(kept, kKeptBytes, 1), "kept data");
  std::puts("all as it should be");
  return 0;
}
