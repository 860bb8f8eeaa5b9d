// Unpacks the single member of a compressed file or archive in its own thread, concurrently with
// the threads that parse it.
#pragma once

#include <memory>

#include "atoll/threads/team.hpp"
#include "graph/archive.hpp"

namespace Atoll::graph {

class Unpacker : public ByteSource {
 public:
  /// `packed` must outlive this object. Throws Error (input) unless it has a single member.
  Unpacker(InputFile& packed, const Team& team);
  /// Stops the thread at any point.
  ~Unpacker() override;

  [[nodiscard]] const std::string& name() const override { return archive_.name(); }
  [[nodiscard]] std::size_t bytes() const override { return 0; }
  /// Has no effect on an archive with named members, since refuse_other_files() reads the rest.
  void stop() noexcept override;

  /// Called after an error in the data. Reads to the end, and throws Error (input) if another
  /// member follows, since the first one may not be the graph.
  void refuse_other_files();

 private:
  std::size_t read_next(char* to, std::size_t bytes) override;

  class Queue;
  InputFile& packed_;
  Archive archive_;
  std::unique_ptr<Queue> queue_;
};

}  // namespace Atoll::graph
