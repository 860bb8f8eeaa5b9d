// Lines are appended only to files that were created for this purpose.
#include "parallel/append_to_named.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace Atoll::detail {
namespace {

TEST(AppendToNamed, OtherFilesStayAsTheyAre) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "appended";
  ::setenv("ATOLL_TEST_LINES", path.c_str(), 1);
  const auto appended_to = [&](const std::string& text) {
    std::ofstream(path) << text;
    append_to_named("ATOLL_TEST_LINES", "line\n");
    std::ostringstream now;
    now << std::ifstream(path).rdbuf();
    return now.str();
  };
  EXPECT_EQ(appended_to("ATOLL_TEST_LINES\n"), "ATOLL_TEST_LINES\nline\n");
  for (const char* other : {"", "ATOLL_TEST_LINES", "ATOLL_TEST_LINES_\n", "text of the user's\n"})
    EXPECT_EQ(appended_to(other), other);
  std::filesystem::remove(path);
  append_to_named("ATOLL_TEST_LINES", "line\n");
  EXPECT_FALSE(std::filesystem::exists(path));
  ::unsetenv("ATOLL_TEST_LINES");
}

}  // namespace
}  // namespace Atoll::detail
