#include "recording/objects/read_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "atoll/base/error.hpp"

namespace Atoll::recording {

void read_objects(const RegionView& region, const LinesOfPage& lines_of, Consumer& consumer) {
  const std::vector<record::Offset> processes = processes_of(region);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> pages;
  region.for_each<record::ThreadRecord>(
      region.header().threads.load(), [&](const record::ThreadRecord& thread, record::Offset) {
        const auto process = std::ranges::find(processes, thread.process);
        if (process == processes.end()) return;
        region.for_each<record::PageCounters>(
            thread.blocks.load(), [&](const record::PageCounters& block, record::Offset) {
              pages.emplace_back(process - processes.begin(), block.page);
            });
      });
  std::ranges::sort(pages);
  pages.erase(std::ranges::unique(pages).begin(), pages.end());
  for (const auto& [process, page] : pages)
    consumer.page(
        {.process = process, .page = page, .threads = {}, .objects = lines_of(process, page)});
}

std::vector<TaskLoop> task_loops_of(const RegionView& region) {
  const record::Header& header = region.header();
  std::vector<TaskLoop> loops;
  for (std::uint32_t i = 0; i < std::min(header.loops.load(), record::kLoops); ++i) {
    const record::TaskLoop& loop = header.task_loops[i];
    loops.push_back({.name = std::string(loop.name, ::strnlen(loop.name, record::kLoopName)),
                     .iterations = loop.iterations,
                     .chunk = loop.chunk,
                     .fingerprint = loop.fingerprint});
  }
  return loops;
}

void refuse_lost_tasks(const RegionView& region, const std::string& program) {
  const std::uint64_t lost = region.header().lost_tasks.load();
  if (lost == 0) return;
  throw Error::input(program,
                     fmt::format("has more than {} loops of tasks, or names of loops of more than "
                                 "{} bytes: {} task(s) were lost",
                                 record::kLoops, record::kLoopName - 1, lost),
                     "use fewer loops or shorter names");
}

std::vector<Reduction> reductions_of(const RegionView& region) {
  const record::Header& header = region.header();
  const std::vector<record::Offset> processes = processes_of(region);
  std::vector<Reduction> reductions;
  for (std::uint32_t i = 0; i < std::min(header.reductions.load(), record::kReductions); ++i) {
    const record::Reduction& told = header.reduced[i];
    const auto process = std::ranges::find(processes, told.process);
    if (process == processes.end()) continue;
    reductions.push_back({.process = static_cast<std::uint32_t>(process - processes.begin()),
                          .begin = told.begin,
                          .end = told.begin + std::min(told.bytes, ~told.begin)});
  }
  return reductions;
}

}  // namespace Atoll::recording
