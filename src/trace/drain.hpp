// Empties the rings of a stream, while the program runs and once more at its end.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/shared_region.hpp"
#include "trace/stream_file.hpp"

namespace Atoll::trace {

class Drain {
 public:
  Drain(const Region& region, StreamWriter& writer) : region_(region), writer_(writer) {}
  /// Writes what is in the rings; true: there was much, look again soon.
  bool step();

 private:
  const Region& region_;
  StreamWriter& writer_;
  std::vector<std::uint64_t> words_;
};

}  // namespace Atoll::trace
