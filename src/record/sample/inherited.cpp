// Uses raw system calls, which do not change errno.
#include "record/sample/inherited.hpp"

#include <sys/syscall.h>

#include <atomic>

#include "record/sample/backing.hpp"
#include "record/sample/state.hpp"

namespace Atoll::record::sample {
namespace {

struct Units {
  std::uint64_t words[1024 / 64];
  friend bool operator==(const Units&, const Units&) = default;
};

Units at_start;
std::atomic<bool> known, program_binds;

bool units_of(std::int32_t tid, Units& units) {
  units = {};
  return raw_call(SYS_sched_getaffinity, tid, sizeof units, reinterpret_cast<long>(&units)) > 0;
}

}  // namespace

void note_units() {
  known = units_of(0, at_start);
}

void note_binding() {
  program_binds = true;
}

void free_inherited(std::int32_t creator) {
  Units now, creators;
  if (!is_sampled() || state.control->binds_threads == 0 || !known || program_binds ||
      !units_of(0, now) || now == at_start)
    return;
  if (creator == 0 || (units_of(creator, creators) && now == creators))
    raw_call(SYS_sched_setaffinity, 0, sizeof at_start, reinterpret_cast<long>(&at_start));
  else
    note_binding();  // bound by a thread attribute
}

}  // namespace Atoll::record::sample
