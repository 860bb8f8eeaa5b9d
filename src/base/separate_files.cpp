#include "atoll/base/separate_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "atoll/base/error.hpp"
#include "base/output_path.hpp"

namespace Atoll {
namespace {

/// Device and inode of a regular file.
using FileNumber = std::pair<dev_t, ino_t>;

std::optional<FileNumber> number_if_regular(int failed, const struct stat& status) {
  if (failed != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileNumber{status.st_dev, status.st_ino};
}

std::optional<FileNumber> number_of(const std::string& path) {
  struct stat status {};
  return number_if_regular(::stat(path.c_str(), &status), status);
}

std::optional<FileNumber> number_of_input(const std::string& path) {
  if (path != "-") return number_of(path);
  struct stat status {};
  return number_if_regular(::fstat(STDIN_FILENO, &status), status);
}

/// Returns true if two outputs refer to the same file, also if it does not exist yet.
bool same_output(const std::string& one, const std::string& other) {
  if (const auto number = number_of(one); number && number == number_of(other)) return true;
  std::error_code unknown;  // on an error, the given paths are compared
  const auto absolute = [&](const std::string& path) {
    const std::filesystem::path behind = std::filesystem::absolute(file_behind_links(path));
    const auto whole = std::filesystem::weakly_canonical(behind, unknown);
    return unknown ? std::filesystem::path(path) : whole;
  };
  return absolute(one) == absolute(other);
}

}  // namespace

void check_separate_files(const std::vector<std::string>& outputs,
                          const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& output = outputs[i];
    if (output.empty() || output == "-") continue;
    for (std::size_t j = 0; j < i; ++j)
      if (!outputs[j].empty() && outputs[j] != "-" && same_output(outputs[j], output))
        throw Error::input(output, "two outputs can't be written to one file",
                           "name one file for each");
    const auto number = number_of(output);
    if (!number) continue;
    for (const std::string& input : inputs)
      if (!input.empty() && number_of_input(input) == number)
        throw Error::input(
            output,
            input == output
                ? "is an input of this call; writing to it would destroy the input"
                : fmt::format("is the same file as the input {}; writing to it would destroy it",
                              input == "-" ? "on standard input" : input),
            "name another file to write");
    if (number == number_of("/proc/self/exe"))
      throw Error::input(output, "is the program that runs", "name another file to write");
  }
}

}  // namespace Atoll
