// A region's events, as the recording's processes, threads, sites and objects, and an index of
// which object lies where.
#pragma once

#include <sys/types.h>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "atoll/trace/recording.hpp"
#include "trace/region_view.hpp"
#include "trace/symbols.hpp"

namespace Atoll::trace {

/// Which object each line of a process's pages belongs to. Where objects have had the same
/// addresses, the last one has them.
class ObjectIndex {
 public:
  /// Object `other` of a process takes what no object covers.
  void set_other(std::uint32_t process, std::uint32_t object);
  /// Later ranges win over earlier ones where they overlap.
  void add(std::uint32_t process, std::uint64_t begin, std::uint64_t bytes, std::uint32_t object);

  /// All 64 lines, ascending; valid until the next call.
  [[nodiscard]] std::span<const ObjectLines> lines_of(std::uint32_t process, std::uint64_t page);

 private:
  struct Range {
    std::uint64_t end;
    std::uint32_t object;
  };
  struct OfProcess {
    std::map<std::uint64_t, Range> ranges;  ///< by begin; they don't overlap
    std::uint32_t other = kNone;
  };
  std::map<std::uint32_t, OfProcess> processes_;
  std::vector<ObjectLines> lines_;
};

/// What a region tells besides counts: processes, threads, sites, objects, losses, epochs. `ended`:
/// statuses of processes, as from waitpid.
[[nodiscard]] Recording read_events(const RegionView& region, std::uint64_t epoch_ns,
                                    const std::map<pid_t, int>& ended, Symbols& symbols,
                                    ObjectIndex& index);

}  // namespace Atoll::trace
