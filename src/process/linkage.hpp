// Libraries and symbols that an ELF file is linked with.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace Atoll::process {

struct LinkageVisitor {
  std::function<void(std::string_view library)> needed;  ///< called for each needed library
  /// Called for each symbol of the static and the dynamic symbol table; `defined` is true if the
  /// file itself defines it.
  std::function<void(std::string_view name, bool defined)> symbol;
};

/// Calls the visitor for an ELF file. Does nothing if the file can't be read or isn't an ELF file.
void visit_linkage(const std::string& path, const LinkageVisitor& visitor);

/// Returns true if the file is an ELF program without a dynamic loader. Such a program ignores
/// LD_PRELOAD, and its weak symbols stay undefined.
[[nodiscard]] bool is_static_program(const std::string& path);

}  // namespace Atoll::process
