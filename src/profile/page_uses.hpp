// Use of each page by each thread, with its epochs: the input of predictions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "atoll/profile/profile.hpp"
#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

/// Minimum writes per line of a page's first thread to count as filling the page.
inline constexpr double kFills = 0.9;

/// One thread's use of a page of one object.
struct PageUse {
  std::uint32_t thread = 0;
  double traffic = 0, accesses = 0, written_part = 0, lines = 0;
  double writes = 0;
  std::uint64_t epochs = 0;
  bool is_stream = false, is_first = false;
  double filled = 0;  ///< part of `traffic` that fills the page, in a phase of its own

  /// Returns the fraction of the traffic, and of the accesses, in one of its epochs, without
  /// filling. A page that is filled is otherwise used only in later epochs, if there are any.
  [[nodiscard]] double part_in(std::size_t epoch) const {
    const double rest = 1 - filled / traffic;
    const int count = std::popcount(epochs);
    if (filled == 0 || count == 1) return rest / count;
    return static_cast<int>(epoch) == std::countr_zero(epochs) ? 0 : rest / (count - 1);
  }
  [[nodiscard]] double traffic_in(std::size_t epoch) const { return traffic * part_in(epoch); }
  [[nodiscard]] double lines_in(std::size_t epoch) const {
    const bool is_filled = static_cast<int>(epoch) == std::countr_zero(epochs);
    return std::min(lines, std::max(traffic_in(epoch), is_filled ? filled : 0));
  }
  void set_first() {
    is_first = true;
    if (writes >= kFills * lines) filled = std::min(lines, traffic);
  }
};

/// Calls action(epoch) for each bit of `epochs`, in ascending order.
template <class Action>
void for_each_epoch(std::uint64_t epochs, Action&& action) {
  for (; epochs != 0; epochs &= epochs - 1)
    action(static_cast<std::size_t>(std::countr_zero(epochs)));
}

/// Callback with a row of PagesByNode and its page's uses, by thread.
using ForPage = std::function<void(std::size_t row, std::span<const PageUse> uses)>;

/// Reads the uses of all pages from a profile's chunks.
class PageUses {
 public:
  /// `epochs` is the number of epochs to distinguish. All uses of a sampled profile are in the
  /// first epoch.
  PageUses(const Profile& profile, const PagesByNode& pages, std::size_t epochs);

  void for_each_page(const ForPage& action) const;

 private:
  [[nodiscard]] PageUse use_of(const Chunk& chunk, std::size_t i, bool is_stream) const;

  const Profile& profile_;
  const PagesByNode& pages_;
  std::size_t epochs_;
  bool is_sampled_;
};

}  // namespace Atoll::profile
