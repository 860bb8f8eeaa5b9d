#include "simulate/recorded_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "atoll/base/error.hpp"
#include "atoll/machine/os_places.hpp"
#include "atoll/machine/thread_places.hpp"
#include "recording/frontends/sees_libraries.hpp"

namespace Atoll::simulate {
namespace {

/// Mappings may be of files; a recording doesn't distinguish them.
bool is_private(recording::ObjectKind kind) {
  return kind == recording::ObjectKind::heap || kind == recording::ObjectKind::pool ||
         kind == recording::ObjectKind::stack;
}

}  // namespace

RecordedProgram::RecordedProgram(const std::string& path, const Machine& machine,
                                 const Model& model, const Options& options)
    : cursors_(path), options_(options), objects_by_time_(cursors_.recording()) {
  for (const recording::Thread& thread : recording().threads)
    cursors_of_objects_.emplace_back(objects_by_time_, thread.process);
  styles_.resize(recording().threads.size(), StylesOfStream(recording().contents.work));
  place_threads(machine, model, options);
  lay_out(options);
  if (options_.plan) follow_plan(machine, model);
}

void RecordedProgram::follow_plan(const Machine& machine, const Model& model) {
  const recording::Recording& run = recording();
  PlanMatcher& planned = planned_.emplace(*options_.plan, machine);
  placement_->place_rest(planned.rest());
  const auto frames_of = [&](std::uint32_t site) {
    return site < run.sites.size() ? run.sites[site].frames : std::vector<process::Frame>{};
  };
  std::vector<std::uint32_t> of_thread;
  std::map<std::vector<int>, std::size_t> turns;  // next unit, for threads with the same units
  for (const recording::Thread& thread : run.threads) {
    const bool is_first =
        thread.creator == recording::kNone || run.threads[thread.creator].process != thread.process;
    const std::uint32_t its = is_first ? planned.first_thread(thread.process)
                                       : planned.created(thread.process, of_thread[thread.creator],
                                                         frames_of(thread.creation_site));
    of_thread.push_back(its);
    if (its == recording::kNone || !planned.pins()) continue;
    std::vector<int> allowed;
    for (const auto& [pu, hw_thread] : model.hw_threads)
      if (planned.allows(its, pu)) allowed.push_back(pu);
    if (allowed.empty()) continue;
    threads_[thread.id].place = static_cast<std::uint32_t>(hw_threads_.size());
    hw_threads_.push_back(model.hw_threads.at(allowed[turns[allowed]++ % allowed.size()]));
  }
  std::vector<std::uint32_t> in_order;
  for (const recording::Object& object : run.objects) in_order.push_back(object.id);
  std::ranges::stable_sort(in_order, {}, [&](std::uint32_t id) { return run.objects[id].order; });
  for (const std::uint32_t id : in_order) {
    const recording::Object& object = run.objects[id];
    const PageMap*& plan = objects_[id].plan;
    if (object.kind == recording::ObjectKind::global)
      plan = planned.global(object.build_id, object.offset, object.name);
    else if (object.kind == recording::ObjectKind::stack)
      plan =
          object.thread < of_thread.size() ? planned.stack_of(of_thread[object.thread]) : nullptr;
    else if (object.site != recording::kNone)
      plan = planned.allocated(object.process, object.site + 1, object.kind,
                               [&] { return frames_of(object.site); });
  }
}

void RecordedProgram::lay_out(const Options& options) {
  for (const recording::Object& object : recording().objects)
    objects_.push_back({.kind = object.kind,
                        .address = object.address,
                        .bytes = object.bytes,
                        .layout = object.kind == recording::ObjectKind::stack
                                      ? ObjectLayout::first_touch
                                      : options.layout,
                        .is_private = is_private(object.kind)});
  for (const auto& [name, layout] : options.layout_of) {
    bool found = false;
    for (const recording::Object& object : recording().objects)
      if (is_called(recording(), object, name)) {
        objects_[object.id].layout = layout;
        objects_[object.id].is_named = found = true;
      }
    if (!found) throw no_such_object(name);
  }
}

/// Assigns places to threads in the order of their creation. A thread that begins after another was
/// joined may reuse that thread's place.
void RecordedProgram::place_threads(const Machine& machine, const Model& model,
                                    const Options& options) {
  const recording::Recording& run = recording();
  std::vector<std::uint64_t> free_from;  // by place: event after which it is free
  for (const recording::Thread& thread : run.threads) {
    ProgramThread one;
    one.process = static_cast<std::uint32_t>(thread.process % kMaxProcesses);
    one.starts_alone = thread.creator == recording::kNone ||
                       thread.created_event == recording::kNoEvent ||
                       run.threads[thread.creator].stream == recording::kNone;
    const std::uint64_t begun =
        thread.created_event == recording::kNoEvent ? 0 : thread.created_event;
    const auto free = std::find_if(free_from.begin(), free_from.end(),
                                   [&](std::uint64_t event) { return event <= begun; });
    one.place = static_cast<std::uint32_t>(free - free_from.begin());
    if (free == free_from.end()) free_from.emplace_back();
    free_from[one.place] = thread.joined_event;  // kNoEvent: never free again
    threads_.push_back(one);
  }
  const int count = threads_at_a_time_ = static_cast<int>(free_from.size());
  if (options.threads != 0 && options.threads != count)
    throw Error::input(fmt::format("--threads {}", options.threads),
                       fmt::format("the trace has {}", count),
                       "record it again with as many, or leave the option out");
  if (free_from.size() > machine.processors().size())
    throw Error::input(machine.name(),
                       fmt::format("has {} processing units, and the trace {} threads at a time",
                                   machine.processors().size(), count),
                       "record it with fewer threads, or take a larger machine");
  const ThreadPlaces places = options.policy == PlacementPolicy::compact
                                  ? compact_places(machine, count)
                                  : os_places(machine, count);
  std::vector<std::uint32_t> nodes;
  for (const ThreadPlace& place : places) {
    hw_threads_.push_back(model.hw_threads.at(place.pu));
    nodes.push_back(hw_threads_.back().node);
    nodes_of_threads_.push_back(place.node);
  }
  placement_ = std::make_unique<Placement>(machine, model, options, nodes);
  if (run.contents.work && recording::sees_all_libraries(run)) placement_->share_zeros();
}

bool RecordedProgram::next(std::uint32_t thread, Batch& batch) {
  batch_ = &batch;
  styles_[thread].begin(batch);
  while (batch.is_empty())
    if (!cursors_.next(thread, *this)) return false;
  return true;
}

void RecordedProgram::accesses(std::uint32_t /*stream*/,
                               std::span<const recording::Access> accesses) {
  batch_->add(accesses);
}

void RecordedProgram::style(std::uint32_t stream, std::uint32_t number,
                            const recording::AccessStyle& style) {
  styles_[stream].define(*batch_, number, style);
}

void RecordedProgram::work(std::uint32_t /*stream*/, const recording::Work& work) {
  batch_->add(work);
}

void RecordedProgram::loop(std::uint32_t /*stream*/,
                           std::span<const recording::AccessRange> parts) {
  batch_->add_loop(parts);
}

void RecordedProgram::event(std::uint32_t /*stream*/, const recording::StreamEvent& event) {
  using Kind = recording::RecordKind;
  const bool is_about_thread =
      event.kind == Kind::thread_created || event.kind == Kind::thread_joined;
  const auto mark = mark_of(event.kind, options_, iterations_);
  recording::StreamEvent known = event;
  if (mark) {
    known.kind = *mark;
  } else if (!is_about_memory(event.kind) &&
             !(is_about_thread && event.thread != recording::kNone)) {
    known = {.kind = Kind::clock, .number = event.clock()};  // the engine needs no more
  }
  batch_->add(known);
}

void RecordedProgram::place(std::uint32_t /*stream*/, const recording::StreamPlacement& call) {
  if (is_about_mapping(call.kind)) batch_->add(call);  // others refer to this computer's nodes
}

void RecordedProgram::wait(std::uint32_t /*stream*/, const recording::StreamWait& wait) {
  has_waits_ = true;
  batch_->add(wait);
}

std::uint32_t RecordedProgram::object_of(std::uint32_t thread, std::uint64_t address) {
  const std::uint32_t object = cursors_of_objects_[thread].find(address).object;
  return object == recording::kNone ? static_cast<std::uint32_t>(recording().objects.size())
                                    : object;
}

SimulatedProgram::Span RecordedProgram::span_of_object(std::uint32_t thread,
                                                       std::uint64_t address) {
  const recording::ObjectsByTime::Found& found = cursors_of_objects_[thread].find(address);
  return {found.begin, found.end};
}

void RecordedProgram::execute_event(std::uint32_t thread, const recording::StreamEvent& event) {
  cursors_of_objects_[thread].event({.number = event.clock()});
}

Page RecordedProgram::touch(std::uint32_t thread, std::uint32_t node, std::uint64_t address,
                            Fault fault) {
  const std::uint32_t object = cursors_of_objects_[thread].find(address).object;
  return placement_->touch(object == recording::kNone ? nullptr : &objects_[object],
                           {.address = address, .node = node, .fault = fault});
}

std::uint16_t RecordedProgram::copy_for(std::uint32_t node, std::uint64_t address,
                                        std::uint16_t /*home*/, bool write) {
  if (write) throw written_replica(address);
  return placement_->copy_for(node);
}

}  // namespace Atoll::simulate
