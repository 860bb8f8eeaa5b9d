// Additional size of `atoll trace --timed` relative to `atoll trace`: bytes of traces of the
// kernels of emulated.hpp, for the front ends that record work and dependences.
#pragma once

#include <filesystem>
#include <fstream>

#include "bench.hpp"
#include "emulated.hpp"

namespace Atoll::bench {

/// Adds rows for triad and SpMV gather: bytes of a timed trace relative to an untimed one; the
/// limit is 1.5 times as many plus 64 KiB. `build` is the folder that contains atoll.
inline void timed_rows(Suite& suite, const std::filesystem::path& build) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("atoll-bench-timed-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string atoll = (build / "atoll").string(), text = (folder / "kernel.c").string();
  for (const EmulatedKernel& kernel : kEmulatedKernels) {
    if (std::string(kernel.name) != "triad" && std::string(kernel.name) != "SpMV gather") continue;
    std::ofstream(text) << "#include <stdio.h>\n#include <stdlib.h>\n"
                        << kernel.text << R"C(
      int main(void) {
        prepare();
        kernel();
        printf("0 %.17g\n", answer());
        return 0;
      })C";
    for (const std::string frontend : {"compiled", "dbi"}) {
      const std::string program = (folder / frontend).string();
      const std::string compiler =
          frontend == "compiled" ? "'" + (build / "atollcc").string() + "'" : "cc";
      const std::string command = fmt::format("{} -O2 -w '{}' -o '{}'", compiler, text, program);
      require(std::system(command.c_str()) == 0, command);
      const auto bytes_of_trace = [&](std::vector<std::string> options) {
        const std::string trace = (folder / "trace").string();
        std::vector<std::string> words{atoll, "trace", "--frontend", frontend, "-o", trace};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"--", program});
        run_emulated(words);
        return static_cast<double>(std::filesystem::file_size(trace));
      };
      const double plain = bytes_of_trace({}), timed = bytes_of_trace({"--timed"});
      suite.row(fmt::format("{}, {}: timed trace", kernel.name, frontend), "bytes", timed,
                "not timed", plain);
      require(timed <= 1.5 * plain + 65536,
              fmt::format("{} under {}: a timed trace of {:.0f} bytes, {:.0f} without", kernel.name,
                          frontend, timed, plain));
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace Atoll::bench
