// Compiler drivers atollcc, atollc++ (clang with the pass plugin) and atollgcc, atollg++ (gcc
// -fsanitize=thread with Atoll's library in place of libtsan). They add the options for recording
// to the command line and execute the compiler. The four programs differ in driver_kind.cpp alone.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "record/compiler/driver_kind.hpp"

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

using Atoll::record::kIsCplusplus;
using Atoll::record::kIsGcc;

/// Options of clang that suppress its warning about unused options between them, e.g. if the input
/// is an assembler file.
constexpr const char* kAllowUnused = "--start-no-unused-arguments";
constexpr const char* kWarnUnused = "--end-no-unused-arguments";

[[noreturn]] void refuse(const std::string& message) {
  const char* name =
      kIsGcc ? (kIsCplusplus ? "atollg++" : "atollgcc") : (kIsCplusplus ? "atollc++" : "atollcc");
  std::fprintf(stderr, "%s: %s\n", name, message.c_str());
  std::exit(2);
}

/// Returns the folder of the plugins and the library, in the build tree or as installed.
fs::path libraries_folder() {
  std::error_code error;
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* folder : {"lib/atoll", "../lib/atoll"})
    if (fs::exists(bin / folder / "libatoll-record.so")) return fs::canonical(bin / folder);
  refuse("libatoll-record.so isn't beside " + bin.string() + "; install atoll as a whole");
}

/// Returns the options that add Atoll's headers to the end of the include path (for marks), or none
/// if the headers aren't installed.
Words include_options(const fs::path& libraries) {
  const fs::path include = libraries.parent_path().parent_path() / "include";
  if (!fs::exists(include / "atoll/marks/marks.h")) return {};
  return {"-idirafter", include.string()};
}

std::optional<std::string> find_program(const std::string& name) {
  const char* path = Atoll::environment_variable("PATH");
  const std::string folders = path == nullptr ? "/usr/bin:/bin" : path;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const fs::path candidate = fs::path(folders.substr(begin, end - begin)) / name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate.string();
    begin = end + 1;
  }
  return std::nullopt;
}

std::optional<std::string> find_clang(const std::string& version) {
  const std::string driver = kIsCplusplus ? "clang++" : "clang";
  const std::string packaged = "/usr/lib/llvm-" + version + "/bin/" + driver;
  if (::access(packaged.c_str(), X_OK) == 0) return packaged;
  return find_program(driver + "-" + version);
}

struct Clang {
  std::string program, plugin;
};

/// Returns clang `wanted`, or the newest installed version that has a plugin if `wanted` is empty.
Clang choose_clang(const fs::path& libraries, const std::string& wanted) {
  std::vector<int> versions;
  for (const auto& file : fs::directory_iterator(libraries)) {
    const std::string name = file.path().filename().string();
    if (name.starts_with("atoll-pass-")) versions.push_back(std::atoi(name.c_str() + 11));
  }
  std::sort(versions.rbegin(), versions.rend());
  std::string known;
  for (const int version : versions) {
    const std::string number = std::to_string(version);
    known += (known.empty() ? "" : ", ") + number;
    if (!wanted.empty() && wanted != number) continue;
    if (const auto program = find_clang(number))
      return {*program, (libraries / ("atoll-pass-" + number + ".so")).string()};
  }
  if (known.empty())
    refuse("there is no pass plugin; build atoll where llvm-N-dev is installed, N at least 14");
  if (wanted.empty())
    refuse("no clang for the pass plugins (" + known + ") is installed; install one, e.g. clang-" +
           std::to_string(versions.front()));
  refuse("clang " + wanted + " isn't installed or has no pass plugin; there are plugins for " +
         known);
}

/// Parses a response file by the compilers' quoting rules. Returns no words if it can't be read.
Words read_response(const std::string& path) {
  std::ifstream file(path);
  Words words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (char c; file.get(c);) {
    const bool escaped = c == '\\' && file.get(c);
    if (!escaped && quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (!escaped && (c == '"' || c == '\'')) {
      quote = c;
      inside = true;
    } else if (!escaped && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(std::move(word));
  return words;
}

/// Returns the command line with its response files expanded; used for inspection only.
Words expand(const Words& words, int depth = 0) {
  Words all;
  for (const std::string& word : words) {
    const Words inside =
        word.size() > 1 && word[0] == '@' && depth < 8 ? read_response(word.substr(1)) : Words{};
    if (inside.empty()) {
      all.push_back(word);
    } else {
      const Words deeper = expand(inside, depth + 1);
      all.insert(all.end(), deeper.begin(), deeper.end());
    }
  }
  return all;
}

struct Call {
  bool links = true;  ///< the options don't prevent linking
  bool has_input = false;
  bool debug_chosen = false;  ///< the caller passes some -g
  bool is_static = false;
  bool exports_variables = true;  ///< the output is a program without a version script
};

Call parse_arguments(const Words& words) {
  // Options whose value is a separate word.
  constexpr std::array kWithValue{"-o",
                                  "-x",
                                  "-I",
                                  "-D",
                                  "-U",
                                  "-L",
                                  "-l",
                                  "-include",
                                  "-imacros",
                                  "-isystem",
                                  "-iquote",
                                  "-idirafter",
                                  "-MF",
                                  "-MT",
                                  "-MQ",
                                  "-Xclang",
                                  "-Xlinker",
                                  "-Xassembler",
                                  "-Xpreprocessor",
                                  "-mllvm",
                                  "-T",
                                  "-u",
                                  "-z",
                                  "-e",
                                  "-target",
                                  "-arch",
                                  "-isysroot",
                                  "--sysroot",
                                  "-B",
                                  "-wrapper",
                                  "--param",
                                  "-aux-info",
                                  "-dumpbase",
                                  "-dumpdir",
                                  "-h"};
  constexpr std::array kNotLinking{"-c", "-S",        "-E",     "-M",  "-MM", "-fsyntax-only",
                                   "-r", "--version", "--help", "-###"};
  const auto among = [](const auto& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  Call call;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (among(kWithValue, word)) {
      ++i;
    } else if (among(kNotLinking, word)) {
      call.links = false;
    } else if (word == "-static" || word == "--static" || word == "-static-pie") {
      call.is_static = true;
    } else if (word == "-shared" || word == "--shared" ||
               word.find("--version-script") != std::string::npos) {
      call.exports_variables = false;
    } else if (word.starts_with("-g") && !word.starts_with("-gcc") &&
               !word.starts_with("-gsplit")) {
      call.debug_chosen = true;
    } else if (word == "-" || !word.starts_with("-")) {
      call.has_input = true;
    }
  }
  return call;
}

[[noreturn]] void become(const Words& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  refuse(command[0] + " can't be executed");
}

}  // namespace

int main(int argc, char** argv) {
  const char* from_environment = Atoll::environment_variable(kIsGcc ? "ATOLL_GCC" : "ATOLL_CLANG");
  std::string wanted = from_environment == nullptr ? "" : from_environment;
  const std::string choice = kIsGcc ? "--atoll-gcc=" : "--atoll-clang=";
  Words given;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with(choice))
      wanted = word.substr(choice.size());
    else
      given.push_back(word);
  }
  const Call call = parse_arguments(expand(given));
  const fs::path libraries = libraries_folder();
  Words command;
  if (kIsGcc) {
    const std::string driver =
        (kIsCplusplus ? "g++" : "gcc") + (wanted.empty() ? "" : "-" + wanted);
    const auto program = find_program(driver);
    if (!program) refuse(driver + " isn't installed");
    // Code that tests for ThreadSanitizer must not see it, as its run time isn't present.
    command = {*program, "-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0",
               "-fno-plt", "-U__SANITIZE_THREAD__"};
    if (!call.debug_chosen) command.push_back("-g");
  } else {
    const Clang clang = choose_clang(libraries, wanted);
    command = {clang.program, kAllowUnused, "-fpass-plugin=" + clang.plugin};
    if (!call.debug_chosen) command.push_back("-gline-tables-only");
    command.push_back(kWarnUnused);
  }
  if (call.links && call.has_input) {
    if (call.is_static)
      refuse(
          "-static: what records is a shared library; link without it, or watch a static program "
          "that is compiled as usual with --frontend dbi");
    const std::string folder = libraries.string();
    if (kIsGcc) command.push_back("-L" + folder + "/gcc");
    // Must be the first library, so that the program uses its malloc and other interposers.
    for (const std::string& word :
         {"-L" + folder, "-Wl,-rpath," + folder, std::string("-Wl,--push-state,--no-as-needed"),
          std::string("-latoll-record"), std::string("-Wl,--pop-state")})
      command.push_back(word);
    if (kIsGcc)
      for (const char* word : {call.exports_variables ? "-l:atoll-program.o" : "-l:atoll-library.o",
                               "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset"})
        command.emplace_back(word);
  }
  command.insert(command.end(), given.begin(), given.end());
  if (!kIsGcc) command.push_back(kAllowUnused);
  const Words includes = include_options(libraries);
  command.insert(command.end(), includes.begin(), includes.end());
  if (!kIsGcc) command.push_back(kWarnUnused);
  become(command);
}
