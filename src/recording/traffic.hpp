// Traffic between a thread's private cache and the memory, in lines: estimated misses of the cache,
// based on samples (recorder/misses.hpp), and invalidations by other threads' writes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "atoll/recording/recording.hpp"
#include "recording/invalidations_until_end.hpp"

namespace Atoll::recording {

/// Sample of accesses with their misses. First accesses to lines are excluded. `reuses` are
/// accesses to words that were used before; `first_uses` are the others.
struct MissSample {
  double misses = 0, reuses = 0, first_uses = 0;
  [[nodiscard]] double accesses() const { return reuses + first_uses; }
  void add(const MissSample& more) {
    misses += more.misses;
    reuses += more.reuses;
    first_uses += more.first_uses;
  }
};

/// Estimate of the miss rate of a thread's accesses to an object.
struct MissesLike {
  std::optional<MissSample> sample;
  bool of_others = false;  ///< the sample is of all threads, as the thread's own is too small
  /// The lines of the object that the thread reuses are more than its cache holds.
  bool exceeds_cache = false;
  double uses_of_words = 1;  ///< uses of each word per visit to a line
};

/// Miss rates of each thread's accesses to each object. If the sample of a thread is too small, the
/// rate of all threads for that object is used.
class MissRates {
 public:
  explicit MissRates(std::uint64_t cache_lines) : cache_lines_(cache_lines) {}
  /// Adds a page. `lines` is the number of lines that the thread reuses.
  void add(std::uint32_t object, std::uint32_t thread, std::uint64_t lines,
           const MissSample& sample);
  [[nodiscard]] MissesLike like(std::uint32_t object, std::uint32_t thread) const;

 private:
  std::uint64_t cache_lines_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, MissSample> of_both_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> lines_;
  std::map<std::uint32_t, MissSample> of_objects_;
};

/// Returns true if a thread reuses a page: it made at least twice the accesses of one visit to all
/// lines and words that it used.
[[nodiscard]] bool is_reuse(double accesses, double lines, double words, double uses_of_words);

/// Returns a page's misses: one for each line touched, the sampled misses, and a share of the
/// remaining accesses according to the miss rate of similar accesses. If the page is reused, most
/// accesses are reuses, so only reuses are compared; first uses describe the start of the run. If
/// no reuses were sampled, all of them hit if the object fits into the cache; otherwise each visit
/// to a line misses once. If the sample is of other threads, at most one miss per visit is assumed:
/// a thread that fills an array byte by byte, with a string instruction in the emulator, has many
/// more accesses in a visit.
[[nodiscard]] double misses_of_page(const ThreadOnPage& page, const MissSample& sample,
                                    const MissesLike& like);

/// Computes `traffic` for all threads of a page. misses[i] and taken_away[i] belong to threads[i].
/// Misses of a thread are distributed evenly over its lines, but no line gets more misses than
/// accesses. The invalidations of a line are the counted ones, limited by the number of other
/// threads' writes and of the thread's own visits. A visit is one use of each of the line's used
/// words, as one pass over a line uses all of them.
void fill_in_traffic(std::span<ThreadOnPage> threads, std::span<const double> misses,
                     std::span<const CountedInvalidations> taken_away);

/// Returns true if two pages with these epochs were in use at about the same time: in the same
/// epoch, or in consecutive epochs. Unknown epochs (0) count as such.
[[nodiscard]] constexpr bool used_together(std::uint64_t epochs, std::uint64_t other) {
  return epochs == 0 || other == 0 || (epochs & (other | other << 1 | other >> 1)) != 0;
}

}  // namespace Atoll::recording
