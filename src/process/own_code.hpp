// Finds the user's own code in a stack, as opposed to allocators and languages' libraries that it
// calls.
#pragma once

#include <string_view>

namespace Atoll::process {

/// A level of a stack. An unknown field is "".
struct CodePlace {
  std::string_view function, file;
  std::string_view module;  ///< a path, or only its last part
};

/// Returns true if the code is the user's. If its file is known, the file decides; else (no debug
/// information) the function's name and the module decide. `program` is the path of the process's
/// program, which always counts as the user's.
[[nodiscard]] bool is_own(const CodePlace& place, std::string_view program);

/// Returns true if the code is in the program or in one of the user's libraries. Works for stripped
/// modules, too.
[[nodiscard]] bool is_in_own_module(const CodePlace& place, std::string_view program);

/// Returns the deepest level of the user's own code, in this order of preference:
/// 1. the deepest own level with a file;
/// 2. the deepest own level without a file;
/// 3. the program's deepest level without names (a stripped program: the named levels of the system
/// around it, such as `__libc_start_main`, say nothing about the program);
/// 4. the deepest level with a name, if all deeper levels are of the same module (a stripped
/// library must not get the name of a function that happened to call it);
/// 5. the deepest level.
/// Null if the stack is empty.
template <class Stack, class ToPlace>
[[nodiscard]] auto own_level(const Stack& stack, std::string_view program, ToPlace to_place) ->
    typename Stack::const_pointer {
  typename Stack::const_pointer without_file = nullptr, nameless = nullptr, of_others = nullptr;
  std::string_view module;  // the module of all levels so far, if known
  bool one_module = true;
  for (const auto& level : stack) {
    const CodePlace place = to_place(level);
    one_module = one_module && (module.empty() || place.module.empty() || place.module == module);
    if (module.empty()) module = place.module;
    if (is_own(place, program)) {
      if (!place.file.empty()) return &level;
      if (without_file == nullptr) without_file = &level;
    }
    const bool known = !place.function.empty() || !place.file.empty();
    if (nameless == nullptr && !known && is_in_own_module(place, program)) nameless = &level;
    if (of_others == nullptr && known && one_module) of_others = &level;
  }
  if (without_file != nullptr) return without_file;
  if (nameless != nullptr) return nameless;
  return of_others == nullptr && !stack.empty() ? &stack.front() : of_others;
}

}  // namespace Atoll::process
