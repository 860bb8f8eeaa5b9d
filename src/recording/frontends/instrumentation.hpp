// Detects the compiler that instrumented a program.
#pragma once

#include <string>

namespace Atoll::recording {

/// Instrumentation of a program's executable.
struct Instrumentation {
  bool by_us = false;    ///< links Atoll's library
  bool by_tsan = false;  ///< calls the interface of -fsanitize=thread
};

[[nodiscard]] Instrumentation instrumentation_of(const std::string& program);

}  // namespace Atoll::recording
