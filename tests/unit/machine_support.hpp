// Common code of the tests of `machine`.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "atoll/base/error.hpp"
#include "atoll/machine/machine.hpp"

namespace Atoll {

inline NodeId node(unsigned value) {
  return NodeId{value};
}

/// Returns the one-line message of the Error (input) that `action` throws; fails the test if it
/// doesn't throw.
template <class Action>
std::string input_error(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string line = error.what();
    EXPECT_EQ(error.kind(), Error::Kind::input) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    return line;
  }
  ADD_FAILURE() << "no error";
  return "";
}

/// Returns `text` with its first `from` replaced; fails the test if there is none.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "no '" << from << "'";
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

}  // namespace Atoll
