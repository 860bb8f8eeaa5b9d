// Traffic between a thread's private cache and the memory, in lines: what the cache would miss, as
// far as that was sampled (recorder/misses.hpp), and what others' writes take away from it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "atoll/trace/recording.hpp"
#include "trace/taken_away.hpp"

namespace Atoll::trace {

/// Accesses whose number of misses is known, without the first access to each line: those to words
/// that were used before, and the first uses of words.
struct MissSample {
  double misses = 0, reuses = 0, first_uses = 0;
  [[nodiscard]] double accesses() const { return reuses + first_uses; }
  void add(const MissSample& more) {
    misses += more.misses;
    reuses += more.reuses;
    first_uses += more.first_uses;
  }
};

/// What is known about how often a thread's accesses to an object miss.
struct MissesLike {
  std::optional<MissSample> sample;
  bool of_others = false;  ///< the sample's: too little is known of the thread's own
  /// The thread comes back to more lines of the object than its cache holds.
  bool exceeds_cache = false;
  double uses_of_words = 1;  ///< of each word, at a visit to a line
};

/// How often accesses miss: those of one thread to one object or, if too few of those were sampled,
/// those of all threads to it.
class MissRates {
 public:
  explicit MissRates(std::uint64_t cache_lines) : cache_lines_(cache_lines) {}
  /// Adds a page, of which the thread comes back to `lines`.
  void add(std::uint32_t object, std::uint32_t thread, std::uint64_t lines,
           const MissSample& sample);
  [[nodiscard]] MissesLike like(std::uint32_t object, std::uint32_t thread) const;

 private:
  std::uint64_t cache_lines_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, MissSample> of_both_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> lines_;
  std::map<std::uint32_t, MissSample> of_objects_;
};

/// True if a thread comes back to a page: it has at least twice the accesses of one visit to all
/// lines and words that it used.
[[nodiscard]] bool comes_back(double accesses, double lines, double words, double uses_of_words);

/// Returns a page's misses. Each line that was touched had to be fetched once; then come the misses
/// that were sampled, and those of its other accesses, in the proportion of accesses like them.
/// Where a program comes back to what it used, most accesses are reuses, and only reuses are
/// compared: first uses tell how it began. If no reuses were sampled, all of them hit if the cache
/// can hold the object, and each visit to a line misses if it can't. By other threads' samples no
/// visit misses more than once: a thread that fills an array byte by byte, with a string
/// instruction in the emulator, has many more accesses in a visit.
[[nodiscard]] double misses_of_page(const ThreadOnPage& page, const MissSample& sample,
                                    const MissesLike& like);

/// Fills in `traffic` of what several threads, or one, did to a page; misses[i] are threads[i]'s,
/// and so are taken_away[i]. A thread's lines are taken to miss equally often, none more often than
/// it was accessed. A line is taken away as often as that was counted, and at most as often as
/// others write it and as the thread comes back to it. Visits are counted by accesses to each of
/// the words used, as one pass over a line uses all of them.
void fill_in_traffic(std::span<ThreadOnPage> threads, std::span<const double> misses,
                     std::span<const TakenAway> taken_away);

/// True if two pages with these epochs were in use at about one time: in the same epoch, or in
/// epochs that follow each other. Unknown epochs count as such.
[[nodiscard]] constexpr bool used_together(std::uint64_t epochs, std::uint64_t other) {
  return epochs == 0 || other == 0 || (epochs & (other | other << 1 | other >> 1)) != 0;
}

}  // namespace Atoll::trace
