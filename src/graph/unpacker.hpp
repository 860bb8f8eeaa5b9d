// Unpacks the one file in a compressed file or archive in a thread of its own, while others parse
// what it has unpacked so far. libarchive knows the formats.
#pragma once

#include <memory>

#include "atoll/threads/team.hpp"
#include "graph/archive.hpp"

namespace Atoll::graph {

class Unpacker : public ByteSource {
 public:
  /// `packed` outlives this. Throws Error (input) unless it has a single file.
  Unpacker(InputFile& packed, const Team& team);
  /// Stops the thread at any point.
  ~Unpacker() override;

  [[nodiscard]] const std::string& name() const override { return archive_.name(); }
  [[nodiscard]] std::size_t bytes() const override { return 0; }
  /// Doesn't stop within an archive: refuse_other_files() will read the rest.
  void stop() noexcept override;

  /// Called after an error in the data: reads to the end, and throws Error (input) if another file
  /// follows, since the first may then not have been a graph.
  void refuse_other_files();

 private:
  std::size_t read_next(char* to, std::size_t bytes) override;

  class Queue;
  InputFile& packed_;
  Archive archive_;
  std::unique_ptr<Queue> queue_;
};

}  // namespace Atoll::graph
