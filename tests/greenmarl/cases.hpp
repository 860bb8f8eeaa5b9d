// Compiled procedures, many in one shared library: what a C++ compile costs is mostly the headers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "atoll/greenmarl/compiler.hpp"
#include "atoll/program/program.hpp"

namespace Atoll::greenmarl::oracle {

/// One procedure, as it was emitted.
struct Case {
  Procedure (*describe)();
  program::Entry (*entry)();
};

/// Emitted programs, compiled into one library and loaded.
class Library {
 public:
  /// Writes NAME.cpp and NAME.so into `folder`. `ids` is 1 for ids of 32 bits, 4 for ids of 64.
  /// Throws Error (failed) if the C++ compiler refuses them.
  Library(const std::string& folder, const std::string& name, const std::vector<Program>& programs,
          int ids);
  [[nodiscard]] const Case& operator[](std::size_t i) const { return cases_[i]; }

 private:
  std::shared_ptr<void> library_;
  const Case* cases_ = nullptr;
};

}  // namespace Atoll::greenmarl::oracle
