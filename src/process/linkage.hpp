// Names by which a program is linked, read from its ELF file.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace Atoll::process {

struct LinkageVisitor {
  std::function<void(std::string_view library)> needed;  ///< a library that it is linked with
  /// A symbol of the symbol table or the dynamic one; `defined`: in this file.
  std::function<void(std::string_view name, bool defined)> symbol;
};

/// Visits the names of an ELF file. Visits nothing if the file can't be read or is no ELF file.
void visit_linkage(const std::string& path, const LinkageVisitor& visitor);

/// Returns true if the file is an ELF program without a dynamic loader: libraries can't be
/// preloaded to it, and its weak symbols stay undefined.
[[nodiscard]] bool is_static_program(const std::string& path);

}  // namespace Atoll::process
