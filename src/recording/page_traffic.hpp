// Estimates the traffic of each page from the recorder's samples of misses and its counts of
// invalidations (recording/traffic.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "atoll/recording/recording.hpp"
#include "recording/region_view.hpp"
#include "recording/sample/fault_sampler.hpp"
#include "recording/traffic.hpp"

namespace Atoll::recording {

/// Contract: call add_thread() for all threads, then rate() for all their counters, then for each
/// page begin_page(); for each of its threads begin_thread() and add() for its counters; and
/// fill_in(). `counters` is the offset of a record::PageCounters.
class PageTraffic {
 public:
  explicit PageTraffic(const RegionView& region);

  /// Adds the samples of generations that were still open when the thread ended or was killed.
  void add_thread(const record::ThreadRecord& record, std::uint32_t thread);
  /// Adds counters to the miss rate of the object. `overflowed`: some of the counts are in Carries.
  void rate(std::uint32_t object, std::uint32_t thread, record::Offset counters, bool overflowed);

  void begin_page();
  void begin_thread();
  void add(record::Offset counters);
  /// Removes the thread that was begun last.
  void drop_thread();
  /// Computes `traffic` of the page's threads, in the order in which they were begun. `object` is
  /// the page's main object.
  void fill_in(std::span<ThreadOnPage> threads, std::uint32_t object);

 private:
  [[nodiscard]] MissSample sample_of(record::Offset counters) const;
  [[nodiscard]] double uses_of_words(std::uint32_t thread) const;

  const RegionView& region_;
  std::unordered_map<record::Offset, MissSample> samples_;  ///< by PageCounters: open generations
  MissRates rates_;
  std::uint64_t epoch_ns_, end_ns_ = sample::monotonic_ns();
  std::vector<double> uses_of_words_;  ///< by thread: uses of each word per visit to a line
  // Data of the page being read, by thread.
  std::vector<MissSample> page_samples_;
  std::vector<const record::Invalidations*> page_invalidations_;  ///< null: none
  std::vector<CountedInvalidations> taken_away_;
  std::vector<double> misses_;
};

}  // namespace Atoll::recording
