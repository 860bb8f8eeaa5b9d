// Makes a program that can be started from a compiled procedure: it calls the C++ compiler, and
// keeps the result, so that the second start of a program needs no compiler.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "atoll/greenmarl/compiler.hpp"

namespace Atoll::greenmarl {

/// Where Atoll's headers and library are.
struct Installation {
  std::string include_folder;  ///< has atoll/program/program.hpp
  std::string library;         ///< libatoll.a
};

/// The installation of the running executable BIN/atoll: BIN/../include and BIN/../lib*/libatoll.a
/// (installed), or BIN/../include and BIN/src/libatoll.a (a build folder in the checkout). Throws
/// Error (failed), naming what it looked for.
[[nodiscard]] Installation find_installation();
/// The installation if `executable` were running.
[[nodiscard]] Installation find_installation(const std::string& executable);

/// Returns the path of a program: `name` itself if there is such a file or it names a folder, else
/// that of an installed program of this name, with or without its ".gm". If there is none, it
/// returns `name`.
[[nodiscard]] std::string find_program(const std::string& name);
/// The same if `executable` were running.
[[nodiscard]] std::string find_program(const std::string& name, const std::string& executable);

/// The widths of ids that a program is compiled for, as in ATOLL_IDS (atoll/program/program.hpp).
enum class Ids : std::uint8_t { narrow = 1, mixed = 2, wide = 4, all = 7 };

/// How to compile.
struct BuildOptions {
  std::string cxx;  ///< a command, may have options; "": $CXX, else c++, g++ or clang++
  std::string march = "native";  ///< the compiler's -march=
  std::string cxxflags;          ///< more of its options
  Ids ids = Ids::all;            ///< fewer compile faster
  std::string cache_folder;      ///< "": $XDG_CACHE_HOME/atoll, ~/.cache/atoll, or temporary
  Installation installation;     ///< empty: that of find_installation()
  /// Called with one line, "compiling …", before the compiler is started and a file is written.
  /// An exception that it throws ends the call.
  std::function<void(std::string_view)> on_compile;
};

/// A program that can be started.
struct Binary {
  std::string path;    ///< absolute, in the cache folder
  bool cached = true;  ///< true if it was there already
};

/// Compiles `program.cpp`, or finds it in the cache by the C++ code, the compiler (its file, size
/// and time), options, the CPU if -march=native, Atoll's version and library. Binaries appear
/// whole, under their final name; two processes may build the same program at once. Throws Error
/// (failed) if there is no compiler or no cache folder; if the compiler fails, it gives the first
/// error and the path of the whole log.
[[nodiscard]] Binary build(const Program& program, const BuildOptions& options = {});
/// The same for a shared library that calls itself `soname`. It shows nothing but its C functions.
[[nodiscard]] Binary build(const Library& library, const std::string& soname,
                           const BuildOptions& options = {});

}  // namespace Atoll::greenmarl
