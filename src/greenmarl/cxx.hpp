// The C++ compiler: which one, and calling it.
#pragma once

#include <string>
#include <vector>

namespace Atoll::greenmarl {

struct Cxx {
  std::vector<std::string> command;  ///< absolute program first, then options that belong to it
};

/// `wanted`: a command; "": $CXX, else c++, g++ or clang++ from $PATH. Throws Error (failed).
[[nodiscard]] Cxx find_cxx(const std::string& wanted);

/// Words between blanks.
[[nodiscard]] std::vector<std::string> split_words(const std::string& text);

/// Runs the command with its output in the file `log`. Throws Error (failed), with the first error
/// in the log, unless it succeeds; `what` names the work.
void run_logged(const std::vector<std::string>& command, const std::string& log,
                const std::string& what);

}  // namespace Atoll::greenmarl
