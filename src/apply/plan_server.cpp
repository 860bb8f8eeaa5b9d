#include "apply/plan_server.hpp"

#include <fmt/format.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "atoll/base/error.hpp"

namespace Atoll::apply {
namespace {

using inside::Answer;
using inside::kNothing;
using inside::Level;
using inside::Question;
using inside::Slot;
using inside::SlotState;
using inside::Target;

constexpr timespec kSweep{.tv_sec = 0, .tv_nsec = 200'000'000};

template <typename T>
void futex(std::atomic<T>& word, int operation, std::uint32_t value, const timespec* timeout) {
  ::syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

/// Returns a process's arguments, the name first; empty if the process has ended.
std::vector<std::string> command_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid));
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

Level level_of(const process::StackMatcher::Found& places) {
  return places.exact ? Level::offset : Level::line;
}

/// Returns the target of a thread's stack, planned by the thread's name, or else by its call site
/// and order; kNothing if there is none.
std::uint32_t stack_target(const ProgramPlan& plan, const PlannedThread& thread) {
  for (std::uint32_t i = 0; i < plan.objects.size(); ++i) {
    const PlannedObject& object = plan.objects[i];
    if (object.kind != PlannedObject::Kind::stack) continue;
    if (!object.name.empty() ? object.name == thread.name
                             : object.stack == thread.stack && object.order == thread.order)
      return i;
  }
  return kNothing;
}

}  // namespace

PlanServer::PlanServer(const ProgramPlan& plan, PlanTable table)
    : plan_(plan), table_(std::move(table)), thread_counts_(plan.threads.size()) {
  for (const PlannedThread& thread : plan.threads) {
    stack_of_thread_.push_back(threads_.add(thread.stack));
    stack_target_.push_back(stack_target(plan, thread));
  }
  const std::size_t bytes = table_.bytes.size();
  file_ = ::memfd_create("atoll-placement", MFD_CLOEXEC);
  void* mapped = MAP_FAILED;
  if (file_ >= 0 && ::ftruncate(file_, static_cast<off_t>(bytes)) == 0)
    mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (mapped == MAP_FAILED) {
    const int error = errno;
    if (file_ >= 0) ::close(file_);
    throw Error::system("the plan's table", "reserving memory", error);
  }
  std::memcpy(mapped, table_.bytes.data(), bytes);
  header_ = static_cast<inside::Header*>(mapped);
  header_->atoll_pid = ::getpid();
  header_->magic = inside::kMagic;
  server_ = std::thread([this] { serve(); });
}

void PlanServer::stop() {
  if (!server_.joinable()) return;
  stop_ = true;
  header_->query_count.fetch_add(1);
  futex(header_->query_count, FUTEX_WAKE, 1, nullptr);
  server_.join();
}

PlanServer::~PlanServer() {
  stop();
  ::munmap(header_, table_.bytes.size());
  ::close(file_);
}

std::string PlanServer::path() const {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), file_);
}

std::span<const Target> PlanServer::targets() const {
  // Uses the original table's offsets, because a program may have overwritten the shared one.
  const auto& made = *reinterpret_cast<const inside::Header*>(table_.bytes.data());
  return {reinterpret_cast<const Target*>(reinterpret_cast<const char*>(header_) + made.targets),
          made.target_count};
}

void PlanServer::serve() {
  // Blocks all signals: the thread that waits for the program handles them.
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  while (!stop_) {
    const std::uint32_t heard = header_->query_count.load();
    for (Slot& slot : header_->slots) {
      if (slot.state.load() != SlotState::asked) continue;
      slot.answer = answer(slot);
      slot.state.store(SlotState::answered);
      futex(slot.state, FUTEX_WAKE, 1, nullptr);
    }
    if (stop_ || header_->query_count.load() != heard) continue;
    futex(header_->query_count, FUTEX_WAIT, heard, &kSweep);
    if (header_->query_count.load() == heard) sweep();
  }
}

/// Frees the slots of processes that died during a query.
void PlanServer::sweep() {
  for (Slot& slot : header_->slots)
    if (slot.state.load() == SlotState::answered && ::kill(slot.pid, 0) != 0 && errno == ESRCH)
      slot.state.store(SlotState::free);
}

Answer PlanServer::answer(const Slot& slot) {
  if (slot.question == Question::started) return started(slot.pid);
  Process& process = processes_[slot.pid];
  switch (slot.question) {
    case Question::global:
      return slot.index < process.globals.size() ? process.globals[slot.index] : Answer{};
    case Question::site:
      return site(process, slot.index != 0, frames_of(slot.pid, process, slot));
    case Question::thread:
      return thread(process, slot.index, frames_of(slot.pid, process, slot));
    case Question::started:
      break;
  }
  return {};
}

Answer PlanServer::started(pid_t pid) {
  const auto known = processes_.find(pid);
  // A process that calls exec remains the same process.
  const std::uint32_t number =
      known != processes_.end() ? known->second.number : processes_started_++;
  Process& process = processes_[pid] = Process{.number = number};
  process.modules = process::modules_of_process(pid);
  find_globals(process);
  std::vector<std::uint32_t> firsts;
  for (std::uint32_t i = 0; i < plan_.threads.size(); ++i)
    if (!plan_.threads[i].creator) firsts.push_back(i);
  if (firsts.size() == 1) return found_thread(firsts[0], Level::size);
  if (const auto first = first_thread_of(command_of(pid))) return found_thread(*first, Level::size);
  if (number < firsts.size()) return found_thread(firsts[number], Level::size);
  return {};
}

/// Returns the next planned process with the same command line; if there is none, the next with the
/// same program and other arguments.
std::optional<std::uint32_t> PlanServer::first_thread_of(const std::vector<std::string>& command) {
  if (command.empty()) return std::nullopt;
  const auto next = [&](auto&& executes) -> std::optional<std::uint32_t> {
    std::optional<std::uint32_t> found;
    for (std::uint32_t i = 0; i < plan_.threads.size(); ++i) {
      const PlannedThread& thread = plan_.threads[i];
      if (thread.creator || thread.command.empty() || !executes(thread.command)) continue;
      found = i;
      if (processes_found_.insert(i).second) break;  // else it exceeds the plan
    }
    return found;
  };
  if (const auto found = next([&](const auto& planned) { return planned == command; }))
    return found;
  return next([&](const auto& planned) { return planned.front() == command.front(); });
}

Answer PlanServer::found_thread(std::uint32_t thread, Level level) {
  ++thread_counts_[thread][static_cast<std::size_t>(level)];
  return {.found = thread, .target = stack_target_[thread], .level = level};
}

Answer PlanServer::site(Process& process, bool mapped,
                        const std::vector<process::Frame>& frames) const {
  Answer answer{.function = process::function_hash(frames)};
  const PlanTable::Places& planned = mapped ? table_.mappings : table_.heap;
  const process::StackMatcher::Found places = planned.stacks.find(frames);
  if (places.stacks.empty()) return answer;
  answer.level = level_of(places);
  // If several call sites match equally well, uses them in the plan's order.
  const auto best = std::span(places.stacks).first(places.best);
  const auto fresh = std::ranges::find_if(best, [&](process::StackNumber number) {
    return !process.given.contains({mapped, number});
  });
  const process::StackNumber stack = fresh == best.end() ? best.front() : *fresh;
  process.given.emplace(mapped, stack);
  if (const auto group = planned.groups.find(stack); group != planned.groups.end())
    answer.found = group->second;
  if (const auto pool = planned.pools.find(stack); pool != planned.pools.end())
    answer.target = pool->second;
  return answer;
}

Answer PlanServer::thread(Process& process, std::uint32_t creator,
                          const std::vector<process::Frame>& frames) {
  const auto created_by = [&](std::uint32_t i) {
    return plan_.threads[i].creator.value_or(kNothing) == creator && creator != kNothing;
  };
  const process::StackMatcher::Found places = threads_.find(frames);
  std::vector<std::uint32_t> planned;  // planned threads of the best call site, by order
  for (const process::StackNumber stack : places.stacks) {
    std::vector<std::uint32_t> here;
    for (std::uint32_t i = 0; i < plan_.threads.size(); ++i)
      if (created_by(i) && stack_of_thread_[i] == stack) here.push_back(i);
    std::ranges::stable_sort(here, {}, [&](std::uint32_t i) { return plan_.threads[i].order; });
    for (const std::uint32_t i : here)
      if (process.threads.insert(i).second) return found_thread(i, level_of(places));
    if (planned.empty()) planned = std::move(here);
  }
  if (!planned.empty())
    return found_thread(planned[process.further[planned[0]]++ % planned.size()], Level::further);
  const std::uint32_t function = process::function_hash(frames);
  for (std::uint32_t i = 0; i < plan_.threads.size(); ++i) {
    const std::uint32_t other = process::function_hash(plan_.threads[i].stack);
    if (!created_by(i) || (function != 0 && other != 0 && function != other) ||
        !process.threads.insert(i).second)
      continue;
    return found_thread(i, Level::size);
  }
  ++other_threads_;
  return {};
}

void PlanServer::find_globals(Process& process) {
  for (std::uint32_t i = 0; i < plan_.objects.size(); ++i) {
    const PlannedObject& object = plan_.objects[i];
    if (object.kind != PlannedObject::Kind::global) continue;
    const PlanFrame place = object.stack.empty() ? PlanFrame{} : object.stack.front();
    Answer best;
    for (const process::LoadedModule& module : process.modules) {
      if (!place.build_id.empty() && symbols_.build_id(module.path) == place.build_id) {
        best = {.found = i,
                .level = Level::offset,
                .address = module.bias + place.offset,
                .bytes = object.bytes};
        break;
      }
      // The first definition counts, as for the dynamic linker.
      if (best.found != kNothing || object.name.empty()) continue;
      for (const process::StaticVariable& variable : symbols_.variables(module.path))
        if (variable.name == object.name)
          best = {.found = i,
                  .level = Level::line,
                  .address = module.bias + variable.address,
                  .bytes = variable.bytes};
    }
    if (best.found != kNothing && best.bytes != 0) process.globals.push_back(best);
  }
}

std::vector<process::Frame> PlanServer::frames_of(pid_t pid, Process& process, const Slot& slot) {
  const auto module_of = [&](std::uint64_t address) {
    return std::ranges::find_if(process.modules, [&](const process::LoadedModule& module) {
      return module.begin <= address && address < module.end;
    });
  };
  std::vector<process::Frame> frames;
  bool read_again = true;
  const auto reported_levels = std::min<std::size_t>(slot.levels, inside::kMaxLevels);
  for (std::size_t i = 0; i < reported_levels; ++i) {
    auto module = module_of(slot.stack[i]);
    if (module == process.modules.end() && read_again) {  // loaded later, or a forked child
      process.modules = process::modules_of_process(pid);
      read_again = false;
      module = module_of(slot.stack[i]);
    }
    if (module == process.modules.end()) {
      frames.emplace_back();
      continue;
    }
    const auto levels = symbols_.frames(module->path, slot.stack[i] - module->bias);
    frames.insert(frames.end(), levels.begin(), levels.end());
  }
  return frames;
}

}  // namespace Atoll::apply
