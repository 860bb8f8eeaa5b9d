// The front end `dbi`: runs unmodified programs in an emulator with a plugin that records.

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "process/libraries.hpp"
#include "process/search_path.hpp"
#include "record/emulator/emulator.hpp"
#include "recording/frontends/command_file.hpp"
#include "recording/frontends/every_access_frontend.hpp"
#include "recording/frontends/frontend_rows.hpp"
#include "recording/frontends/probe_emulator.hpp"

namespace Atoll::recording {
namespace {

using record::dbi::ProgramFile;

constexpr char kPlugin[] = "libatoll-dbi.so";
constexpr char kLibrary[] = "libatoll-record.so";
constexpr char kQemu64[] = "qemu-x86_64", kQemu32[] = "qemu-i386";

/// Returns the absolute path of qemu in $PATH, or "" if there is none.
std::string find_emulator(bool is_64_bit) {
  std::string found;
  process::for_each_in_path(is_64_bit ? kQemu64 : kQemu32, [&](const std::string& path) {
    if (::access(path.c_str(), X_OK) == 0) found = std::filesystem::absolute(path).string();
    return !found.empty();
  });
  return found;
}

std::string part(const std::string& folder, const char* name) {
  std::string path = (std::filesystem::path(folder) / name).string();
  std::error_code error;
  path = std::filesystem::canonical(path, error).string();
  if (error)
    throw Error::failed((std::filesystem::path(folder) / name).string(), "missing",
                        "build or install Atoll whole");
  if (!record::dbi::is_nameable(path.c_str()))
    throw Error::failed(path, "qemu can't load a plugin from a folder with a comma in its name",
                        "install Atoll elsewhere");
  return path;
}

class DbiFrontend : public EveryAccessFrontend {
 public:
  using EveryAccessFrontend::EveryAccessFrontend;

  [[nodiscard]] StreamContents stream_contents() const override {
    return {.work = true, .dependence = true, .atomics = true};
  }
  [[nodiscard]] FrontendMappings mappings() const override {
    // Measured with a program that does nothing: qemu with its buffer for translated code, and the
    // plugin's first mapping.
    return {.permanent = 300 * kMiB, .at_start = 1536 * kMiB};
  }
  [[nodiscard]] std::vector<Unseen> cant_see() const override {
    return {{UnseenKind::kernel}, {UnseenKind::avx512}, {UnseenKind::numa_calls}};
  }
  /// Returns the command line that runs `command` (looked up in $PATH as execvp does) in the
  /// emulator. Scripts are run by their interpreters. Throws Error (input) if the program is
  /// missing, not executable, setuid, setgid, or of a format that can't be run.
  [[nodiscard]] process::Launch prepare(const std::vector<std::string>& command,
                                        const std::string& libraries,
                                        const std::string& region_path,
                                        const std::vector<std::string>& preload) override;
  [[nodiscard]] Error nothing_recorded(const std::string& program,
                                       const std::vector<std::string>& command,
                                       int status) const override {
    return Error::failed(
        program,
        fmt::format("nothing was recorded: the emulator ended before it began (code {})",
                    process::exit_code_of_status(status)),
        "see whether it runs in the emulator without Atoll: qemu-x86_64 " + command[0]);
  }
};

process::Launch DbiFrontend::prepare(const std::vector<std::string>& command,
                                     const std::string& libraries, const std::string& region_path,
                                     const std::vector<std::string>& preload) {
  const std::unique_ptr<ProgramFile> program = find_command(command.at(0));
  const std::string qemu = find_emulator(program->is_64_bit);
  const std::string plugin = part(libraries, kPlugin);
  const std::string library = process::preloadable(libraries, kLibrary);

  std::vector<const char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(word.c_str());
  words.push_back(nullptr);
  const record::dbi::Emulator emulator = {qemu.c_str(), plugin.c_str(), library.c_str(),
                                          region_path.c_str()};
  std::string libraries_first = "LD_PRELOAD=";
  for (const std::string& one : preload)
    libraries_first += process::preloadable(libraries, one) + ":";
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (constexpr std::string_view kPreload = "LD_PRELOAD=";
        !preload.empty() && std::string_view(*variable).starts_with(kPreload))
      libraries_first += *variable + kPreload.size();
    else
      variables.push_back(*variable);
  if (!preload.empty()) variables.push_back(libraries_first.data());
  variables.push_back(nullptr);
  const record::dbi::Invocation called =
      record::dbi::invocation(emulator, *program, words.data(), variables.data());
  const std::unique_ptr<void, decltype(&std::free)> memory(called.memory, &std::free);
  if (memory == nullptr) throw Error::failed(command[0], "no memory", "close other programs");

  process::Launch launch;
  for (char** word = called.arguments; *word != nullptr; ++word) launch.command.emplace_back(*word);
  // Variables that only the program gets are set to "" for the emulator, which treats them as
  // unset.
  for (char** variable = environ; *variable != nullptr; ++variable) {
    bool stays = false;
    for (char** kept = called.environment; *kept != nullptr; ++kept) stays |= *kept == *variable;
    const std::string_view text = *variable;
    if (!stays) launch.environment.emplace_back(text.substr(0, text.find('=')), "");
  }
  return launch;
}

std::string dbi_obstacle(const std::string& program, const std::string& libraries) {
  const bool is_64_bit = find_command(program)->is_64_bit;
  const std::string qemu = find_emulator(is_64_bit);
  if (qemu.empty())
    return fmt::format("the emulator {} isn't in $PATH; install Debian's package qemu-user",
                       is_64_bit ? kQemu64 : kQemu32);
  if (!std::filesystem::exists(std::filesystem::path(libraries) / kPlugin))
    return fmt::format("{} is missing; build it with Debian's package libzydis-dev", kPlugin);
  return obstacle_of_emulator(qemu, part(libraries, kPlugin));
}

}  // namespace

constinit const FrontendRow kDbiFrontend{
    .name = FrontendName::dbi,
    .word = "dbi",
    .about = "any x86 program as it is, in qemu's user-mode emulator",
    .help = "any program as it is, in qemu's emulator (5 to 100 times)",
    .requires_emulator = true,
    .obstacle = dbi_obstacle,
    .create = [](const FrontendOptions& options) -> std::unique_ptr<Frontend> {
      return std::make_unique<DbiFrontend>(kDbiFrontend, options);
    }};

}  // namespace Atoll::recording
