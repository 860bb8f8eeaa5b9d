// Traffic between a thread's private cache and the memory, in lines: what the cache would miss, as
// far as that was sampled (recorder/misses.hpp), and what others' writes take away from it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

/// Accesses of which it is known how many missed, but for the first to each line: those to words
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

/// What is known of how often accesses of a thread to an object miss.
struct MissesLike {
  std::optional<MissSample> sample;
  bool of_others = false;      ///< the sample: too little is known of the thread's own
  bool exceeds_cache = false;  ///< the thread uses more lines of the object than its cache holds
  double uses_of_words = 1;    ///< at a visit to a line, of each of its words
};

/// How often accesses miss: of one thread to one object; where too few of those were sampled, of
/// all threads to it.
class MissRates {
 public:
  explicit MissRates(std::uint64_t cache_lines) : cache_lines_(cache_lines) {}
  /// `lines` of a page that the thread used.
  void add(std::uint32_t object, std::uint32_t thread, std::uint64_t lines,
           const MissSample& sample);
  [[nodiscard]] MissesLike like(std::uint32_t object, std::uint32_t thread) const;

 private:
  std::uint64_t cache_lines_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, MissSample> of_both_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> lines_;
  std::map<std::uint32_t, MissSample> of_objects_;
};

/// A page's misses: each line that was touched had to be fetched once; those that were sampled; and
/// as many of its other accesses as of those like them. Most are reuses where a program comes back
/// to what it used, and only reuses are compared there: first uses say how it began. Where no
/// reuses were sampled, all of them hit if the cache can hold the object, and each visit to a line
/// misses if it can't. By other threads' samples no visit misses more than once: who fills an array
/// byte by byte, with a string instruction in the emulator, has many more accesses to a visit.
[[nodiscard]] double misses_of_page(const ThreadOnPage& page, const MissSample& sample,
                                    const MissesLike& like);

/// Fills in `traffic` of what several threads, or one, did to a page; misses[i] are threads[i]'s.
/// A thread's lines are taken to miss equally often, none more often than it was accessed. A line
/// is taken away at most as often as others write it and as the thread comes back to it; visits are
/// counted by accesses to each of the words used, as one pass over a line uses all of them.
void fill_in_traffic(std::span<ThreadOnPage> threads, std::span<const double> misses);

/// Whether pages of one's epochs and another's were in use at about one time: in the same epoch, or
/// in epochs that follow each other. Unknown epochs are.
[[nodiscard]] constexpr bool used_together(std::uint64_t epochs, std::uint64_t other) {
  return epochs == 0 || other == 0 || (epochs & (other | other << 1 | other >> 1)) != 0;
}

}  // namespace Atoll::trace
