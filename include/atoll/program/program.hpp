// A compiled graph program consists of a Procedure, which describes its arguments and arrays, and a
// function. The compiler emits both (docs/green-marl.md); they can also be written manually.
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
#include "atoll/program/scalar.hpp"
#include "atoll/threads/team.hpp"

namespace Atoll::program {

/// The interface between a run and the program's function: the function's inputs and results.
class RunBase {
 public:
  virtual ~RunBase() = default;
  [[nodiscard]] const Team& team() const { return *team_; }
  /// Fixed if an array is partitioned, so that threads access their own parts; else dynamic.
  [[nodiscard]] LoopSchedule schedule() const { return schedule_; }
  /// Returns a scalar argument by name.
  template <class T>
  [[nodiscard]] T argument(std::string_view name) const {
    return std::visit([](auto value) { return static_cast<T>(value); }, scalar(name));
  }
  /// Returns the seed for random numbers (--seed).
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  /// Throws Stopped if a stop was requested. Loops on the team check it for each chunk. Other code
  /// that may run long calls it regularly.
  void check_stop() const { team_->check_stop(); }
  /// Sets the procedure's return value. A Node or an Edge is passed as its id.
  void returns(Scalar value) { returned_ = {value}; }
  /// Sets a scalar result, which is 0, False or NIL by default.
  void output(std::string_view name, Scalar value);
  /// Sets the actual trip count of a loop that has a symbol in formulas (k, k2, …).
  void trip_count(std::string_view symbol, std::uint64_t count);

 protected:
  [[nodiscard]] Scalar scalar(std::string_view name) const;

  const Team* team_ = nullptr;
  LoopSchedule schedule_ = LoopSchedule::dynamic;
  std::vector<std::pair<std::string, Scalar>> arguments_;
  std::uint64_t seed_ = 1;
  std::vector<Scalar> returned_;  ///< at most one element
  std::vector<std::pair<std::string, Scalar>> outputs_;
  std::vector<std::pair<std::string, std::uint64_t>> trip_counts_;
};

/// A graph's arrays for one width of ids. Arrays that the procedure doesn't use are empty.
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

/// Data that the program's function uses, such as the arrays of the procedure's first graph.
template <class Node, class Edge>
class Run : public RunBase, public GraphArrays<Node, Edge> {
 public:
  /// Returns the arrays of the graph at this index of Procedure::graphs.
  [[nodiscard]] GraphArrays<Node, Edge>& graph(std::size_t position) {
    return position == 0 ? *this : others_[position - 1];
  }

  /// Returns a property by its name in the procedure. T is the C++ type of its ValueType
  /// (std::int32_t, std::int64_t, float, double, bool, Node, Edge).
  template <class T>
  [[nodiscard]] Array<T>& array(std::string_view name) {
    return *static_cast<Array<T>*>(find_array(name));
  }
  /// Returns a collection or map by its name in the procedure. T is graph::NodeSet<Node>,
  /// NodeOrder<Node>, NodeSequence<Node> or Map<K, V>, with K and V as for array(). Several
  /// collections are a graph::CollectionSequence of these, or a std::vector with one per node or
  /// edge.
  template <class T>
  [[nodiscard]] T& collection(std::string_view name) {
    return *static_cast<T*>(find_collection(name));
  }

 protected:
  std::vector<GraphArrays<Node, Edge>> others_;  ///< all graphs but the first
  [[nodiscard]] virtual void* find_array(std::string_view name) = 0;
  [[nodiscard]] virtual void* find_collection(std::string_view name) = 0;
};

/// Widths of ids that a program is compiled for: a sum of 1 (nodes and edges have 32 bits), 2
/// (nodes 32, edges 64) and 4 (both 64). `atoll run` knows its graph, and compiles for one only.
#ifndef ATOLL_IDS
#define ATOLL_IDS 7
#endif

class CollectionTypes;  // collection_types.hpp

/// The program's functions for one width of ids; null for a width that it wasn't compiled for.
template <class Node, class Edge>
struct Functions {
  void (*run)(Run<Node, Edge>&) = nullptr;
  /// Adds the types of all collections of the procedure; null if it has none.
  void (*add_types)(CollectionTypes&) = nullptr;
};

/// The functions of a program for each width of ids that it may be compiled for.
struct Entry {
  Functions<std::uint32_t, std::uint32_t> narrow;
  Functions<std::uint32_t, std::uint64_t> mixed;
  Functions<std::uint64_t, std::uint64_t> wide;

  /// Makes an entry from lambdas without captures: one that takes a Run of any widths, and one with
  /// the template arguments Node and Edge, which takes the CollectionTypes to add to.
  template <int ids = ATOLL_IDS, class Function, class... AddTypes>
  [[nodiscard]] static Entry of(Function function, AddTypes... add_types) {
    Entry entry;
    if constexpr ((ids & 1) != 0) set(entry.narrow, function, add_types...);
    if constexpr ((ids & 2) != 0) set(entry.mixed, function, add_types...);
    if constexpr ((ids & 4) != 0) set(entry.wide, function, add_types...);
    return entry;
  }

 private:
  template <class Node, class Edge, class Function>
  static void set(Functions<Node, Edge>& functions, Function function) {
    functions.run = function;
  }
  template <class Node, class Edge, class Function, class AddTypes>
  static void set(Functions<Node, Edge>& functions, Function function, AddTypes) {
    functions.run = function;
    functions.add_types = [](CollectionTypes& types) {
      AddTypes().template operator()<Node, Edge>(types);
    };
  }
};

/// Implements main() of a compiled program. Reads the options of `atoll run` (PROG --help lists
/// them), loads the graph, chooses layouts, fills the arrays, runs the function and prints the
/// results. Returns the exit code.
int main(int argc, char** argv, const Procedure& procedure, const Entry& entry);

/// Returns the file of each of the procedure's graphs. Throws Error (input) if the options don't
/// match the graphs.
[[nodiscard]] std::vector<std::string> graph_files(const Procedure& procedure,
                                                   const RunOptions& options);

/// Chooses layouts as main() does with `options`, and prints them as --dry-run does. Needs no
/// function; reads only the header of Atoll's graph file. Throws errors that main() would print.
void dry_run(const Procedure& procedure, const RunOptions& options);

}  // namespace Atoll::program
