#include "simulate/queue.hpp"

#include <algorithm>

namespace Atoll::simulate {

Ticks Queue::add(Ticks arrival, Ticks service, std::uint64_t bytes) {
  arrival = std::max(arrival, finalized_until_);
  std::size_t at = jobs_.size();
  while (at > first_ && jobs_[at - 1].arrival > arrival) --at;
  const Ticks before = at > first_ ? jobs_[at - 1].finish() : free_at_;
  const Job job{arrival, service, std::max(arrival, before)};
  jobs_.insert(jobs_.begin() + static_cast<std::ptrdiff_t>(at), job);
  Ticks added = job.start - arrival;
  Ticks free = job.finish();
  for (++at; at < jobs_.size(); ++at) {  // later arrivals that it delays
    const Ticks start = std::max(jobs_[at].arrival, free);
    if (start == jobs_[at].start) break;
    added += start - jobs_[at].start;
    jobs_[at].start = start;
    free = jobs_[at].finish();
  }
  totals_.requests += 1;
  totals_.bytes += bytes;
  totals_.charged += added;
  return added;
}

void Queue::settle_one(const Job& job) {
  // The number of requests in the queue changes at the departures before this arrival, and then at
  // the arrival.
  const auto count_until = [this](Ticks until) {
    totals_.area += (until - counted_until_) * static_cast<Ticks>(present_.size() - first_present_);
    counted_until_ = until;
  };
  while (first_present_ < present_.size() && present_[first_present_] <= job.arrival) {
    count_until(present_[first_present_]);
    ++first_present_;
  }
  if (first_present_ == present_.size()) {
    present_.clear();
    first_present_ = 0;
    counted_until_ = job.arrival;
  }
  count_until(job.arrival);
  present_.push_back(job.finish());
  totals_.busy += job.service;
  totals_.waited += job.start - job.arrival;
  free_at_ = job.finish();
}

void Queue::finalize_until(Ticks until) {
  finalized_until_ = std::max(finalized_until_, until);
  while (first_ < jobs_.size() && jobs_[first_].arrival < until) settle_one(jobs_[first_++]);
  if (first_ == jobs_.size() || first_ >= 4096) {
    jobs_.erase(jobs_.begin(), jobs_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  if (first_present_ >= 4096) {
    present_.erase(present_.begin(),
                   present_.begin() + static_cast<std::ptrdiff_t>(first_present_));
    first_present_ = 0;
  }
}

void Queue::finish() {
  if (first_ < jobs_.size()) finalize_until(jobs_.back().arrival + 1);
  for (; first_present_ < present_.size(); ++first_present_) {
    totals_.area += (present_[first_present_] - counted_until_) *
                    static_cast<Ticks>(present_.size() - first_present_);
    counted_until_ = present_[first_present_];
  }
  present_.clear();
  first_present_ = 0;
}

}  // namespace Atoll::simulate
