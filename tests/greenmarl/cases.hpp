// Compiled procedures, many in one shared library, because the headers take most of the compile
// time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "atoll/greenmarl/compiler.hpp"
#include "atoll/program/program.hpp"

namespace Atoll::greenmarl::oracle {

/// Functions of one compiled procedure.
struct Case {
  Procedure (*describe)();
  program::Entry (*entry)();
};

/// A shared library of compiled programs, which is loaded.
class Library {
 public:
  /// Writes NAME.cpp and NAME.so into `folder`. `ids` is 1 for 32-bit ids, 4 for 64-bit ids. Throws
  /// Error (failed) if the C++ compiler fails.
  Library(const std::string& folder, const std::string& name,
          const std::vector<CompiledProcedure>& programs, int ids);
  [[nodiscard]] const Case& operator[](std::size_t i) const { return cases_[i]; }

 private:
  std::shared_ptr<void> library_;
  const Case* cases_ = nullptr;
};

}  // namespace Atoll::greenmarl::oracle
