// Computes communication and sharing, line by line.
#include "profile/line_use.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <tuple>
#include <utility>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define ATOLL_WITHOUT_CLONES  // the clones' resolver runs before the sanitizer is initialised
#endif
#endif
#if defined(ATOLL_WITHOUT_CLONES) || defined(__SANITIZE_THREAD__)
#define ATOLL_WITH_POPCNT
#else
#define ATOLL_WITH_POPCNT __attribute__((target_clones("popcnt", "default")))
#endif

namespace Atoll::profile {
namespace {

/// A thread with less than 1/kMinorPart of a line's accesses only fills it, or only reads the
/// results.
constexpr std::uint64_t kMinorPart = 10;

}  // namespace

/// Uses the processor's popcnt instruction if it has one: counting bits dominates on pages that
/// many threads use at different times.
ATOLL_WITH_POPCNT void CommunicationSums::set_parts() {
  parts_.clear();
  if (std::ranges::adjacent_find(epochs_, std::not_equal_to{}) == epochs_.end()) return;
  const std::size_t users = epochs_.size();
  near_.resize(users);
  each_.resize(users);
  for (std::size_t i = 0; i < users; ++i) {
    near_[i] = with_neighbours(epochs_[i]);
    each_[i] = 1.0 / __builtin_popcountll(epochs_[i]);
  }
  parts_.resize(table_.size());
  auto* part = parts_.data();
  for (std::size_t j = 1; j < users; ++j)
    for (std::size_t i = 0; i < j; ++i, ++part) {
      part->first = __builtin_popcountll(epochs_[i] & near_[j]) * each_[i];
      part->second = __builtin_popcountll(epochs_[j] & near_[i]) * each_[j];
    }
}

std::pair<std::uint64_t, std::uint64_t> CommunicationSums::add(
    std::span<const std::uint32_t> threads, std::span<const std::uint64_t> traffic,
    std::span<const std::uint64_t> writes, std::span<const std::uint64_t> epochs) {
  if (threads.size() < 2) return {};
  const bool same_epochs = std::ranges::equal(epochs, epochs_);
  const bool same_threads = std::ranges::equal(threads, threads_) && same_epochs;
  if (same_threads && std::ranges::equal(traffic, traffic_) &&
      std::ranges::equal(writes, writes_)) {
    ++repeated_;
    return total_;
  }
  if (std::ranges::equal(threads, threads_)) {
    add_repeated();
  } else {
    flush();
    threads_.assign(threads.begin(), threads.end());
    table_.assign(threads.size() * (threads.size() - 1) / 2, {});
  }
  if (!same_threads) {
    epochs_.assign(epochs.begin(), epochs.end());
    set_parts();
  }
  traffic_.assign(traffic.begin(), traffic.end());
  writes_.assign(writes.begin(), writes.end());
  total_ = add_line(1);
  return total_;
}

template <class AmountOf>
std::pair<std::uint64_t, std::uint64_t> CommunicationSums::add_pairs(AmountOf&& amount_of) {
  Sum total;
  Sum* sum = table_.data();
  for (std::size_t j = 1; j < threads_.size(); ++j)
    for (std::size_t i = 0; i < j; ++i, ++sum) {
      const std::uint64_t amount = amount_of(i, j);
      const std::uint64_t written = amount & (writes_[i] | writes_[j]);
      sum->all += amount;
      sum->written += written;
      total.all += amount;
      total.written += written;
    }
  return {total.all, total.written};
}

std::pair<std::uint64_t, std::uint64_t> CommunicationSums::add_line(std::uint64_t times) {
  if (parts_.empty())
    return add_pairs(
        [&](std::size_t i, std::size_t j) { return times * std::min(traffic_[i], traffic_[j]); });
  amounts_.assign(traffic_.begin(), traffic_.end());
  const auto* part = parts_.data();
  return add_pairs([&](std::size_t i, std::size_t j) {
    const auto& [of_i, of_j] = *part++;
    const double least = std::min(amounts_[i] * of_i, amounts_[j] * of_j);
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): never negative, and lround() would be a call
    return times * static_cast<std::uint64_t>(static_cast<std::int64_t>(least + 0.5));
  });
}

void CommunicationSums::add_repeated() {
  if (repeated_ > 0) add_line(std::exchange(repeated_, 0));
}

void CommunicationSums::flush() {
  if (threads_.empty()) return;
  add_repeated();
  if (rows_.size() <= threads_.back()) rows_.resize(threads_.back() + 1);
  const Sum* sum = table_.data();
  for (std::size_t j = 1; j < threads_.size(); ++j) {
    std::vector<Sum>& row = rows_[threads_[j]];
    if (row.empty()) row.resize(threads_[j]);
    for (std::size_t i = 0; i < j; ++i, ++sum) {
      row[threads_[i]].all += sum->all;
      row[threads_[i]].written += sum->written;
    }
  }
  threads_.clear();
}

std::pair<Communication, Communication> CommunicationSums::take() {
  flush();
  std::pair<Communication, Communication> pairs;
  const auto put = [](Communication& to, std::uint32_t i, std::uint32_t j, std::uint64_t amount) {
    if (amount > 0) to.emplace_hint(to.end(), std::pair(i, j), amount);
  };
  for (std::uint32_t i = 0; i < rows_.size(); ++i)
    for (std::uint32_t j = i + 1; j < rows_.size(); ++j) {
      if (rows_[j].empty()) continue;
      put(pairs.first, i, j, rows_[j][i].all);
      put(pairs.second, i, j, rows_[j][i].written);
    }
  rows_.clear();
  return pairs;
}

void LineUse::clear() {
  users_.clear();
  accesses_.clear();
  traffic_.clear();
  writes_.clear();
  written_.clear();
  epochs_.clear();
  words_.clear();
}

bool LineUse::near_each_other(const recording::PageAccesses& page) {
  std::uint64_t of_all = 0;
  for (const recording::ThreadOnPage& thread : page.threads) of_all |= thread.epochs;
  return std::ranges::any_of(page.threads, [](auto& thread) { return thread.epochs == 0; }) ||
         std::ranges::all_of(page.threads, [&](const recording::ThreadOnPage& thread) {
           return (of_all & ~with_neighbours(thread.epochs)) == 0;
         });
}

void LineUse::add_user(const recording::ThreadOnPage& thread, const recording::LineCount& counts,
                       std::uint8_t words) {
  users_.push_back(thread.thread);
  epochs_.push_back(all_near_ ? 0 : thread.epochs);
  accesses_.push_back(counts.reads + counts.writes);
  traffic_.push_back(counts.traffic);
  writes_.push_back(counts.writes > 0 ? ~std::uint64_t{0} : 0);
  written_.push_back(counts.writes);
  words_.push_back(words);
}

/// True if the threads that count use disjoint words of the line and one of them writes. A thread
/// counts if it has at least a tenth of the threads' mean accesses: a thread that only fills the
/// line, or reads the results, uses the same words as others. All threads that don't count have
/// less than a tenth of the accesses.
bool LineUse::falsely_shared(std::uint64_t accesses) const {
  const double least = static_cast<double>(accesses) / static_cast<double>(users_.size()) / 10;
  std::size_t counted = 0;
  bool written_to = false;
  unsigned words = 0;
  for (std::size_t i = 0; i < users_.size(); ++i) {
    if (static_cast<double>(accesses_[i]) < least) continue;
    if ((words & words_[i]) != 0) return false;
    words |= words_[i];
    written_to = written_to || writes_[i] != 0;
    ++counted;
  }
  return written_to && counted > 1;
}

/// True if the line is polled: at least 90 % of the accesses are by threads that only read it, and
/// each reads one or two words that others write, far more often than these change. A lookup in a
/// table that was filled before reads more words of a line.
bool LineUse::spinning(const Line& use) const {
  unsigned written = 0;
  for (std::size_t i = 0; i < users_.size(); ++i)
    if (writes_[i] != 0) written |= words_[i];
  std::uint64_t polls = 0;
  for (std::size_t i = 0; i < users_.size(); ++i) {
    const unsigned words = words_[i];
    if (writes_[i] == 0 && (words & written) != 0 && std::popcount(words) <= kPolledWords &&
        accesses_[i] >= kPollsForEachChange * traffic_[i])
      polls += accesses_[i];
  }
  return polls >= kPolls && 10 * polls >= 9 * use.accesses;
}

std::size_t LineUse::filler(const recording::PageAccesses& page, std::uint64_t accesses) const {
  const auto first =
      std::ranges::min_element(page.threads, {}, &recording::ThreadOnPage::first_access);
  const auto found = std::ranges::find(users_, first->thread);
  const auto i = static_cast<std::size_t>(found - users_.begin());
  if (found == users_.end() || written_[i] == 0 ||
      written_[i] > kFillingWrites * static_cast<std::uint64_t>(std::popcount(words_[i])) ||
      accesses - written_[i] < kUsesOfFilled * written_[i])
    return users_.size();
  return i;
}

/// Classifies the use of a line. If one thread filled the line first, its use after that decides.
LineUse::Line LineUse::use_of(const recording::PageAccesses& page, int line) {
  clear();
  Line use;
  for (const recording::ThreadOnPage& thread : page.threads) {
    const recording::LineCount& count = thread.lines[line];
    if (count.reads + count.writes == 0) continue;
    add_user(thread, count, thread.words[line]);
    use.accesses += count.reads + count.writes;
    use.traffic += count.traffic;
  }
  if (users_.empty()) return use;
  const auto is = [&](std::uint64_t Sharing::*lines, std::uint64_t Sharing::*traffic) {
    use.lines = lines;
    use.traffic_of_use = traffic;
  };
  const std::size_t filled_by = filler(page, use.accesses);
  const bool is_filled = filled_by < users_.size();
  // The filling thread may also read the results in the end.
  const bool only_fills = is_filled && (accesses_[filled_by] == written_[filled_by] ||
                                        kMinorPart * accesses_[filled_by] <= use.accesses);
  bool is_written = false;  // by others than the filling thread
  for (std::size_t i = 0; i < users_.size(); ++i)
    is_written = is_written || (i != filled_by && written_[i] > 0);
  if (users_.size() == 1)
    is(&Sharing::private_lines, &Sharing::private_traffic);
  else if (!is_written && !is_filled)
    is(&Sharing::read_shared_lines, &Sharing::read_shared_traffic);
  else if (spinning(use))
    is(&Sharing::spinning_lines, &Sharing::spinning_traffic);
  else if (falsely_shared(use.accesses))
    is(&Sharing::falsely_shared_lines, &Sharing::falsely_shared_traffic);
  else if (only_fills && users_.size() == 2)
    is(&Sharing::private_lines, &Sharing::private_traffic);
  else if (!is_written)
    is(&Sharing::read_shared_lines, &Sharing::read_shared_traffic);
  else
    is(&Sharing::write_shared_lines, &Sharing::write_shared_traffic);
  std::tie(use.communication, use.write_communication) = communicate(page.page);
  return use;
}

void LineUse::add_line(const Line& use, Sharing& sharing) {
  ++(sharing.*use.lines);
  sharing.*use.traffic_of_use += use.traffic;
  if (use.lines == &Sharing::spinning_lines) sharing.spinning_accesses += use.accesses;
  sharing.communication += use.communication;
  sharing.write_communication += use.write_communication;
}

std::vector<std::uint64_t> LineUse::accesses_of_owners(
    const recording::PageAccesses& page, int line, std::span<const recording::ObjectLines> owners) {
  std::vector<std::uint64_t> accesses(owners.size());
  for (const recording::ThreadOnPage& thread : page.threads) {
    const recording::LineCount& count = thread.lines[line];
    share_line(owners, thread.words[line], [&](const LineShare& share) {
      accesses[share.owner] += share.of(count.reads) + share.of(count.writes);
    });
  }
  return accesses;
}

/// The share is taken from the remainder, so the last owner gets all of it.
LineUse::Line LineUse::Line::take(std::uint64_t accesses_taken) {
  Line taken = *this;
  taken.accesses = std::min(accesses_taken, accesses);
  const double part = static_cast<double>(taken.accesses) / static_cast<double>(accesses);
  const auto take_of = [&](std::uint64_t& rest) {
    const auto own =
        taken.accesses == accesses
            ? rest
            : std::min(rest, static_cast<std::uint64_t>(part * static_cast<double>(rest)));
    rest -= own;
    return own;
  };
  taken.traffic = take_of(traffic);
  taken.communication = take_of(communication);
  taken.write_communication = take_of(write_communication);
  accesses -= taken.accesses;
  return taken;
}

void LineUse::add_whole(const recording::PageAccesses& page, Sharing& sharing) {
  clear();
  all_near_ = !knows_epochs || near_each_other(page);
  for (const recording::ThreadOnPage& thread : page.threads)
    add_user(thread, {thread.reads, thread.writes, thread.traffic}, 0);
  ++sharing.unknown_pages;
  const auto [all, written] = communicate(page.page);
  sharing.communication += all;
  sharing.write_communication += written;
}

std::pair<std::uint64_t, std::uint64_t> LineUse::communicate(std::uint64_t page) {
  // Threads ascend, so those that aren't counted are at the end.
  const auto counted = static_cast<std::size_t>(
      std::ranges::lower_bound(users_, kCommunicatingThreads) - users_.begin());
  if (counted < users_.size()) ++uncounted_lines;
  if (counted > kPairedUsers) {
    ++sampled_lines;
    sample_users(page, counted);
  } else {
    users_.resize(counted);
    traffic_.resize(counted);
    writes_.resize(counted);
    epochs_.resize(counted);
  }
  return communication.add(users_, traffic_, writes_, epochs_);
}

/// Reduces the first `counted` users to kPairedUsers: a random one of each group of consecutive
/// users, with groups of equal size. Traffic is scaled so that the sum over the sampled pairs
/// approximates the sum over all pairs.
void LineUse::sample_users(std::uint64_t page, std::size_t counted) {
  const double pairs = static_cast<double>(counted) * static_cast<double>(counted - 1);
  const double kept = static_cast<double>(kPairedUsers) * (kPairedUsers - 1);
  std::minstd_rand random(static_cast<std::uint32_t>(page) | 1U);
  for (std::size_t i = 0; i < kPairedUsers; ++i) {
    const std::size_t first = i * counted / kPairedUsers, end = (i + 1) * counted / kPairedUsers;
    const std::size_t from = first + random() % (end - first);
    users_[i] = users_[from];
    traffic_[i] = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(traffic_[from]) * pairs / kept));
    writes_[i] = writes_[from];
    epochs_[i] = epochs_[from];
  }
  users_.resize(kPairedUsers);
  traffic_.resize(kPairedUsers);
  writes_.resize(kPairedUsers);
  epochs_.resize(kPairedUsers);
}

}  // namespace Atoll::profile
