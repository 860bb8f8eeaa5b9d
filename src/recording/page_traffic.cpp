#include "recording/page_traffic.hpp"

#include <algorithm>

#include "recording/invalidations_until_end.hpp"
#include "recording/reused_lines.hpp"

namespace Atoll::recording {

PageTraffic::PageTraffic(const RegionView& region)
    : region_(region),
      rates_(region.header().cache_lines),
      epoch_ns_(region.header().epoch_ns << (region.header().epoch_generation.load() & 31U)) {}

void PageTraffic::add_thread(const record::ThreadRecord& record, std::uint32_t thread) {
  const double pages_begun = static_cast<double>(record.new_pages);
  if (const double uses = record.new_page_uses / pages_begun; uses > 1 && uses <= 8) {
    uses_of_words_.resize(std::max<std::size_t>(uses_of_words_.size(), thread + 1), 1);
    uses_of_words_[thread] = uses;
  }
  const std::uint64_t count = record.sampled_pages.load();
  const auto* pages = region_.at<record::SampledPage>(record.sampled.load(), count);
  for (std::uint64_t i = 0; pages != nullptr && i < count; ++i) {
    const auto* block = region_.at<record::PageCounters>(pages[i].block);
    if (block == nullptr) continue;
    const record::PageSums now = record::sum_of_counts(*block);
    if (!record::tells_of_reuse(*block, pages[i].before)) {  // as in the recorder's add_samples
      samples_[pages[i].block].misses +=
          static_cast<double>(pages[i].misses_before) - static_cast<double>(block->misses);
      continue;
    }
    MissSample& open = samples_[pages[i].block];
    open.first_uses += static_cast<double>(now.words) - static_cast<double>(pages[i].before.words);
    open.reuses += static_cast<double>(now.accesses) -
                   static_cast<double>(pages[i].before.accesses);  // includes first uses until
                                                                   // sample_of() subtracts them
  }
}

double PageTraffic::uses_of_words(std::uint32_t thread) const {
  return thread < uses_of_words_.size() ? uses_of_words_[thread] : 1;
}

MissSample PageTraffic::sample_of(record::Offset counters) const {
  const auto& block = *region_.at<record::PageCounters>(counters);
  MissSample sample = {.reuses = std::max(0.0, static_cast<double>(block.accesses)),
                       .first_uses = static_cast<double>(block.first_uses)};
  if (const auto open = samples_.find(counters); open != samples_.end()) sample.add(open->second);
  if (!(sample.reuses > 0 && sample.first_uses >= 0)) return {};  // also if the region is damaged
  sample.reuses = std::max(0.0, sample.reuses - sample.first_uses);
  sample.misses =
      std::clamp(sample.misses + static_cast<double>(block.misses), 0.0, sample.accesses());
  return sample;
}

void PageTraffic::rate(std::uint32_t object, std::uint32_t thread, record::Offset counters,
                       bool overflowed) {
  const auto& block = *region_.at<record::PageCounters>(counters);
  rates_.add(object, thread, reused_lines(block, overflowed, uses_of_words(thread)),
             sample_of(counters));
}

void PageTraffic::begin_page() {
  page_samples_.clear();
  page_invalidations_.clear();
}

void PageTraffic::begin_thread() {
  page_samples_.emplace_back();
  page_invalidations_.push_back(nullptr);
}

void PageTraffic::add(record::Offset counters) {
  page_invalidations_.back() = region_.at<record::Invalidations>(
      region_.at<record::PageCounters>(counters)->invalidations.load());
  page_samples_.back().add(sample_of(counters));
}

void PageTraffic::drop_thread() {
  page_samples_.pop_back();
  page_invalidations_.pop_back();
}

void PageTraffic::fill_in(std::span<ThreadOnPage> threads, std::uint32_t object) {
  misses_.clear();
  for (std::size_t i = 0; i < threads.size(); ++i) {
    MissesLike like = rates_.like(object, threads[i].thread);
    like.uses_of_words = uses_of_words(threads[i].thread);
    misses_.push_back(misses_of_page(threads[i], page_samples_[i], like));
  }
  taken_away_.clear();
  for (std::size_t i = 0; i < threads.size(); ++i)
    taken_away_.push_back(
        page_invalidations_[i] == nullptr
            ? std::nullopt
            : invalidations_until_end(*page_invalidations_[i], threads, i, end_ns_, epoch_ns_));
  fill_in_traffic(threads, misses_, taken_away_);
}

}  // namespace Atoll::recording
