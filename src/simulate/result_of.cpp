#include "simulate/result_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "recording/objects/object_names.hpp"
#include "simulate/interruption.hpp"

namespace Atoll::simulate {
namespace {

double ratio(double a, double b) {
  return b == 0 ? 0 : a / b;
}

std::vector<std::string> names_of_parts(const Model& model) {
  std::vector<std::string> names{
      "compute",     "level 1 cache",       "level 2 cache",    "level 3 cache",
      "page walks",  "local memory",        "remote memory",    "coherence",
      "page faults", "waiting for threads", "memory-side cache"};
  for (const NodeId memory : model.memories)
    names.push_back(fmt::format("queueing at memory {}", memory.value));
  for (const WireEnd& wire : model.wires)
    names.push_back(fmt::format("queueing at link {} to {}", wire.from, wire.to));
  for (const NodeId memory : model.memories)
    names.push_back(fmt::format("queueing at cache of memory {}", memory.value));
  return names;
}

void add_network(Result& result, const Engine& engine, const Model& model, Ticks elapsed) {
  const Network& network = engine.network();
  const auto load = [&](const Queue& queue) {
    return std::min(1.0,
                    ratio(static_cast<double>(queue.totals().busy), static_cast<double>(elapsed)));
  };
  for (std::size_t node = 0; node < model.nodes.size(); ++node) {
    const auto row =
        network.traffic().begin() + static_cast<std::ptrdiff_t>(node * model.memories.size());
    result.traffic.emplace_back(row, row + static_cast<std::ptrdiff_t>(model.memories.size()));
  }
  for (std::size_t i = 0; i < network.controllers().size(); ++i)
    result.controllers.push_back({model.memories[i], network.controllers()[i].totals().bytes,
                                  load(network.controllers()[i])});
  for (std::size_t i = 0; i < network.memory_sides().size(); ++i)
    if (model.shape.memory_side[i].cache.entries > 0)
      result.memory_side_caches.push_back({model.memories[i],
                                           network.memory_sides()[i].totals().bytes,
                                           load(network.memory_sides()[i])});
  for (std::size_t i = 0; i < network.wires().size(); ++i)
    if (const Queue& wire = network.wires()[i]; wire.totals().requests > 0)
      result.links.push_back(
          {model.wires[i].from, model.wires[i].to, wire.totals().bytes, load(wire)});
}

void add_objects(Result& result, const EngineResult& run, const recording::Recording& recording) {
  for (std::size_t i = 0; i < run.objects.size(); ++i) {
    const ObjectTotals& totals = run.objects[i];
    if (totals.accesses == 0) continue;
    SimulatedObject object;
    if (i < recording.objects.size()) {
      const recording::Object& of = recording.objects[i];
      object.name = recording::name_of(recording, of);
      if (const recording::Frame* const place = recording::place_of(recording, of);
          place != nullptr && place->line > 0)
        object.where = fmt::format("{}:{}", place->file, place->line);
      object.bytes = of.bytes;
    } else {
      object.name = "memory without a record";
    }
    object.accesses = totals.accesses;
    object.share_of_time =
        ratio(static_cast<double>(totals.time), static_cast<double>(run.thread_time));
    object.l1_misses = totals.l1_misses;
    object.l2_misses = totals.l2_misses;
    object.l3_misses = totals.l3_misses;
    object.tlb_misses = totals.tlb_misses;
    object.memory_side_misses = totals.memory_side_misses;
    object.pages_of_unknown_node = totals.pages_of_unknown_node;
    result.objects.push_back(object);
  }
  // The recording's order depends on real time, so ties are broken by counts and names.
  const auto order = [](const SimulatedObject& a) {
    return std::make_tuple(-a.share_of_time, ~a.accesses, ~a.l1_misses, ~a.l2_misses, ~a.l3_misses,
                           ~a.tlb_misses, a.bytes, std::cref(a.name), std::cref(a.where));
  };
  std::stable_sort(
      result.objects.begin(), result.objects.end(),
      [&](const SimulatedObject& a, const SimulatedObject& b) { return order(a) < order(b); });
}

void add_camat(Result& result, const EngineResult& run) {
  for (std::size_t level = 0; level < run.camat.size(); ++level) {
    const CamatSums& sums = run.camat[level];
    if (sums.accesses == 0) continue;
    const std::string name = level == 3 ? "memory_side" : fmt::format("l{}", level + 1);
    result.camat.push_back({name, sums.camat() / kTicksOfNanosecond,
                            sums.mean_hit_time() / kTicksOfNanosecond, sums.hit_concurrency(),
                            sums.miss_concurrency(), sums.pure_miss_ratio(),
                            sums.pure_miss_penalty() / kTicksOfNanosecond});
  }
}

}  // namespace

namespace {

/// Times the run's windows with each figure alone at each end of its range. Deviations add up as
/// squares.
void add_interval(Result& result, const Machine& machine, const Shape& shape, Pages& pages,
                  const Windows& windows, const Engine& engine,
                  const std::vector<VariableFigure>& knobs) {
  const std::vector<HardwareThread> hw_threads = engine.hw_threads();
  const Figures nominal = figures_of(machine);
  const Timing timing = timing_of(machine, nominal);
  const double time = windows.time(timing, hw_threads);
  const auto time_of_shape = [&](const Figures& figures) {
    return windows.with_shape(shape_of(shape, figures), pages, hw_threads, &engine.hierarchy())
        .time(timing, hw_threads);
  };
  double time_looked_up = 0;
  double below = 0, above = 0;
  std::vector<Sensitivity> all;
  for (const VariableFigure& knob : knobs) {
    if (knob.decides_hits && time_looked_up == 0) time_looked_up = time_of_shape(nominal);
    const auto moved = [&](bool up) {
      const Figures figures = knob.moved(nominal, up);
      if (knob.decides_hits) return ratio(time_of_shape(figures), time_looked_up);
      return ratio(windows.time(timing_of(machine, figures), hw_threads), time);
    };
    const Sensitivity one{knob.name, moved(false), moved(true)};
    below += std::pow(std::max(0.0, 1 - std::min(one.low, one.high)), 2);
    above += std::pow(std::max(0.0, std::max(one.low, one.high) - 1), 2);
    all.push_back(one);
  }
  std::stable_sort(all.begin(), all.end(), [](const Sensitivity& a, const Sensitivity& b) {
    return std::abs(a.high - a.low) > std::abs(b.high - b.low);
  });
  result.sensitivities = std::move(all);
  result.interval = {result.seconds * std::max(0.0, 1 - std::sqrt(below)),
                     result.seconds * (1 + std::sqrt(above))};
}

}  // namespace

void add_interval_if_not_interrupted(Result& result, const Machine& machine, const Shape& shape,
                                     Pages& pages, Windows& windows, const Engine& engine,
                                     const std::vector<VariableFigure>& knobs) {
  windows.stop_if(Interruption::has_come);
  try {
    if (!Interruption::has_come())
      return add_interval(result, machine, shape, pages, windows, engine, knobs);
  } catch (const Windows::Stopped&) {
  }
  result.assumed.emplace_back("a signal came before the interval was known");
}

std::uint64_t replays_of(const std::vector<VariableFigure>& knobs) {
  return 2 * knobs.size() + 2;
}

Result result_of(const Machine& machine, const Model& model, const Engine& engine,
                 const EngineResult& run, const Pages& pages,
                 const recording::Recording& recording) {
  Result result;
  result.machine = machine.name();
  result.seconds = seconds_of(run.elapsed);
  result.accesses = run.accesses;
  result.nodes = model.nodes;
  result.memories = model.memories;
  result.assumed = model.assumed;
  add_network(result, engine, model, run.elapsed);
  const std::vector<std::string> names = names_of_parts(model);
  for (std::size_t part = 0; part < run.stack.parts(); ++part)
    if (run.stack[part] != 0)
      result.stack.push_back({names[part], ratio(static_cast<double>(run.stack[part]),
                                                 static_cast<double>(run.thread_time))});
  add_objects(result, run, recording);
  add_camat(result, run);
  result.pages_4k = pages.touched()[0];
  result.pages_2m = pages.touched()[1];
  result.pages_1g = pages.touched()[2];
  return result;
}

void add_missing_assumptions(Result& result, const recording::StreamContents& contents,
                             const std::string& source) {
  const auto lacks = [&](bool has, const char* assumed) {
    if (!has) result.assumed.push_back(fmt::format("{}: {} doesn't tell", assumed, source));
  };
  lacks(contents.work, "3 instructions before each access");
  lacks(contents.dependence, "no access waits for another's data to know its address");
  lacks(contents.atomics, "atomic accesses are as others");
}

void add_system_assumptions(Result& result, const Options& options) {
  result.assumed.push_back(
      "system calls take no time, but for page faults; other processes' memory is not shared");
  if (!options.pages)
    result.assumed.push_back("the system gives 2 MiB pages where an object has all of one");
}

}  // namespace Atoll::simulate
