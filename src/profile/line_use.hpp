// What only lines tell about a page: which threads share what, and how much each pair of threads
// communicates [hashsieve §V.A.1]. It is computed while pages pass, since lines aren't kept.
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

/// The pairs of at most this many threads of a line are summed one by one. The cost of all pairs
/// grows with the square, so with more threads some stand for all and their sums are scaled. They
/// are the same for all lines of a page, and differ from page to page.
inline constexpr std::size_t kPairedUsers = 256;
/// A line is polled if it has kPolls accesses, and kPollsForEachChange times as many as times that
/// it changes hands, and if those who poll it read at most so many of its words.
inline constexpr std::uint64_t kPolls = 1000, kPollsForEachChange = 64;
inline constexpr int kPolledWords = 2;
/// A thread fills a line if it writes each word so often at most (words may be halves), and all use
/// it so many times as often besides.
inline constexpr std::uint64_t kFillingWrites = 2, kUsesOfFilled = 4;

/// Returns `epochs` with the epochs before and after each of them.
[[nodiscard]] constexpr std::uint64_t with_neighbours(std::uint64_t epochs) {
  return epochs | epochs << 1 | epochs >> 1;
}

/// Sums C(i, j) of threads below kCommunicatingThreads. Neighbouring lines mostly have the same
/// threads: they are summed in a small table, which is added to the whole one when the threads
/// change. A line that is used just as the line before is only counted, and multiplied in the end.
class CommunicationSums {
 public:
  /// Adds one line: its threads, ascending; the traffic of each; whether each writes (~0); and in
  /// which epochs each uses the page. If all epochs are the same, they tell nothing. Returns the
  /// sums over all pairs and over those of which one writes.
  std::pair<std::uint64_t, std::uint64_t> add(std::span<const std::uint32_t> threads,
                                              std::span<const std::uint64_t> traffic,
                                              std::span<const std::uint64_t> writes,
                                              std::span<const std::uint64_t> epochs);
  /// Returns the sums of all pairs, and those of lines that one of the two writes.
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
  std::vector<std::uint64_t> epochs_;            ///< the same
  /// For each pair of the table, which part of each thread's traffic counts: that in epochs in
  /// which, or next to which, the other thread uses the page. A thread's traffic is taken to be
  /// spread evenly over its epochs. Empty: all of it counts.
  std::vector<std::pair<double, double>> parts_;
  std::vector<std::uint64_t> near_;                ///< of epochs_
  std::vector<double> amounts_;                    ///< traffic_
  std::vector<double> each_;                       ///< an epoch's part of the thread's traffic
  std::pair<std::uint64_t, std::uint64_t> total_;  ///< its sums
  std::uint64_t repeated_ = 0;                     ///< lines just like it that aren't in the table
  std::vector<Sum> table_;                         ///< (j, i) at j (j - 1) / 2 + i
  std::vector<std::vector<Sum>> rows_;             ///< [greater][less]
};

class LineUse {
 public:
  /// `objects` are those of `page`, in the order of its ObjectLines; sharing(object) returns where
  /// an object is counted.
  template <class SharingOf>
  void add(const trace::PageAccesses& page, SharingOf&& sharing_of) {
    const bool by_lines = std::ranges::all_of(page.threads, &trace::ThreadOnPage::by_lines);
    if (!by_lines) {
      add_whole(page, sharing_of(trace::main_object(page.objects)));
      return;
    }
    all_near_ = !knows_epochs || near_each_other(page);
    for_lines_by_owners(page.objects, [&](std::span<const trace::ObjectLines> owners) {
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
  bool knows_epochs = true;  ///< ThreadOnPage::epochs are all that the thread used the page in
  std::uint64_t uncounted_lines = 0;  ///< with threads from kCommunicatingThreads on
  std::uint64_t sampled_lines = 0;    ///< with more than kPairedUsers threads

 private:
  /// How threads use one line.
  struct Line {
    std::uint64_t Sharing::*lines = nullptr;  ///< of this use
    std::uint64_t Sharing::*traffic_of_use = nullptr;
    std::uint64_t accesses = 0, traffic = 0, communication = 0, write_communication = 0;

    /// Takes the part for this many of its accesses; the rest is for the other owners.
    Line take(std::uint64_t accesses_taken);
  };
  Line use_of(const trace::PageAccesses& page, int line);
  static void add_line(const Line& use, Sharing& sharing);
  static std::vector<std::uint64_t> accesses_of_owners(const trace::PageAccesses& page, int line,
                                                       std::span<const trace::ObjectLines> owners);
  void add_whole(const trace::PageAccesses& page, Sharing& sharing);
  /// True if every epoch in which a thread uses the page is near one in which each other thread
  /// uses it, or if epochs are not known.
  static bool near_each_other(const trace::PageAccesses& page);
  void clear();
  void add_user(const trace::ThreadOnPage& thread, const trace::LineCount& counts,
                std::uint8_t words);
  [[nodiscard]] bool falsely_shared(std::uint64_t accesses) const;
  /// If the page's first thread fills the line, returns its position among the users, or their
  /// number.
  [[nodiscard]] std::size_t filler(const trace::PageAccesses& page, std::uint64_t accesses) const;
  [[nodiscard]] bool spinning(const Line& use) const;
  /// Returns the sums over the line's pairs of threads, and over those of which one writes.
  std::pair<std::uint64_t, std::uint64_t> communicate(std::uint64_t page);
  void sample_users(std::uint64_t page, std::size_t counted);

  // The users of one line: how often each uses it, with what traffic, ~0 if it writes, how often.
  std::vector<std::uint32_t> users_;
  std::vector<std::uint64_t> accesses_, traffic_, writes_, written_;
  std::vector<std::uint64_t> epochs_;  ///< 0 where `all_near_`
  std::vector<std::uint8_t> words_;
  bool all_near_ = true;  ///< for this page, epochs don't matter
};

}  // namespace Atoll::profile
