// Locates headers, library and programs relative to an executable.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <vector>

#include "atoll/greenmarl/driver.hpp"

namespace Atoll::greenmarl {
namespace {

namespace fs = std::filesystem;

/// Candidates: BIN/../lib/libatoll.a, also lib64 and Debian's lib/x86_64-linux-gnu;
/// BIN/src/libatoll.a.
std::vector<fs::path> libraries(const fs::path& bin) {
  std::vector<fs::path> found{bin / "src/libatoll.a"};
  const fs::path prefix = bin.parent_path();
  for (const char* folder : {"lib", "lib64"}) {
    found.push_back(prefix / folder / "libatoll.a");
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(prefix / folder, ignored))
      if (entry.is_directory(ignored)) found.push_back(entry.path() / "libatoll.a");
  }
  return found;
}

}  // namespace

Installation find_installation() {
  return find_installation(fs::read_symlink("/proc/self/exe").string());
}

Installation find_installation(const std::string& executable) {
  const fs::path bin = fs::path(executable).parent_path();
  const fs::path headers = bin.parent_path() / "include";
  if (!fs::exists(headers / "atoll/program/program.hpp"))
    throw Error::failed(headers.string(), "Atoll's headers aren't there",
                        "run atoll from where it was installed, or from build/ in a checkout");
  for (const fs::path& library : libraries(bin))
    if (fs::exists(library)) return {headers.string(), library.string()};
  throw Error::failed(executable, "libatoll.a is neither in ../lib nor in src",
                      "run atoll from where it was installed, or from build/ in a checkout");
}

std::string find_program(const std::string& name) {
  return find_program(name, fs::read_symlink("/proc/self/exe").string());
}

std::string find_program(const std::string& name, const std::string& executable) {
  std::error_code ignored;
  if (name.empty() || name.find('/') != std::string::npos || fs::exists(name, ignored)) return name;
  const fs::path prefix = fs::path(executable).parent_path().parent_path();
  for (const char* folder : {"share/atoll/apps/greenmarl", "apps/greenmarl"})
    for (const std::string& file : {name, name + ".gm"})
      if (fs::path path = prefix / folder / file; fs::is_regular_file(path, ignored))
        return path.string();
  return name;
}

}  // namespace Atoll::greenmarl
