// Notes are printed as one line, without control characters.
#include <gtest/gtest.h>

#include "atoll/base/log.hpp"

namespace Atoll {
namespace {

TEST(Log, HasNoControlCharacters) {
  testing::internal::CaptureStderr();
  note("\x1b[31mred\nline\x7f of a name");
  print_to_stderr("atoll: \x1b[31mred\tx\nnext\r\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "atoll: note:  [31mred line  of a name\natoll:  [31mred\tx\nnext \n");
}

TEST(Log, LosesTheMiddleOfLongWords) {
  testing::internal::CaptureStderr();
  note("kept in /" + std::string(5000, 'x') + "/end: it is long");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_LT(said.size(), 400U);
  EXPECT_TRUE(said.starts_with("atoll: note: kept in /xx")) << said;
  EXPECT_TRUE(said.ends_with("xx/end: it is long\n")) << said;
}

}  // namespace
}  // namespace Atoll
