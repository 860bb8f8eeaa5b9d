// Finds the user's own code in a stack. People look for that, not for an allocator or a language's
// library that it calls.
#pragma once

#include <string_view>

namespace Atoll::process {

/// A level of a stack; what is unknown is "".
struct CodePlace {
  std::string_view function, file;
  std::string_view module;  ///< a path, or the last part of one
};

/// True if it belongs to the user. Its file decides, if it is known; without one (code without
/// debug information), its function's name and its module decide. `program` is the path of the
/// process's program, which is the user's wherever it lies.
[[nodiscard]] bool is_own(const CodePlace& place, std::string_view program);

/// True if it is in the program, or in a library of the user's. This is known for stripped ones,
/// too.
[[nodiscard]] bool is_in_own_module(const CodePlace& place, std::string_view program);

/// Returns the deepest level of the user's own code in the stack; levels with files are preferred.
/// For a stripped program, whose levels have no files and functions, it is the program's deepest
/// level: what is known of the system's levels around it (`__libc_start_main`) says nothing about
/// the program. If there is none, it is the deepest level of which something is known, if the
/// levels below are of the same module: a stripped library is not named after a function that
/// happened to call it. Else it is the deepest level. Null if the stack is empty.
template <class Stack, class ToPlace>
[[nodiscard]] auto own_level(const Stack& stack, std::string_view program, ToPlace to_place) ->
    typename Stack::const_pointer {
  typename Stack::const_pointer without_file = nullptr, nameless = nullptr, of_others = nullptr;
  std::string_view module;  // of all levels so far, where it is known
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
