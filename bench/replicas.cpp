// Suite `replicas`: Table 3 of the Shoal paper, with hop-distance's updates on an array on one
// node, distributed, and in writeable replicas with each of Atoll's update methods. If the machine
// has fewer nodes than copies, several copies are on one node; the rows then show the cost of
// updates without the gain of local reads. Distances are checked before any measurement.
#include <atoll/machine/thread_places.hpp>
#include <memory>
#include <optional>

#include "bench.hpp"
#include "hop_updates.hpp"

using namespace Atoll;
using bench::require;
using Granule = WriteSet::Granule;

namespace {

constexpr int kRounds = 11;

struct Variant {
  std::string name;
  std::function<std::uint64_t()> run;
  std::function<bool()> is_right;  ///< checks the distances in every copy that must have them
  bool reads_are_right = true;
};

class Variants {
 public:
  Variants(const memory::Context& context, const bench::HopScene& scene,
           memory::CopyEngines& engines)
      : context_(context), scene_(scene), engines_(engines) {}

  void plain(const std::string& name, const Layout& layout) {
    auto array = make(layout);
    add(
        name, array, [this, array](std::uint32_t v, std::uint32_t d) { array->set(v, d); }, [] {});
  }
  void all_copies(const std::string& name, const Layout& layout) {
    auto array = make(layout);
    add(
        name, array, [array](std::uint32_t v, std::uint32_t d) { array->set_in_all_copies(v, d); },
        [] {});
  }
  void whole_sync(const std::string& name, const Layout& layout) {
    auto array = make(layout);
    add(
        name, array, [array](std::uint32_t v, std::uint32_t d) { array->set(v, d); },
        [array] { array->sync(); });
  }
  void write_set(const std::string& name, const Layout& layout, Granule granule) {
    auto array = make(layout);
    auto written = std::make_shared<WriteSet>(array->write_set(granule));
    add(
        name, array,
        [array, written](std::uint32_t v, std::uint32_t d) { array->set(v, d, *written); },
        [array, written] { array->sync(*written); });
  }
  /// Marks writes and never copies, which shows the overhead of marking. Only the master copy is
  /// correct.
  void without_copy(const std::string& name, const Layout& layout) {
    auto array = make(layout);
    auto written = std::make_shared<WriteSet>(array->write_set());
    add(
        name, array,
        [array, written](std::uint32_t v, std::uint32_t d) { array->set(v, d, *written); },
        [written] { written->clear(0, written->blocks()); });
    variants.back().reads_are_right = false;
    variants.back().is_right = [this, array] { return copy_is_right(*array, 0); };
  }
  void epochs(const std::string& name, const Layout& layout) {
    auto both = std::make_shared<Epochs<std::uint32_t>>(context_, scene_.distances.size(), layout,
                                                        engines_);
    variants.push_back(
        {name,
         [this, both] {
           both->fill(bench::kFar);
           return hop_updates(
               scene_, context_.team, [&] { return both->local(); },
               [&](std::uint32_t v, std::uint32_t d) { both->set(v, d); },
               [&] {
                 both->propagate();
                 both->flip();
               });
         },
         [this, both] { return std::ranges::equal(both->local(), scene_.distances); }});
  }

  std::vector<Variant> variants;

 private:
  using Distances = Array<std::uint32_t>;

  std::shared_ptr<Distances> make(const Layout& layout) {
    return std::make_shared<Distances>(context_, scene_.distances.size(), layout);
  }
  bool copy_is_right(const Distances& array, std::size_t copy) const {
    const auto* distances = reinterpret_cast<const std::uint32_t*>(array.raw().copy(copy));
    return std::equal(scene_.distances.begin(), scene_.distances.end(), distances);
  }
  template <class Write, class EndLevel>
  void add(const std::string& name, const std::shared_ptr<Distances>& array, Write write,
           EndLevel end_level) {
    variants.push_back({name,
                        [this, array, write, end_level] {
                          array->fill(bench::kFar);
                          return hop_updates(
                              scene_, context_.team, [&] { return array->local(); }, write,
                              end_level);
                        },
                        [this, array] {
                          bool right = true;
                          for (std::size_t copy = 0; copy < array->raw().copies(); ++copy)
                            right = right && copy_is_right(*array, copy);
                          return right;
                        }});
  }

  const memory::Context& context_;
  const bench::HopScene& scene_;
  memory::CopyEngines& engines_;
};

}  // namespace

int main(int argc, char** argv) {
  const Machine machine = Machine::this_computer();
  const Team team(spread_places(machine));
  const memory::Context context{machine, team};
  memory::CopyEngines engines(team);
  const bench::HopScene scene(20, 16, team);

  std::vector<NodeId> nodes;
  for (const MemoryNode& memory : machine.memories()) nodes.push_back(memory.id);
  const auto copies = [&](std::size_t count) {
    std::vector<NodeId> on;
    for (std::size_t copy = 0; copy < count; ++copy) on.push_back(nodes[copy % nodes.size()]);
    return Layout{Replicated{on}, PageSize::small};
  };
  Variants table(context, scene, engines);
  table.plain("single node", {SingleNode{nodes.front()}, PageSize::small});
  table.plain("distributed", {Distributed{nodes, 4096}, PageSize::small});
  for (const std::size_t count : {std::size_t{2}, std::size_t{4}}) {
    const std::string replicas = fmt::format("{} replicas, ", count);
    table.whole_sync(replicas + "whole sync", copies(count));
    table.write_set(replicas + "write set by line", copies(count), Granule::line);
    table.write_set(replicas + "write set by page", copies(count), Granule::page);
    table.all_copies(replicas + "write to all", copies(count));
    table.epochs(replicas + "epochs", copies(count));
  }
  table.without_copy("2 replicas, without the copy", copies(2));

  std::vector<std::function<void()>> runs;
  for (Variant& variant : table.variants) {
    const std::uint64_t far_seen = variant.run();
    require(variant.is_right(), variant.name + ": distances");
    require(far_seen == scene.far_seen || !variant.reads_are_right, variant.name + ": reads");
    runs.emplace_back([&variant] { static_cast<void>(variant.run()); });
  }
  const auto measured = bench::alternate(runs, kRounds);
  bench::Suite suite("replicas");
  fmt::print("{} nodes, {} edges, {} levels; {} threads, {} memory nodes\n", scene.distances.size(),
             scene.target.size(), scene.levels.size(), team.size(), nodes.size());
  for (std::size_t i = 0; i < runs.size(); ++i)
    suite.row(table.variants[i].name, "ms", 1e3 * measured[i].median, "single node",
              1e3 * measured.front().median, measured[i].spread);
  suite.write(argc, argv);
}
