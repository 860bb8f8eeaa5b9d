// One core takes the readings, two those of a line that goes to and fro.
#include "measure/hardware_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "atoll/base/error.hpp"
#include "atoll/base/progress.hpp"
#include "atoll/base/units.hpp"
#include "atoll/memory/backend.hpp"
#include "atoll/threads/team.hpp"
#include "measure/core_probe.hpp"
#include "measure/latency_probe.hpp"

namespace Atoll::measure {
namespace {

class Readings {
 public:
  Readings(const Machine& machine, const HardwareOptions& options)
      : machine_(machine),
        seconds_(options.seconds_a_reading),
        most_(size_of(machine, options)),
        progress_("measuring cores and caches", 90) {}

  void read() {
    const CacheFigures& caches = machine_.caches();
    readings.l1_bytes = caches.l1_bytes > 0 ? caches.l1_bytes : 32 * kKiB;
    readings.l2_bytes = caches.l2_bytes > 0 ? caches.l2_bytes : 256 * kKiB;
    readings.l3_bytes = caches.l3_bytes;
    readings.line_bytes = caches.line_bytes;
    const NodeId node = machine_.initiators().front();
    const NodeId memory = machine_.order(node, Ordering::latency).front();
    for (const ThreadsBandwidth& row : machine_.link(node, memory).by_threads)
      if (row.threads == 1) readings.stream_bytes_per_second = row.read_bytes_per_second.value;
    const ThreadPlaces places = compact_places(machine_);
    const Team team(ThreadPlaces(places.begin(), places.begin() + (places.size() > 1 ? 2 : 1)),
                    Team::Runtime::std_threads);
    std::unique_ptr<Error> error;  // what a team's thread throws would end the program
    team.run([&](int thread) {
      if (thread > 0) return;
      try {
        read_alone();
      } catch (const Error& thrown) {
        error = std::make_unique<Error>(thrown);
      }
    });
    if (error) throw Error(*error);
    if (places.size() > 1)
      readings.handoff_ns = handoff_ns(team, seconds_);
    else
      notes.emplace_back("near_transfer is not measured: there is one core");
  }

  HardwareReadings readings;
  std::vector<std::string> notes;

 private:
  static std::uint64_t size_of(const Machine& machine, const HardwareOptions& options) {
    const std::uint64_t wished =
        options.most_bytes > 0 ? options.most_bytes
                               : std::max(256 * kMiB, std::bit_ceil(8 * machine.caches().l3_bytes));
    std::uint64_t room = memory::system_backend().available(PageSize::huge).bytes_in_all / 4;
    return std::bit_floor(std::max(16 * kMiB, std::min({wished, room, 4 * kGiB})));
  }

  double done(double value) {
    progress_.add(1);
    return value;
  }
  void read_alone() {
    readings.clock_ghz = done(core_clock_ghz(seconds_));
    readings.instructions_a_cycle = done(instructions_a_cycle(seconds_, readings.clock_ghz));
    for (const bool huge : {false, true}) {
      LatencyProbe probe(most_, huge, seconds_);
      const bool right = probe.has_its_pages();
      if (!right)
        notes.push_back(fmt::format("the system gave no pages of {} for all of {}",
                                    huge ? "2 MiB" : "4 KiB", format_bytes(most_)));
      for (const int count : {16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
                              3072, 4096, 6144, 8192})
        if (!huge && right && static_cast<std::uint64_t>(count) * 4096 <= most_)
          readings.page_chase.push_back(
              {static_cast<double>(count),
               done(probe.page_chase(static_cast<std::uint64_t>(count)))});
      Curve& chase = huge ? readings.chase_2m : readings.chase_4k;
      for (std::uint64_t size = 8 * kKiB; size <= most_; size *= 2)
        for (const std::uint64_t bytes : {size, size + size / 2})
          if (bytes <= most_)
            chase.push_back({static_cast<double>(bytes), done(probe.chase(bytes))});
      if (!huge) {
        if (right) readings.gather_4k_ns = done(probe.gather(most_));
        continue;
      }
      readings.gather_l2_ns = done(probe.gather(std::bit_floor(4 * readings.l1_bytes)));
      if (readings.l3_bytes > 0)
        readings.gather_l3_ns = done(
            probe.gather(std::bit_floor(std::max(3 * readings.l2_bytes, readings.l3_bytes / 4))));
      readings.gather_memory_ns = done(probe.gather(most_));
      for (const int between : LatencyProbe::kBetween)
        if (const double ns = done(probe.pair(between)); ns > 0)
          readings.pairs.push_back({static_cast<double>(between), ns});
    }
    readings.fault_4k_ns = done(first_touch(false));
    readings.fault_2m_ns = done(first_touch(true));
  }

  const Machine& machine_;
  double seconds_;
  std::uint64_t most_;
  Progress progress_;
};

}  // namespace

HardwareReadings read_hardware(const Machine& machine, const HardwareOptions& options,
                               std::vector<std::string>& notes) {
  Readings of(machine, options);
  of.read();
  notes.insert(notes.end(), of.notes.begin(), of.notes.end());
  return std::move(of.readings);
}

}  // namespace Atoll::measure
