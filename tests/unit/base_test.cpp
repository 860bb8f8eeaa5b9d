// Errors are one line; units read back what people write.
#include <gtest/gtest.h>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"

namespace Atoll {
namespace {

TEST(Error, IsOneLineWithPlaceAndWayOut) {
  const Error error = Error::input("graph.el:3", "'x\ny' is not a node", "write a number");
  EXPECT_STREQ(error.what(), "graph.el:3: 'x y' is not a node; write a number");
  EXPECT_EQ(error.kind(), Error::Kind::input);
  EXPECT_STREQ(Error::system("f", "opening", 2).what(), "f: opening: No such file or directory");
}

TEST(Units, Bytes) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(4096), "4 KiB");
  EXPECT_EQ(format_bytes(kGiB * 3 / 2), "1.5 GiB");
  EXPECT_EQ(format_bytes(UINT64_MAX), "16 EiB");
  EXPECT_EQ(parse_bytes("64 KiB", "x"), 65536U);
  EXPECT_EQ(parse_bytes("1.5g", "x"), kGiB * 3 / 2);
  EXPECT_EQ(parse_bytes("2GB", "x"), 2000000000U);
  for (const char* wrong : {"", "x", "-1", "4 apples", "1e30", "nan"})
    EXPECT_THROW(static_cast<void>(parse_bytes(wrong, "x")), Error) << wrong;
}

TEST(Units, Others) {
  EXPECT_EQ(format_count(64000000), "64,000,000");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_seconds(85e-9), "85 ns");
  EXPECT_EQ(format_seconds(0.00124), "1.24 ms");
  EXPECT_EQ(format_seconds(3.1), "3.1 s");
  EXPECT_EQ(format_bandwidth(102.4e9), "102 GB/s");
}

}  // namespace
}  // namespace Atoll
