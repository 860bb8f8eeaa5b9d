// What watching costs: kernels under the front ends, beside the emulator alone and valgrind's
// tools.
#include <filesystem>

#include "bench.hpp"
#include "emulated.hpp"

int main(int argc, char** argv) {
  Atoll::bench::Suite suite("trace");
  const auto build = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  Atoll::bench::emulated_rows(suite, (build / "atoll").string());
  suite.write(argc, argv);
}
