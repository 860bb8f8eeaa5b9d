// Variables that configure the dynamic linker and libc are for the watched program only. They are
// passed by qemu's -E and not in qemu's own environment.
#include "record/emulator/emulator.hpp"

#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <initializer_list>

namespace Atoll::record::dbi {
namespace {

constexpr char kPreload[] = "LD_PRELOAD=";
constexpr char kMagic[] = "ATOLL_MAGIC=";

bool starts_with(const char* text, const char* start) {
  return strncmp(text, start, strlen(start)) == 0;
}

/// True if the variable is passed to the program only. A variable with a comma stays in qemu's
/// environment, since -E can't pass a comma.
bool is_for_program(const char* variable) {
  return (starts_with(variable, "LD_") || starts_with(variable, "GLIBC_TUNABLES=") ||
          starts_with(variable, "MALLOC_")) &&
         is_nameable(variable);
}

std::size_t length_of(const char* const* words) {
  std::size_t n = 0;
  while (words[n] != nullptr) ++n;
  return n;
}

/// Appends strings to a buffer, which must be large enough.
class Texts {
 public:
  explicit Texts(char* memory) : at_(memory) {}
  char* join(const char* a, const char* b, const char* c = "", const char* d = "") {
    char* text = at_;
    for (const char* part : {a, b, c, d}) at_ = stpcpy(at_, part);
    ++at_;
    return text;
  }

 private:
  char* at_;
};

/// Extends the CPU model "max" by the vendor, family and model of this computer's processor.
/// Libraries that select code by these then select the same code as natively, except for features
/// that the emulator lacks (AVX-512).
void describe_processor(char (&text)[64]) {
  unsigned highest = 0, words[3] = {}, signature = 0, ignored = 0;
  strcpy(text, "max");
  if (__get_cpuid(0, &highest, &words[0], &words[2], &words[1]) == 0 ||
      __get_cpuid(1, &signature, &ignored, &ignored, &ignored) == 0)
    return;
  char maker[sizeof words + 1] = {};
  memcpy(maker, words, sizeof words);
  unsigned family = (signature >> 8) & 0xF, model = (signature >> 4) & 0xF;
  if (family == 6 || family == 15) model |= (signature >> 12) & 0xF0;
  if (family == 15) family += (signature >> 20) & 0xFF;
  if (strspn(maker, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == sizeof words)
    snprintf(text, sizeof text, "max,vendor=%s,family=%u,model=%u", maker, family, model);
}

}  // namespace

bool is_nameable(const char* path) {
  return strchr(path, ',') == nullptr;
}

Invocation invocation(const Emulator& emulator, const ProgramFile& program,
                      const char* const* arguments, const char* const* environment) {
  const std::size_t variables = length_of(environment);
  const bool has_library = program.is_64_bit && program.is_dynamic;
  const char* preloaded = "";
  for (std::size_t i = 0; i < variables; ++i)
    if (starts_with(environment[i], kPreload)) preloaded = environment[i] + strlen(kPreload);
  if (starts_with(preloaded, emulator.library)) {  // added by the parent's emulator
    preloaded += strlen(emulator.library);
    preloaded += strspn(preloaded, ": ");
  }

  char processor[64];
  describe_processor(processor);
  const std::size_t most_words = 20 + 3 * variables + program.word_count + length_of(arguments) + 2;
  const std::size_t most_text = 256 + sizeof processor + strlen(emulator.plugin) +
                                2 * strlen(emulator.region) + 3 * strlen(emulator.library) +
                                strlen(preloaded) + strlen(program.path);
  auto* memory = static_cast<char*>(malloc(most_words * sizeof(char*) + most_text));
  if (memory == nullptr) return {};
  Texts texts(memory + most_words * sizeof(char*));
  auto** words = reinterpret_cast<char**>(memory);
  char** outside = words + most_words - variables - 1;
  const Invocation called = {words, outside, memory};
  const auto add = [&words](const char* word) { *words++ = const_cast<char*>(word); };

  add(emulator.qemu);
  add("-cpu");
  add(texts.join(processor, ""));
  add("-plugin");
  const char* options = texts.join(",region=", emulator.region, ",library=", emulator.library);
  add(texts.join(emulator.plugin, options, has_library ? ",objects=library" : ",objects=plugin"));
  for (std::size_t i = 0; i < variables; ++i) {
    if (starts_with(environment[i], kPreload) || starts_with(environment[i], kMagic)) continue;
    if (is_for_program(environment[i])) {
      add("-E");
      add(environment[i]);
    } else {
      *outside++ = const_cast<char*>(environment[i]);
    }
  }
  *outside = nullptr;
  if (has_library) {
    add("-E");
    add(texts.join(kPreload, emulator.library, *preloaded == 0 ? "" : ":", preloaded));
    add("-E");
    add(texts.join(kMagic, "1"));
  } else if (*preloaded != 0) {
    add("-E");
    add(texts.join(kPreload, preloaded));
  }
  add("-0");
  if (program.word_count != 0)
    add(program.words[0]);
  else
    add(arguments[0] == nullptr ? "" : arguments[0]);
  // Keeps qemu from parsing a path with a leading '-' as an option.
  add(program.path[0] == '-' ? texts.join("./", program.path) : program.path);
  for (std::size_t i = 1; i < program.word_count; ++i) add(program.words[i]);
  if (arguments[0] != nullptr)
    for (std::size_t i = 1; arguments[i] != nullptr; ++i) add(arguments[i]);
  add(nullptr);
  return called;
}

}  // namespace Atoll::record::dbi
