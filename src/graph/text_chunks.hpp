// Parses the chunks of a text with all threads of a team, and reports the first error in the text.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "atoll/threads/team.hpp"
#include "graph/text_reader.hpp"

namespace Atoll::graph {

struct LineError {
  std::size_t line = 0;  ///< within the chunk, from 0
  std::string what;
  std::string way_out;
};

/// The part of a chunk's result that determines the line number of an error.
struct ChunkResult {
  std::size_t lines = 0;
  std::optional<LineError> error;
};

/// Calls parse(thread, chunk) for each remaining chunk of `reader`. Throws Error (input) that names
/// the first line with an error.
void parse_chunks(
    TextReader& reader, const Team& team,
    const std::function<ChunkResult(std::size_t thread, const TextReader::Chunk& chunk)>& parse);

}  // namespace Atoll::graph
