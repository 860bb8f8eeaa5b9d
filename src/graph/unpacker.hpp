// The one file in a compressed file or archive, unpacked by a thread of its own while others parse
// what it has unpacked so far. libarchive knows the formats.
#pragma once

#include <memory>

#include "atoll/threads/team.hpp"
#include "graph/archive.hpp"

namespace Atoll::graph {

class Unpacker : public ByteSource {
 public:
  /// `packed` outlives this. Throws Error (input) where no single file is in it.
  Unpacker(InputFile& packed, const Team& team);
  /// Stops the thread, wherever it is.
  ~Unpacker() override;

  [[nodiscard]] const std::string& name() const override { return archive_.name(); }
  [[nodiscard]] std::size_t bytes() const override { return 0; }
  /// Not in an archive: refuse_other_files() will look at the rest.
  void stop() noexcept override;

  /// After an error in what was read: reads to the end, and throws Error (input) if another file
  /// follows there, as then the first may have been none of a graph.
  void refuse_other_files();

 private:
  std::size_t read_next(char* to, std::size_t bytes) override;

  class Queue;
  InputFile& packed_;
  Archive archive_;
  std::unique_ptr<Queue> queue_;
};

}  // namespace Atoll::graph
