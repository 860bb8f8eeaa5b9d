#include "recording/drain.hpp"

namespace Atoll::recording {

bool Drain::step() {
  const bool much = rings_.take([&](std::uint32_t stream, const record::ThreadRecord& thread,
                                    std::span<const std::uint64_t> words) {
    touched_.add(thread.process, words);
    sink_.write(stream, words);
  });
  sink_.step_done();
  return much;
}

}  // namespace Atoll::recording
