#include "record/emulator/library.hpp"

#include <stdlib.h>
#include <string.h>

#include "record/emulator/guest.hpp"

namespace Atoll::record::dbi {
namespace {

constexpr std::uint64_t kCallBytes = 5;  // E8 and a 32-bit distance

struct Library {
  std::uint64_t begin = 0, end = 0;
  /// By offset: true if a call of another library's function by name returns there. Such a call
  /// targets a jump through a pointer (FF 25), i.e. an entry of the procedure linkage table. Null:
  /// calls from this code belong to the program.
  bool* returns = nullptr;
};
constexpr std::size_t kMaxLibraries = 8;
Library libraries[kMaxLibraries];
std::size_t library_count = 0;

void add(const Library& library) {
  if (library_count != kMaxLibraries) libraries[library_count++] = library;
}

const std::uint8_t* code_at(std::uint64_t address) {
  return static_cast<const std::uint8_t*>(at_guest(address));
}

}  // namespace

void library_is_at(std::uint64_t begin, std::uint64_t end) {
  auto* found = static_cast<bool*>(calloc(end - begin + 1, 1));
  if (found == nullptr) return;
  for (std::uint64_t at = begin; at + kCallBytes <= end; ++at) {
    std::int32_t distance = 0;
    if (*code_at(at) != 0xE8) continue;
    memcpy(&distance, code_at(at + 1), sizeof distance);
    const std::uint64_t target =
        at + kCallBytes + static_cast<std::uint64_t>(std::int64_t{distance});
    if (target >= begin && target + 2 <= end && code_at(target)[0] == 0xFF &&
        code_at(target)[1] == 0x25)
      found[at + kCallBytes - begin] = true;
  }
  add({begin, end, found});
}

void runtime_is_at(std::uint64_t begin, std::uint64_t end) {
  add({begin, end, nullptr});
}

Code kind_of_code(std::uint64_t address) {
  for (std::size_t i = 0; i != library_count; ++i) {
    const Library& library = libraries[i];
    if (address < library.begin || address >= library.end) continue;
    if (library.returns == nullptr) return Code::of_library;
    const std::uint64_t offset = address - library.begin;
    if (library.end - address >= kCallBytes && *code_at(address) == 0xE8 &&
        library.returns[offset + kCallBytes])
      return Code::call_by_library;
    return library.returns[offset] ? Code::return_to_library : Code::of_library;
  }
  return Code::of_guest;
}

}  // namespace Atoll::record::dbi
