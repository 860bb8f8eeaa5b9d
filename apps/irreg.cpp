// IRREG [affinity §4.4, Figure 9]: each edge of an irregular mesh computes a force from its two
// nodes and adds it to both. An edge is a task. Several tasks may add to one node, so the original
// program needs atomic additions or a private copy of all nodes for each thread, and uses the
// faster variant. With a schedule, edges and nodes are packed, and only nodes that several threads
// write have private copies.
#include "app.hpp"
#include "memory.hpp"
#include "updates.hpp"

#include <atoll/marks/marks.h>

#include <atomic>
#include <numeric>
#include <random>

namespace {

using Atoll::Array, Atoll::Error;

struct Mesh {
  std::size_t nodes = 0;
  std::vector<std::uint32_t> left, right;  ///< nodes of each edge
  [[nodiscard]] std::size_t edges() const { return left.size(); }
};

/// Checks that a mesh, its arrays and the private copies of its nodes fit into memory.
void check_memory(const std::string& where, double nodes, double edges, const Atoll::Team& team,
                  const app::Options& options) {
  constexpr double kEdge = 2 * sizeof(std::uint32_t), kNode = sizeof(double);
  const bool packs = options.breadth_first || options.schedule;
  const double copies = static_cast<double>(team.places().size());
  app::check_memory(where,
                    Atoll::format_count(static_cast<std::uint64_t>(nodes)) + " nodes and " +
                        Atoll::format_count(static_cast<std::uint64_t>(edges)) + " edges",
                    (packs ? 6 : 3) * edges * kEdge + ((packs ? 8 : 4) + copies) * nodes * kNode,
                    "take a smaller mesh");
}

Mesh random_mesh(std::size_t nodes, std::size_t edges, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Mesh mesh{nodes, std::vector<std::uint32_t>(edges), std::vector<std::uint32_t>(edges)};
  for (std::size_t edge = 0; edge < edges; ++edge) {
    mesh.left[edge] = static_cast<std::uint32_t>(random() % nodes);
    mesh.right[edge] = static_cast<std::uint32_t>(random() % nodes);
  }
  return mesh;
}

/// Returns a square grid of nodes, each connected to edges / nodes others near it, with nodes and
/// edges in random order.
Mesh shuffled_mesh(std::size_t nodes, std::size_t edges, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(nodes))));
  const std::size_t reach = edges / nodes + 1;
  std::vector<std::uint32_t> name(nodes), place(edges);
  std::iota(name.begin(), name.end(), 0U);
  std::iota(place.begin(), place.end(), 0U);
  std::shuffle(name.begin(), name.end(), random);
  std::shuffle(place.begin(), place.end(), random);
  Mesh mesh{nodes, std::vector<std::uint32_t>(edges), std::vector<std::uint32_t>(edges)};
  for (std::size_t edge = 0; edge < edges; ++edge) {
    const std::size_t node = edge % nodes, which = edge / nodes;
    // the neighbours below and to the right, nearest first: a block of about `reach` nodes
    const auto width = static_cast<std::size_t>(std::sqrt(static_cast<double>(reach))) + 1;
    const std::size_t other = (node + (which + 1) / width * side + (which + 1) % width) % nodes;
    mesh.left[place[edge]] = name[node];
    mesh.right[place[edge]] = name[other];
  }
  return mesh;
}

/// Returns the mesh with each edge of the graph once, in one direction.
Mesh mesh_of(const std::string& path, const Atoll::Team& team, const app::Options& options) {
  const Atoll::graph::Graph graph = Atoll::graph::load(path, team, {.symmetrise = true});
  if (graph.nodes() >= UINT32_MAX || graph.edges() / 2 >= UINT32_MAX)
    throw Error::input(path, "is too large", "take a graph of fewer than 2^32 - 1 nodes and edges");
  check_memory(path, static_cast<double>(graph.nodes()), static_cast<double>(graph.edges()) / 2,
               team, options);
  Mesh mesh{graph.nodes(), {}, {}};
  Atoll::graph::with_id_types(graph, [&]<class Node, class Edge>() {
    const auto begin = graph.ids<Edge>(Atoll::graph::Section::begin);
    const auto other = graph.ids<Node>(Atoll::graph::Section::node_idx);
    for (std::size_t node = 0; node < graph.nodes(); ++node)
      for (std::size_t edge = begin[node]; edge < begin[node + 1]; ++edge)
        if (node <= other[edge]) {
          mesh.left.push_back(static_cast<std::uint32_t>(node));
          mesh.right.push_back(static_cast<std::uint32_t>(other[edge]));
        }
  });
  return mesh;
}

/// Integers, so that sums have the same bits in any order.
double start_of(std::size_t node) {
  return static_cast<double>(node * 7919 % 1009);
}
double force(double left, double right) {
  return 2 * (left - right);
}

class Irreg {
 public:
  Irreg(const Atoll::memory::Context& context, Mesh mesh, const app::Options& options)
      : context_(context), mesh_(std::move(mesh)), options_(options) {
    print_ = Atoll::fingerprint<std::uint32_t>(mesh_.right,
                                               Atoll::fingerprint<std::uint32_t>(mesh_.left));
    std::vector<double> expected(mesh_.nodes);
    for (std::size_t edge = 0; edge < mesh_.edges(); ++edge) {
      const double f = force(start_of(mesh_.left[edge]), start_of(mesh_.right[edge]));
      expected[mesh_.left[edge]] += f;
      expected[mesh_.right[edge]] -= f;
    }
    for (double& value : expected) value *= options.iterations;
    expected_ = std::move(expected);
  }

  void run(const std::string& updates) {
    app::Clock::time_point start = app::Clock::now();
    std::optional<Atoll::Schedule> own;
    if (options_.breadth_first || options_.schedule)
      own = app::make_schedule(
          options_, kLoop, tasks(), context_.machine, context_.team, print_,
          // A task reads two indices of its own; a node has x and y.
          {.packs = true, .location_bytes = 16, .own_bytes = 8, .added_bytes = 8}, {});
    const Atoll::ScheduledLoop* const lists =
        own ? app::schedule_to_follow(*own, options_)
            : app::inherited_lists(context_.team, kLoop, mesh_.edges(), print_,
                                   Atoll::LoopData::is_packed);
    double prepared = app::seconds_since(start);
    std::vector<app::Variant> variants;
    if (lists == nullptr || options_.compare) add_originals(variants, updates);
    if (lists != nullptr) {
      start = app::Clock::now();
      add_packed(variants, *lists);
      prepared += app::seconds_since(start);
      std::printf("prepared in %.3f s\n", prepared);
    }
    const app::Times times = app::time(variants, options_);
    if (lists != nullptr && options_.compare) app::print_ratio("packed / original", times);
    app::print_checksum<double>(answer_);
  }

 private:
  static constexpr const char* kLoop = "edges";

  void check() const { app::check_answer(answer_, expected_, 0); }

  [[nodiscard]] Atoll::TaskLocations tasks() const {
    Atoll::TaskLocations tasks;
    tasks.location_count = static_cast<std::uint32_t>(mesh_.nodes);
    tasks.locations.reserve(2 * mesh_.edges());
    for (std::size_t edge = 0; edge < mesh_.edges(); ++edge) {
      tasks.locations.push_back(mesh_.left[edge]);
      tasks.locations.push_back(mesh_.right[edge]);
      tasks.begin.push_back(tasks.locations.size());
    }
    return tasks;
  }

  /// Places the arrays as in the original program: nodes and edges in their own order, in equal
  /// parts.
  void make_arrays() {
    std::vector<Atoll::NodeId> nodes;
    for (const Atoll::ThreadPlace& place : context_.team.places()) nodes.push_back(place.node);
    left_ = {context_, mesh_.edges(), Atoll::Partitioned{nodes}};
    right_ = {context_, mesh_.edges(), Atoll::Partitioned{nodes}};
    x_ = {context_, mesh_.nodes, Atoll::Partitioned{nodes}};
    y_ = {context_, mesh_.nodes, Atoll::Partitioned{nodes}};
    left_.copy_from(mesh_.left);
    right_.copy_from(mesh_.right);
    Atoll::for_each(context_.team, mesh_.nodes, Atoll::LoopSchedule::fixed,
                    [x = x_.master().data()](std::size_t i) { x[i] = start_of(i); });
    answer_.resize(mesh_.nodes);
  }

  void add_originals(std::vector<app::Variant>& variants, const std::string& updates) {
    make_arrays();
    const auto reset = [this] { y_.fill(0); };
    const auto check_y = [this] {
      std::copy(y_.local().begin(), y_.local().end(), answer_.begin());
      check();
    };
    // Additions commute, so they cause no dependence between tasks.
    atoll_mark_reduction(y_.master().data(), mesh_.nodes * sizeof(double));
    const app::TimedUpdates timed = app::timed_updates(updates, context_.machine, context_.team,
                                                       mesh_.nodes, 2 * mesh_.edges());
    if (timed.atomic)
      variants.push_back(
          {"original, atomic additions", reset, [this] { add_atomically(); }, check_y});
    if (timed.copies) {
      whole_.emplace(context_, Atoll::Packing::Part{0, mesh_.nodes});
      variants.push_back({"original, private copies", reset, [this] { add_privately(); }, check_y});
    }
  }

  void add_atomically() {
    Atoll::for_each_task(context_.team, kLoop, mesh_.edges(), 1,
                         [l = left_.local().data(), r = right_.local().data(),
                          x = x_.local().data(), y = y_.master().data()](std::size_t edge) {
                           const double f = force(x[l[edge]], x[r[edge]]);
                           std::atomic_ref(y[l[edge]]).fetch_add(f, std::memory_order_relaxed);
                           std::atomic_ref(y[r[edge]]).fetch_sub(f, std::memory_order_relaxed);
                         },
                         {.follow = nullptr});
  }
  void add_privately() {
    Atoll::for_each_task_range(
        context_.team, kLoop, mesh_.edges(), 1,
        [this, l = left_.local().data(), r = right_.local().data(), x = x_.local().data()](
            std::size_t edge, std::size_t end, std::size_t thread) {
          double* const y = whole_->of(thread);
          for (; edge < end; ++edge) {
            const double f = force(x[l[edge]], x[r[edge]]);
            y[l[edge]] += f;
            y[r[edge]] -= f;
          }
        },
        {.fingerprint = print_, .follow = nullptr});
    whole_->add_to(y_.master());
  }

  void add_packed(std::vector<app::Variant>& variants, const Atoll::ScheduledLoop& lists) {
    packing_.emplace(context_.team, lists);
    packed_left_ = {context_, mesh_.edges(), packing_->layout()};
    packed_right_ = {context_, mesh_.edges(), packing_->layout()};
    packing_->pack<std::uint32_t>(mesh_.left, packed_left_.master());
    packing_->pack<std::uint32_t>(mesh_.right, packed_right_.master());
    nodes_.emplace(*packing_, mesh_.nodes, Atoll::Renumbering::Use::written,
                   [l = packed_left_.local().data(), r = packed_right_.local().data()](
                       std::size_t edge, auto&& visit) {
                     visit(l[edge]);
                     visit(r[edge]);
                   });
    nodes_->rewrite(packed_left_.master());
    nodes_->rewrite(packed_right_.master());
    packed_x_ = {context_, mesh_.nodes, nodes_->layout()};
    packed_y_ = {context_, mesh_.nodes, nodes_->layout()};
    Atoll::for_each(context_.team, mesh_.nodes, Atoll::LoopSchedule::fixed,
                    [this, x = packed_x_.master().data()](std::size_t i) {
                      x[i] = start_of(nodes_->old_numbers()[i]);
                    });
    shared_.emplace(context_, nodes_->shared());
    answer_.resize(mesh_.nodes);
    std::printf("%zu of %zu nodes are written by several threads\n",
                nodes_->shared().end - nodes_->shared().begin, mesh_.nodes);
    variants.push_back({"packed", [this] { packed_y_.fill(0); }, [this] { add_to_packed(); },
                        [this] {
                          nodes_->unpack<double>(packed_y_.local(), answer_);
                          check();
                        }});
  }

  void add_to_packed() {
    Atoll::for_each_packed(
        *packing_,
        [this, l = packed_left_.local().data(), r = packed_right_.local().data(),
         x = packed_x_.local().data()](std::size_t edge, std::size_t end, std::size_t thread) {
          const auto y = shared_->target(thread, packed_y_.master());
          for (; edge < end; ++edge) {
            const double f = force(x[l[edge]], x[r[edge]]);
            y[l[edge]] += f;
            y[r[edge]] -= f;
          }
        });
    shared_->add_to(packed_y_.master());
  }

  Atoll::memory::Context context_;
  Mesh mesh_;
  app::Options options_;
  std::uint64_t print_ = 0;  ///< fingerprint of the mesh
  std::vector<double> expected_, answer_;
  Array<std::uint32_t> left_, right_, packed_left_, packed_right_;
  Array<double> x_, y_, packed_x_, packed_y_;
  std::optional<Atoll::PrivateCopies<double>> whole_, shared_;
  std::optional<Atoll::Packing> packing_;
  std::optional<Atoll::Renumbering> nodes_;
};

}  // namespace

int main(int argc, char** argv) {
  const Atoll::options::CommandLine call("IRREG: forces along the edges of an irregular mesh.",
                                         "irreg");
  app::Options options;
  std::size_t nodes = 0, edges = 0;
  std::uint64_t seed = 1;
  bool mesh = false;
  std::string path, updates = "faster";
  const auto by_size = call.add_option("--nodes", nodes, "Nodes of a mesh that is made here")
                           .check(app::value::count(1, UINT32_MAX - 2))
                           .type_name("N");
  const auto edge_count = call.add_option("--edges", edges, "Its edges, between random nodes")
                              .check(app::value::count(0, UINT32_MAX - 2))
                              .type_name("E");
  const auto is_mesh = call.add_flag("--mesh", mesh, "Connect near nodes of a grid instead");
  const auto by_file =
      call.add_option("--graph", path, "A graph file, each of its edges once").type_name("FILE");
  by_size.needs(edge_count);
  edge_count.needs(by_size);
  is_mesh.needs(by_size);
  by_file.excludes(by_size);
  call.add_option("--seed", seed, "Another seed, another mesh (1)")
      .check(app::value::count(0))
      .type_name("N");
  call.add_option("--updates", updates, "How the original adds (faster)")
      .check(app::value::one_of({"atomic", "private", "faster"}))
      .type_name("HOW");
  app::add_options(call, options);
  app::add_order_options(call, options);
  return app::run(call, argc, argv, [&] {
    if (nodes == 0 && path.empty())
      throw Error::input("irreg", "no mesh", "give --nodes and --edges, or --graph");
    const Atoll::Machine machine = Atoll::Machine::this_computer();
    const Atoll::Team team(Atoll::scheduled_places(machine, options.threads));
    if (path.empty())
      check_memory("--nodes and --edges", static_cast<double>(nodes), static_cast<double>(edges),
                   team, options);
    Irreg irreg({machine, team},
                !path.empty() ? mesh_of(path, team, options)
                : mesh        ? shuffled_mesh(nodes, edges, seed)
                              : random_mesh(nodes, edges, seed),
                options);
    irreg.run(updates);
  });
}
