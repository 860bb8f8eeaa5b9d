// The driver, with shell scripts as compilers: choice of the compiler, kept files, printed
// messages.
#include "atoll/greenmarl/driver.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "greenmarl_support.hpp"
#include "temporary_folder.hpp"

namespace Atoll::greenmarl {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class GreenmarlDriver : public testing::Test {
 protected:
  GreenmarlDriver() {
    options_.cache_folder = (root_ / "cache").string();
    options_.installation = {file("include/atoll/program/program.hpp", "").parent_path().string(),
                             file("libatoll.a", "").string()};
    options_.march = "x86-64-v3";
    options_.cxx = script("cxx", "echo call >> \"$0.calls\"\n" + kCompile);
    options_.on_compile = [this](std::string_view line) { lines_.emplace_back(line); };
  }

  fs::path file(const std::string& name, const std::string& text) {
    const fs::path path = root_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }
  std::string script(const std::string& name, const std::string& text) {
    const fs::path path = file(name, "#!/bin/sh\n" + text);
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }
  [[nodiscard]] std::ptrdiff_t calls() const {
    const std::string text = read_file(root_ / "cxx.calls");
    return std::count(text.begin(), text.end(), '\n');
  }
  /// Builds the program and returns the error's message. The error must be of this kind.
  std::string failure(Error::Kind kind = Error::Kind::failed) {
    try {
      static_cast<void>(build(program_, options_));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "";
  }

  /// A compiler that copies its source to the file after -o and makes it executable.
  const std::string kCompile =
      "while [ $# -gt 0 ]; do case $1 in -o) out=$2; shift;; *.cpp) in=$1;; esac; shift; done\n"
      "sleep 0.1; cp \"$in\" \"$out\"; chmod +x \"$out\"\n";
  TemporaryFolder folder_;
  fs::path root_ = folder_.path();
  BuildOptions options_;
  std::vector<std::string> lines_;
  CompiledProcedure program_{
      .source = "p.gm", .procedure = {.name = "p"}, .declared = {}, .cpp = "int main() {}\n"};
};

TEST_F(GreenmarlDriver, CompilesOnce) {
  const Binary first = build(program_, options_);
  EXPECT_FALSE(first.cached);
  EXPECT_TRUE(fs::path(first.path).is_absolute());
  EXPECT_EQ(read_file(first.path), program_.cpp);
  EXPECT_THAT(lines_, testing::ElementsAre(StartsWith("compiling p.gm with ")));
  const Binary second = build(program_, options_);
  EXPECT_TRUE(second.cached);
  EXPECT_EQ(second.path, first.path);
  EXPECT_EQ(calls(), 1);
  EXPECT_EQ(lines_.size(), 1U);
}

TEST_F(GreenmarlDriver, WhateverTheBinaryDependsOnIsInItsName) {
  std::set<std::string> paths{build(program_, options_).path};
  program_.cpp += "\n";
  paths.insert(build(program_, options_).path);
  options_.march = "native";
  paths.insert(build(program_, options_).path);
  options_.cxxflags = " -g  -Wall ";
  paths.insert(build(program_, options_).path);
  file("libatoll.a", "another");
  paths.insert(build(program_, options_).path);
  script("cxx", "echo call >> \"$0.calls\"\n" + kCompile + "# a newer compiler\n");
  paths.insert(build(program_, options_).path);
  options_.ids = Ids::narrow;
  paths.insert(build(program_, options_).path);
  EXPECT_EQ(paths.size(), 7U);
  EXPECT_EQ(calls(), 7);
  program_.source = "elsewhere/p.gm";
  EXPECT_TRUE(build(program_, options_).cached);
}

TEST_F(GreenmarlDriver, ProcessesMayCompileTheSameAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        std::_Exit(read_file(build(program_, options_).path) == program_.cpp ? 0 : 1);
      } catch (...) {
        std::_Exit(2);
      }
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  std::set<std::string> extensions;
  for (const auto& entry : fs::directory_iterator(options_.cache_folder))
    extensions.insert(entry.path().extension().string());
  EXPECT_EQ(extensions, (std::set<std::string>{"", ".cpp"})) << "a binary and its code, no litter";
}

TEST_F(GreenmarlDriver, AFailingCompilerIsQuoted) {
  options_.cxx = script("failing",
                        "echo warning: so what; echo 'x.cpp:1: error: no luck' >&2; "
                        "exit 1\n");
  const std::string message = failure();
  EXPECT_THAT(message,
              StartsWith(options_.cxx + ": compiling p.gm failed: x.cpp:1: error: no luck; "
                                        "the whole log is "));
  const std::string log = message.substr(message.rfind(' ') + 1);
  EXPECT_EQ(read_file(log), "warning: so what\nx.cpp:1: error: no luck\n");
  EXPECT_THAT(failure(), HasSubstr("no luck")) << "a failure is not kept";
  options_.cxx = script("silent", "exit 3\n");
  EXPECT_THAT(failure(), HasSubstr("failed: it says nothing"));
  options_.cxx = script("killed", "kill -9 $$\n");
  EXPECT_THAT(failure(), HasSubstr("ended by signal 9"));
}

TEST_F(GreenmarlDriver, APipeInTheCacheStays) {
  const std::string path = build(program_, options_).path;
  for (const char* extension : {"", ".cpp", ".log"}) {
    fs::remove_all(options_.cache_folder);
    fs::create_directories(options_.cache_folder);
    ASSERT_EQ(::mkfifo((path + extension).c_str(), 0600), 0);
    EXPECT_THAT(failure(Error::Kind::input), HasSubstr("is no regular file"));
    EXPECT_TRUE(fs::is_fifo(path + extension));
  }
}

TEST_F(GreenmarlDriver, WhatWritesNoProgramIsNoCompiler) {
  options_.cxx = "/bin/true";
  EXPECT_EQ(
      failure(Error::Kind::input),
      "/bin/true: wrote no program, so it is no C++ compiler; name a C++ compiler, such as g++");
}

TEST_F(GreenmarlDriver, TheCompilerIsSearchedFor) {
  options_.cxx = "no-such-compiler -g";
  EXPECT_EQ(failure(Error::Kind::input),
            "--cxx: there is no program 'no-such-compiler'; name a C++ compiler, such as "
            "g++");
  options_.cxx = script("cxx", "echo call >> \"$0.calls\"\n" + kCompile) + " -O0";
  EXPECT_FALSE(build(program_, options_).cached);

  const std::string path = std::getenv("PATH");
  const char* cxx = std::getenv("CXX");
  const std::string saved = cxx == nullptr ? "" : cxx;
  options_.cxx = "";
  ::setenv("CXX", "no-such-compiler", 1);
  EXPECT_THAT(failure(Error::Kind::input),
              StartsWith("$CXX: there is no program 'no-such-compiler'"));
  ::unsetenv("CXX");
  ::setenv("PATH", root_.c_str(), 1);
  EXPECT_THAT(failure(), StartsWith("C++ compiler: there is none"));
  script("g++", "PATH=" + path + "; " + kCompile);
  EXPECT_FALSE(build(program_, options_).cached);
  EXPECT_THAT(lines_.back(), EndsWith("with " + (root_ / "g++").string()));
  ::setenv("PATH", path.c_str(), 1);
  if (cxx != nullptr) ::setenv("CXX", saved.c_str(), 1);
}

TEST_F(GreenmarlDriver, TheCacheFollowsTheXdgSpecification) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string home = variable("HOME"), cache = variable("XDG_CACHE_HOME");
  options_.cache_folder = "";
  fs::create_directories(root_ / "home");
  ::setenv("HOME", (root_ / "home").c_str(), 1);
  ::setenv("XDG_CACHE_HOME", (root_ / "xdg").c_str(), 1);
  EXPECT_THAT(build(program_, options_).path, StartsWith((root_ / "xdg/atoll/p-").string()));
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_THAT(build(program_, options_).path,
              StartsWith((root_ / "home/.cache/atoll/p-").string()));
  // If no other folder can be used, the cache is below the temporary folder, in a folder of this
  // user.
  const std::string temporary = variable("TMPDIR");
  ::setenv("TMPDIR", root_.c_str(), 1);
  const fs::path own = root_ / ("atoll-cache-" + std::to_string(::geteuid()));
  const auto said = [&] {
    testing::internal::CaptureStderr();
    EXPECT_THAT(build(program_, options_).path, StartsWith((own / "p-").string()));
    return testing::internal::GetCapturedStderr();
  };
  ::setenv("XDG_CACHE_HOME", (root_ / "libatoll.a").c_str(), 1);
  EXPECT_EQ(said(), "atoll: note: compiled programs are kept in " + own.string() + ": " +
                        (root_ / "libatoll.a/atoll").string() + " can't be written to\n");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/proc", 1);
  EXPECT_THAT(said(), HasSubstr("/proc/.cache/atoll can't be written to"));
  ::setenv("HOME", (root_ / "missing").c_str(), 1);
  EXPECT_THAT(said(), HasSubstr("neither XDG_CACHE_HOME nor HOME names a folder"));
  EXPECT_FALSE(fs::exists(root_ / "missing"));
  EXPECT_EQ(fs::status(own).permissions(), fs::perms::owner_all);
  fs::permissions(own, fs::perms::all);
  EXPECT_EQ(failure(Error::Kind::input),
            own.string() +
                ": may be written by other users, so programs there are not run; "
                "if all in it is yours: chmod -R go-w");
  fs::remove_all(own);
  fs::create_directory_symlink(root_, own);
  EXPECT_THAT(failure(), HasSubstr("can't keep compiled programs there"));
  ::setenv("HOME", home.c_str(), 1);
  if (!cache.empty()) ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  if (temporary.empty())
    ::unsetenv("TMPDIR");
  else
    ::setenv("TMPDIR", temporary.c_str(), 1);
  options_.cache_folder = (root_ / "libatoll.a/below-a-file").string();
  EXPECT_THAT(failure(), HasSubstr("can't keep compiled programs there"));
}

TEST_F(GreenmarlDriver, ProgramsThatOthersMayHavePlantedAreRefused) {
  const fs::path cache = options_.cache_folder, binary = build(program_, options_).path;
  EXPECT_EQ(fs::status(cache).permissions(), fs::perms::owner_all);
  for (const fs::path& path : {cache, binary})
    for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(path, others, fs::perm_options::add);
      EXPECT_THAT(failure(Error::Kind::input),
                  StartsWith(path.string() + ": may be written by other users"));
      fs::permissions(path, others, fs::perm_options::remove);
    }
  // Other users could replace the folder, because they may write its parent.
  fs::permissions(root_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(failure(Error::Kind::input),
              StartsWith(root_.string() + ": may be written by other users"));
  fs::permissions(root_, fs::perms::sticky_bit, fs::perm_options::add);
  EXPECT_TRUE(build(program_, options_).cached);
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to another user";
  for (const fs::path& path : {binary, cache}) {
    ASSERT_EQ(::chown(path.c_str(), 65534, 65534), 0);
    EXPECT_THAT(failure(Error::Kind::input), StartsWith(path.string() + ": is of another user"));
  }
}

/// A umask with group write permission is the default of some distributions.
TEST_F(GreenmarlDriver, ProgramsAreOfThisUserAloneWithAnyUmask) {
  const mode_t before = ::umask(0);
  const fs::path binary = build(program_, options_).path;
  ::umask(before);
  EXPECT_EQ(fs::status(binary).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(build(program_, options_).cached);
}

TEST_F(GreenmarlDriver, FilesThatKilledProcessesLeftAreRemovedAfterADay) {
  const std::string suffix = "abcdefgh234567ij.tmp";
  const fs::path cache = options_.cache_folder, old = cache / (".atoll-" + suffix),
                 recent = cache / (".atoll-z" + suffix.substr(1)), other = cache / suffix;
  const auto now = fs::file_time_type::clock::now();
  for (const fs::path& path : {old, recent, other}) {
    file(fs::relative(path, root_), "half");
    fs::last_write_time(path, now - std::chrono::hours(path == recent ? 23 : 25));
  }
  fs::permissions(cache, fs::perms::owner_all);
  EXPECT_FALSE(build(program_, options_).cached);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(recent));
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(GreenmarlDriver, HeadersAndLibraryAreFoundRelativeToTheProgram) {
  const auto found = [&](const std::string& program) {
    return find_installation((root_ / program).string()).library;
  };
  file("a/include/atoll/program/program.hpp", "");
  EXPECT_THROW(found("a/bin/atoll"), Error);
  const auto multiarch = file("a/lib/x86_64-linux-gnu/libatoll.a", "");
  EXPECT_EQ(found("a/bin/atoll"), multiarch);
  const auto plain = file("a/lib/libatoll.a", "");
  EXPECT_EQ(found("a/bin/atoll"), plain);
  const auto build = file("a/build/src/libatoll.a", "");
  EXPECT_EQ(found("a/build/atoll"), build);
  EXPECT_EQ(find_installation((root_ / "a/build/atoll").string()).include_folder,
            root_ / "a/include");
  file("b/include/atoll/program/program.hpp", "");
  const auto wide = file("b/lib64/libatoll.a", "");
  EXPECT_EQ(found("b/bin/atoll"), wide);
  EXPECT_THROW(found("c/bin/atoll"), Error);
}

TEST_F(GreenmarlDriver, ProgramsAreFoundByName) {
  const auto found = [&](const std::string& name, const std::string& executable) {
    return find_program(name, (root_ / executable).string());
  };
  const auto installed = file("a/share/atoll/apps/greenmarl/ranks_of_a_test.gm", "");
  const auto in_checkout = file("b/apps/greenmarl/ranks_of_a_test.gm", "");
  for (const char* name : {"ranks_of_a_test", "ranks_of_a_test.gm"}) {
    EXPECT_EQ(found(name, "a/bin/atoll"), installed);
    EXPECT_EQ(found(name, "b/build/atoll"), in_checkout);
    EXPECT_EQ(found(name, "c/bin/atoll"), name);
  }
  EXPECT_EQ(found("./ranks_of_a_test.gm", "a/bin/atoll"), "./ranks_of_a_test.gm");
  EXPECT_EQ(found("", "a/bin/atoll"), "");
  const auto here = file("here.gm", "");
  EXPECT_EQ(found(here.string(), "a/bin/atoll"), here);
}

}  // namespace
}  // namespace Atoll::greenmarl
