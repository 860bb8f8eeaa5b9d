// Labels from a text, a line a node.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "atoll/base/error.hpp"
#include "graph/input_file.hpp"
#include "graph/state.hpp"
#include "graph/text_reader.hpp"

namespace Atoll::graph {

void read_labels(Graph& graph, const std::string& path) {
  InputFile file(path);
  TextReader reader(file, TextReader::kMaxLineBytes);
  std::vector<std::uint64_t> begin{0};
  std::string text;
  for (std::string line; reader.take_line(line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    text += line;
    begin.push_back(text.size());
  }
  if (begin.size() - 1 != graph.nodes())
    throw Error::input(path, fmt::format("{} labels for {} nodes", begin.size() - 1, graph.nodes()),
                       "write one label a line, the first line for node 0");
  Buffer<std::uint64_t> offsets(begin.size());
  std::copy(begin.begin(), begin.end(), offsets.data());
  Buffer<char> letters(text.size());
  std::copy(text.begin(), text.end(), letters.data());
  adopt(graph.state().label_begin, std::move(offsets));
  adopt(graph.state().label_text, std::move(letters));
}

}  // namespace Atoll::graph
