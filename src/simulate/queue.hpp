// A queue with one server, first come, first served: a memory's controller, one direction of a
// wire, a home node. Threads are simulated in turns, so requests don't come in the order of their
// arrivals. Each request is charged with the waiting that it adds: its own, and that of later
// arrivals that it pushes back. So the sum of all waiting is that of the requests in order of
// arrival, whatever order they came in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulate/ticks.hpp"

namespace Atoll::simulate {

/// What went through a queue.
struct QueueTotals {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  Ticks busy = 0;     ///< the server
  Ticks charged = 0;  ///< waiting, as it was told
  Ticks waited = 0;   ///< waiting, as the final order of arrivals has it: equal to `charged`
  /// The integral of the number of requests that wait or are served, counted at each arrival and
  /// departure. By Little's law it is `waited` + `busy`.
  Ticks area = 0;
};

class Queue {
 public:
  /// Returns the waiting that a request of `service` ticks adds, in ticks.
  Ticks add(Ticks arrival, Ticks service, std::uint64_t bytes);
  /// Nothing arrives before `until` any more; what would is taken to arrive then.
  void settle(Ticks until);
  /// Settles everything.
  void finish();
  /// Of what is settled: `busy`, `waited` and `area`; of everything: the others.
  [[nodiscard]] const QueueTotals& totals() const { return totals_; }
  /// When the server has done all that is settled.
  [[nodiscard]] Ticks free_at() const { return free_at_; }
  [[nodiscard]] std::size_t unsettled() const { return jobs_.size() - first_; }

 private:
  struct Job {
    Ticks arrival, service, start;
    [[nodiscard]] Ticks finish() const { return start + service; }
  };
  void settle_one(const Job& job);

  std::vector<Job> jobs_;  ///< from first_ on, by arrival: what isn't settled
  std::size_t first_ = 0;
  Ticks settled_until_ = 0;
  Ticks free_at_ = 0;  ///< when the server has done all that is settled
  QueueTotals totals_;
  std::vector<Ticks> present_;  ///< departures of settled requests, ascending, for the area
  std::size_t first_present_ = 0;
  Ticks counted_until_ = 0;
};

}  // namespace Atoll::simulate
