// First touchers of a live program's pages that were placed by that touch. Such pages move with
// their thread.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "atoll/recording/recording.hpp"

namespace Atoll::simulate {

class FirstTouchers {
 public:
  static constexpr std::uint32_t kNone = recording::kNone;

  /// Sets the first toucher of a range. kNone: its pages don't move with a thread.
  void set(std::uint64_t process, std::uint64_t begin, std::uint64_t end, std::uint32_t thread);
  /// Moves the entries of a range to another address, as mremap() does with pages.
  void remap(std::uint64_t process, std::uint64_t begin, std::uint64_t end, std::uint64_t to);
  /// Calls each(process, begin, end, thread) for all ranges, in ascending order.
  template <class Each>
  void for_each(Each&& each) const {
    for (const auto& [at, range] : ranges_) each(at.first, at.second, range.end, range.thread);
  }

 private:
  using Begin = std::pair<std::uint64_t, std::uint64_t>;  ///< process, address
  struct Range {
    std::uint64_t end;
    std::uint32_t thread;
  };
  /// Splits the range that contains the address, if there is one.
  void cut(const Begin& at);

  std::map<Begin, Range> ranges_;
};

}  // namespace Atoll::simulate
