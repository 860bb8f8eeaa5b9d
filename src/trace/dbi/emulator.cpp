// Variables that steer the dynamic linker and libc are meant for the watched program alone: they go
// through qemu's -E, and not into qemu's own environment.
#include "trace/dbi/emulator.hpp"

#include <stdlib.h>
#include <string.h>

#include <cstdint>

namespace Atoll::trace::dbi {
namespace {

constexpr char kPreload[] = "LD_PRELOAD=";
constexpr char kMagicVariable[] = "ATOLL_MAGIC=1";

bool starts_with(const char* text, const char* start) {
  return strncmp(text, start, strlen(start)) == 0;
}

/// For the program alone; but qemu's -E can't pass a comma: such a one stays where it was.
bool is_for_program(const char* variable) {
  return (starts_with(variable, "LD_") || starts_with(variable, "GLIBC_TUNABLES=") ||
          starts_with(variable, "MALLOC_")) &&
         is_nameable(variable);
}

char* joined(const char* a, const char* b, const char* c = "", const char* d = "") {
  auto* text = static_cast<char*>(malloc(strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1));
  if (text == nullptr) return nullptr;
  strcpy(text, a);
  strcat(text, b);
  strcat(text, c);
  return strcat(text, d);
}

std::size_t length_of(const char* const* words) {
  std::size_t n = 0;
  while (words[n] != nullptr) ++n;
  return n;
}

class Words {
 public:
  explicit Words(std::size_t capacity)
      : words_(static_cast<char**>(calloc(capacity + 1, sizeof(char*)))) {}
  void add(const char* word) {
    if (word == nullptr) failed_ = true;
    if (words_ != nullptr) words_[used_++] = const_cast<char*>(word);
  }
  char** get() { return failed_ ? nullptr : words_; }

 private:
  char** words_;
  std::size_t used_ = 0;
  bool failed_ = false;
};

}  // namespace

bool is_nameable(const char* path) {
  return strchr(path, ',') == nullptr;
}

Invocation invocation(const Emulator& emulator, const ProgramFile& program,
                      const char* const* arguments, const char* const* environment) {
  const std::size_t variables = length_of(environment);
  Words words(16 + 2 * variables + program.word_count + length_of(arguments));
  Words outside(variables);
  const bool has_library = program.is_64_bit && program.is_dynamic;
  words.add(emulator.qemu);
  words.add("-cpu");
  words.add("max");
  words.add("-plugin");
  words.add(joined(emulator.plugin, ",region=", emulator.region,
                   has_library ? ",objects=library" : ",objects=plugin"));
  const char* preloaded = "";
  for (std::size_t i = 0; i < variables; ++i) {
    if (starts_with(environment[i], kPreload)) preloaded = environment[i] + strlen(kPreload);
    if (starts_with(environment[i], kPreload) || starts_with(environment[i], "ATOLL_MAGIC="))
      continue;
    if (is_for_program(environment[i])) {
      words.add("-E");
      words.add(environment[i]);
    } else {
      outside.add(environment[i]);
    }
  }
  const char* others = preloaded;
  if (starts_with(others, emulator.library)) {
    others += strlen(emulator.library);
    others += strspn(others, ": ");
  }
  if (has_library) {
    words.add("-E");
    words.add(joined(kPreload, emulator.library, *others == 0 ? "" : ":", others));
    words.add("-E");
    words.add(kMagicVariable);
  } else if (*others != 0) {
    words.add("-E");
    words.add(joined(kPreload, others));
  }
  words.add("-0");
  if (program.word_count != 0) {
    words.add(program.words[0]);
  } else {
    words.add(arguments[0] == nullptr ? "" : arguments[0]);
  }
  // A name that looks like an option isn't one.
  words.add(program.path[0] == '-' ? joined("./", program.path) : program.path);
  for (std::size_t i = 1; i < program.word_count; ++i) words.add(program.words[i]);
  if (arguments[0] != nullptr)
    for (std::size_t i = 1; arguments[i] != nullptr; ++i) words.add(arguments[i]);
  return {words.get(), outside.get()};
}

}  // namespace Atoll::trace::dbi
