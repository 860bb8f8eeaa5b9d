// Suite `chains`: chains of any length relative to the best length that a user could find by
// calling run() after every few steps, in nanoseconds per point and step. Rows are for one thread
// and for two. Results are compared first. `bench_chains FILE.json WORDS` runs only rows whose
// names contain WORDS.
#include <thread>

#include "stencil_chains.hpp"

namespace {

using namespace Atoll::bench;

template <class Flow>
std::unique_ptr<SteppedFlow> make_flow(const st::Options& options, int n) {
  return std::make_unique<Flow>(options, n);
}

}  // namespace

int main(int argc, char** argv) {
  Suite suite("chains");
  const std::string words = argc > 2 ? argv[2] : "";
  const ChainCase cases[] = {
      {"heat 2000", make_flow<HeatFlow>, 2000, 2, {1, 10, 100, 1000, 20000}},
      {"wave 256", make_flow<WaveFlow>, 256, 3, {1, 10, 100}},
      {"wave 128", make_flow<WaveFlow>, 128, 3, {1000, 20000}},
      {"cloverleaf2d 960", make_fixed_cloverleaf, 960, 2, {150, 1000, 20000}},
  };
  for (const ChainCase& one : cases)
    for (const int threads : {1, 2})
      if (threads <= static_cast<int>(std::thread::hardware_concurrency()))
        chain_rows(suite, one, threads, words);
  suite.write(argc, argv);
}
