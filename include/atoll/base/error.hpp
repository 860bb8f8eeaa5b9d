// The only exception type. An error's message says in one line what is wrong, where, and what is
// accepted. Only exit_code_of() converts its kind to an exit code.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace Atoll {

/// The exception that all functions of Atoll throw.
class Error : public std::runtime_error {
 public:
  enum class Kind {
    failed,  ///< the work failed: an I/O error, or a fault of the program that ran (exit code 1)
    input,   ///< the call or an input is invalid (exit code 2)
    memory,  ///< memory is short (exit code 1)
  };

  /// `where` is a file, "file:line:column", an option or an operation; `what` is the problem;
  /// `way_out` is a remedy or what is accepted (may be empty). Line breaks become spaces, so what()
  /// is one line: "where: what; way_out".
  Error(Kind kind, std::string_view where, std::string_view what, std::string_view way_out = {});

  [[nodiscard]] static Error input(std::string_view where, std::string_view what,
                                   std::string_view way_out = {});
  [[nodiscard]] static Error failed(std::string_view where, std::string_view what,
                                    std::string_view way_out = {});
  [[nodiscard]] static Error memory(std::string_view where, std::string_view what,
                                    std::string_view way_out = {});
  /// Makes an error from a failed system call; the kind is `memory` for ENOMEM, else `failed`. The
  /// message ends with the system's text for `errno_value`.
  [[nodiscard]] static Error system(std::string_view where, std::string_view tried, int errno_value,
                                    std::string_view way_out = {});

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  /// Returns `where`, `what` or `way_out` as what() has it. The view is valid as long as the error.
  [[nodiscard]] std::string_view place() const noexcept;
  [[nodiscard]] std::string_view problem() const noexcept;
  [[nodiscard]] std::string_view way_out() const noexcept;

 private:
  Kind kind_;
  std::uint16_t place_size_, problem_size_;  ///< in what(), in bytes
};

}  // namespace Atoll
