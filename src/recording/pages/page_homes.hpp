// Origins of pages' nodes that the first thread alone does not determine: memory policies that the
// program requested, pages that it moved, and pages of files that were already in the page cache.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "atoll/recording/recording.hpp"
#include "base/range_map.hpp"
#include "recording/region_view.hpp"
#include "recording/threads_of_region.hpp"

namespace Atoll::recording {

class PageHomes {
 public:
  /// Reads the placement calls in a region. The region must outlive this object.
  explicit PageHomes(const RegionView& region);

  /// Returns true if no call affected any page, so first touch determines all nodes.
  [[nodiscard]] bool is_empty() const { return ranges_.empty() && policies_of_threads_.empty(); }

  struct Touch {
    std::uint32_t process = 0;
    std::uint64_t page = 0;
    std::uint32_t toucher = 0;  ///< a thread
    std::uint64_t when = 0;     ///< as ThreadOnPage::first_access
    bool is_copy = false;       ///< private copy of a file's page
  };
  /// Returns the toucher or, from the number of threads on, an index in Recording::homes.
  [[nodiscard]] std::uint32_t home_of(const Touch& touch);

  /// Sets Recording::policies and Recording::homes.
  void add_to(Recording& recording) const;

 private:
  /// Change of a range's placement by an event.
  struct Change {
    std::uint64_t since = 0;
    enum class Kind : std::uint8_t { policy, cached, gone } kind = Kind::policy;
    bool moves = false;            ///< also applies to existing pages
    std::uint32_t policy = kNone;  ///< kNone: no policy
    std::uint32_t thread = kNone;  ///< for `cached`; kNone: unknown
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
  /// Returns the thread whose policy this thread inherited; kNone: none.
  [[nodiscard]] std::uint32_t inherited_from(std::uint32_t thread) const;
  [[nodiscard]] std::uint32_t thread_of(record::Offset process, std::int32_t tid) const;

  const RegionView& region_;
  std::vector<ThreadOfRegion> threads_;
  std::unordered_map<record::Offset, std::uint32_t> processes_;
  std::map<std::pair<record::Offset, std::int32_t>, std::uint32_t> by_tid_;
  /// By process; changes in the order of events.
  std::map<std::uint32_t, RangeMap<std::vector<Change>>> ranges_;
  std::map<std::uint32_t, std::vector<Since>> policies_of_threads_;
  std::vector<MemoryPolicy> policies_;
  std::map<PageHome, std::uint32_t> homes_;  ///< index of each home
};

}  // namespace Atoll::recording
