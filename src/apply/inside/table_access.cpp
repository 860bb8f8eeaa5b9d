#include "apply/inside/table_access.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "base/environment.hpp"
#include "process/inside/system.hpp"

namespace Atoll::apply::inside {
namespace {

Header* mapped;

void futex(void* word, int operation, std::uint32_t value, const timespec* timeout) {
  ::syscall(SYS_futex, word, operation, value, timeout, nullptr, 0);
}

bool atoll_is_gone() {
  return ::syscall(SYS_kill, table()->atoll_pid, 0) != 0 && errno == ESRCH;
}

/// Claims a free slot; blocks until there is one. Returns null if `atoll` has ended.
Slot* claim() {
  for (;;) {
    for (Slot& slot : table()->slots) {
      SlotState free = SlotState::free;
      if (slot.state.compare_exchange_strong(free, SlotState::filled_in)) return &slot;
    }
    if (atoll_is_gone()) return nullptr;
    const timespec moment{.tv_sec = 0, .tv_nsec = 1'000'000};
    ::syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &moment, nullptr);
  }
}

}  // namespace

Header* table() {
  return mapped;
}

bool attach() {
  const process::inside::KeepErrno keep;
  const char* path = environment_variable(kVariable);
  if (path == nullptr) return false;
  const int file = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0));
  if (file < 0) return false;
  struct stat status {};
  void* found = MAP_FAILED;
  if (::fstat(file, &status) == 0 && status.st_size >= static_cast<off_t>(sizeof(Header)))
    found = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ | PROT_WRITE,
                   MAP_SHARED, file, 0);
  ::syscall(SYS_close, file);
  if (found == MAP_FAILED) return false;
  auto* header = static_cast<Header*>(found);
  if (header->magic != kMagic || header->bytes != static_cast<std::uint64_t>(status.st_size)) {
    ::munmap(found, static_cast<std::size_t>(status.st_size));
    return false;
  }
  mapped = header;
  header->processes.fetch_add(1);
  return true;
}

Answer ask(Question question, std::uint32_t index, const std::uint64_t* stack,
           std::uint32_t levels) {
  const process::inside::KeepErrno keep;
  Slot* slot = claim();
  if (slot == nullptr) return {};
  slot->pid = static_cast<std::int32_t>(::syscall(SYS_getpid));
  slot->question = question;
  slot->index = index;
  slot->levels = std::min<std::uint32_t>(levels, kMaxLevels);
  if (levels != 0) ::memcpy(slot->stack, stack, slot->levels * sizeof *stack);
  slot->state.store(SlotState::asked);
  table()->query_count.fetch_add(1);
  futex(&table()->query_count, FUTEX_WAKE, 1, nullptr);
  while (slot->state.load() != SlotState::answered) {
    const timespec while_alive{.tv_sec = 0, .tv_nsec = 100'000'000};
    futex(&slot->state, FUTEX_WAIT, static_cast<std::uint32_t>(SlotState::asked), &while_alive);
    if (slot->state.load() != SlotState::answered && atoll_is_gone()) return {};
  }
  const Answer answer = slot->answer;
  slot->state.store(SlotState::free);
  return answer;
}

}  // namespace Atoll::apply::inside
