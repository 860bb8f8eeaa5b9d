// Flows in two dimensions. Compiled apart from the suites: the kernels take longest.
#include "../clover_flow.hpp"

namespace Atoll::bench {

std::unique_ptr<SteppedFlow> make_cloverleaf2d(const st::Options& options, int n) {
  return std::make_unique<CloverFlow<2>>(options, n);
}

std::unique_ptr<SteppedFlow> make_fixed_cloverleaf(const st::Options& options, int n) {
  return std::make_unique<CloverFlow<2>>(options, n, true);
}

}  // namespace Atoll::bench
