// Homes of pages that the first thread on them alone doesn't decide: memory policies that the
// program asked for, pages that it moved, and pages of files that the page cache had already.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "atoll/trace/recording.hpp"
#include "trace/address_ranges.hpp"
#include "trace/region_view.hpp"
#include "trace/threads_of_region.hpp"

namespace Atoll::trace {

class PageHomes {
 public:
  /// Reads the calls that a region has. The region must outlive this.
  explicit PageHomes(const RegionView& region);

  /// True if no call decided more than first touch does.
  [[nodiscard]] bool is_empty() const { return ranges_.is_empty() && policies_of_threads_.empty(); }

  struct Touch {
    std::uint32_t process = 0;
    std::uint64_t page = 0;
    std::uint32_t toucher = 0;  ///< a thread
    std::uint64_t when = 0;     ///< as ThreadOnPage::first_access
    bool is_copy = false;       ///< a copy of a file's page for the process alone
  };
  /// Returns the toucher or, from the number of threads on, a position in Recording::homes.
  [[nodiscard]] std::uint32_t home_of(const Touch& touch);

  /// Sets Recording::policies and Recording::homes.
  void tell(Recording& recording) const;

 private:
  /// From an event on, in a range.
  struct Change {
    std::uint64_t since = 0;
    enum class Kind : std::uint8_t { policy, cached, gone } kind = Kind::policy;
    bool moves = false;            ///< pages that are there already, too
    std::uint32_t policy = kNone;  ///< kNone: none
    std::uint32_t thread = kNone;  ///< of `cached`; kNone: unknown
  };
  struct Since {
    std::uint64_t since;
    std::uint32_t policy;
  };

  struct Seen;
  void read(const Seen& seen);
  void read_call(const Seen& seen);
  [[nodiscard]] std::uint32_t number_of(const MemoryPolicy& policy);
  [[nodiscard]] std::uint32_t policy_of_thread(std::uint32_t thread, std::uint64_t when) const;
  /// The thread that had another one's policy when that began; kNone: none.
  [[nodiscard]] std::uint32_t inherited_from(std::uint32_t thread) const;
  [[nodiscard]] std::uint32_t thread_of(recorder::Offset process, std::int32_t tid) const;

  const RegionView& region_;
  std::vector<ThreadOfRegion> threads_;
  std::unordered_map<recorder::Offset, std::uint32_t> processes_;
  std::map<std::pair<recorder::Offset, std::int32_t>, std::uint32_t> by_tid_;
  AddressRanges<std::vector<Change>> ranges_;  ///< by process; changes in the order of events
  std::map<std::uint32_t, std::vector<Since>> policies_of_threads_;
  std::vector<MemoryPolicy> policies_;
  std::map<PageHome, std::uint32_t> homes_;  ///< the position of each
};

}  // namespace Atoll::trace
