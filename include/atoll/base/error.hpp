// The one exception type. An error says in one line what is wrong, where, and what would be right.
// Only `cli` turns its kind into an exit code.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace Atoll {

/// The exception that every function of Atoll throws.
class Error : public std::runtime_error {
 public:
  enum class Kind {
    failed,  ///< the work failed: an I/O error, a fault of the program that ran (exit code 1)
    input,   ///< the call or an input is wrong (exit code 2)
    memory,  ///< there is no memory for the work (exit code 1)
  };

  /// `where` is a file, "file:line:column", an option or an operation; `what` is what is wrong
  /// there; `way_out` is what would be right or would help (may be empty). Line breaks in any of
  /// them become spaces, so that what() is always one line: "where: what; way_out".
  Error(Kind kind, std::string_view where, std::string_view what, std::string_view way_out = {});

  [[nodiscard]] static Error input(std::string_view where, std::string_view what,
                                   std::string_view way_out = {});
  [[nodiscard]] static Error failed(std::string_view where, std::string_view what,
                                    std::string_view way_out = {});
  [[nodiscard]] static Error memory(std::string_view where, std::string_view what,
                                    std::string_view way_out = {});
  /// A failed system call, of kind `memory` if it says ENOMEM. The message ends with the system's
  /// text for `errno_value`.
  [[nodiscard]] static Error system(std::string_view where, std::string_view tried, int errno_value,
                                    std::string_view way_out = {});

  [[nodiscard]] Kind kind() const noexcept { return kind_; }

 private:
  Kind kind_;
};

}  // namespace Atoll
