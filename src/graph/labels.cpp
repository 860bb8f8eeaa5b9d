// Reads labels from a text, one label a line.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "atoll/base/error.hpp"
#include "graph/input_file.hpp"
#include "graph/labels.hpp"
#include "graph/state.hpp"
#include "graph/text_reader.hpp"

namespace Atoll::graph {

namespace {

void adopt_labels(Graph::State& state, const std::vector<std::uint64_t>& begin,
                  const std::string& text) {
  Buffer<std::uint64_t> offsets(begin.size());
  std::copy(begin.begin(), begin.end(), offsets.data());
  Buffer<char> letters(text.size());
  std::copy(text.begin(), text.end(), letters.data());
  adopt(state.label_begin, std::move(offsets));
  adopt(state.label_text, std::move(letters));
}

}  // namespace

std::uint64_t count_labels(const std::string& path) {
  InputFile file(path);
  TextReader reader(file, TextReader::kMaxLineBytes);
  std::uint64_t labels = 0;
  for (std::string line; reader.read_line(line);) ++labels;
  return labels;
}

void read_labels(Graph& graph, const std::string& path) {
  InputFile file(path);
  TextReader reader(file, TextReader::kMaxLineBytes);
  std::vector<std::uint64_t> begin{0};
  std::string text;
  for (std::string line; reader.read_line(line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    text += line;
    begin.push_back(text.size());
  }
  if (begin.size() - 1 != graph.nodes())
    throw Error::input(path, fmt::format("{} labels for {} nodes", begin.size() - 1, graph.nodes()),
                       "write one label a line, the first line for node 0");
  adopt_labels(graph.state(), begin, text);
}

void set_labels(Graph::State& state, const std::vector<std::string>& labels) {
  std::vector<std::uint64_t> begin{0};
  begin.reserve(labels.size() + 1);
  std::string text;
  for (const std::string& label : labels) {
    text += label;
    begin.push_back(text.size());
  }
  adopt_labels(state, begin, text);
}

}  // namespace Atoll::graph
