// Caches compiled programs under names that are hashes of everything they depend on.
#include "atoll/greenmarl/driver.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "atoll/base/atomic_file.hpp"
#include "greenmarl/cache_folder.hpp"
#include "greenmarl/cxx.hpp"

namespace Atoll::greenmarl {
namespace {

namespace fs = std::filesystem;

/// Identifies a file's current version by path, size and modification time.
std::string identity(const std::string& path) {
  std::error_code ignored;
  const fs::path real = fs::canonical(path, ignored);
  return fmt::format("{} {} {}\n", real.string(), fs::file_size(real, ignored),
                     fs::last_write_time(real, ignored).time_since_epoch().count());
}

/// Returns the data that -march=native depends on: a CPU's model and features in /proc/cpuinfo.
std::string this_cpu() {
  std::ifstream file("/proc/cpuinfo");
  std::string cpu;
  for (std::string line; std::getline(file, line) && !line.empty();)
    for (const std::string_view key : {"vendor_id", "cpu family", "model", "stepping", "flags",
                                       "Features", "CPU implementer", "CPU part", "CPU variant"})
      if (line.starts_with(key)) cpu += line + "\n";
  return cpu;
}

/// Returns the compiler options that pass `option` to the linker. (-Wl would split it at commas.)
std::vector<std::string> for_linker(const std::string& option) {
  return {"-Xlinker", option};
}

std::string hash(const std::string& text) {
  const XXH128_hash_t value = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", value.high64, value.low64);
}

/// The input of one compilation.
struct Code {
  const std::string& name;
  const std::string& source;
  const std::string& cpp;
  std::vector<std::string> more_options;
  /// The linker's export list of a library. -fvisibility=hidden alone doesn't hide the standard
  /// library's templates.
  std::string exports;
};

Binary build_code(const Code& code, const BuildOptions& options) {
  const Installation installation =
      options.installation.library.empty() ? find_installation() : options.installation;
  const Cxx cxx = find_cxx(options.cxx);
  // -fwrapv: the language defines integer overflow as wrapping. -O3 compiles more slowly without a
  // gain: programs are as fast as with -O2, and triangle_counting takes twice as long.
  std::vector<std::string> command = cxx.command;
  for (const char* word :
       {"-std=c++20", "-O2", "-ftree-vectorize", "-fwrapv", "-fopenmp", "-DNDEBUG"})
    command.emplace_back(word);
  command.push_back("-march=" + options.march);
  if (options.ids != Ids::all)
    command.push_back(fmt::format("-DATOLL_IDS={}", static_cast<int>(options.ids)));
  for (std::string& word : split_words(options.cxxflags)) command.push_back(std::move(word));
  command.push_back("-I" + installation.include_folder);
  for (const std::string& word : code.more_options) command.push_back(word);

  std::string everything = fmt::format("Atoll {}\n{}", ATOLL_VERSION, code.cpp);
  for (const std::string& word : command) everything += word + "\n";
  everything += identity(cxx.command[0]) + identity(installation.library) + ATOLL_LINK_FLAGS "\n";
  if (options.march == "native") everything += this_cpu();
  const fs::path stem = cache_folder(options.cache_folder) /
                        fmt::format("{}-{}", code.name.substr(0, 60), hash(everything));
  Binary binary{.path = stem.string()};
  if (::access(stem.c_str(), X_OK) == 0) {
    check_is_own(stem);
    return binary;
  }

  binary.cached = false;
  if (options.on_compile)
    options.on_compile(fmt::format("compiling {} with {}", code.source, cxx.command[0]));
  const std::string file = stem.string() + ".cpp";
  AtomicFile source(file, AtomicFile::Mode::own_data), made(stem, AtomicFile::Mode::own_program);
  source.write(code.cpp);
  source.commit();
  const std::string output = made.by_name();
  for (const std::string& word : {file, installation.library, std::string("-o"), output})
    command.push_back(word);
  if (!code.exports.empty()) {
    AtomicFile exports(stem.string() + ".map", AtomicFile::Mode::own_data);
    exports.write(code.exports);
    exports.commit();
    for (std::string& word : for_linker("--version-script=" + stem.string() + ".map"))
      command.push_back(std::move(word));
  }
  for (std::string& word : split_words(ATOLL_LINK_FLAGS)) command.push_back(std::move(word));
  run_logged(command, stem.string() + ".log", "compiling " + code.source, output);
  std::error_code missing;
  if (const std::uintmax_t bytes = fs::file_size(output, missing); missing || bytes == 0)
    throw Error::input(cxx.command[0], "wrote no program, so it is no C++ compiler",
                       kNameACompiler);
  made.commit();
  return binary;
}

}  // namespace

Binary build(const CompiledProcedure& program, const BuildOptions& options) {
  return build_code({program.procedure.name, program.source, program.cpp, {}, {}}, options);
}

Binary build(const Library& library, const std::string& soname, const BuildOptions& options) {
  std::vector<std::string> more{"-shared", "-fPIC", "-fvisibility=hidden"};
  for (const std::string& option : {std::string("--exclude-libs=ALL"), "-soname=" + soname})
    for (std::string& word : for_linker(option)) more.push_back(std::move(word));
  return build_code({library.name, library.procedures.front().source, library.cpp, std::move(more),
                     fmt::format("{{ global: {}_*; local: *; }};\n", library.name)},
                    options);
}

}  // namespace Atoll::greenmarl
