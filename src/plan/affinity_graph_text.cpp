// Writes graphs as DOT.
#include "atoll/plan/affinity_graph_text.hpp"

#include <fmt/format.h>

#include <iterator>

#include "atoll/base/atomic_file.hpp"

namespace Atoll {
namespace {

/// Buffered text output to a file.
class Text {
 public:
  explicit Text(const std::string& path) : file_(path) {}

  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    if (text_.size() > kPiece) flush();
  }
  void commit() {
    flush();
    file_.commit();
  }

 private:
  static constexpr std::size_t kPiece = 1 << 20;

  void flush() {
    file_.write(std::string_view(text_.data(), text_.size()));
    text_.clear();
  }

  AtomicFile file_;
  fmt::memory_buffer text_;
};

}  // namespace

void write_dot(const AffinityGraph& graph, const std::string& path) {
  Text text(path);
  text.put("graph affinity {{\n");
  for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
    if (graph.vertex_weights.empty())
      text.put("  {};\n", vertex);
    else
      text.put("  {} [weight={}];\n", vertex, graph.work_of(vertex));
    for (std::uint64_t at = graph.begin[vertex]; at < graph.begin[vertex + 1]; ++at)
      if (graph.neighbours[at] > vertex)
        text.put("  {} -- {} [weight={}];\n", vertex, graph.neighbours[at], graph.weights[at]);
  }
  text.put("}}\n");
  text.commit();
}

}  // namespace Atoll
