#include "process/sanitizers.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "atoll/base/error.hpp"
#include "process/linkage.hpp"
#include "process/search_path.hpp"

namespace Atoll::process {
namespace {

constexpr std::string_view kThreads = "ThreadSanitizer";

struct Sanitizer {
  std::string_view name;
  std::array<std::string_view, 2> libraries;  ///< prefixes of file names: gcc's and clang's
  std::string_view start;                     ///< function that its run time defines
};

constexpr std::array kSanitizers{
    Sanitizer{"AddressSanitizer", {"libasan.so", "libclang_rt.asan"}, "__asan_init"},
    Sanitizer{"HWAddressSanitizer", {"libhwasan.so", "libclang_rt.hwasan"}, "__hwasan_init"},
    Sanitizer{"MemorySanitizer", {"libmsan.so", "libclang_rt.msan"}, "__msan_init"},
    Sanitizer{kThreads, {"libtsan.so", "libclang_rt.tsan"}, "__tsan_init"},
    Sanitizer{"LeakSanitizer", {"liblsan.so", "libclang_rt.lsan"}, "__lsan_init"},
};

/// A function that the run time calls if the program defines it. A run time that is linked into a
/// stripped program still refers to it.
constexpr std::string_view kHook = "__sanitizer_malloc_hook";
/// atollgcc's own run time has ThreadSanitizer's interface, and may be preloaded.
constexpr std::string_view kOurs = "libatoll-record.so";

struct Found {
  const Sanitizer* sanitizer = nullptr;
  bool has_hook = false, is_ours = false;
};

Found look_for_sanitizer(const std::string& path) {
  Found found;
  const auto note = [&found](const Sanitizer& sanitizer) {
    if (found.sanitizer == nullptr || &sanitizer < found.sanitizer) found.sanitizer = &sanitizer;
  };
  visit_linkage(path, {.needed =
                           [&](std::string_view library) {
                             found.is_ours = found.is_ours || library == kOurs;
                             for (const Sanitizer& one : kSanitizers)
                               for (const std::string_view beginning : one.libraries)
                                 if (library.starts_with(beginning)) note(one);
                           },
                       .symbol =
                           [&](std::string_view name, bool defined) {
                             found.has_hook = found.has_hook || name == kHook;
                             for (const Sanitizer& one : kSanitizers)
                               if (defined && name == one.start) note(one);
                           }});
  if (found.is_ours && found.sanitizer != nullptr && found.sanitizer->name == kThreads)
    found.sanitizer = nullptr;
  return found;
}

}  // namespace

std::string sanitizer_of(const std::string& path) {
  const Found found = look_for_sanitizer(path);
  if (found.sanitizer != nullptr) return std::string(found.sanitizer->name);
  return found.has_hook && !found.is_ours ? "a sanitizer" : "";
}

void refuse_sanitizer(const std::string& command) {
  const std::string name = sanitizer_of(find_in_path(command));
  if (name.empty()) return;
  throw Error::input(
      command,
      fmt::format("was built with {}, whose run time can't run with preloaded libraries", name),
      "build it without -fsanitize");
}

}  // namespace Atoll::process
