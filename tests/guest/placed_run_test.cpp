// `atoll run --plan` and `--policy` on several nodes, with the program of the Shoal paper's §2,
// whose array one thread initializes. The program reads back the node of each page of each planned
// object, and the places of its threads.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "atoll/plan/program_plan.hpp"
#include "atoll/profile/profile.hpp"
#include "guest_system.hpp"
#include "profile/pack.hpp"

namespace Atoll::guest {
namespace {

constexpr std::size_t kTablePages = 16;

/// Output of the program: the node of each page of an object, and each worker's processing unit and
/// node.
struct Output {
  int code = -1;
  std::string text;
  std::map<std::string, std::vector<std::uint32_t>> pages;
  std::vector<int> units, nodes;
  std::vector<std::size_t> local;  ///< for each worker: number of local pages in its part
};

Output run(const std::string& options, int threads, std::size_t pages,
           const std::string& more = "") {
  const std::string command = "atoll run " + options + " -- memset_then_parallel " +
                              std::to_string(threads) + " " + std::to_string(pages) + " " + more +
                              " 2>&1";
  Output output;
  FILE* pipe = popen(command.c_str(), "r");
  char line[1 << 16];
  while (fgets(line, sizeof line, pipe) != nullptr) {
    output.text += line;
    std::istringstream words(line);
    std::string name, word;
    words >> name;
    int number = 0, unit = 0, node = 0, units = 0;
    std::size_t local = 0;
    if (std::sscanf(line, "worker %d unit %d node %d sees %d local %zu", &number, &unit, &node,
                    &units, &local) == 5) {
      output.local.push_back(local);
      output.units.push_back(unit);
      output.nodes.push_back(node);
    }
    if (name != "array" && name != "table" && name != "mapped") continue;
    while (words >> word) {
      const auto x = word.find('x');
      output.pages[name].insert(output.pages[name].end(), std::stoul(word.substr(x + 1)),
                                static_cast<std::uint32_t>(std::stoi(word.substr(0, x))));
    }
  }
  output.code = pclose(pipe);
  return output;
}

PlannedObject array_on(const Layout& layout, std::size_t pages) {
  return {.kind = PlannedObject::Kind::heap,
          .stack = {{.function = "make_array"}, {.function = "main"}},
          .bytes = pages * kPage,
          .layout = layout};
}

PlannedObject mapped_on(const Layout& layout, std::size_t pages) {
  PlannedObject object = array_on(layout, pages);
  object.kind = PlannedObject::Kind::mapping;
  object.stack.front().function = "map_array";
  return object;
}

/// Returns a plan whose worker i is on nodes[i].
ProgramPlan plan_with_workers(const std::vector<NodeId>& nodes) {
  ProgramPlan plan;
  plan.bind_threads = true;
  plan.threads.push_back({.name = "main", .node = nodes.front()});
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    plan.threads.push_back({.creator = 0,
                            .stack = {{.function = "start_worker"}, {.function = "main"}},
                            .order = i,
                            .node = nodes[i]});
  return plan;
}

/// Has no team, because a team would bind this thread and the processes that it starts.
class PlacedRun : public testing::Test {
 protected:
  PlacedRun() {
    for (const MemoryNode& memory : machine_.memories()) nodes_.push_back(memory.id);
  }
  ~PlacedRun() override { EXPECT_EQ(kills(), kills_before_) << "the OOM killer came"; }

  Output run_by(const ProgramPlan& plan, int threads, std::size_t pages,
                const std::string& more = "") {
    write_file("/tmp/the.plan.json", to_json(plan));
    Output output = run("--plan /tmp/the.plan.json", threads, pages, more);
    EXPECT_EQ(output.code, 0) << output.text;
    EXPECT_EQ(output.pages["array"].size(), pages) << output.text;
    return output;
  }
  /// Returns the nodes with processing units, each of them `times` in a row.
  std::vector<NodeId> initiators(std::size_t times) const {
    std::vector<NodeId> nodes;
    for (const NodeId node : machine_.initiators()) nodes.insert(nodes.end(), times, node);
    return nodes;
  }

  const Machine machine_ = Machine::this_computer();
  std::vector<NodeId> nodes_;
  const std::uint64_t kills_before_ = kills();
};

TEST_F(PlacedRun, EachPartIsOnItsThreadsNode) {
  constexpr std::size_t kPages = 2048;
  const auto nodes = initiators(2);
  const auto threads = static_cast<int>(nodes.size());
  ProgramPlan plan = plan_with_workers(nodes);
  plan.objects = {array_on({Partitioned{nodes}, PageSize::small}, kPages),
                  {.kind = PlannedObject::Kind::global,
                   .name = "table",
                   .bytes = kTablePages * kPage,
                   .layout = {SingleNode{nodes_.back()}, PageSize::small}}};
  const Output placed = run_by(plan, threads, kPages);
  std::vector<std::uint32_t> planned;
  for (std::size_t page = 0; page < kPages; ++page)
    planned.push_back(nodes[page * nodes.size() / kPages].value);
  EXPECT_EQ(placed.pages.at("array"), planned);
  EXPECT_EQ(placed.pages.at("table"), std::vector<std::uint32_t>(kTablePages, nodes_.back().value));
  ASSERT_EQ(placed.nodes.size(), nodes.size()) << placed.text;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    EXPECT_EQ(static_cast<std::uint32_t>(placed.nodes[i]), nodes[i].value);

  // Without the plan, the array is on main's node at the time of the initialization, or where the
  // system moved it.
  const Output plain = run("--policy os", threads, kPages);
  EXPECT_EQ(plain.code, 0);
  EXPECT_NE(plain.pages.at("array"), planned);
}

TEST_F(PlacedRun, RunsAndGranulesAreKeptPageByPage) {
  constexpr std::size_t kPages = 600;
  ProgramPlan plan;
  plan.objects = {array_on({SingleNode{nodes_[0]}, PageSize::small}, kPages)};
  plan.objects[0].runs = {{1, nodes_[1]}, {100, nodes_[2]}, {101, nodes_[0]}, {600, nodes_[3]}};
  std::vector<std::uint32_t> planned{nodes_[1].value};
  planned.resize(100, nodes_[2].value);
  planned.resize(101, nodes_[0].value);
  planned.resize(600, nodes_[3].value);
  EXPECT_EQ(run_by(plan, 2, kPages).pages.at("array"), planned);

  plan.objects[0].runs.clear();
  plan.objects[0].layout.where = Distributed{{nodes_[3], nodes_[1], nodes_[1]}, 4 * kPage};
  for (std::size_t page = 0; page < kPages; ++page)
    planned[page] = (page / 4 % 3 == 0 ? nodes_[3] : nodes_[1]).value;
  EXPECT_EQ(run_by(plan, 2, kPages).pages.at("array"), planned);
}

TEST_F(PlacedRun, ObjectsOfAnotherSizeAreDividedInProportion) {
  constexpr std::size_t kPages = 605;  // the plan is for 600
  ProgramPlan plan;
  plan.objects = {array_on({SingleNode{nodes_[0]}, PageSize::small}, 600)};
  plan.objects[0].runs = {{1, nodes_[1]}, {100, nodes_[2]}, {250, nodes_[0]}, {600, nodes_[3]}};
  std::vector<std::uint32_t> planned;
  for (std::uint64_t page = 0; page < kPages; ++page) {
    std::size_t run = 0;  // the run that contains the page's middle
    while ((2 * page + 1) * 600 > 2 * kPages * plan.objects[0].runs[run].end_page) ++run;
    planned.push_back(plan.objects[0].runs[run].node.value);
  }
  EXPECT_EQ(run_by(plan, 2, kPages).pages.at("array"), planned);

  plan.objects[0].runs.clear();
  plan.objects[0].layout.where = Partitioned{{nodes_[2], nodes_[0], nodes_[1], nodes_[3]}};
  planned.assign(151, nodes_[2].value);  // parts end at 151.25, 302.5 and 453.75 pages
  planned.resize(303, nodes_[0].value);
  planned.resize(454, nodes_[1].value);
  planned.resize(605, nodes_[3].value);
  EXPECT_EQ(run_by(plan, 2, kPages).pages.at("array"), planned);
}

TEST_F(PlacedRun, WhatTheProgramMapsIsPlacedWhereAPolicyCanBe) {
  constexpr std::size_t kPages = 600;
  ProgramPlan plan;
  plan.objects = {mapped_on({SingleNode{nodes_[0]}, PageSize::small}, kPages)};
  plan.objects[0].runs = {{1, nodes_[1]}, {100, nodes_[2]}, {600, nodes_[3]}};
  std::vector<std::uint32_t> planned{nodes_[1].value};
  planned.resize(100, nodes_[2].value);
  planned.resize(600, nodes_[3].value);
  const Output anonymous = run_by(plan, 2, kPages, "mapped");
  EXPECT_EQ(anonymous.pages.at("mapped"), planned) << anonymous.text;
  EXPECT_NE(anonymous.text.find("recognised 0 of 0 threads and 1 of 1 object\n"), std::string::npos)
      << anonymous.text;
  EXPECT_EQ(run_by(plan, 2, kPages, "populated").pages.at("mapped"), planned);
  // Files in tmpfs, as /tmp here, have their own policies. Pages that are written in a private
  // mapping are copies.
  EXPECT_EQ(run_by(plan, 2, kPages, "/tmp/array").pages.at("mapped"), planned);
  EXPECT_EQ(run_by(plan, 2, kPages, "/tmp/array private").pages.at("mapped"), planned);
}

/// Checks that the array's pages are distributed evenly over all nodes, with a tolerance of
/// `most_apart` pages per node.
void expect_spread(const Output& output, std::size_t nodes, double most_apart) {
  const auto& pages = output.pages.at("array");
  std::map<std::uint32_t, std::size_t> count;
  for (const std::uint32_t node : pages) ++count[node];
  ASSERT_EQ(count.size(), nodes) << output.text;
  const double share = static_cast<double>(pages.size()) / static_cast<double>(nodes);
  for (const auto& [node, n] : count)
    EXPECT_NEAR(static_cast<double>(n), share, most_apart) << node;
}

TEST_F(PlacedRun, InterleavedByPages) {
  constexpr std::size_t kPages = 1000;
  ProgramPlan plan;
  plan.objects = {array_on({Distributed{nodes_}, PageSize::small}, kPages)};
  expect_spread(run_by(plan, 2, kPages), nodes_.size(), 1);
  // The system interleaves by huge page: 19 of them, and some small pages at both ends.
  expect_spread(run("--policy interleave", 2, 10240), nodes_.size(), 1024);

  plan.objects.clear();
  plan.rest = Layout{SingleNode{nodes_.back()}, PageSize::small};
  EXPECT_EQ(run_by(plan, 2, kPages).pages.at("array"),
            std::vector<std::uint32_t>(kPages, nodes_.back().value));
}

/// Writes a description of this machine with last-level caches that are smaller than a worker's
/// part. If a part fit the cache, it would be read once, and no plan would save time. Returns the
/// option --machine with that file.
std::string with_small_caches(const Machine& machine) {
  std::string text =
      std::regex_replace(machine.to_json(), std::regex("l3 [0-9.]+ [KMG]iB"), "l3 512 KiB");
  text = std::regex_replace(text, std::regex("l2 [0-9.]+ [KMG]iB"), "l2 256 KiB");
  std::ofstream("/tmp/small.json") << text;
  return " --machine /tmp/small.json";
}

/// Returns the local fraction of the accesses to the largest object of a kind. The accesses are
/// from a profile, the nodes of its pages from a later run.
double local_share(const std::string& path, const ProgramPlan& plan, recording::ObjectKind kind,
                   const std::vector<std::uint32_t>& pages) {
  const profile::Profile profile = profile::load(path);
  const auto& objects = profile.recording.objects;
  const auto array = std::ranges::max_element(objects, {}, [&](const recording::Object& object) {
    return object.kind == kind && object.site != recording::kNone ? object.bytes : 0;
  });
  profile::Unpacker unpacker;
  std::uint64_t all = 0, local = 0;
  for (const profile::PackedChunk& packed : profile.chunks) {
    if (packed.object != array->id) continue;
    const profile::Chunk& chunk = unpacker.unpack(packed);
    for (std::size_t i = 0; i < chunk.pages.size(); ++i) {
      const std::uint64_t page = chunk.first_page + chunk.pages[i] - array->address / kPage;
      const std::uint64_t accesses = chunk.reads[i] + chunk.writes[i];
      all += accesses;
      if (page < pages.size() && pages[page] == plan.threads.at(chunk.thread).node.value)
        local += accesses;
    }
  }
  return static_cast<double>(local) / static_cast<double>(all);
}

/// Profiles the instrumented build, creates advice, and runs the plain build by that plan.
TEST_F(PlacedRun, ProfiledAdvisedAndPlaced) {
  constexpr std::size_t kPages = 4096;
  const auto succeeds = [](const std::string& command) {
    return std::system((command + " >/tmp/output 2>&1 || { cat /tmp/output; false; }").c_str()) ==
           0;
  };
  ASSERT_TRUE(
      succeeds("atoll profile -o /tmp/p --frontend compiled -- memset_watched 4 4096 mapped"));
  ASSERT_TRUE(succeeds("atoll advise /tmp/p -o /tmp/advised.json" + with_small_caches(machine_)));
  std::ifstream file("/tmp/advised.json");
  const ProgramPlan plan =
      plan_from_json(std::string(std::istreambuf_iterator<char>(file), {}), "advised.json");
  EXPECT_TRUE(plan.bind_threads);
  ASSERT_TRUE(plan.after);
  // Workers read their parts 16 times, main initializes them once: 16/17 are 94 %.
  EXPECT_GE(plan.after->local_share, 0.9);

  const Output placed = run("--plan /tmp/advised.json", 4, kPages, "mapped");
  ASSERT_EQ(placed.code, 0) << placed.text;
  EXPECT_NE(placed.text.find("recognised 5 of 5 threads and 2 of 2 objects\n"), std::string::npos)
      << placed.text;
  EXPECT_NE(placed.text.find("function, file and line          4        2\n"), std::string::npos)
      << placed.text;
  ASSERT_EQ(placed.nodes.size() + 1, plan.threads.size());
  for (std::size_t i = 0; i < placed.nodes.size(); ++i)
    EXPECT_EQ(static_cast<std::uint32_t>(placed.nodes[i]), plan.threads[i + 1].node.value);
  const Output plain = run("--policy os", 4, kPages, "mapped");
  for (const auto& [name, kind] : {std::pair("array", recording::ObjectKind::heap),
                                   std::pair("mapped", recording::ObjectKind::mapping)}) {
    const double after = local_share("/tmp/p", plan, kind, placed.pages.at(name));
    const double before = local_share("/tmp/p", plan, kind, plain.pages.at(name));
    EXPECT_GE(after, 0.95) << name;
    EXPECT_LT(before, after) << name;
    std::printf("%s: %.1f %% local where it lay, %.1f %% by the plan\n", name, before * 100,
                after * 100);
  }
}

/// In each recording, workers begin in another order, which differs from the order of creation.
/// Each worker asks the system how much of its part is on its node, so the thread numbers in the
/// plan don't matter.
TEST_F(PlacedRun, EachWorkerHasItsPartWhoeverBeganFirst) {
  // With main, there is one thread per node, so no thread waits for another one's memory. A part is
  // one huge page, at whose bounds the plan may divide the array.
  // The plan may leave up to 1/8 of each part on main's node, whose memory is otherwise idle.
  constexpr std::size_t kWorkers = 7, kPages = kWorkers * 512;
  const std::string command =
      " -- memset_watched " + std::to_string(kWorkers) + " " + std::to_string(kPages);
  for (int recording = 0; recording < 4; ++recording) {
    const std::string plan = "/tmp/numbers.json";
    ASSERT_EQ(std::system(("atoll profile -o /tmp/numbers --frontend compiled" + command +
                           " >/tmp/output 2>&1 && atoll advise /tmp/numbers -o " + plan +
                           with_small_caches(machine_) +
                           " >/tmp/output 2>&1 || { cat /tmp/output; false; }")
                              .c_str()),
              0);
    const Output placed = run("--plan " + plan, kWorkers, kPages);
    ASSERT_EQ(placed.code, 0) << placed.text;
    ASSERT_EQ(placed.local.size(), kWorkers) << placed.text;
    for (const std::size_t local : placed.local)
      EXPECT_GE(local, kPages / kWorkers * 85 / 100) << "recording " << recording << "\n"
                                                     << placed.text;
  }
}

TEST_F(PlacedRun, CompactThreadsAreNeighbours) {
  const ThreadPlaces places =
      compact_places(machine_, static_cast<int>(machine_.processors().size()));
  const auto threads = static_cast<int>(places.size()) - 1;  // the first place is main's
  const Output output = run("--policy compact", threads, 64);
  ASSERT_EQ(output.units.size(), places.size() - 1) << output.text;
  for (std::size_t i = 0; i < output.units.size(); ++i)
    EXPECT_EQ(output.units[i], places[i + 1].pu) << output.text;
}

TEST_F(PlacedRun, AFullNodeSpillsAndNobodyIsKilled) {
  const NodeId small = nodes_[2];
  const std::size_t pages = machine_.memory(small).capacity_bytes / kPage * 5 / 4;
  ProgramPlan plan;
  plan.objects = {array_on({SingleNode{small}, PageSize::small}, pages)};
  const Output output = run_by(plan, 1, pages);
  std::map<std::uint32_t, std::size_t> count;
  for (const std::uint32_t node : output.pages.at("array")) ++count[node];
  EXPECT_GT(count[small.value], pages / 2);
  EXPECT_GT(count.size(), 1U);
}

TEST_F(PlacedRun, BalancingIsTheKernels) {
  const std::string setting = "/proc/sys/kernel/numa_balancing";
  write_file(setting, "0");
  const Output off = run("--policy numa-balancing", 1, 64);
  EXPECT_EQ(WEXITSTATUS(off.code), 1);
  EXPECT_NE(off.text.find("switch it on, as root: sysctl kernel.numa_balancing=1"),
            std::string::npos)
      << off.text;
  write_file(setting, "1");
  EXPECT_EQ(run("--policy numa-balancing", 1, 64).code, 0);
}

}  // namespace
}  // namespace Atoll::guest
