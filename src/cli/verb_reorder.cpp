// `atoll reorder`: permutes a matrix or a graph for better reuse of caches, if that is predicted to
// be faster.
#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/json.hpp"
#include "atoll/base/separate_files.hpp"
#include "atoll/base/units.hpp"
#include "atoll/graph/reorder.hpp"
#include "atoll/machine/thread_places.hpp"
#include "cli/verb.hpp"
#include "machine/file_of_name.hpp"

namespace Atoll::cli {
namespace {

struct Call {
  std::string input, output, order, rows, columns, machine;
  bool json = false;
};

/// Writes a permutation: line i (from 0) is the old number of new row i.
void write_order(const std::vector<std::uint32_t>& order, const std::string& path) {
  if (path.empty()) return;
  AtomicFile file(path);
  std::string text;
  for (const std::uint32_t old : order) fmt::format_to(std::back_inserter(text), "{}\n", old);
  file.write(text);
  file.commit();
}

double change(const graph::Reordered& result) {
  return result.before.seconds > 0 ? result.after.seconds / result.before.seconds - 1 : 0;
}

void print_candidates(const graph::Reordered& result) {
  fmt::print("Candidates                  predicted time\n");
  for (const OrderCandidate& candidate : result.candidates.tried)
    fmt::print("  {:<25} {:>14}{}\n", to_string(candidate.kind),
               format_seconds(candidate.cost.seconds),
               candidate.kind == result.kind ? "  chosen" : "");
  if (const auto least = result.candidates.least_seconds)
    fmt::print("  {:<25} {:>14}  not 3 % less: none was tried\n", "each line missed once",
               format_seconds(*least));
}

void print_reordered(const Call& call, const graph::Reordered& result) {
  const bool kept = result.kind == TaskOrder::created;
  fmt::print("{}: {} of {} rows, {} columns, {} entries\n", call.output, result.format,
             format_count(result.rows), format_count(result.columns), format_count(result.entries));
  if (kept)
    fmt::print("{}\n", call.order.empty() ? "Order: as it was; nothing beats it by 3 %"
                                          : "Order: as it was, as you wish");
  else
    fmt::print("Order: {}\n", to_string(result.kind));
  const auto row = [](std::string_view name, double before, double after) {
    fmt::print("  {:<27} {:>13} {:>15}\n", name, format_count(static_cast<std::uint64_t>(before)),
               format_count(static_cast<std::uint64_t>(after)));
  };
  fmt::print("Estimated, a product with a vector    before           after\n");
  row("lines from the memory", result.before.line_misses, result.after.line_misses);
  row("lines from the last cache", result.before.l2_misses, result.after.l2_misses);
  row("lines from the second cache", result.before.l1_misses, result.after.l1_misses);
  row("TLB entries missed", result.before.tlb_misses, result.after.tlb_misses);
  fmt::print("Predicted change of its time: {:+.0f} %\n", 100 * change(result) + 0.0);
  print_candidates(result);
}

void print_reordered_json(const Call& call, const graph::Reordered& result) {
  Json candidates = Json::array();
  for (const OrderCandidate& candidate : result.candidates.tried)
    candidates.push_back(
        {{"order", to_string(candidate.kind)}, {"seconds", candidate.cost.seconds}});
  const auto least = result.candidates.least_seconds;
  const auto cost = [](const OrderCost& of) {
    return Json{{"line_misses", of.line_misses},
                {"l2_misses", of.l2_misses},
                {"l1_misses", of.l1_misses},
                {"tlb_misses", of.tlb_misses},
                {"seconds", of.seconds}};
  };
  fmt::print("{}\n", Json{{"output", call.output},
                          {"format", result.format},
                          {"rows", result.rows},
                          {"columns", result.columns},
                          {"entries", result.entries},
                          {"order", to_string(result.kind)},
                          {"before", cost(result.before)},
                          {"after", cost(result.after)},
                          {"predicted_change", change(result)},
                          {"candidates", candidates},
                          {"least_seconds", least ? Json(*least) : nullptr}}
                         .dump_sorted());
}

}  // namespace

void add_reorder(options::Command app) {
  const auto call = std::make_shared<Call>();
  const options::Command verb =
      app.add_verb("reorder", "Reorders a matrix or a graph, so that caches are reused");
  verb.add_option("FILE", call->input, "Matrix Market, METIS graph (both packed or not), *.atoll")
      .required();
  verb.add_option("-o,--output", call->output, "FILE to write, in the same format")
      .required()
      .type_name("FILE");
  verb.add_option("--order", call->order, "This order, even if it doesn't pay")
      .check(value::one_of({"created", "degree", "breadth-first", "rcm"}))
      .type_name("ORDER");
  verb.add_option("--row-order,--rows", call->rows,
                  "FILE to write: line i is new row i's old number, from 0")
      .type_name("FILE");
  verb.add_option("--column-order,--columns", call->columns, "The same of columns")
      .type_name("FILE");
  verb.add_option("--machine", call->machine, "Predict for this machine (atoll machine --help)")
      .type_name("M");
  verb.add_flag("--json", call->json, "One JSON object instead of text");
  verb.footer(
      "Without --order the best of all orders is taken, and the one that is there\n"
      "unless another one gains 3 %. Values stay as they are written; a symmetric\n"
      "matrix stays symmetric; labels move with their nodes.\n"
      "  atoll reorder a.mtx.gz -o b.mtx --row-order p.txt\n"
      "  atoll reorder mesh.graph -o rcm.graph --order rcm");
  verb.run([call] {
    const std::vector<std::string> outputs{call->output, call->rows, call->columns};
    check_separate_files(outputs, {call->input, machine_file_of_name(call->machine)});
    for (const std::string& path : outputs)
      if (!path.empty()) const AtomicFile writable(path);
    const Machine machine = Machine::open(call->machine);
    const Team team(spread_places(Machine::this_computer()));
    AtomicFiles together;
    const graph::Reordered result =
        graph::reorder(call->input, call->output, team, machine, task_order_of(call->order));
    write_order(result.row_order, call->rows);
    write_order(result.column_order, call->columns);
    together.commit();
    (call->json ? print_reordered_json : print_reordered)(*call, result);
  });
}

}  // namespace Atoll::cli
