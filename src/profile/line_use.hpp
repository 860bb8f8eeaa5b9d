// Sharing and communication, which only counts by line can show: how threads share each line, and
// the communication of each pair of threads [hashsieve §V.A.1]. They are computed as pages are
// read, since lines aren't stored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "atoll/profile/profile.hpp"
#include "profile/line_shares.hpp"

namespace Atoll::profile {

/// Maximum number of a line's threads whose pairs are summed exactly. The cost grows with the
/// square, so with more threads a sample of kPairedUsers represents all and its sums are scaled.
/// The sample is the same for all lines of a page, and differs between pages.
inline constexpr std::size_t kPairedUsers = 256;
/// Polling: a line is polled if the threads that only read it have at least kPolls accesses in
/// total, at least kPollsForEachChange accesses for each change of owner, and read at most
/// kPolledWords of its words.
inline constexpr std::uint64_t kPolls = 1000, kPollsForEachChange = 64;
inline constexpr int kPolledWords = 2;
/// Filling: a thread fills a line if it writes each word at most kFillingWrites times (words may be
/// halves), and all other accesses to the line are at least kUsesOfFilled times as many.
inline constexpr std::uint64_t kFillingWrites = 2, kUsesOfFilled = 4;

/// Returns the bit mask `epochs` with the previous and the next epoch of each added.
[[nodiscard]] constexpr std::uint64_t with_neighbours(std::uint64_t epochs) {
  return epochs | epochs << 1 | epochs >> 1;
}

/// Sums C(i, j) of threads below kCommunicatingThreads. Consecutive lines mostly have the same
/// threads: they are summed in a small table, which is added to the full one when the threads
/// change. Identical consecutive lines are only counted, and multiplied in the end.
class CommunicationSums {
 public:
  /// Adds one line. `threads` ascend. For each of them: its traffic, ~0 in `writes` if it writes,
  /// and the bit mask of epochs in which it uses the page. If all masks are equal, they are
  /// ignored. Returns the sums over all pairs, and over the pairs with a thread that writes.
  std::pair<std::uint64_t, std::uint64_t> add(std::span<const std::uint32_t> threads,
                                              std::span<const std::uint64_t> traffic,
                                              std::span<const std::uint64_t> writes,
                                              std::span<const std::uint64_t> epochs);
  /// Returns the sums of all pairs, and those of lines that one of the two threads writes.
  [[nodiscard]] std::pair<Communication, Communication> take();

 private:
  struct Sum {
    std::uint64_t all = 0, written = 0;
  };
  void flush();
  void set_parts();
  template <class AmountOf>
  std::pair<std::uint64_t, std::uint64_t> add_pairs(AmountOf&& amount_of);
  std::pair<std::uint64_t, std::uint64_t> add_line(std::uint64_t times);
  void add_repeated();

  std::vector<std::uint32_t> threads_;           ///< of the small table
  std::vector<std::uint64_t> traffic_, writes_;  ///< of the last line
  std::vector<std::uint64_t> epochs_;            ///< of the last line
  /// For each pair of the table, the fraction of each thread's traffic that counts: the traffic in
  /// epochs in which, or next to which, the other thread uses the page. A thread's traffic is taken
  /// to be spread evenly over its epochs. Empty: all traffic counts.
  std::vector<std::pair<double, double>> parts_;
  std::vector<std::uint64_t> near_;                ///< with_neighbours() of epochs_
  std::vector<double> amounts_;                    ///< traffic_ as floating point
  std::vector<double> each_;                       ///< one epoch's fraction of the thread's traffic
  std::pair<std::uint64_t, std::uint64_t> total_;  ///< sums of the last line
  std::uint64_t repeated_ = 0;                     ///< lines equal to the last one, yet to be added
  std::vector<Sum> table_;                         ///< pair (j, i) is at j (j - 1) / 2 + i
  std::vector<std::vector<Sum>> rows_;             ///< [greater][less]
};

class LineUse {
 public:
  /// Adds a page. `objects` of `page` are the objects on it, in the order of its lines.
  /// sharing_of(object) returns the object's sums to add to.
  template <class SharingOf>
  void add(const recording::PageAccesses& page, SharingOf&& sharing_of) {
    const bool by_lines = std::ranges::all_of(page.threads, &recording::ThreadOnPage::by_lines);
    if (!by_lines) {
      add_whole(page, sharing_of(recording::main_object(page.objects)));
      return;
    }
    all_near_ = !knows_epochs || near_each_other(page);
    for_lines_by_owners(page.objects, [&](std::span<const recording::ObjectLines> owners) {
      for (int line = owners.front().first_line; line < owners.front().end_line; ++line) {
        const Line use = use_of(page, line);
        if (use.accesses == 0) continue;
        if (owners.size() == 1) {
          add_line(use, sharing_of(owners.front().object));
          continue;
        }
        const std::vector<std::uint64_t> accesses = accesses_of_owners(page, line, owners);
        Line rest = use;
        for (std::size_t i = 0; i < owners.size(); ++i)
          if (accesses[i] != 0) add_line(rest.take(accesses[i]), sharing_of(owners[i].object));
      }
    });
  }

  CommunicationSums communication;
  bool knows_epochs = true;           ///< ThreadOnPage::epochs has all epochs with accesses
  std::uint64_t uncounted_lines = 0;  ///< with threads from kCommunicatingThreads on
  std::uint64_t sampled_lines = 0;    ///< with more than kPairedUsers threads

 private:
  /// The kind of use of one line.
  struct Line {
    std::uint64_t Sharing::*lines = nullptr;  ///< the counter of this kind of use
    std::uint64_t Sharing::*traffic_of_use = nullptr;
    std::uint64_t accesses = 0, traffic = 0, communication = 0, write_communication = 0;

    /// Returns the share for this number of its accesses and subtracts it; the rest is for the
    /// other owners.
    Line take(std::uint64_t accesses_taken);
  };
  Line use_of(const recording::PageAccesses& page, int line);
  static void add_line(const Line& use, Sharing& sharing);
  static std::vector<std::uint64_t> accesses_of_owners(
      const recording::PageAccesses& page, int line,
      std::span<const recording::ObjectLines> owners);
  void add_whole(const recording::PageAccesses& page, Sharing& sharing);
  /// True if, for each two threads, every epoch in which one uses the page is equal or next to an
  /// epoch in which the other uses it. Also true if a thread's epochs are unknown.
  static bool near_each_other(const recording::PageAccesses& page);
  void clear();
  void add_user(const recording::ThreadOnPage& thread, const recording::LineCount& counts,
                std::uint8_t words);
  [[nodiscard]] bool falsely_shared(std::uint64_t accesses) const;
  /// Returns the position, in users_, of the page's first thread if it fills the line, or the
  /// number of users if not.
  [[nodiscard]] std::size_t filler(const recording::PageAccesses& page,
                                   std::uint64_t accesses) const;
  [[nodiscard]] bool spinning(const Line& use) const;
  /// Returns the sums over the line's pairs of threads, and over the pairs with a thread that
  /// writes.
  std::pair<std::uint64_t, std::uint64_t> communicate(std::uint64_t page);
  void sample_users(std::uint64_t page, std::size_t counted);

  // Users of one line, by position: thread, accesses, traffic, ~0 if the thread writes, number of
  // writes.
  std::vector<std::uint32_t> users_;
  std::vector<std::uint64_t> accesses_, traffic_, writes_, written_;
  std::vector<std::uint64_t> epochs_;  ///< 0 if `all_near_`
  std::vector<std::uint8_t> words_;
  bool all_near_ = true;  ///< for this page, epochs make no difference
};

}  // namespace Atoll::profile
