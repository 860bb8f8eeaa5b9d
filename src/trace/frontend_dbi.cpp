#include "trace/frontend_dbi.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>

#include "atoll/base/error.hpp"
#include "trace/command_file.hpp"
#include "trace/dbi/emulator.hpp"
#include "trace/libraries.hpp"

namespace Atoll::trace {
namespace {

using dbi::ProgramFile;

constexpr char kPlugin[] = "libatoll-dbi.so";
constexpr char kLibrary[] = "libatoll-record.so";

std::string find_emulator(bool is_64_bit, const std::string& command) {
  const std::string name = is_64_bit ? "qemu-x86_64" : "qemu-i386";
  std::string found;
  for_each_in_path(name, [&](const std::string& path) {
    if (::access(path.c_str(), X_OK) == 0) found = path;
    return !found.empty();
  });
  if (found.empty())
    throw Error::input(command,
                       fmt::format("the front end dbi runs it in {}, which isn't in $PATH", name),
                       "install Debian's package qemu-user");
  return std::filesystem::absolute(found).string();
}

std::string part(const std::string& folder, const char* name) {
  std::string path = (std::filesystem::path(folder) / name).string();
  std::error_code error;
  path = std::filesystem::canonical(path, error).string();
  if (error)
    throw Error::failed((std::filesystem::path(folder) / name).string(), "missing",
                        "build or install Atoll whole");
  if (!dbi::is_nameable(path.c_str()))
    throw Error::failed(path, "qemu can't load a plugin from a folder with a comma in its name",
                        "install Atoll elsewhere");
  return path;
}

}  // namespace

Launch prepare_dbi(const std::vector<std::string>& command, const std::string& libraries_folder,
                   const std::string& region_path) {
  const std::unique_ptr<ProgramFile> program = find_command(command.at(0));
  const std::string qemu = find_emulator(program->is_64_bit, command[0]);
  const std::string plugin = part(libraries_folder, kPlugin);
  const std::string library = preloadable(kLibrary);

  std::vector<const char*> words;
  for (const std::string& word : command) words.push_back(word.c_str());
  words.push_back(nullptr);
  const dbi::Emulator emulator = {qemu.c_str(), plugin.c_str(), library.c_str(),
                                  region_path.c_str()};
  const dbi::Invocation called = dbi::invocation(emulator, *program, words.data(), environ);
  const std::unique_ptr<void, decltype(&std::free)> memory(called.memory, &std::free);
  if (memory == nullptr) throw Error::failed(command[0], "no memory", "close other programs");

  Launch launch;
  for (char** word = called.arguments; *word != nullptr; ++word) launch.command.emplace_back(*word);
  // What only the program is meant to have is empty for the emulator, which is the same as unset.
  for (char** variable = environ; *variable != nullptr; ++variable) {
    bool stays = false;
    for (char** kept = called.environment; *kept != nullptr; ++kept) stays |= *kept == *variable;
    const std::string_view text = *variable;
    if (!stays) launch.environment.emplace_back(text.substr(0, text.find('=')), "");
  }
  return launch;
}

}  // namespace Atoll::trace
