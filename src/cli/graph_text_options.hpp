// Options of `atoll graph convert` and `atoll graph info` for reading text formats.
#pragma once

#include <memory>
#include <string>
#include <vector>
#include "atoll/options/command.hpp"

#include "atoll/graph/graph.hpp"

namespace Atoll::cli {

inline constexpr const char* kGraphInput =
    "Edge list, table, Matrix Market, METIS, DIMACS, KONECT or binary, packed or not; - is "
    "standard "
    "input";

struct GraphTextCall {
  bool relabel = false;
  bool keep_ids = false;
  bool one_based = false;
  std::string columns, vertices;
  std::vector<std::string> values;
  std::vector<options::Option> options;  ///< those that some formats don't take
};

/// Adds the options to a verb. The result must live until they are parsed.
[[nodiscard]] std::shared_ptr<GraphTextCall> add_graph_text_options(options::Command verb);
/// Converts the parsed options. Throws Error (input) for an invalid one.
[[nodiscard]] graph::TextOptions text_options(const GraphTextCall& call);

}  // namespace Atoll::cli
