// Reads a program's file.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/parser.hpp"

namespace Atoll::greenmarl {

Program compile_file(const std::string& path, const CompileOptions& options) {
  constexpr const char* kWayOut = "name a Green-Marl program, such as pagerank.gm";
  if (std::error_code error; std::filesystem::is_directory(path, error))
    throw Error::input(path, "is a directory", kWayOut);
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) throw Error::input(path, "can't be read", kWayOut);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return compile(text, path, options);
}

}  // namespace Atoll::greenmarl
