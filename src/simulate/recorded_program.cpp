#include "simulate/recorded_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "atoll/base/error.hpp"
#include "atoll/machine/thread_places.hpp"

namespace Atoll::simulate {
namespace {

/// What a trace without work between its accesses is taken to do before each.
constexpr std::uint32_t kInstructions = 3;

}  // namespace

RecordedProgram::RecordedProgram(const std::string& path, const Machine& machine,
                                 const Model& model, const Options& options)
    : cursors_(path), options_(options), objects_by_time_(cursors_.recording()) {
  for (const trace::Thread& thread : recording().threads)
    cursors_of_objects_.emplace_back(objects_by_time_, thread.process);
  Styles none;
  if (!recording().contents.work) none.fill({.instructions = kInstructions});
  styles_.resize(recording().threads.size(), none);
  place_threads(machine, model, options);
}

/// Threads get places in the order of their creation; one that begins after another was joined may
/// have its place.
void RecordedProgram::place_threads(const Machine& machine, const Model& model,
                                    const Options& options) {
  const trace::Recording& run = recording();
  std::vector<std::uint64_t> free_from;  // by place: the event behind which it is free
  for (const trace::Thread& thread : run.threads) {
    ProgramThread one;
    one.process = static_cast<std::uint32_t>(thread.process % kMostProcesses);
    one.starts_alone = thread.creator == trace::kNone || thread.created_event == trace::kNoEvent ||
                       run.threads[thread.creator].stream == trace::kNone;
    const std::uint64_t begun =
        thread.created_event == trace::kNoEvent ? 0 : thread.created_event;
    const auto free = std::find_if(free_from.begin(), free_from.end(),
                                   [&](std::uint64_t event) { return event <= begun; });
    one.place = static_cast<std::uint32_t>(free - free_from.begin());
    if (free == free_from.end()) free_from.emplace_back();
    free_from[one.place] = thread.joined_event;  // kNoEvent: after all of them
    threads_.push_back(one);
  }
  const int count = static_cast<int>(free_from.size());
  if (options.threads != 0 && options.threads != count)
    throw Error::input(fmt::format("--threads {}", options.threads),
                       fmt::format("the trace has {}", count),
                       "record it again with as many, or leave the option out");
  if (free_from.size() > machine.processors().size())
    throw Error::input(machine.name(),
                       fmt::format("has {} processing units, and the trace {} threads at a time",
                                   machine.processors().size(), count),
                       "record it with fewer threads, or take a larger machine");
  const ThreadPlaces places = options.policy == Policy::compact ? compact_places(machine, count)
                                                                : spread_places(machine, count);
  std::vector<std::uint32_t> nodes;
  for (const ThreadPlace& place : places) {
    seats_.push_back(model.seats.at(place.pu));
    nodes.push_back(seats_.back().node);
  }
  placement_ = std::make_unique<Placement>(machine, model, options, run, nodes);
}

bool RecordedProgram::next(std::uint32_t thread, Batch& batch) {
  batch_ = &batch;
  while (batch.ops.empty())
    if (!cursors_.next(thread, *this)) return false;
  return true;
}

void RecordedProgram::accesses(std::uint32_t stream, std::span<const trace::Access> accesses) {
  for (const trace::Access& access : accesses) {
    const trace::AccessStyle& style = styles_[stream][access.style];
    batch_->ops.push_back({.write = access.write,
                           .atomic = style.atomic,
                           .bytes = static_cast<std::uint16_t>(access.bytes),
                           .depends_on = static_cast<std::uint16_t>(style.depends_on),
                           .divisions = static_cast<std::uint16_t>(style.divisions),
                           .chain = static_cast<std::uint16_t>(style.chain),
                           .instructions = style.instructions,
                           .address = access.address});
  }
}

void RecordedProgram::style(std::uint32_t stream, std::uint32_t number,
                            const trace::AccessStyle& style) {
  trace::AccessStyle& ours = styles_[stream][number];
  ours = style;
  if (!recording().contents.work) ours.instructions = kInstructions;
  if (ours.depends_on > std::numeric_limits<std::uint16_t>::max()) ours.depends_on = 0;
}

void RecordedProgram::work(std::uint32_t /*stream*/, const trace::StreamWork& work) {
  batch_->ops.push_back({.kind = Op::Kind::work,
                         .address = work.instructions,
                         .first = static_cast<std::uint32_t>(work.divisions),
                         .count = static_cast<std::uint32_t>(work.chain)});
}

void RecordedProgram::loop(std::uint32_t stream, std::span<const trace::AccessRange> parts) {
  batch_->ops.push_back({.kind = Op::Kind::loop,
                         .first = static_cast<std::uint32_t>(batch_->ranges.size()),
                         .count = static_cast<std::uint32_t>(parts.size())});
  for (const trace::AccessRange& part : parts) {
    const trace::AccessStyle& style = styles_[stream][part.style];
    batch_->ranges.push_back({.address = part.address,
                              .step = part.step,
                              .n = part.n,
                              .bytes = part.bytes,
                              .instructions = style.instructions,
                              .depends_on = part.depends_on,
                              .divisions = static_cast<std::uint16_t>(style.divisions),
                              .chain = static_cast<std::uint16_t>(style.chain),
                              .write = part.write,
                              .atomic = style.atomic});
  }
}

void RecordedProgram::event(std::uint32_t /*stream*/, const trace::StreamEvent& event) {
  using Kind = trace::StreamEvent::Kind;
  const auto add = [this](Op::Kind kind, std::uint32_t other = 0) {
    batch_->ops.push_back({.kind = kind, .other = other});
  };
  switch (event.kind) {
    case Kind::thread_created:
      if (event.thread != trace::kNone) add(Op::Kind::create, event.thread);
      break;
    case Kind::thread_joined:
      if (event.thread != trace::kNone) add(Op::Kind::join, event.thread);
      break;
    case Kind::mark_begin:
      if (options_.only_between_marks) add(Op::Kind::timed_begin);
      break;
    case Kind::mark_end:
      if (options_.only_between_marks) add(Op::Kind::timed_end);
      break;
    case Kind::mark_iteration:
      if (options_.iterations > 0) {
        if (iterations_ == 0) add(Op::Kind::timed_begin);
        if (iterations_ == options_.iterations) add(Op::Kind::timed_end);
        ++iterations_;
      }
      break;
    default:
      break;
  }
  batch_->ops.push_back({.kind = Op::Kind::clock, .address = event.clock()});
}

std::uint32_t RecordedProgram::object_of(std::uint32_t thread, std::uint64_t address) {
  const std::uint32_t object = cursors_of_objects_[thread].find(address).object;
  return object == trace::kNone ? static_cast<std::uint32_t>(recording().objects.size()) : object;
}

void RecordedProgram::clock(std::uint32_t thread, std::uint64_t events) {
  cursors_of_objects_[thread].event({.number = events});
}

Page RecordedProgram::touch(std::uint32_t thread, std::uint32_t node, std::uint64_t address) {
  return placement_->touch(cursors_of_objects_[thread].find(address).object, address, node);
}

std::uint16_t RecordedProgram::copy_for(std::uint32_t node, std::uint64_t address,
                                        std::uint16_t /*home*/, bool write) {
  if (write)
    throw Error::input(fmt::format("address {:#x}", address),
                       "a replicated object is written while time counts",
                       "replicate what is only read; --between-marks leaves the start out");
  return placement_->copy_for(node);
}

}  // namespace Atoll::simulate
