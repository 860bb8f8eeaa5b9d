// Environment variables are read in one function, which ignores them in set-uid programs.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace Atoll {
namespace {

namespace fs = std::filesystem;

bool calls_getenv(const std::string& text) {
  static const std::regex call(R"((^|[^A-Za-z0-9_])(secure_)?getenv\b)");
  return std::regex_search(text, call);
}

TEST(Environment, NothingElseCallsGetenv) {
  const fs::path source = ATOLL_SOURCE_DIR;
  int files = 0;
  for (const char* folder : {"src", "include", "apps"})
    for (const auto& entry : fs::recursive_directory_iterator(source / folder)) {
      if (!entry.is_regular_file() || entry.path() == source / "src/base/environment.hpp") continue;
      ++files;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        if (line.find("//") != std::string::npos) line.erase(line.find("//"));
        EXPECT_FALSE(calls_getenv(line))
            << entry.path() << ": " << line << "; use environment_variable (base/environment.hpp)";
      }
    }
  EXPECT_GT(files, 500);
}

TEST(Environment, TheCheckFindsWhatItLooksFor) {
  EXPECT_TRUE(calls_getenv("std::getenv(\"X\")"));
  EXPECT_TRUE(calls_getenv("x = getenv (name);"));
  EXPECT_TRUE(calls_getenv("auto* read = ::secure_getenv;"));
  EXPECT_FALSE(calls_getenv("my_getenv(name)"));
}

}  // namespace
}  // namespace Atoll
