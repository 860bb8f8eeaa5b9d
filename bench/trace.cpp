// Suite `trace`: what watching a program costs, by front end: CPU time of kernels and memory,
// beside native, and beside the tools that people use for the like.
#include <filesystem>

#include "bench.hpp"
#include "compiled.hpp"
#include "emulated.hpp"

int main(int argc, char** argv) {
  const std::filesystem::path build =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  Atoll::bench::Suite suite("trace");
  Atoll::bench::compiled_rows(suite, build);
  Atoll::bench::emulated_rows(suite, (build / "atoll").string());
  suite.write(argc, argv);
}
