// What the compiler has to say about a program: a list, so that one run shows all mistakes. A pass
// that can't go on where it is throws Refused after it has reported; who calls it goes on behind
// the statement.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/source.hpp"

namespace Atoll::greenmarl {

/// Thrown once a mistake has been reported, or was reported before.
struct Refused {};

class Diagnostics {
 public:
  explicit Diagnostics(const Source& source) : source_(source) {}

  [[nodiscard]] const Source& source() const { return source_; }
  /// Reports a mistake. A second one at the same place is dropped: it follows from the first. So is
  /// a warning there.
  void error(Position at, std::string_view message, std::string_view way_out);
  void warning(Position at, std::string_view message, std::string_view way_out);
  /// Reports and throws Refused.
  [[noreturn]] void fail(Position at, std::string_view message, std::string_view way_out);

  [[nodiscard]] bool failed() const { return failed_; }
  /// So many have been reported that no more will be.
  [[nodiscard]] bool full() const;
  /// In the order of the text.
  [[nodiscard]] std::vector<Diagnostic> sorted() const;

 private:
  void add(bool error, Position at, std::string_view message, std::string_view way_out);

  const Source& source_;
  std::vector<Diagnostic> list_;
  bool failed_ = false;
};

}  // namespace Atoll::greenmarl
