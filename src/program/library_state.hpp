// Arguments of a library procedure's call, and the results of its last run.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program/call.hpp"
#include "program/library_handle.hpp"
#include "program/library_results.hpp"

namespace Atoll::program {

struct LibraryCall::State {
  const Offered* offered = nullptr;
  std::vector<std::shared_ptr<LibraryGraph::Shared>> graphs;
  std::shared_ptr<LibraryGraph::Shared> no_graph = std::make_shared<LibraryGraph::Shared>();
  RunOptions options;
  std::map<std::string, Scalar, std::less<>> scalars;
  std::map<std::string, std::uint64_t, std::less<>> ids;
  std::map<std::string, Given, std::less<>> arrays;

  std::optional<Machine> machine;
  std::unique_ptr<LibraryResults> results;
  std::map<std::string, Copied, std::less<>> copied;  ///< copies of the collections that were read

  std::mutex stopping;
  bool stop_wanted = false;
  const Team* running = nullptr;  ///< null unless a run is in progress

  [[nodiscard]] const Procedure& procedure() const { return offered->description; }

  const Argument& argument(const char* name, bool output) const {
    for (const Argument& one : procedure().arguments)
      if (one.output == output && name != nullptr && one.name == name) return one;
    throw unknown(name, output ? "a scalar result" : "a scalar argument");
  }
  [[nodiscard]] const ArrayUse* find_array(const char* name, bool output) const {
    for (const ArrayUse& use : procedure().arrays)
      if (name != nullptr && use.name == name && (output ? use.result : use.input)) return &use;
    return nullptr;
  }
  [[nodiscard]] const CollectionUse* find_collection(const char* name, bool output) const {
    for (const CollectionUse& use : procedure().collections)
      if (name != nullptr && use.name == name && (output ? use.result : use.input) &&
          use.place == CollectionPlace::alone)
        return &use;
    return nullptr;
  }
  [[nodiscard]] Error unknown(const char* name, std::string_view what) const {
    return Error::input(procedure().name,
                        fmt::format("'{}' is not {} of it", name == nullptr ? "" : name, what),
                        "ask for the descriptions of its arguments");
  }
  LibraryResults& finished() {
    if (!results)
      throw Error::input(procedure().name, "there are no results", "run it first, to its end");
    return *results;
  }
  const Copied& items_of(const CollectionUse& use) {
    auto found = copied.find(use.name);
    if (found == copied.end())
      found = copied.emplace(use.name, copy_items(finished().items(use), results->widths())).first;
    return found->second;
  }

  /// Places the arrays and runs the procedure. Call it on a thread that the team may pin.
  void work();

 private:
  void fill(LibraryResults& run, const ArrayUse& use);
  template <class Node, class Edge>
  void place_and_run(const Team& team, const std::vector<graph::GraphSize>& sizes);
  std::vector<std::pair<std::string, Scalar>> argument_values(const std::vector<Names>& names);
};

}  // namespace Atoll::program
