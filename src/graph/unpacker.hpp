// Unpacks the single member of a compressed file or archive in its own thread, concurrently with
// the threads that parse it.
#pragma once

#include <memory>

#include "atoll/threads/team.hpp"
#include "graph/byte_source.hpp"
#include "graph/input_file.hpp"

namespace Atoll::graph {

class PackedSource : public ByteSource {
 public:
  /// Called after an error in the data. Reads to the end, and throws Error (input) if another
  /// member follows, since the first one may not be the graph.
  virtual void refuse_other_files() = 0;
};

/// `packed` must outlive the result. Throws Error (input) unless `packed` has a single member, or
/// if this build has no libarchive (ATOLL_ARCHIVES).
[[nodiscard]] std::unique_ptr<PackedSource> unpack(InputFile& packed, const Team& team);

}  // namespace Atoll::graph
