// Measures memory by memory: a block on it, then from each initiator the chase and the streams.
#include "atoll/measure/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/base/page_size.hpp"
#include "atoll/base/progress.hpp"
#include "atoll/base/units.hpp"
#include "atoll/memory/block.hpp"
#include "atoll/threads/team.hpp"
#include "measure/buffer.hpp"
#include "measure/huge_pages.hpp"
#include "measure/links.hpp"
#include "measure/memory_probe.hpp"

namespace Atoll::measure {
namespace {

constexpr std::uint64_t kLeastPiece = 32 * kMiB;
constexpr std::uint64_t kTrialLoads = 1 << 15;  // a few milliseconds: some trials are undisturbed

/// Returns one processing unit of each of a node's cores.
ThreadPlaces cores_of(const Machine& machine, NodeId initiator) {
  std::set<int> cores;
  for (const Processor& processor : machine.processors())
    if (processor.node == initiator) cores.insert(processor.core);
  ThreadPlaces places;
  for (const ThreadPlace& place :
       compact_places(machine, static_cast<int>(machine.processors().size())))
    if (place.node == initiator && places.size() < cores.size()) places.push_back(place);
  return places;
}

class Measurement {
 public:
  Measurement(const Machine& machine, const Options& options)
      : machine_(machine),
        options_(options),
        // std::threads sleep between runs; OpenMP's would spin during the measurement
        everywhere_(spread_places(machine), Team::Runtime::std_threads),
        progress_("measuring memories", machine.memories().size() * figures_a_memory()) {}

  Result run() {
    std::vector<Unmeasured> unmeasured;
    for (const MemoryNode& memory : machine_.memories())
      if (const auto why = measure(memory.id)) unmeasured.push_back({memory.id, *why});
    if (pairs_.empty())
      throw Error::failed("measuring",
                          fmt::format("no memory could be measured: memory {}: {}",
                                      unmeasured.front().memory.value, unmeasured.front().why),
                          "free memory, or ask for a smaller buffer");
    double taken = 0;
    for (const auto& [pair, measured] : pairs_)
      taken = std::max(taken, measured.figures.taken_by_others);
    return {with_measured(machine_, pairs_), std::move(unmeasured), taken};
  }

 private:
  [[nodiscard]] std::uint64_t figures_a_memory() const {
    std::uint64_t figures = 0;
    for (const NodeId initiator : machine_.initiators())
      figures +=
          1 + std::size(kKernels) *
                  thread_counts(static_cast<int>(cores_of(machine_, initiator).size())).size();
    return figures;
  }

  /// Returns the reason if the memory couldn't be measured.
  std::optional<std::string> measure(NodeId target) {
    std::uint64_t cache_bytes = 0;
    for (const NodeId initiator : machine_.initiators())
      cache_bytes = std::max(cache_bytes, caches_around(machine_, initiator));
    const Buffer buffer = plan_buffer(options_.backend.available(PageSize::huge), target,
                                      cache_bytes, options_.buffer_bytes);
    if (buffer.bytes == 0) return buffer.why_not;
    memory::Block block;
    try {
      block = memory::Block({machine_, everywhere_, options_.backend}, buffer.bytes,
                            memory::OnNode{target}, PageSize::huge, memory::WhenFull::refuse);
    } catch (const Error& error) {
      return error.what();
    }
    std::map<std::pair<NodeId, NodeId>, MeasuredPair> measured;
    for (const NodeId initiator : machine_.initiators())
      measured[{initiator, target}] = {measure(initiator, block, cache_bytes),
                                       describe(block, cache_bytes)};
    // The pages are located at the end, which shows that they stayed in place.
    const std::uint64_t there = memory::pages_by_node(block.where())[target];
    if (there * kPageBytes < buffer.bytes)
      return fmt::format("only {} of its {} pages were there", there, buffer.bytes / kPageBytes);
    pairs_.merge(measured);
    return {};
  }

  PairFigures measure(NodeId initiator, const memory::Block& block, std::uint64_t cache_bytes) {
    const Team team(cores_of(machine_, initiator), Team::Runtime::std_threads);
    const std::uint64_t line_bytes = machine_.caches().line_bytes;
    const std::uint64_t lines = block.bytes() / line_bytes;
    // A pass over a large buffer takes longer than other programs stay idle.
    std::uint64_t piece = block.bytes();
    while (piece / 2 >= kLeastPiece && piece / 2 % (4 * kMiB) == 0) piece /= 2;
    MemoryProbe probe(block, team, line_bytes, piece);
    const PairPlan plan{
        .bytes = piece,
        .trial_loads = std::min(kTrialLoads, lines),
        // The lines written last are still in the caches.
        .warm_up_loads = std::min(cache_bytes / line_bytes, lines),
        .thread_counts = thread_counts(team.size()),
        .seconds_a_figure = options_.seconds_a_figure,
    };
    return measure_pair(probe, plan, [&] { progress_.add(1); });
  }

  static std::string describe(const memory::Block& block, std::uint64_t cache_bytes) {
    const std::uint64_t huge = huge_page_bytes(block.data(), block.bytes());
    std::string text = format_bytes(block.bytes());
    if (huge == block.bytes())
      text += " in 2 MiB pages";
    else if (huge == 0)
      text += " in 4 KiB pages";
    else
      text += fmt::format(" of which {} in 2 MiB pages", format_bytes(huge));
    if (within_caches(block.bytes(), cache_bytes))
      text += fmt::format(" (trial: caches of {} may hold much of it)", format_bytes(cache_bytes));
    return text;
  }

  const Machine& machine_;
  const Options& options_;
  const Team everywhere_;
  Progress progress_;
  std::map<std::pair<NodeId, NodeId>, MeasuredPair> pairs_;
};

}  // namespace

Result measure_links(const Machine& machine, const Options& options) {
  return Measurement(machine, options).run();
}

}  // namespace Atoll::measure
