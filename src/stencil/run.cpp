// Running the queue as a chain.
#include "stencil/run.hpp"

#include "atoll/base/error.hpp"
#include "stencil/reduce.hpp"

namespace Atoll::stencil {

void run_queue(Program::State& state) {
  const auto start = std::chrono::steady_clock::now();
  ++state.counters.chains;
  for (Queued& loop : state.queue) {
    try {
      if (false) {

      } else {
        LoopResults results(loop, 1);
        detail::Worker worker;
        std::vector<std::vector<std::uint64_t>> buffers;
        give_buffers(worker, buffers, loop);
        results.prepare(worker, 0);
        if (!loop.range.empty()) loop.code->run(loop.body, loop.range, worker);
        results.finish();
      }
      ++state.counters.loops;
    } catch (...) {
      state.void_because = *loop.name;
      state.drop_queue();
      throw;
    }
  }
  state.drop_queue();
  state.counters.run_seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace Atoll::stencil
