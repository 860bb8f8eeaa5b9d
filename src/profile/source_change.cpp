#include "profile/source_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "process/own_code.hpp"

namespace Atoll::profile {
namespace {

/// A thread fills an object if it touched at least this share of the object's pages first.
constexpr double kFills = 0.8;

std::string name_of(const ObjectSummary& object) {
  return object.place.empty() ? object.name : fmt::format("{} ({})", object.name, object.place);
}

/// Returns the thread that first touched at least kFills of the object's pages; kNone if there is
/// none.
std::uint32_t filler_of(std::uint32_t object, const PagesByNode& pages,
                        const recording::Recording& run) {
  std::map<std::uint32_t, std::size_t> of_threads;
  std::size_t all = 0;
  for (const PageRow& row : pages.rows)
    if (row.object == object) {
      const std::uint32_t home = row.first_touch;
      const std::size_t threads = run.threads.size();
      ++of_threads[home < threads ? home : run.homes[home - threads].thread];
      ++all;
    }
  for (const auto& [thread, count] : of_threads)
    if (static_cast<double>(count) >= kFills * static_cast<double>(all)) return thread;
  return recording::kNone;
}

/// Returns "main.cpp:12" for the deepest frame of the process's own code; "" if its line is
/// unknown.
std::string line_of(std::uint32_t site, std::uint32_t process, const recording::Recording& run) {
  if (site == recording::kNone) return "";
  const recording::Frame* const frame = process::own_level(
      run.sites[site].frames, run.processes[process].executable, [](const recording::Frame& level) {
        return process::CodePlace{level.function, level.file, level.module};
      });
  return frame == nullptr || frame->line <= 0 ? "" : fmt::format("{}:{}", frame->file, frame->line);
}

/// Returns "the loop at main.cpp:12 (thread 0)", or without the line where it isn't known.
std::string filling_loop(std::uint32_t object, std::uint32_t filler,
                         const recording::Recording& run) {
  const std::string line = line_of(run.objects[object].fill_site, run.objects[object].process, run);
  return line.empty() ? fmt::format("the loop of thread {}", filler)
                      : fmt::format("the loop at {} (thread {})", line, filler);
}

/// Returns " (threads created at app.cpp:12)" for the threads that use the object, or "".
std::string creation_of_users(std::uint32_t object, std::uint32_t filler, const Profile& profile) {
  const recording::Recording& run = profile.recording;
  std::map<std::string, std::uint64_t> places;
  for (const PackedChunk& chunk : profile.chunks) {
    if (chunk.object != object || chunk.thread == filler) continue;
    const recording::Thread& thread = run.threads[chunk.thread];
    const std::string line = line_of(thread.creation_site, thread.process, run);
    if (!line.empty()) places[line] += chunk.traffic;
  }
  if (places.empty()) return "";
  const auto most =
      std::ranges::max_element(places, {}, [](const auto& one) { return one.second; });
  return fmt::format(" (threads created at {})", most->first);
}

}  // namespace

std::string source_change(const PlanOption& option, const ObjectSummary& object,
                          const Profile& profile, const PagesByNode& pages) {
  using Kind = PlanOption::Kind;
  const std::uint32_t filler = filler_of(object.id, pages, profile.recording);
  switch (option.kind) {
    case Kind::interleave:
      return fmt::format(
          "allocate {} by numa_alloc_interleaved(), or as an Atoll::Array with the layout "
          "Distributed",
          name_of(object));
    case Kind::single:
      return fmt::format(
          "let a thread of that node write {} first, or make it an Atoll::Array with the layout "
          "SingleNode",
          name_of(object));
    case Kind::locality:
    case Kind::balance:
      if (filler == recording::kNone)
        return fmt::format(
            "let each thread write its part of {} first, in the loops that use it{}, or make it an "
            "Atoll::Array with the layout Partitioned",
            name_of(object), creation_of_users(object.id, filler, profile));
      return fmt::format(
          "initialise {} in parallel: {} writes all of it first, and each part should be written "
          "first by the thread that uses it{}; or make it an Atoll::Array with the layout "
          "Partitioned",
          name_of(object), filling_loop(object.id, filler, profile.recording),
          creation_of_users(object.id, filler, profile));
    case Kind::first_touch:
      break;
  }
  return "";
}

std::string source_change_to_pad(const ObjectSummary& object) {
  return fmt::format("give each thread's element of {} alignas({})", name_of(object),
                     recording::kLineBytes);
}

std::string source_change_to_bind(bool close) {
  return fmt::format(
      "OMP_PLACES=cores OMP_PROC_BIND={} for OpenMP's threads, or pthread_setaffinity_np()",
      close ? "close" : "spread");
}

}  // namespace Atoll::profile
