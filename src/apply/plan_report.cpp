#include "apply/plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "atoll/base/units.hpp"
#include "process/own_code.hpp"

namespace Atoll::apply {
namespace {

using inside::kLevels;
using inside::Target;

constexpr std::array<std::string_view, kLevels> kLevelNames{
    "build id and offset", "function, file and line", "size and order", "place, one more of many"};

using Counts = PlanServer::Counts;

Counts counts_of(const Target& target) {
  Counts counts;
  for (std::size_t i = 0; i < kLevels; ++i) counts[i] = target.matched[i].load();
  return counts;
}

/// Returns the most reliable level at which the target was matched; empty if it wasn't.
std::optional<std::size_t> best_level(const Counts& counts) {
  for (std::size_t i = 0; i < kLevels; ++i)
    if (counts[i] != 0) return i;
  return std::nullopt;
}

std::string place_of(const std::vector<PlanFrame>& stack) {
  const PlanFrame* const level = process::own_level(stack, "", [](const PlanFrame& frame) {
    return process::CodePlace{frame.function, frame.file, frame.module};
  });
  if (level == nullptr) return "place unknown";
  if (level->function.empty() && level->line == 0)
    return level->module.empty() ? "place unknown"
                                 : fmt::format("{}+{:#x}", level->module, level->offset);
  if (level->line == 0) return level->function;
  return fmt::format("{} ({}:{})", level->function, level->file.substr(level->file.rfind('/') + 1),
                     level->line);
}

std::string nth(std::uint32_t order) {
  return order == 0 ? std::string() : fmt::format(", number {} there", order);
}

std::string words_for(const PlannedThread& thread) {
  const std::string name = thread.name.empty() ? "" : " '" + thread.name + "'";
  if (!thread.creator) return fmt::format("first thread{}", name);
  return fmt::format("thread{}: {}{}", name, place_of(thread.stack), nth(thread.order));
}

std::string words_for(const PlannedObject& object) {
  static constexpr std::array<std::string_view, 5> kinds{"heap", "pool", "global", "stack",
                                                         "mapping"};
  const std::string where = object.name.empty() ? place_of(object.stack) : object.name;
  return fmt::format("{}, {}: {}{}", kinds.at(static_cast<std::size_t>(object.kind)),
                     format_bytes(object.bytes), where, nth(object.order));
}

/// Numbers of planned threads and objects by the level at which they were matched. The last row
/// counts the unmatched ones.
struct PrintedTable {
  std::array<std::size_t, kLevels + 1> threads{}, objects{};
  std::vector<std::string> unmatched, in_files;
};

PrintedTable table_of(const ProgramPlan& plan, const PlanServer& server) {
  PrintedTable table;
  for (std::size_t i = 0; i < plan.threads.size(); ++i) {
    const auto level = best_level(server.thread_counts()[i]);
    ++table.threads[level.value_or(kLevels)];
    if (!level)
      table.unmatched.push_back(fmt::format("thread {}, {}", i, words_for(plan.threads[i])));
  }
  for (std::size_t i = 0; i < plan.objects.size(); ++i) {
    const auto level = best_level(counts_of(server.targets()[i]));
    ++table.objects[level.value_or(kLevels)];
    if (!level)
      table.unmatched.push_back(fmt::format("object {}, {}", i, words_for(plan.objects[i])));
    if (server.targets()[i].in_files != 0)
      table.in_files.push_back(fmt::format("object {}, {}", i, words_for(plan.objects[i])));
  }
  return table;
}

std::string count(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

PlanUse use_of_plan(const ProgramPlan& plan, const PlanServer& server) {
  PrintedTable table = table_of(plan, server);
  return {.threads = plan.threads.size(),
          .recognised_threads = plan.threads.size() - table.threads[kLevels],
          .objects = plan.objects.size(),
          .recognised_objects = plan.objects.size() - table.objects[kLevels],
          .missing = std::move(table.unmatched)};
}

std::string report_of_plan(const ProgramPlan& plan, std::string_view where,
                           const PlanServer& server) {
  const inside::Header& header = server.header();
  const PrintedTable table = table_of(plan, server);
  std::string text = fmt::format(
      "atoll: {}: recognised {} of {} and {} of {}\n", where,
      plan.threads.size() - table.threads[kLevels], count(plan.threads.size(), "thread"),
      plan.objects.size() - table.objects[kLevels], count(plan.objects.size(), "object"));
  if (table.threads[kLevels] + table.objects[kLevels] < plan.threads.size() + plan.objects.size())
    text += fmt::format("  {:<26}{:>8}{:>9}\n", "recognised by", "threads", "objects");
  for (std::size_t i = 0; i < kLevels; ++i)
    if (table.threads[i] + table.objects[i] != 0)
      text +=
          fmt::format("  {:<26}{:>8}{:>9}\n", kLevelNames[i], table.threads[i], table.objects[i]);
  if (!table.unmatched.empty()) text += "  in the plan, but not seen in this run:\n";
  for (const std::string& line : table.unmatched) text += "    " + line + "\n";
  if (!table.in_files.empty())
    text +=
        "  not placed, since pages of a file (a shared mapping, or one that is only read) are\n"
        "  the system's: they lie on the node of the thread that used them first:\n";
  for (const std::string& line : table.in_files) text += "    " + line + "\n";
  if (header.others != 0 || server.other_threads() != 0)
    text +=
        fmt::format("  not in the plan: {} ({}), {}\n", count(header.others, "large allocation"),
                    format_bytes(header.other_bytes), count(server.other_threads(), "thread"));
  if (!plan.bind_threads && !plan.threads.empty())
    text += "  threads were left where they ran: the plan doesn't bind them\n";
  if (header.affinity_calls != 0)
    text += fmt::format(
        "  the program bound threads itself {}; {} overruled by the plan\n",
        header.affinity_calls == 1 ? std::string("once") : count(header.affinity_calls, "time"),
        header.affinity_overruled.load());
  if (header.bindings_failed != 0)
    text += fmt::format("  {} could not be bound: the system refused\n",
                        count(header.bindings_failed, "thread"));
  std::uint64_t failures = 0;
  for (const Target& target : server.targets()) failures += target.failures;
  if (failures != 0)
    text += fmt::format("  {} for pages refused by the system: they are where it put them\n",
                        count(failures, "wish"));
  if (std::ranges::any_of(plan.objects, [](const PlannedObject& object) {
        return object.runs.empty() && object.layout.copies() > 1;
      }))
    text +=
        "  replicas can't be had by a program that doesn't know of them: those pages are\n"
        "  spread over the nodes; as an Atoll::Array the object could have its copies\n";
  if (header.processes == 0)
    text +=
        "  the program never asked: it is static, or has privileges of its own, and can't\n"
        "  be placed; a policy such as interleave works for it\n";
  return text;
}

}  // namespace Atoll::apply
