// Single-core readings run on one thread; the others on the cores of one chip.
#include "measure/hardware_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <set>

#include "atoll/base/error.hpp"
#include "atoll/base/progress.hpp"
#include "atoll/base/units.hpp"
#include "atoll/memory/backend.hpp"
#include "atoll/threads/team.hpp"
#include "machine/place_tree.hpp"
#include "measure/core_probe.hpp"
#include "measure/latency_probe.hpp"

namespace Atoll::measure {
namespace {

class Readings {
 public:
  static constexpr int kCount = 110;  ///< approximate number, for `progress`
  /// `most`: bytes of the largest working set, from size_of().
  Readings(const Machine& machine, double seconds_a_reading, std::uint64_t most, Progress& progress)
      : machine_(machine), seconds_(seconds_a_reading), most_(most), progress_(progress) {}

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
    const Team team(
        ThreadPlaces(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                          places.size(), cores_of_a_chip()))),
        Team::Runtime::std_threads);
    std::unique_ptr<Error> error;  // an exception in a team's thread would end the program
    team.run([&](int thread) {
      if (thread > 0) return;
      try {
        read_alone();
      } catch (const Error& thrown) {
        error = std::make_unique<Error>(thrown);
      }
    });
    if (error) throw Error(*error);
    if (team.size() > 1)
      read_together(team);
    else
      notes.emplace_back("near_transfer is not measured: there is one core");
  }

  static std::uint64_t size_of(const Machine& machine, const HardwareOptions& options) {
    const std::uint64_t wished =
        options.most_bytes > 0 ? options.most_bytes
                               : std::max(256 * kMiB, std::bit_ceil(8 * machine.caches().l3_bytes));
    std::uint64_t room = memory::system_backend().available(PageSize::huge).bytes_in_all / 4;
    return std::bit_floor(std::max(16 * kMiB, std::min({wished, room, 4 * kGiB})));
  }

  HardwareReadings readings;
  std::vector<std::string> notes;

 private:
  /// Number of cores of the first level 3 cache; of the machine if it has none.
  [[nodiscard]] std::size_t cores_of_a_chip() const {
    std::set<const Place*> cores;
    const int first = machine_.processors().front().os_index;
    const Place* chip = nullptr;
    detail::walk(machine_.root(), [&](const Place& place, const detail::Path& path) {
      if (place.kind != PlaceKind::pu) return;
      const Place* l3 = nullptr;
      const Place* core = &place;
      for (const Place* const around : path) {
        if (around->kind == PlaceKind::l3) l3 = around;
        if (around->kind == PlaceKind::core) core = around;
      }
      if (place.os_index == first) chip = l3;
      if (l3 == chip) cores.insert(core);
    });
    return std::max<std::size_t>(1, cores.size());
  }

  /// Readings of interaction between cores, on a team with one thread per core of a chip.
  void read_together(const Team& team) {
    readings.handoff_ns = done(handoff_ns(team, seconds_));
    const Contention contended = contention(team, seconds_);
    readings.contended_ns = done(contended.operation_ns);
    readings.operations_a_stay = contended.operations_a_stay;
    if (const double slowed = done(slowed_by_each_other(team, seconds_)); slowed > 1.5)
      notes.push_back(
          fmt::format("the first two cores slow each other down {:.1f} times, as threads of one "
                      "core do: figures of a core are of both together",
                      slowed));
    std::vector<double> swept(static_cast<std::size_t>(team.size()));
    std::vector<std::unique_ptr<LatencyProbe>> probes(swept.size());
    const bool has_l3 = readings.l3_bytes >= 8 * readings.l2_bytes * swept.size();
    if (has_l3) {
      for (auto& probe : probes)
        probe = std::make_unique<LatencyProbe>(4 * readings.l2_bytes, true, seconds_);
      team.run([&](int thread) {
        const auto mine = static_cast<std::size_t>(thread);
        // Keeps all threads busy until the last one has started.
        static_cast<void>(probes[mine]->sweep(4 * readings.l2_bytes, 1));
        swept[mine] = probes[mine]->sweep(4 * readings.l2_bytes, 1);
      });
      readings.sweep_l3_all_ns = done(*std::max_element(swept.begin(), swept.end()));
      readings.l3_threads = team.size();
    }
    read_loaded(team);
  }
  /// Reads the latency of a chase in memory while the other threads read memory at full speed.
  void read_loaded(const Team& team) {
    LatencyProbe chased(most_, true, seconds_);
    static_cast<void>(chased.chase(most_));  // writes the chain
    std::vector<std::unique_ptr<LatencyProbe>> read;
    const std::uint64_t bytes = std::bit_floor(most_ / static_cast<std::uint64_t>(team.size()));
    for (int thread = 1; thread < team.size(); ++thread)
      read.push_back(std::make_unique<LatencyProbe>(bytes, true, 0));
    std::atomic<bool> is_over{false};
    std::atomic<int> reading{0};
    team.run([&](int thread) {
      if (thread > 0) {
        LatencyProbe& mine = *read[static_cast<std::size_t>(thread) - 1];
        for (bool counted = false; !is_over.load(); counted = true) {
          static_cast<void>(mine.stream(false));
          if (!counted) reading.fetch_add(1);
        }
        return;
      }
      while (reading.load() + 1 < team.size()) {
      }
      readings.loaded_ns = chased.chase_again();
      is_over.store(true);
    });
    done(0);
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
        if (right) readings.stream_4k_ns = done(probe.stream(false));
        continue;
      }
      readings.sweep_l2_ns = done(probe.sweep(4 * readings.l1_bytes, 1));
      // Sequential lines, which are prefetched: loads alone have too few misses in flight to reach
      // the limit.
      if (readings.l3_bytes >= 8 * readings.l2_bytes)
        readings.sweep_l3_ns = done(probe.sweep(4 * readings.l2_bytes, 1));
      readings.stream_2m_ns = done(probe.stream(false));
      if (right) readings.pieces_2m_ns = done(probe.stream(true));
      for (const std::uint64_t count : {8, 12, 16, 24, 32, 48, 64, 96})
        if (right)
          readings.streams.push_back({static_cast<double>(count), done(probe.streams(count))});
      if (readings.l3_bytes > 0)
        readings.gather_l3_ns = done(
            probe.gather(std::bit_floor(std::max(3 * readings.l2_bytes, readings.l3_bytes / 4))));
      readings.gather_memory_ns = done(probe.gather(most_));
      for (const int between : LatencyProbe::kBetween)
        if (const double ns = done(probe.pair(between)); ns > 0)
          readings.pairs.push_back({static_cast<double>(between), ns});
    }
    readings.atomic_ns = done(atomic_ns(seconds_));
    readings.fault_4k_ns = done(first_touch(false));
    readings.fault_2m_ns = done(first_touch(true));
  }

  const Machine& machine_;
  double seconds_;
  std::uint64_t most_;
  Progress& progress_;
};

}  // namespace

HardwareReadings read_hardware(const Machine& machine, const HardwareOptions& options,
                               std::vector<std::string>& notes) {
  // Two passes, as another program may disturb a reading for its entire duration.
  Progress progress("measuring cores and caches", 2 * Readings::kCount);
  const std::uint64_t most = Readings::size_of(machine, options);
  Readings first(machine, options.seconds_a_reading / 2, most, progress);
  first.read();
  Readings second(machine, options.seconds_a_reading / 2, most, progress);
  second.read();
  notes.insert(notes.end(), first.notes.begin(), first.notes.end());
  return shorter_of(std::move(first.readings), second.readings);
}

}  // namespace Atoll::measure
