// The list of the compiler's errors and warnings, so that one run reports all mistakes. A pass that
// can't continue throws Refused after its report. The caller catches it and continues with the next
// statement.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/source.hpp"

namespace Atoll::greenmarl {

/// Thrown after a mistake was reported.
struct MistakeReported {};

class Diagnostics {
 public:
  explicit Diagnostics(const Source& source) : source_(source) {}

  [[nodiscard]] const Source& source() const { return source_; }
  /// Reports a mistake. A second error or a warning at the same position is dropped, because it
  /// follows from the first.
  void error(Position at, std::string_view message, std::string_view way_out);
  void warning(Position at, std::string_view message, std::string_view way_out);
  /// Reports a mistake and throws Refused.
  [[noreturn]] void fail(Position at, std::string_view message, std::string_view way_out);

  [[nodiscard]] bool failed() const { return failed_; }
  /// True if the limit is reached, so that further reports are dropped.
  [[nodiscard]] bool full() const;
  /// Returns the diagnostics in the order of the text.
  [[nodiscard]] std::vector<Diagnostic> sorted() const;

 private:
  void add(bool error, Position at, std::string_view message, std::string_view way_out);

  const Source& source_;
  std::vector<Diagnostic> list_;
  bool failed_ = false;
};

}  // namespace Atoll::greenmarl
