// Finds the C++ compiler, and calls it.
#pragma once

#include <string>
#include <vector>

namespace Atoll::greenmarl {

struct Cxx {
  std::vector<std::string>
      command;  ///< the program's absolute path first, then options that belong to it
};

inline constexpr const char* kNameACompiler = "name a C++ compiler, such as g++";

/// `wanted` is a command; "" means $CXX, else c++, g++ or clang++ from $PATH. Throws Error: input
/// if the command is no program, failed if there is none in $PATH.
[[nodiscard]] Cxx find_cxx(const std::string& wanted);

/// Splits a text into words at blanks.
[[nodiscard]] std::vector<std::string> split_words(const std::string& text);

/// Runs the command. Unless it succeeds, its output is left in the file `log`, and Error (failed)
/// is thrown with the first error in it; `what` names the work. If this process ends meanwhile, the
/// command is ended and the file `unfinished`, its output, is removed.
void run_logged(const std::vector<std::string>& command, const std::string& log,
                const std::string& what, const std::string& unfinished);

}  // namespace Atoll::greenmarl
