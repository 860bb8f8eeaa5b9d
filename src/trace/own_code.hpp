// What of a stack is the user's own code: people look for that, not for an allocator or a
// language's library that it calls.
#pragma once

#include <string_view>

namespace Atoll::trace {

/// A level of a stack; what isn't known is "".
struct CodePlace {
  std::string_view function, file;
  std::string_view module;  ///< a path, or the last part of one
};

/// Whether it belongs to the user: by its file if that is known. Without one (code without debug
/// information) by its function's name and its module; `program` is the path of the process's
/// program, which is the user's wherever it lies.
[[nodiscard]] bool is_own(const CodePlace& place, std::string_view program);

/// Whether it is in the program, or in a library of the user's: known of stripped ones, too.
[[nodiscard]] bool is_in_own_module(const CodePlace& place, std::string_view program);

/// The user's own level that is deepest in the stack, those with files before those without. Of a
/// stripped program, whose levels have neither, its deepest one: what is known of the system's
/// levels around it (`__libc_start_main`) says nothing of the program. Without any, the deepest of
/// which something is known; null: none.
template <class Stack, class ToPlace>
[[nodiscard]] auto own_level(const Stack& stack, std::string_view program, ToPlace to_place) ->
    typename Stack::const_pointer {
  typename Stack::const_pointer without_file = nullptr, nameless = nullptr, of_others = nullptr;
  for (const auto& level : stack) {
    const CodePlace place = to_place(level);
    if (is_own(place, program)) {
      if (!place.file.empty()) return &level;
      if (without_file == nullptr) without_file = &level;
    }
    const bool known = !place.function.empty() || !place.file.empty();
    if (nameless == nullptr && !known && is_in_own_module(place, program)) nameless = &level;
    if (of_others == nullptr && known) of_others = &level;
  }
  if (without_file != nullptr) return without_file;
  if (nameless != nullptr) return nameless;
  return of_others == nullptr && !stack.empty() ? &stack.front() : of_others;
}

}  // namespace Atoll::trace
