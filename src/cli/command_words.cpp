#include "cli/command_words.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "atoll/base/error.hpp"

namespace Atoll::cli {
namespace {

/// Returns true if `word` is the path of an executable program or script.
bool is_path_of_program(const std::string& word) {
  std::error_code error;
  if (word.find('/') == std::string::npos || word.ends_with(".gm") ||
      !std::filesystem::is_regular_file(word, error) || ::access(word.c_str(), X_OK) != 0)
    return false;
  char magic[4] = {};
  std::ifstream(word, std::ios::binary).read(magic, sizeof magic);
  const std::string_view begin(magic, sizeof magic);
  return begin ==
             "\x7f"
             "ELF" ||
         begin.starts_with("#!");
}

}  // namespace

std::optional<std::vector<std::string>> take_command(int& argc, char** argv, options::Command verb,
                                                     bool takes_only_commands) {
  constexpr int kBeforeOptions = 2;  // atoll VERB
  char** const end = argv + argc;
  char** const options = argv + std::min(kBeforeOptions, argc);
  if (char** const dashes = std::find(options, end, std::string_view("--")); dashes != end) {
    argc = static_cast<int>(dashes - argv);
    return std::vector<std::string>(dashes + 1, end);
  }
  const std::vector<std::string> words(options, end);
  const std::size_t first = verb.count_leading_options(words);
  if (first == words.size() || (!takes_only_commands && !is_path_of_program(words[first])))
    return std::nullopt;
  std::vector<std::string> command(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
  for (const std::string& word : command)
    if (verb.has_option(word))
      throw Error::input(
          word, fmt::format("is an option of 'atoll {}', but follows the command", verb.name()),
          fmt::format("write it in front of {0}, or write -- {0} if it is the command's option",
                      command.front()));
  argc = kBeforeOptions + static_cast<int>(first);
  return command;
}

}  // namespace Atoll::cli
