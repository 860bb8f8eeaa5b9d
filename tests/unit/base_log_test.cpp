// Notes are lines without control characters.
#include <gtest/gtest.h>

#include "atoll/base/log.hpp"

namespace Atoll {
namespace {

TEST(Log, HasNoControlCharacters) {
  testing::internal::CaptureStderr();
  note("\x1b[31mred\nline\x7f of a name");
  tell("atoll: \x1b[31mred\tx\nnext\r\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "atoll: note:  [31mred line  of a name\natoll:  [31mred\tx\nnext \n");
}

}  // namespace
}  // namespace Atoll
