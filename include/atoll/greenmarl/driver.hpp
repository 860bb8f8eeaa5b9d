// Builds an executable from a compiled procedure with the C++ compiler. Caches the result, so that
// later runs of the program need no compiler.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "atoll/greenmarl/compiler.hpp"

namespace Atoll::greenmarl {

/// The locations of Atoll's headers and library.
struct Installation {
  std::string include_folder;  ///< contains atoll/program/program.hpp
  std::string library;         ///< libatoll.a
};

/// Returns the installation of the running executable BIN/atoll: BIN/../include and
/// BIN/../lib*/libatoll.a (installed), or BIN/../include and BIN/src/libatoll.a (a build folder in
/// the checkout). Throws Error (failed) that names the files that are missing.
[[nodiscard]] Installation find_installation();
/// Returns the installation for another executable.
[[nodiscard]] Installation find_installation(const std::string& executable);

/// Returns the path of a program. If the file `name` exists or `name` contains a folder, returns
/// `name`. Otherwise returns the installed program of this name (".gm" may be omitted), or `name`
/// if there is none.
[[nodiscard]] std::string find_program(const std::string& name);
/// Returns the path of a program in the installation of `executable`.
[[nodiscard]] std::string find_program(const std::string& name, const std::string& executable);

/// The id widths that a program is compiled for, as in ATOLL_IDS (atoll/program/program.hpp).
enum class Ids : std::uint8_t { narrow = 1, mixed = 2, wide = 4, all = 7 };

/// Options of the C++ compilation.
struct BuildOptions {
  std::string cxx;  ///< a command, possibly with options; "": $CXX, else c++, g++ or clang++
  std::string march = "native";  ///< the compiler's -march=
  std::string cxxflags;          ///< further options of the compiler
  Ids ids = Ids::all;            ///< fewer widths compile faster
  std::string cache_folder;      ///< "": $XDG_CACHE_HOME/atoll, ~/.cache/atoll, or temporary
  Installation installation;     ///< empty: the result of find_installation()
  /// Called with one line, "compiling …", before the compiler is started or a file is written. An
  /// exception from it ends the call.
  std::function<void(std::string_view)> on_compile;
};

/// A compiled program.
struct Binary {
  std::string path;    ///< absolute, in the cache folder
  bool cached = true;  ///< true if it was already in the cache
};

/// Compiles `program.cpp`, or finds the binary in the cache. The cache key consists of the C++
/// code, the compiler (its file, size and time), the options, the CPU if -march=native, and Atoll's
/// version and library. Binaries are renamed to their final name when complete, so two processes
/// may build the same program concurrently. Throws Error (failed) if there is no compiler or no
/// cache folder. If the compiler fails, the error has its first message and the path of the
/// complete log.
[[nodiscard]] Binary build(const CompiledProcedure& program, const BuildOptions& options = {});
/// Builds a shared library with the given soname. It exports only its C functions.
[[nodiscard]] Binary build(const Library& library, const std::string& soname,
                           const BuildOptions& options = {});

}  // namespace Atoll::greenmarl
