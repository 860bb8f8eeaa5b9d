// Suggestions for misspelled words of a command line. Words that differ too much get none.
#include <gtest/gtest.h>

#include "options/near_miss.hpp"

namespace Atoll::options {
namespace {

TEST(NearMiss, HasTheLowestEditDistance) {
  const std::vector<std::string> verbs{"run", "trace", "report", "reorder", "diff"};
  EXPECT_EQ(nearest("reprot", verbs), "report");   // two letters swapped
  EXPECT_EQ(nearest("repot", verbs), "report");    // a letter removed
  EXPECT_EQ(nearest("rreport", verbs), "report");  // a letter inserted
  EXPECT_EQ(nearest("tracy", verbs), "trace");     // a letter replaced
  EXPECT_EQ(nearest("roerder", verbs), "reorder");
  EXPECT_EQ(nearest("rnu", verbs), "run");
  EXPECT_EQ(nearest("reporter", verbs), "report");  // edit distance 2
  EXPECT_EQ(nearest("rep", verbs), "");
  EXPECT_EQ(nearest("xyn", verbs), "");  // edit distance 2 is too far for a short word
  EXPECT_EQ(nearest("reporting", verbs), "");
  EXPECT_EQ(nearest("", verbs), "");
  EXPECT_EQ(nearest(std::string(1 << 20, 'r'), verbs), "");
}

TEST(NearMiss, CountsWithoutDashesWhetherAWordIsShort) {
  EXPECT_EQ(nearest("--by", {"--on"}), "");
  EXPECT_EQ(nearest("--machin", {"--march", "--machine"}), "--machine");
}

}  // namespace
}  // namespace Atoll::options
