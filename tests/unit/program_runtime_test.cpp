// Arithmetic of compiled programs where the same operation in C++ is undefined.
#include "atoll/program/runtime.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "atoll/base/error.hpp"

namespace Atoll::program {
namespace {

constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kLeastLong = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxLong = std::numeric_limits<std::int64_t>::max();

std::string message(void (*failing)()) {
  try {
    failing();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::failed);
    return error.what();
  }
  return "";
}

TEST(ProgramRuntime, Division) {
  EXPECT_EQ(divide<std::int32_t>(-7, 2, ""), -3);
  EXPECT_EQ(remainder<std::int32_t>(-7, 2, ""), -1);
  EXPECT_EQ(divide<std::int32_t>(kLeast, -1, ""), kLeast);
  EXPECT_EQ(divide<std::int64_t>(kLeastLong, -1, ""), kLeastLong);
  EXPECT_EQ(divide<std::int32_t>(6, -1, ""), -6);
  EXPECT_EQ(remainder<std::int64_t>(kLeastLong, -1, ""), 0);
  EXPECT_EQ(message([] { static_cast<void>(divide<std::int32_t>(1, 0, "x.gm:3:4")); }),
            "x.gm:3:4: an integer is divided by zero; test the divisor first");
  EXPECT_NE(message([] { static_cast<void>(remainder<std::int64_t>(1, 0, "x")); }), "");
}

TEST(ProgramRuntime, Narrowing) {
  EXPECT_EQ(narrow(-5, ""), -5);
  EXPECT_EQ(narrow(kMaxInt, ""), kMaxInt);
  EXPECT_EQ(narrow(kMaxLong, ""), kMaxInt) << "INF stays INF";
  EXPECT_EQ(narrow(kLeastLong, ""), kLeast);
  EXPECT_EQ(message([] { static_cast<void>(narrow(std::int64_t{1} << 31, "x.gm:3:4")); }),
            "x.gm:3:4: 2147483648 does not fit into an Int; declare the variable as Long");
}

TEST(ProgramRuntime, Nearest) {
  EXPECT_EQ((nearest<std::int32_t>(2.9)), 2);
  EXPECT_EQ((nearest<std::int32_t>(-2.9F)), -2);
  EXPECT_EQ((nearest<std::int32_t>(1e300)), kMaxInt);
  EXPECT_EQ((nearest<std::int32_t>(-INFINITY)), kLeast);
  EXPECT_EQ((nearest<std::int32_t>(std::nan(""))), 0);
  EXPECT_EQ((nearest<std::int64_t>(0x1p63)), kMaxLong);
  EXPECT_EQ((nearest<std::int64_t>(0x1p62)), std::int64_t{1} << 62);
  EXPECT_EQ((nearest<std::int64_t>(-0x1p63F)), kLeastLong);
  EXPECT_EQ((nearest<std::int32_t>(kMaxLong)), kMaxInt);
  EXPECT_EQ((nearest<std::int32_t>(std::int64_t{-7})), -7);
}

}  // namespace
}  // namespace Atoll::program
