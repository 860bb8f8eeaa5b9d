// First-come, first-served queue with one server: a memory controller, one direction of a link, or
// a home node. Threads are simulated in quanta, so requests may be added out of the order of
// arrival. Each request is charged with the waiting time that it adds: its own, and that of later
// arrivals that it delays. So the total waiting time doesn't depend on the order of the calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulate/ticks.hpp"

namespace Atoll::simulate {

/// Totals of a queue.
struct QueueTotals {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  Ticks busy = 0;     ///< time in which the server was busy
  Ticks charged = 0;  ///< waiting time returned by add()
  Ticks waited = 0;   ///< waiting time in the final order of arrivals: equal to `charged`
  /// Integral over time of the number of requests that wait or are served, counted at each arrival
  /// and departure. By Little's law it equals `waited` + `busy`.
  Ticks area = 0;
};

class Queue {
 public:
  /// Adds a request of `service` ticks. Returns the waiting time that it adds, in ticks.
  Ticks add(Ticks arrival, Ticks service, std::uint64_t bytes);
  /// Finalizes all requests that arrive before `until`. Later calls with an earlier arrival are
  /// treated as arrivals at `until`.
  void finalize_until(Ticks until);
  /// Finalizes all requests.
  void finish();
  /// `busy`, `waited` and `area` cover finalized requests only; the others cover all.
  [[nodiscard]] const QueueTotals& totals() const { return totals_; }
  /// Time at which the server has finished all finalized requests.
  [[nodiscard]] Ticks free_at() const { return free_at_; }
  [[nodiscard]] std::size_t unfinalized() const { return jobs_.size() - first_; }

 private:
  struct Job {
    Ticks arrival, service, start;
    [[nodiscard]] Ticks finish() const { return start + service; }
  };
  void settle_one(const Job& job);

  std::vector<Job> jobs_;  ///< unfinalized requests: from index first_ on, sorted by arrival
  std::size_t first_ = 0;
  Ticks finalized_until_ = 0;
  Ticks free_at_ = 0;  ///< when the server has finished all finalized requests
  QueueTotals totals_;
  std::vector<Ticks> present_;  ///< departures of finalized requests, ascending; for `area`
  std::size_t first_present_ = 0;
  Ticks counted_until_ = 0;
};

}  // namespace Atoll::simulate
