// Suite `trace`: overhead of watching a program, by front end: CPU time of kernels and memory,
// relative to native runs and to other tools of this kind.
#include <filesystem>

#include "bench.hpp"
#include "compiled.hpp"
#include "emulated.hpp"
#include "sampled.hpp"
#include "timed.hpp"

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "work")  // one of the sampled programs
    return Atoll::bench::sampled::work(argv[2], argv[3]);
  const std::filesystem::path build =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  Atoll::bench::Suite suite("trace");
  Atoll::bench::timed_rows(suite, build);
  Atoll::bench::compiled_rows(suite, build);
  Atoll::bench::emulated_rows(suite, (build / "atoll").string());
  Atoll::bench::sampled_rows(suite);
  suite.write(argc, argv);
}
