#include "simulate/live_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "atoll/base/error.hpp"
#include "simulate/live_time.hpp"

namespace Atoll::simulate {
namespace {}  // namespace

LiveProgram::LiveProgram(recording::LiveStreams& streams, const Machine& machine,
                         const Model& model, const Options& options, LivePlaces& places,
                         Pages& pages, bool tells_work, bool sees_all, Placed placed,
                         Answered answered)
    : streams_(streams),
      machine_(machine),
      model_(model),
      options_(options),
      spread_(places),
      places_(places.all()),
      pages_(pages),
      tells_work_(tells_work),
      placed_(std::move(placed)),
      answered_(std::move(answered)),
      planned_(options.plan ? std::optional<PlanMatcher>(std::in_place, *options.plan, machine)
                            : std::nullopt),
      placement_(machine, model, options,
                 [&] {
                   std::vector<std::uint32_t> nodes;
                   for (const int pu : places.allowed())
                     nodes.push_back(model.hw_threads.at(pu).node);
                   return nodes;
                 }()),
      objects_(streams, options, planned_ ? &*planned_ : nullptr),
      calls_(model),
      user_(places.all().size(), kNone),
      room_(std::make_unique<recording::StreamDecoder::Room>()) {
  if (planned_) placement_.place_rest(planned_->rest());
  if (sees_all) placement_.share_zeros();
  in_turn_.memories = model.memory_of_node;
}

std::uint32_t LiveProgram::number_of_process(record::Offset process) {
  return processes_.try_emplace(process, static_cast<std::uint32_t>(processes_.size()))
      .first->second;
}

std::uint32_t LiveProgram::add(std::uint32_t stream, record::Offset process, std::uint32_t planned,
                               std::uint32_t from) {
  const auto thread = static_cast<std::uint32_t>(threads_.size());
  const PagePolicy policy = from == kNone ? PagePolicy{} : threads_[from].policy;
  const std::vector<std::uint64_t> allowed =
      from == kNone ? std::vector<std::uint64_t>{} : threads_[from].allowed;
  // After exec, the thread keeps its number, and its place if it was bound.
  const bool is_same = from != kNone && stream != kNone && threads_[from].has_ended;
  const std::uint32_t slot = is_same ? threads_[from].slot : free_slot();
  if (spread_.note(slot)) spread_again();
  const std::uint32_t place = is_same && !allowed.empty() && !(planned_ && planned_->pins())
                                  ? threads_[from].place
                                  : free_place(slot, planned, allowed);
  Thread& added = threads_.emplace_back(tells_work_);
  of_slot_[slot] = thread;
  added.slot = slot;
  added.process = process;
  added.planned = planned;
  added.place = place;
  added.policy = policy;
  added.allowed = allowed;
  added.is_bound = (planned != kNone && planned_->pins()) || !allowed.empty();
  user_[place] = thread;
  (void)number_of_process(process);
  const auto lives = [](const Thread& one) { return !one.has_ended; };
  most_ = std::max(most_, static_cast<std::size_t>(std::ranges::count_if(threads_, lives)));
  if (stream != kNone) begun(thread, stream);
  return thread;
}

void LiveProgram::begun(std::uint32_t thread, std::uint32_t stream) {
  threads_[thread].stream = stream;
  threads_[thread].decoder = std::make_unique<recording::StreamDecoder>(stream, true);
  of_stream_.resize(std::max<std::size_t>(of_stream_.size(), stream + 1), kNone);
  of_stream_[stream] = thread;
  placed_(streams_.about(stream).tid, threads_[thread].place);
}

ProgramThread LiveProgram::as_program_thread(std::uint32_t thread) {
  return {.process =
              static_cast<std::uint32_t>(processes_.at(threads_[thread].process) % kMaxProcesses),
          .place = threads_[thread].place,
          .starts_alone = true};
}

std::optional<ProgramThread> LiveProgram::create(std::uint32_t creator, std::uint64_t number) {
  const record::Offset process = threads_[creator].process;
  const recording::LiveStreams::Created created = streams_.created(process, number);
  if (created.was_refused) return std::nullopt;
  const std::uint32_t planned =
      !planned_ ? kNone
                : planned_->created(number_of_process(process), threads_[creator].planned,
                                    objects_.stack_of(process, created.site));
  const std::uint32_t thread = add(kNone, process, planned, creator);
  threads_[thread].created_event = number;
  threads_[thread].creator = creator;
  return as_program_thread(thread);
}

bool LiveProgram::has_begun(std::uint32_t thread) {
  Thread& its = threads_[thread];
  while (its.stream == kNone) {
    const bool over = streams_.has_ended();
    const recording::LiveStreams::Created created =
        streams_.created(its.process, its.created_event);
    if (created.stream) {
      begun(thread, *created.stream);
    } else if (created.was_refused || over) {
      return false;
    } else {
      pause_shortly();
    }
  }
  return true;
}

std::optional<ProgramThread> LiveProgram::appeared() {
  const std::uint32_t count = streams_.count();
  of_stream_.resize(std::max<std::size_t>(of_stream_.size(), count), kNone);
  while (seen_ns_.size() < count) seen_ns_.push_back(now_ns());
  for (std::uint32_t stream = 0; stream < count; ++stream) {
    if (of_stream_[stream] != kNone) continue;
    // Normally the creator's event starts a thread. A thread without a known creator starts here
    // after a time limit.
    const recording::LiveStreams::About about = streams_.about(stream);
    if (!about.is_first && now_ns() - seen_ns_[stream] < kSureWait) continue;
    if (!about.is_first && (!streams_.has_words(stream) || streams_.was_created(stream))) continue;
    // After exec, the records before the exec are simulated first.
    const std::uint32_t before = executed_by(stream);
    if (before != kNone && !threads_[before].has_ended && now_ns() - seen_ns_[stream] < kSureWait)
      continue;
    if (before == kNone && about.is_first && streams_.parent(about.process) != 0)
      calls_.fork(number_of_process(streams_.parent(about.process)),
                  number_of_process(about.process));
    const std::uint32_t planned = planned_ && about.is_first
                                      ? planned_->first_thread(number_of_process(about.process))
                                      : kNone;
    return as_program_thread(add(stream, about.process, planned, before));
  }
  return std::nullopt;
}

std::uint32_t LiveProgram::executed_by(std::uint32_t stream) const {
  const recording::LiveStreams::About about = streams_.about(stream);
  for (auto thread = static_cast<std::uint32_t>(threads_.size()); about.is_first && thread > 0;
       --thread) {
    const Thread& one = threads_[thread - 1];
    if (one.stream != kNone && streams_.about(one.stream).tid == about.tid &&
        one.process == streams_.parent(about.process))
      return thread - 1;
  }
  return kNone;
}

std::uint64_t LiveProgram::number_of(std::uint32_t thread) {
  const std::uint32_t stream = threads_[thread].stream;
  return stream == kNone ? 0 : streams_.about(stream).number;
}

std::uint32_t LiveProgram::thread_called(record::Offset process, std::uint64_t number) {
  const std::uint64_t began = now_ns();
  do {  // it may not have started yet
    bool some_begin = false;
    for (std::uint32_t thread = static_cast<std::uint32_t>(threads_.size()); thread > 0; --thread) {
      const Thread& one = threads_[thread - 1];
      if (one.process != process) continue;
      some_begin = some_begin || one.stream == kNone;
      if (one.stream == kNone) {
        const auto created = streams_.created(process, one.created_event);
        if (created.stream) begun(thread - 1, *created.stream);
      }
      if (one.stream == kNone) continue;
      const recording::LiveStreams::About about = streams_.about(one.stream);
      if (about.number == number || static_cast<std::uint64_t>(about.tid) == number)
        return thread - 1;
    }
    if (!some_begin) break;
    pause_shortly();
  } while (now_ns() - began < kSureWait);
  return kNone;
}

std::optional<std::uint32_t> LiveProgram::joined(std::uint32_t joiner, std::uint64_t number) {
  const record::Event* const event = streams_.event(threads_[joiner].stream, number);
  record::Joined joined{};
  if (event == nullptr || event->bytes < sizeof joined) return std::nullopt;
  std::memcpy(&joined, event + 1, sizeof joined);
  const std::uint32_t thread = thread_called(threads_[joiner].process, joined.number);
  if (thread == kNone) return std::nullopt;
  threads_[thread].is_joined = true;
  return thread;
}

const LiveObjects::Found& LiveProgram::found_at(std::uint32_t thread, std::uint64_t address) {
  Thread& its = threads_[thread];
  for (const LiveObjects::Found& found : its.found)
    if (address >= found.begin && address < found.end && found.version == objects_.version())
      return found;
  its.next_found = (its.next_found + 1) % std::size(its.found);
  return its.found[its.next_found] = objects_.find(its.process, address);
}

std::uint32_t LiveProgram::object_of(std::uint32_t thread, std::uint64_t address) {
  const std::uint32_t object = found_at(thread, address).object;
  return object == kNone ? 0 : object + 1;
}

SimulatedProgram::Span LiveProgram::span_of_object(std::uint32_t thread, std::uint64_t address) {
  const LiveObjects::Found& found = found_at(thread, address);
  return {found.begin, found.end};
}

void LiveProgram::accesses(std::uint32_t /*stream*/, std::span<const recording::Access> accesses) {
  batch_->add(accesses);
}

void LiveProgram::style(std::uint32_t /*stream*/, std::uint32_t number,
                        const recording::AccessStyle& style) {
  threads_[decoding_].styles.define(*batch_, number, style);
}

void LiveProgram::work(std::uint32_t /*stream*/, const recording::Work& work) {
  batch_->add(work);
}

void LiveProgram::loop(std::uint32_t /*stream*/, std::span<const recording::AccessRange> parts) {
  batch_->add_loop(parts);
}

void LiveProgram::event(std::uint32_t /*stream*/, const recording::StreamEvent& event) {
  using Kind = recording::RecordKind;
  if (event.kind == Kind::thread_created || event.kind == Kind::thread_joined ||
      is_about_memory(event.kind)) {
    batch_->add(event);
  } else if (const auto mark = mark_of(event.kind, options_, iterations_); mark) {
    recording::StreamEvent marked = event;
    marked.kind = *mark;
    batch_->add(marked);
  }
}

void LiveProgram::wait(std::uint32_t /*stream*/, const recording::StreamWait& wait) {
  creates_tasks_ =
      creates_tasks_ || (wait.kind == recording::RecordKind::released && wait.key == kTasks);
  batch_->add(wait);
}

void LiveProgram::place(std::uint32_t /*stream*/, const recording::StreamPlacement& call) {
  batch_->add(call);
}

}  // namespace Atoll::simulate
