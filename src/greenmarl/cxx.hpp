// Finds and runs the C++ compiler.
#pragma once

#include <string>
#include <vector>

namespace Atoll::greenmarl {

struct Cxx {
  std::vector<std::string>
      command;  ///< the program's absolute path, then options that are part of the command
};

inline constexpr const char* kNameACompiler = "name a C++ compiler, such as g++";

/// `wanted` is a command; "" means $CXX, else c++, g++ or clang++ from $PATH. Throws Error (input)
/// if the command isn't a program, Error (failed) if $PATH has no compiler.
[[nodiscard]] Cxx find_cxx(const std::string& wanted);

/// Splits a text into words at blanks.
[[nodiscard]] std::vector<std::string> split_words(const std::string& text);

/// Runs the command. If it fails, its output stays in the file `log`, and Error (failed) is thrown
/// with the first error in it; `what` describes the work. If this process ends first, the command
/// is killed, and its output file `unfinished` is removed.
void run_logged(const std::vector<std::string>& command, const std::string& log,
                const std::string& what, const std::string& unfinished);

}  // namespace Atoll::greenmarl
