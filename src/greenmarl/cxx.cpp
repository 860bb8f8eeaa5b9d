// Finds and starts the compiler, without a shell.
#include "greenmarl/cxx.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "base/environment.hpp"
#include "greenmarl/guarded_process.hpp"

namespace Atoll::greenmarl {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

/// Returns the absolute path of a program; "" if it isn't found.
std::string which(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return is_program(name) ? fs::absolute(name).string() : "";
  const char* path = environment_variable("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (is_program(fs::path(folder) / name)) return fs::absolute(fs::path(folder) / name).string();
  return "";
}

/// Returns the first line that mentions an error, else the first line that isn't empty.
std::string first_message(const std::string& log) {
  std::ifstream file(log);
  std::string first;
  for (std::string line; std::getline(file, line);) {
    if (line.find("error") != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "it says nothing" : first;
}

}  // namespace

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

Cxx find_cxx(const std::string& wanted) {
  const char* environment = environment_variable("CXX");
  const std::string command = wanted.empty() && environment != nullptr ? environment : wanted;
  if (!command.empty()) {
    Cxx cxx{split_words(command)};
    const std::string name = cxx.command.empty() ? command : cxx.command[0];
    const std::string program = which(name);
    if (program.empty())
      throw Error::input(wanted.empty() ? "$CXX" : "--cxx",
                         fmt::format("there is no program '{}'", name), kNameACompiler);
    cxx.command[0] = program;
    return cxx;
  }
  for (const char* name : {"c++", "g++", "clang++"})
    if (const std::string program = which(name); !program.empty()) return {{program}};
  throw Error::failed("C++ compiler", "there is none: no c++, g++ or clang++ in $PATH",
                      "install g++ (Debian: apt-get install g++), or name one with --cxx or $CXX");
}

void run_logged(const std::vector<std::string>& command, const std::string& log,
                const std::string& what, const std::string& unfinished) {
  AtomicFile file(log, AtomicFile::Mode::own_data);
  const int status = run_guarded(command, file.descriptor(), unfinished);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    ::unlink(log.c_str());  // remove the log of an earlier failure
    return;
  }
  file.commit();
  if (WIFSIGNALED(status))
    throw Error::failed(command[0], fmt::format("{} ended by signal {}", what, WTERMSIG(status)),
                        "is there enough memory?");
  throw Error::failed(command[0], fmt::format("{} failed: {}", what, first_message(log)),
                      "the whole log is " + log);
}

}  // namespace Atoll::greenmarl
