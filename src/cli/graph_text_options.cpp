// Parses --columns and --value.
#include "cli/graph_text_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "atoll/base/error.hpp"

namespace Atoll::cli {

std::shared_ptr<GraphTextCall> add_graph_text_options(options::Command verb) {
  auto call = std::make_shared<GraphTextCall>();
  const options::Option relabel = verb.add_flag(
      "--relabel", call->relabel, "Number nodes anew, ids become labels; ids may be words");
  const options::Option keep =
      verb.add_flag("--keep-ids", call->keep_ids, "Ids are nodes' numbers, however sparse")
          .excludes(relabel);
  call->options = {
      relabel,
      keep,
      verb.add_flag("--one-based", call->one_based, "Ids count from 1: id 1 is node 0"),
      verb.add_option("--columns", call->columns,
                      "A table's columns, by the names in its first line, or numbers")
          .type_name("FROM,TO"),
      verb.add_option("--value", call->values, "Keep a number of each edge (also repeatedly)")
          .type_name("NAME=COLUMN")
          .one_word_each(),
      verb.add_option("--vertices", call->vertices,
                      "FILE with the ids of all nodes, one on each line; some may have no edge")
          .type_name("FILE")};
  return call;
}

graph::TextOptions text_options(const GraphTextCall& call) {
  graph::TextOptions text;
  if (call.relabel) text.ids = graph::TextOptions::Ids::relabel;
  if (call.keep_ids) text.ids = graph::TextOptions::Ids::keep;
  text.one_based = call.one_based;
  text.vertices = call.vertices;
  for (const options::Option& option : call.options)
    if (option.is_given()) text.given.push_back(option.name());
  if (!call.columns.empty()) {
    const std::size_t comma = call.columns.find(',');
    text.from = call.columns.substr(0, comma);
    text.to = comma == std::string::npos ? "" : call.columns.substr(comma + 1);
    if (text.from.empty() || text.to.empty() || text.to.find(',') != std::string::npos)
      throw Error::input("--columns", fmt::format("'{}' are not two columns", call.columns),
                         "write --columns FROM,TO");
  }
  for (const std::string& value : call.values) {
    const std::size_t equals = value.find('=');
    const std::string name = value.substr(0, equals);
    const bool good = !name.empty() && equals != std::string::npos && equals + 1 < value.size() &&
                      name.size() <= 64 && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                      std::all_of(name.begin(), name.end(),
                                  [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (!good)
      throw Error::input("--value", fmt::format("'{}'", value),
                         "write NAME=COLUMN, the name of letters, digits and _");
    for (const auto& other : text.values)
      if (other.name == name)
        throw Error::input("--value", fmt::format("'{}' twice", name), "give each a name");
    text.values.push_back({name, value.substr(equals + 1)});
  }
  return text;
}

}  // namespace Atoll::cli
