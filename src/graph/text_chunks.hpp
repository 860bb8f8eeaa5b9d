// A text's chunks, parsed by all threads of a team; of all errors the first one in the text is
// told.
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

/// What has to be known of a chunk to name the line of an error.
struct ChunkResult {
  std::size_t lines = 0;
  std::optional<LineError> error;
};

/// parse(thread, chunk) for each chunk that is left in `reader`. Throws Error (input) that names
/// the first line in which there is an error.
void parse_chunks(
    TextReader& reader, const Team& team,
    const std::function<ChunkResult(std::size_t thread, const TextReader::Chunk& chunk)>& parse);

}  // namespace Atoll::graph
