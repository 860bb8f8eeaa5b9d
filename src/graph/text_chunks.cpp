// Threads fetch chunks dynamically. The line number of an error is computed from the line counts of
// all earlier chunks.
#include "graph/text_chunks.hpp"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/progress.hpp"

namespace Atoll::graph {
namespace {

/// Collects the results of all chunks.
class Findings {
 public:
  explicit Findings(std::size_t lines_before) : lines_before_(lines_before) {}

  void add(std::size_t chunk, ChunkResult&& result) {
    const std::scoped_lock lock(mutex_);
    if (lines_.size() <= chunk) lines_.resize(chunk + 1);
    lines_[chunk] = result.lines;
    if (result.error && chunk < error_chunk_) {
      error_chunk_ = chunk;
      error_ = std::move(*result.error);
      stopped_ = true;  // earlier chunks are already being parsed; later ones are irrelevant
    }
  }
  void stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }

  void throw_error(const std::string& name) const {
    if (error_chunk_ == SIZE_MAX) return;
    std::size_t line = lines_before_ + error_.line + 1;
    for (std::size_t chunk = 0; chunk < error_chunk_; ++chunk) line += lines_[chunk];
    throw Error::input(fmt::format("{}:{}", name, line), error_.what, error_.way_out);
  }

 private:
  std::size_t lines_before_;
  std::mutex mutex_;
  std::vector<std::size_t> lines_;  // line count of each chunk
  std::size_t error_chunk_ = SIZE_MAX;
  LineError error_;
  std::atomic<bool> stopped_{false};
};

}  // namespace

void parse_chunks(
    TextReader& reader, const Team& team,
    const std::function<ChunkResult(std::size_t thread, const TextReader::Chunk& chunk)>& parse) {
  Findings findings(reader.lines_read());
  Progress progress("reading " + reader.source().name(), reader.source().bytes());
  team.run([&](int thread) {
    try {
      TextReader::Chunk chunk;
      while (!findings.stopped() && reader.next(chunk)) {
        ChunkResult result = parse(static_cast<std::size_t>(thread), chunk);
        progress.add(chunk.text.size());
        if (result.error) reader.stop();
        findings.add(chunk.index, std::move(result));
      }
    } catch (...) {
      findings.stop();
      reader.stop();
      throw;
    }
  });
  findings.throw_error(reader.source().name());
}

}  // namespace Atoll::graph
