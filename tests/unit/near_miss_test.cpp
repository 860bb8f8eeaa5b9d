// Misspelled words of a call have suggestions; words that are too different have none.
#include <gtest/gtest.h>

#include "options/near_miss.hpp"

namespace Atoll::options {
namespace {

TEST(NearMiss, HasTheLowestEditDistance) {
  const std::vector<std::string> verbs{"run", "trace", "report", "reorder", "diff"};
  EXPECT_EQ(nearest("reprot", verbs), "report");   // swapped
  EXPECT_EQ(nearest("repot", verbs), "report");    // removed
  EXPECT_EQ(nearest("rreport", verbs), "report");  // inserted
  EXPECT_EQ(nearest("tracy", verbs), "trace");     // replaced
  EXPECT_EQ(nearest("roerder", verbs), "reorder");
  EXPECT_EQ(nearest("rnu", verbs), "run");
  EXPECT_EQ(nearest("reporter", verbs), "report");  // distance 2
  EXPECT_EQ(nearest("rep", verbs), "");
  EXPECT_EQ(nearest("xyn", verbs), "");  // distance 2 of a short word
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
