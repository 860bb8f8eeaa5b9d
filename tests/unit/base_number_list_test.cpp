// Parsing and printing of Linux's number lists ("0-3,8").
#include "base/number_list.hpp"

#include <gmock/gmock.h>

namespace Atoll {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NumberList, IsReadAsLinuxWritesIt) {
  EXPECT_THAT(parse_number_list("0"), ElementsAre(0));
  EXPECT_THAT(parse_number_list("0-3,8\n"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(parse_number_list("5,7-8,12"), ElementsAre(5, 7, 8, 12));
  EXPECT_THAT(parse_number_list("0-2,7"), ElementsAre(0, 1, 2, 7));
  EXPECT_THAT(parse_number_list(""), IsEmpty());
  EXPECT_THAT(parse_number_list("\n"), IsEmpty());
}

TEST(NumberList, EndsAtTheFirstError) {
  EXPECT_THAT(parse_number_list("1,x"), ElementsAre(1));
  EXPECT_THAT(parse_number_list("x"), IsEmpty());
  EXPECT_THAT(parse_number_list("3-1"), IsEmpty());
  EXPECT_THAT(parse_number_list("0-99999999"), IsEmpty());
  EXPECT_THAT(parse_number_list("1,4-2,6"), ElementsAre(1));
  EXPECT_THAT(parse_number_list("1,-2"), ElementsAre(1));
  EXPECT_THAT(parse_number_list("1,0-4000000000"), ElementsAre(1));
  EXPECT_THAT(parse_number_list("65535,65536"), ElementsAre(65535));
}

}  // namespace
}  // namespace Atoll
