#include "simulate/inside/shown.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/environment.hpp"

namespace Atoll::simulate::inside {
namespace {

View* shown = nullptr;
char folder[4096];
std::atomic<int> state{0};  // 1: look() is running, 2: finished

void* map(std::size_t bytes, int flags, long file) {
  const long found = ::syscall(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
  return found < 0 && found > -4096 ? nullptr : reinterpret_cast<void*>(found);
}

void look() {
  const char* name = environment_variable(kVariable);
  if (name == nullptr || ::strlen(name) >= sizeof folder - 16) return;
  ::strcpy(folder, name);
  char path[4096];
  ::strcpy(path, name);
  ::strcat(path, "/view");
  const long file = ::syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  auto* found = static_cast<View*>(map(sizeof(View), MAP_SHARED, file));
  ::syscall(SYS_close, file);
  if (found == nullptr || found->magic != kMagic) return;
  found->seen.fetch_add(1);
  shown = found;
}

}  // namespace

View* view() {
  while (state.load(std::memory_order_acquire) != 2) {
    int now = 0;
    if (environ == nullptr) return nullptr;  // libc hasn't started
    if (!state.compare_exchange_strong(now, 1)) continue;
    const int error = errno;
    look();
    errno = error;
    state.store(2, std::memory_order_release);
  }
  return shown;
}

const char* view_folder() {
  return folder;
}

bool is_shown(unsigned pu) {
  return pu < kMaxPus && (shown->shown[pu / 64] >> pu % 64 & 1) != 0;
}

bool is_shown_node(unsigned node) {
  return node < kMaxNodes && (shown->shown_nodes[node / 64] >> node % 64 & 1) != 0;
}

bool set_affinity(ThreadRow* row, const void* pus, std::size_t bytes) {
  Affinity wanted = {};
  ::memcpy(wanted.words, pus, bytes < sizeof wanted.words ? bytes : sizeof wanted.words);
  bool any = false;
  for (std::size_t i = 0; i < kMaxPus / 64; ++i) {
    wanted.words[i] &= shown->shown[i];
    any = any || wanted.words[i] != 0;
  }
  if (any && row != nullptr) row->state.affinity = wanted;
  return any;
}

std::size_t copy_affinity(const ThreadRow* row, void* pus, std::size_t bytes) {
  const Affinity& now = state_of(row).affinity;
  const std::size_t copied = bytes < sizeof now.words ? bytes / 8 * 8 : sizeof now.words;
  ::memcpy(pus, now.words, copied);
  return copied;
}

unsigned present_pu() {
  const auto tid = static_cast<std::uint64_t>(::syscall(SYS_gettid));
  const Affinity now = state_of(own_row()).affinity;
  unsigned first = kMaxPus, count = 0;
  for (unsigned pu = 0; pu < kMaxPus; ++pu) {
    if ((now.words[pu / 64] >> pu % 64 & 1) == 0) continue;
    if (first == kMaxPus) first = pu;
    ++count;
  }
  if (count == 1) return first;
  if (shown->places_nothing != 0) {  // chosen by the offset of the thread ID from the process ID
    unsigned turn = static_cast<unsigned>(tid - static_cast<std::uint64_t>(::getpid())) % count;
    unsigned pu = first;
    while (turn != 0) {
      ++pu;
      if ((now.words[pu / 64] >> pu % 64 & 1) != 0) --turn;
    }
    return pu;
  }
  // The simulator publishes the thread's processing unit soon after the thread's start.
  for (int turn = 0; turn < 500; ++turn) {
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint64_t slot = shown->threads[(tid + i) % kThreads].load();
      if (slot >> 32 == tid) return static_cast<unsigned>(slot & 0xffff'ffffU);
      if (slot == 0) break;
    }
    const timespec moment = {0, 100'000};
    ::syscall(SYS_nanosleep, &moment, nullptr);
  }
  return shown->first_pu;
}

}  // namespace Atoll::simulate::inside
