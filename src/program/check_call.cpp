// Checks of a call that need no graph in memory.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "graph/input_file.hpp"
#include "graph/load_file.hpp"
#include "program/call.hpp"

namespace Atoll::program {
namespace {

/// Opens the file to check access, unless it is a pipe or device, whose opening could block.
void check_readable(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (path != "-" &&
      (!std::filesystem::exists(status) || is_regular_file(status) || is_directory(status)))
    const graph::InputFile file(path);
}

}  // namespace

void check_needed(const Procedure& procedure, const CallFiles& call,
                  const std::function<bool(const ArrayUse&)>& has_values) {
  for (const ArrayUse& use : procedure.arrays) {
    if (!use.needed ||
        std::ranges::find(call.loads, use.name, &NamedFile::name) != call.loads.end())
      continue;
    if (!use.edges)
      throw Error::input("--load",
                         fmt::format("{} reads '{}', a property of nodes, and nothing gives its "
                                     "values",
                                     procedure.name, use.name),
                         fmt::format("add --load {}=FILE", use.name));
    if (!has_values(use))
      throw Error::input(
          "--load",
          fmt::format("{} reads '{}', a property of edges, and {} has no values of this name",
                      procedure.name, use.name, call.graphs[use.graph]),
          fmt::format("add --load {0}=FILE, or keep them: atoll graph convert --value {0}=COLUMN",
                      use.name));
  }
}

void refuse_machine(const RunOptions& options) {
  if (!options.machine.empty())
    throw Error::input("--machine", "this program can only run on this machine",
                       "add --dry-run to decide for another");
}

void check_call(const Procedure& procedure, const RunOptions& options) {
  refuse_machine(options);
  const Call call = read_call(procedure, options);
  for (const NamedFile& load : call.loads) check_readable(load.path);
  for (const NamedFile& save : call.saves) const AtomicFile file(save.path);
  for (const TableFile& table : call.tables) const AtomicFile file(table.path);

  std::vector<std::optional<graph::FileSummary>> summaries;
  std::vector<graph::GraphSize> sizes;
  for (const std::string& path : call.graphs) {
    check_readable(path);
    summaries.push_back(graph::summary_of(path));
    if (summaries.back()) sizes.push_back(summaries.back()->size);
  }
  check_needed(procedure, call, [&](const ArrayUse& use) {
    const auto& summary = summaries[use.graph];
    std::error_code ignored;
    if (!summary) return !std::filesystem::is_regular_file(call.graphs[use.graph], ignored);
    return std::ranges::find(summary->value_names, use.name) != summary->value_names.end();
  });
  if (sizes.size() == summaries.size()) check_nodes(call, sizes);
}

}  // namespace Atoll::program
