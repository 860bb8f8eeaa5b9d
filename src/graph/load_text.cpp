// Parsing in parallel: threads take chunks in turn, parse each into pairs of their own, and note
// what is needed to name the line where something is wrong.
#include "graph/load_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/progress.hpp"
#include "atoll/base/units.hpp"
#include "graph/build.hpp"

namespace Atoll::graph {
namespace {

constexpr const char* kTooLargeWayOut =
    "number nodes from 0 without gaps, or use a machine with more memory";

/// What the threads tell of the chunks: enough to find the first error's line.
class Findings {
 public:
  explicit Findings(std::size_t lines_before) : lines_before_(lines_before) {}

  void add(std::size_t chunk, ParsedLines&& parsed) {
    const std::scoped_lock lock(mutex_);
    if (lines_.size() <= chunk) lines_.resize(chunk + 1);
    lines_[chunk] = parsed.lines;
    if (parsed.error && chunk < error_chunk_) {
      error_chunk_ = chunk;
      error_ = std::move(*parsed.error);
      stopped_ = true;  // earlier chunks are in work already, and later ones don't matter
    }
  }
  void stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }

  void throw_error(const std::string& path) const {
    if (error_chunk_ == SIZE_MAX) return;
    std::size_t line = lines_before_ + error_.line + 1;
    for (std::size_t chunk = 0; chunk < error_chunk_; ++chunk) line += lines_[chunk];
    throw Error::input(fmt::format("{}:{}", path, line), error_.what, error_.way_out);
  }

 private:
  std::size_t lines_before_;
  std::mutex mutex_;
  std::vector<std::size_t> lines_;  // of each chunk
  std::size_t error_chunk_ = SIZE_MAX;
  LineError error_;
  std::atomic<bool> stopped_{false};
};

/// Narrow pairs, or wide ones where the ids need it.
ParsedLines parse_chunk(std::string_view text, const LineFormat& format,
                        EdgeList<std::uint32_t>& narrow, EdgeList<std::uint64_t>& wide) {
  ParsedLines parsed = parse_edge_lines(text, format, narrow.room(max_edges(text)));
  if (parsed.error || parsed.max_id <= UINT32_MAX) {
    narrow.commit(parsed.edges);
  } else {
    parsed = parse_edge_lines(text, format, wide.room(max_edges(text)));
    wide.commit(parsed.edges);
  }
  return parsed;
}

}  // namespace

void parse_lines(ParsedText& text, TextReader& reader, const Team& team, const LineFormat& format,
                 std::uint64_t budget, bool mirrored) {
  text.narrow.resize(static_cast<std::size_t>(team.size()));
  text.wide.resize(static_cast<std::size_t>(team.size()));
  Findings findings(reader.lines_taken());
  Progress progress("reading " + reader.source().name(), reader.source().bytes());
  std::atomic<std::uint64_t> entries{0};
  std::atomic<std::uint64_t> nodes{0};
  std::atomic<bool> with_values{false};
  team.run([&](int thread) {
    const auto t = static_cast<std::size_t>(thread);
    try {
      TextReader::Chunk chunk;
      while (!findings.stopped() && reader.next(chunk)) {
        ParsedLines parsed = parse_chunk(chunk.text, format, text.narrow[t], text.wide[t]);
        if (parsed.with_values) with_values = true;
        if (parsed.edges > 0)
          for (std::uint64_t most = nodes; most <= parsed.max_id;)
            if (nodes.compare_exchange_weak(most, parsed.max_id + 1)) break;
        const std::uint64_t all = entries += parsed.edges;
        const std::uint64_t id_bytes = nodes < kNarrowBelow ? 4 : 8;
        const std::uint64_t needed = build_bytes(nodes, mirrored ? 2 * all : all, id_bytes);
        if (!parsed.error && needed > budget)
          parsed.error = {
              parsed.lines - 1,
              fmt::format("too large: {} edges up to here take {} to build, {} are "
                          "available",
                          format_count(all), format_bytes(needed), format_bytes(budget)),
              "use a smaller graph or a machine with more memory"};
        progress.add(chunk.text.size());
        if (parsed.error) reader.stop();
        findings.add(chunk.index, std::move(parsed));
      }
    } catch (...) {
      findings.stop();
      reader.stop();
      throw;
    }
  });
  findings.throw_error(reader.source().name());
  text.entries = entries;
  text.nodes = std::max<std::uint64_t>(text.nodes, nodes);
  if (with_values)
    note(reader.source().name() + ": only the first two columns are used, values of edges are not");
}

ParsedText parse_edge_list(TextReader& reader, const Team& team, std::uint64_t budget,
                           bool mirrored) {
  const std::uint64_t most = most_nodes(budget);
  LineFormat format;
  format.last_id = std::min<std::uint64_t>(most - 1, INT64_MAX);
  format.beyond_last =
      fmt::format("is too large: the {} of memory available are enough for {} nodes",
                  format_bytes(budget), format_count(most));
  format.beyond_last_way_out = kTooLargeWayOut;
  ParsedText text;
  parse_lines(text, reader, team, format, budget, mirrored);
  return text;
}

ParsedText parse_text(TextReader& reader, const Team& team, std::uint64_t budget, bool mirrored) {
  const auto parse = is_matrix_market(reader.peek(64)) ? parse_matrix_market : parse_edge_list;
  return parse(reader, team, budget, mirrored);
}

Graph load_text(TextReader& reader, const Team& team, const BuildOptions& options,
                std::uint64_t budget) {
  ParsedText text = parse_text(reader, team, budget, options.symmetrise);
  if (text.nodes == 0 && options.min_nodes == 0)
    throw Error::input(reader.source().name(), "no edges in it", "write 'source target' a line");
  BuildOptions build = options;
  build.symmetrise |= text.symmetric;
  return Graph(build_rows(std::move(text.narrow), std::move(text.wide), text.nodes, team, build));
}

}  // namespace Atoll::graph
