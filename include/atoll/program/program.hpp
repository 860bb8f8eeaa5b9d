// How Atoll sees a compiled graph program: a Procedure, which describes its arguments and arrays,
// and a function to run. The compiler emits both (docs/green-marl.md); a person can write them too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "atoll/array/array.hpp"
#include "atoll/parallel/for_each.hpp"
#include "atoll/pattern/procedure.hpp"
#include "atoll/program/options.hpp"
#include "atoll/threads/team.hpp"

namespace Atoll::program {

/// A value of any ValueType: Int, Long, Bool, Node and Edge as integers, Float and Double as
/// double.
using Scalar = std::variant<std::int64_t, double>;

/// The interface between a run and the program's function: what it works with, and what it returns.
class RunBase {
 public:
  virtual ~RunBase() = default;
  [[nodiscard]] const Team& team() const { return *team_; }
  /// Fixed if an array is partitioned (threads then find their part near), else dynamic.
  [[nodiscard]] LoopSchedule schedule() const { return schedule_; }
  /// A scalar argument by name.
  template <class T>
  [[nodiscard]] T argument(std::string_view name) const {
    return std::visit([](auto value) { return static_cast<T>(value); }, scalar(name));
  }
  /// The seed of random numbers (--seed).
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  /// Throws Stopped if the run was asked to stop. Loops on the team do so for each chunk; code
  /// between them calls this where it could go on for long.
  void check_stop() const { team_->check_stop(); }
  /// Sets the procedure's return value. A Node or an Edge is given as its id.
  void returns(Scalar value) { returned_ = {value}; }
  /// Sets a scalar result. It is 0, False or NIL as long as it isn't set.
  void output(std::string_view name, Scalar value);
  /// Sets how often a loop that the formulas name (k, k2, …) really ran.
  void trip_count(std::string_view symbol, std::uint64_t count);

 protected:
  [[nodiscard]] Scalar scalar(std::string_view name) const;

  const Team* team_ = nullptr;
  LoopSchedule schedule_ = LoopSchedule::dynamic;
  std::vector<std::pair<std::string, Scalar>> arguments_;
  std::uint64_t seed_ = 1;
  std::vector<Scalar> returned_;  ///< none or one
  std::vector<std::pair<std::string, Scalar>> outputs_;
  std::vector<std::pair<std::string, std::uint64_t>> trip_counts_;
};

/// A graph's arrays for one width of ids; those that the procedure doesn't name are empty.
template <class Node, class Edge>
class GraphArrays {
 public:
  GraphArrays() = default;
  GraphArrays(std::size_t nodes, std::size_t edges) : nodes_(nodes), edges_(edges) {}
  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  [[nodiscard]] std::size_t edges() const { return edges_; }

  Array<Edge> begin;
  Array<Node> node_idx;
  Array<Edge> r_begin;
  Array<Node> r_node_idx;
  Array<Edge> r_edge_idx;

 private:
  std::size_t nodes_ = 0;
  std::size_t edges_ = 0;
};

/// What the function works with. Of the procedure's graphs, it is the first itself.
template <class Node, class Edge>
class Run : public RunBase, public GraphArrays<Node, Edge> {
 public:
  /// A graph by its position in Procedure::graphs.
  [[nodiscard]] GraphArrays<Node, Edge>& graph(std::size_t position) {
    return position == 0 ? *this : others_[position - 1];
  }

  /// A property by its name in the procedure; T is the C++ type of its ValueType (std::int32_t,
  /// std::int64_t, float, double, bool, Node, Edge).
  template <class T>
  [[nodiscard]] Array<T>& array(std::string_view name) {
    return *static_cast<Array<T>*>(find_array(name));
  }
  /// A collection or map by its name in the procedure; T is graph::NodeSet<Node>,
  /// NodeOrder<Node>, NodeSequence<Node> or Map<K, V>, whose K and V are as above. Several are a
  /// graph::CollectionSequence of them, or a std::vector with one for each node or edge.
  template <class T>
  [[nodiscard]] T& collection(std::string_view name) {
    return *static_cast<T*>(find_collection(name));
  }

 protected:
  std::vector<GraphArrays<Node, Edge>> others_;  ///< the further graphs
  [[nodiscard]] virtual void* find_array(std::string_view name) = 0;
  [[nodiscard]] virtual void* find_collection(std::string_view name) = 0;
};

/// Which widths of ids a program is compiled for: a sum of 1 (nodes and edges have 32 bits), 2
/// (nodes 32, edges 64) and 4 (both 64). `atoll run` knows its graph, and compiles for one only.
#ifndef ATOLL_IDS
#define ATOLL_IDS 7
#endif

/// The program's function for each width of ids that it was compiled for.
struct Entry {
  void (*narrow)(Run<std::uint32_t, std::uint32_t>&) = nullptr;
  void (*mixed)(Run<std::uint32_t, std::uint64_t>&) = nullptr;
  void (*wide)(Run<std::uint64_t, std::uint64_t>&) = nullptr;

  /// `function` is a lambda without captures that takes a Run of any widths.
  template <int ids = ATOLL_IDS, class Function>
  [[nodiscard]] static Entry of(Function function) {
    Entry entry;
    if constexpr ((ids & 1) != 0) entry.narrow = function;
    if constexpr ((ids & 2) != 0) entry.mixed = function;
    if constexpr ((ids & 4) != 0) entry.wide = function;
    return entry;
  }
};

/// A compiled program's main(). It reads the options of `atoll run` (PROG --help lists them), loads
/// the graph, chooses layouts, fills the arrays, runs, and prints. Returns the exit code.
int main(int argc, char** argv, const Procedure& procedure, const Entry& entry);

/// The file of each of the procedure's graphs. Throws Error (input) if they aren't those.
[[nodiscard]] std::vector<std::string> graph_files(const Procedure& procedure,
                                                   const RunOptions& options);

/// Chooses layouts as main() does with `options`, and prints them as --dry-run does. It needs no
/// function to run; of Atoll's graph file it reads the head only. Throws what main() would print.
void dry_run(const Procedure& procedure, const RunOptions& options);

}  // namespace Atoll::program
