// Functions that libatoll-waits.so calls: it intercepts waits of threads, and this library records
// them.
#include <stdlib.h>
#include <unistd.h>

#include "base/environment.hpp"
#include "marks/preloaded.hpp"
#include "process/inside/system.hpp"
#include "record/inside/magic.hpp"
#include "record/waits.hpp"

namespace {

namespace record = Atoll::record;
namespace inside = record::inside;
using Atoll::process::inside::KeepErrno;
using inside::MagicKind;

bool by_magic() {
  static std::atomic<int> emulated{-1};  // (a local constant would need C++'s run-time library)
  if (emulated.load(std::memory_order_relaxed) < 0)
    emulated.store(Atoll::environment_variable(inside::kMagicVariable) == nullptr ? 0 : 1,
                   std::memory_order_relaxed);
  return emulated.load(std::memory_order_relaxed) == 1;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void atoll_tell_wait(record::WaitReport* report) {
  const KeepErrno keep;
  if (by_magic())
    ::syscall(inside::kMagicCall, MagicKind::wait, report, sizeof *report, nullptr, 0);
  else if (record::attach())
    record::record_wait(record::current_thread(), *report);
}

extern "C" __attribute__((visibility("default"))) void atoll_tell_placement(
    std::uint32_t kind, const std::uint64_t* words, std::size_t count) {
  const KeepErrno keep;
  if (by_magic())
    ::syscall(inside::kMagicCall, MagicKind::placement, words, count, std::uint64_t{kind}, 0);
  else if (record::attach())
    record::record_placement(record::current_thread(), kind, words, count);
}
