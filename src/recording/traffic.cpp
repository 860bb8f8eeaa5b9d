#include "recording/traffic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "record/sharers.hpp"

namespace Atoll::recording {
namespace {

/// Minimum size of a sample from which rates are derived: either of the two suffices.
constexpr double kEnoughMisses = 16, kEnoughAccesses = 1024;
/// Weight of the object's rate, in misses, in the average with a page's own samples.
constexpr double kPriorMisses = 8;

bool enough(const MissSample& sample) {
  return sample.accesses() > 0 &&
         (sample.misses >= kEnoughMisses || sample.accesses() >= kEnoughAccesses);
}

std::uint64_t accesses_of(const LineCount& line) {
  return line.reads + line.writes;
}

/// Distributes the page's misses among its lines, in whole numbers.
void share_out(ThreadOnPage& thread, double misses) {
  const auto lines = std::ranges::count_if(
      thread.lines, [](const LineCount& line) { return accesses_of(line) > 0; });
  double each = misses / static_cast<double>(std::max<std::ptrdiff_t>(1, lines));
  double surplus = 0;  // misses in excess of a line's accesses
  std::ptrdiff_t free = 0;
  for (const LineCount& line : thread.lines) {
    if (accesses_of(line) == 0) continue;
    const auto most = static_cast<double>(accesses_of(line));
    if (most > each)
      ++free;
    else
      surplus += each - most;
  }
  if (free > 0) each += surplus / static_cast<double>(free);
  double exact = 0, given = 0;
  for (LineCount& line : thread.lines) {
    if (accesses_of(line) == 0) continue;
    exact += std::min(each, static_cast<double>(accesses_of(line)));
    const double whole = std::max(1.0, std::round(exact - given));
    line.traffic = std::min(static_cast<std::uint64_t>(whole), accesses_of(line));
    given += static_cast<double>(line.traffic);
  }
}

/// Groups the threads of a page by their epochs: threads with the same epochs form a class.
class Classes {
 public:
  explicit Classes(std::span<const ThreadOnPage> threads) {
    for (const ThreadOnPage& thread : threads) {
      const auto known = std::ranges::find(epochs_, thread.epochs);
      of_threads_.push_back(static_cast<std::size_t>(known - epochs_.begin()));
      if (known == epochs_.end()) epochs_.push_back(thread.epochs);
    }
    if (epochs_.size() > kMaxClasses) {  // limits the cost of comparing pairs
      epochs_.assign(1, 0);
      std::ranges::fill(of_threads_, 0);
    }
    writes_.resize(epochs_.size());
    seen_.resize(epochs_.size());
  }

  /// Computes the invalidations of a line by other threads' writes.
  void take_away(std::span<ThreadOnPage> threads, std::span<const CountedInvalidations> counted,
                 int line) {
    std::ranges::fill(writes_, 0);
    for (std::size_t i = 0; i < threads.size(); ++i)
      writes_[of_threads_[i]] +=
          record::visits_of(threads[i].lines[line].writes, threads[i].words[line]);
    if (std::ranges::all_of(writes_, [](std::uint64_t writes) { return writes == 0; })) return;
    std::ranges::fill(seen_, 0);
    for (std::size_t i = 0; i < epochs_.size(); ++i)
      for (std::size_t j = 0; j < epochs_.size(); ++j)
        if (used_together(epochs_[i], epochs_[j])) seen_[i] += writes_[j];
    for (std::size_t i = 0; i < threads.size(); ++i) {
      LineCount& own = threads[i].lines[line];
      const std::uint8_t words = threads[i].words[line];
      std::uint64_t of_others = seen_[of_threads_[i]] - record::visits_of(own.writes, words);
      if (counted[i])
        of_others = std::min(of_others, (*counted[i])[static_cast<std::size_t>(line)]);
      own.traffic =
          std::max(own.traffic, std::min(of_others, record::visits_of(accesses_of(own), words)));
    }
  }

 private:
  static constexpr std::size_t kMaxClasses = 16;
  std::vector<std::uint64_t> epochs_, writes_, seen_;  ///< by class: epochs; writes; writes seen
  std::vector<std::size_t> of_threads_;
};

}  // namespace

void MissRates::add(std::uint32_t object, std::uint32_t thread, std::uint64_t lines,
                    const MissSample& sample) {
  lines_[{object, thread}] += lines;
  if (!(sample.accesses() > 0)) return;
  of_both_[{object, thread}].add(sample);
  of_objects_[object].add(sample);
}

MissesLike MissRates::like(std::uint32_t object, std::uint32_t thread) const {
  const auto find = [](const auto& samples, const auto& key) -> std::optional<MissSample> {
    const auto found = samples.find(key);
    if (found == samples.end() || !enough(found->second)) return std::nullopt;
    return found->second;
  };
  MissesLike like;
  like.sample = find(of_both_, std::pair(object, thread));
  like.of_others = !like.sample;
  if (like.of_others) like.sample = find(of_objects_, object);
  const auto lines = lines_.find({object, thread});
  like.exceeds_cache = cache_lines_ != 0 && lines != lines_.end() && lines->second > cache_lines_;
  return like;
}

bool is_reuse(double accesses, double lines, double words, double uses_of_words) {
  return accesses >= 2 * std::max(lines, words * uses_of_words);
}

double misses_of_page(const ThreadOnPage& page, const MissSample& sample, const MissesLike& like) {
  double lines = 0, words = 0;
  for (const std::uint8_t used : page.words) {
    lines += used != 0 ? 1 : 0;
    words += std::popcount(used);
  }
  lines = std::max(1.0, lines);
  const double visit = std::max(lines, words * like.uses_of_words);  // accesses, to all lines
  const auto all = static_cast<double>(page.reads + page.writes);
  const bool is_reused = is_reuse(all, lines, words, like.uses_of_words);
  const auto compared = [&](const MissSample& of) { return is_reused ? of.reuses : of.accesses(); };
  const double rest = all - (is_reused ? visit : lines) - compared(sample);
  double misses = lines + sample.misses;
  if (rest > 0) {
    const double known = like.sample ? compared(*like.sample) : 0;
    double rate = is_reused && like.exceeds_cache ? lines / visit : 0;
    // For an object that exceeds the cache, a rate of almost 0 requires a larger sample.
    const double enough_hits = like.exceeds_cache ? 100 * kEnoughAccesses : kEnoughAccesses;
    if (known >= enough_hits || (known > 0 && like.sample->misses >= kEnoughMisses))
      rate = std::min(1.0, like.sample->misses / known);
    if (rate > 0)
      misses += rest * (sample.misses + kPriorMisses) / (compared(sample) + kPriorMisses / rate);
  }
  if (like.of_others) misses = std::min(misses, sample.misses + lines * std::max(1.0, all / visit));
  return std::clamp(misses, std::min(lines, all), all);
}

void fill_in_traffic(std::span<ThreadOnPage> threads, std::span<const double> misses,
                     std::span<const CountedInvalidations> taken_away) {
  for (std::size_t i = 0; i < threads.size(); ++i)
    if (threads[i].by_lines) share_out(threads[i], misses[i]);
  if (threads.size() > 1 && std::ranges::all_of(threads, &ThreadOnPage::by_lines))
    for (auto [line, classes] = std::pair(0, Classes(threads)); line < kLinesOfPage; ++line)
      classes.take_away(threads, taken_away, line);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    ThreadOnPage& thread = threads[i];
    thread.traffic = 0;
    if (!thread.by_lines) thread.traffic = static_cast<std::uint64_t>(std::llround(misses[i]));
    for (const LineCount& line : thread.lines) thread.traffic += line.traffic;
  }
}

}  // namespace Atoll::recording
