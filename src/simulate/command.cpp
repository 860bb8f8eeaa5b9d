#include "simulate/command.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <atomic>
#include <memory>
#include <optional>

#include "atoll/base/units.hpp"
#include "atoll/machine/thread_places.hpp"
#include "base/activity.hpp"
#include "recording/watch_live.hpp"
#include "simulate/engine.hpp"
#include "simulate/interruption.hpp"
#include "simulate/invariants.hpp"
#include "simulate/live_program.hpp"
#include "simulate/machine_view.hpp"
#include "simulate/result_of.hpp"

namespace Atoll::simulate {
namespace {

class CommandRun : public recording::LiveRun {
 public:
  CommandRun(const Machine& machine, const Options& options)
      : machine_(machine),
        options_(options),
        model_(model_of(machine)),
        places_(machine, options),
        view_(machine, model_, places_.all(), places_.allowed()),
        timing_(timing_of(machine, figures_of(machine))),
        pages_(model_.memory_of_node, model_.shape.line_bits),
        knobs_(knobs_of(machine)),
        windows_(1, replays_of(knobs_)) {}

  /// Returns the simulated time so far. May be called by any thread.
  [[nodiscard]] double simulated_seconds() const { return seconds_of(reached_.load()); }
  [[nodiscard]] const MachineView& view() const { return view_; }

  void run(recording::LiveStreams& streams) override {
    ::prctl(PR_SET_TIMERSLACK, 1UL);  // this thread polls the program's threads often
    program_.emplace(
        streams, machine_, model_, options_, places_, pages_, contents.work, sees_all_libraries,
        [this](int tid, std::uint32_t place) { view_.note_place(tid, places_.all()[place].pu); },
        [this](std::uint32_t row, std::span<const std::int16_t> answers) {
          view_.answer(row, answers);
        });
    Engine::Options how;
    for (const ThreadPlace& place : places_.all())
      how.hw_threads.push_back(model_.hw_threads.at(place.pu));
    how.timed_from_start = !options_.only_between_marks && options_.iterations == 0;
    if (options_.interval) how.windows = &windows_;
    how.reached = &reached_;
    engine_.emplace(model_.shape, timing_, pages_, *program_, how);
    run_ = engine_->run();
    was_cut_ = program_->was_stopped();
    was_stopped_ = streams.was_stopped();
    check_invariants(*engine_, timing_, run_);
    program_->known_objects().check_all_named();
  }

  void finish(const recording::Recording& recording,
              const std::unordered_map<record::Offset, std::uint32_t>& processes) override {
    EngineResult by_object = run_;
    by_object.objects.assign(recording.objects.size() + 1, {});
    const std::vector<std::uint32_t> known =
        program_->known_objects().in_recording(recording, processes);
    for (std::size_t i = 0; i < run_.objects.size(); ++i) {
      const bool is_known = i > 0 && i <= known.size() && known[i - 1] < recording.objects.size();
      ObjectTotals& to = by_object.objects[is_known ? known[i - 1] : recording.objects.size()];
      const ObjectTotals& from = run_.objects[i];
      to.accesses += from.accesses;
      to.l1_misses += from.l1_misses;
      to.l2_misses += from.l2_misses;
      to.l3_misses += from.l3_misses;
      to.tlb_misses += from.tlb_misses;
      to.memory_side_misses += from.memory_side_misses;
      to.time += from.time;
    }
    for (const auto& [object, pages] : program_->pages_of_unknown_node()) {
      const bool is_known = object < known.size() && known[object] < recording.objects.size();
      by_object.objects[is_known ? known[object] : recording.objects.size()]
          .pages_of_unknown_node += pages;
    }
    result = result_of(machine_, model_, *engine_, by_object, pages_, recording);
    result.threads = static_cast<int>(program_->most_threads());
    result.nodes_of_threads = program_->nodes_of_threads();
    if (options_.interval && run_.accesses > 0 && !was_stopped_)
      add_interval_if_not_interrupted(result, machine_, model_.shape, pages_, windows_, *engine_,
                                      knobs_);
    add_assumptions();
  }

  Result result;

 private:
  void add_assumptions() {
    const auto assume = [this](std::string text) { result.assumed.push_back(std::move(text)); };
    if (was_cut_)
      assume("a signal ended the simulation: what was not simulated by then is left out");
    if (was_stopped_ && options_.interval)
      assume("the program was stopped: no interval is computed");
    add_missing_assumptions(result, contents, "the stream");
    add_system_assumptions(result, options_);
    if (!view_.was_seen())
      assume("the program sees this computer, not " + machine_.name() +
             ": it is static, or loads no libraries");
    if (const std::size_t shared = program_->shared_places(); shared > 0)
      assume(
          fmt::format("{} threads more than processing units: they share units as hardware "
                      "threads do, with those that were first",
                      shared));
    for (const SimulatedObject& object : result.objects)
      if (object.pages_of_unknown_node > 0)
        assume(
            fmt::format("{} pages of {} were in the page cache before they were mapped: their "
                        "nodes are unknown, all nodes have them in turn",
                        object.pages_of_unknown_node, object.name));
    if (const PlanMatcher* const planned = program_->planned(); planned != nullptr)
      for (const std::string& line : planned->missing()) assume("the plan: " + line);
    if (run_.cut_waits > 0)
      assume(fmt::format("{} waits had no end: these threads went on when no other could",
                         run_.cut_waits));
    if (program_->has_slept())
      assume("some threads slept, and nothing told for what: others went on meanwhile");
    if (program_->placement().has_spilled())
      assume("a memory was full: further pages went to the next one");
  }

  const Machine& machine_;
  const Options& options_;
  Model model_;
  LivePlaces places_;
  MachineView view_;
  Timing timing_;
  Pages pages_;
  std::vector<VariableFigure> knobs_;
  Windows windows_;
  std::optional<LiveProgram> program_;
  std::optional<Engine> engine_;
  std::atomic<Ticks> reached_{0};
  EngineResult run_;
  bool was_cut_ = false, was_stopped_ = false;
};

}  // namespace

CommandResult simulate_command(const recording::WatchOptions& watch, const Machine& machine,
                               const Options& options) {
  const Interruption interruption;
  CommandRun run(machine, options);
  recording::WatchOptions how = watch;
  how.streams = true;
  how.timed = true;
  how.stream_file.clear();
  how.only_between_marks = false;  // the part outside marks places pages and fills caches
  how.iterations = 0;
  how.preload.emplace_back("libatoll-machine.so");
  const auto environment = run.view().environment();
  how.environment.insert(how.environment.end(), environment.begin(), environment.end());
  recording::Consumer nothing;
  const Activity activity("simulating " + watch.command.front(), [&run] {
    return format_seconds(run.simulated_seconds()) + " simulated";
  });
  CommandResult done;
  done.status = recording::watch_live(how, nothing, &run);
  done.result = std::move(run.result);
  return done;
}

}  // namespace Atoll::simulate
