// Matching of call stacks with planned stacks: the same build, another build, and stacks that must
// not match.
#include <gtest/gtest.h>

#include "process/stack_matcher.hpp"

namespace Atoll::process {
namespace {

Frame frame(std::string function, std::string file, int line, bool inlined = false) {
  return {.function = std::move(function),
          .file = std::move(file),
          .line = line,
          .module = "/home/me/app",
          .inlined = inlined};
}
Frame of_library(std::string function, std::string module) {
  return {.function = std::move(function), .module = std::move(module)};
}
Frame at(std::string build_id, std::uint64_t offset) {
  return {.module = "/home/me/app", .build_id = std::move(build_id), .offset = offset};
}

std::vector<PlanFrame> planned(const std::vector<Frame>& frames) {
  std::vector<PlanFrame> stack;
  for (const Frame& level : frames)
    stack.push_back({level.function, level.file, level.line,
                     level.module.substr(level.module.rfind('/') + 1), level.build_id, level.offset,
                     level.inlined});
  return stack;
}

const std::vector<Frame> kMake{frame("make", "/src/a.cpp", 10), frame("main", "/src/a.cpp", 20)};

std::vector<StackNumber> found(const std::vector<std::vector<Frame>>& plan,
                               const std::vector<Frame>& running) {
  StackMatcher matcher;
  for (const auto& stack : plan) matcher.add(planned(stack));
  return matcher.find(running).stacks;
}
bool matches(const std::vector<Frame>& plan, const std::vector<Frame>& running) {
  return !found({plan}, running).empty();
}

TEST(StackMatcher, EqualStacksHaveOneNumber) {
  StackMatcher matcher;
  EXPECT_EQ(matcher.add(planned(kMake)), 0U);
  EXPECT_EQ(matcher.add({}), 1U);
  EXPECT_EQ(matcher.add(planned(kMake)), 0U);
}

TEST(StackMatcher, BuildIdAndOffsetComeFirst) {
  StackMatcher matcher;
  matcher.add(planned({at("aa", 1), at("aa", 2)}));
  matcher.add(planned({at("aa", 1), at("aa", 3)}));
  matcher.add(planned({at("bb", 1), at("aa", 3)}));
  const auto same = matcher.find({at("aa", 1), at("aa", 3), at("cc", 9)});
  EXPECT_TRUE(same.exact);
  EXPECT_EQ(same.stacks, std::vector<StackNumber>{1});
  EXPECT_TRUE(matcher.find({at("aa", 1)}).stacks.empty());
  EXPECT_TRUE(matcher.find({at("cc", 1), at("cc", 3)}).stacks.empty());
  // An inlined frame has its caller's offset and isn't compared as a frame.
  auto inlined = at("aa", 1);
  inlined.inlined = true;
  EXPECT_EQ(matcher.find({inlined, at("aa", 1), at("aa", 2)}).stacks, std::vector<StackNumber>{0});
}

TEST(StackMatcher, LinesHoldInAnotherBuild) {
  const std::vector<Frame> inlined{frame("make", "/other/a.cpp", 10, true),
                                   frame("main", "/other/a.cpp", 20),
                                   of_library("__libc_start_main", "/usr/lib/libc.so.6")};
  StackMatcher matcher;
  matcher.add(planned(kMake));
  EXPECT_FALSE(matcher.find(inlined).exact);
  EXPECT_EQ(matcher.find(inlined).stacks.size(), 1U);
}

TEST(StackMatcher, ATailCallLeavesNoLevel) {
  EXPECT_TRUE(matches(kMake, {frame("main", "a.cpp", 20)}));
  EXPECT_TRUE(matches({frame("main", "a.cpp", 20)}, kMake));
}

TEST(StackMatcher, OtherPlacesAreOthers) {
  EXPECT_FALSE(matches(kMake, {frame("make", "/src/a.cpp", 10), frame("main", "/src/a.cpp", 21)}));
  EXPECT_FALSE(matches(kMake, {frame("make", "/src/a.cpp", 11), frame("main", "/src/a.cpp", 20)}));
  EXPECT_FALSE(matches(kMake, {frame("make", "/src/b.cpp", 10), frame("main", "/src/a.cpp", 20)}));
  EXPECT_FALSE(matches({frame("make<int>", "a.hpp", 10)}, {frame("make<long>", "a.hpp", 10)}));
  EXPECT_FALSE(matches(kMake, {}));
  EXPECT_FALSE(matches({}, kMake));
  EXPECT_FALSE(matches({}, {}));
}

TEST(StackMatcher, WhatLibrariesDoBetweenIsNoMatter) {
  const std::vector<Frame> one{
      frame("allocate", "/usr/include/c++/12/bits/new_allocator.h", 137, true),
      frame("vector", "/usr/include/c++/12/bits/stl_vector.h", 300, true),
      frame("main", "a.cpp", 8)};
  const std::vector<Frame> other{
      of_library("operator new(unsigned long)", "/usr/lib/libstdc++.so.6"),
      frame("vector", "/usr/include/c++/11/bits/stl_vector.h", 290), frame("main", "a.cpp", 8)};
  EXPECT_TRUE(matches(one, other));
  // Two planned stacks match equally in the program's code. The one whose library frames agree
  // better is first.
  const std::vector<Frame> third{
      frame("resize", "/usr/include/c++/12/bits/stl_vector.h", 900, true),
      frame("main", "a.cpp", 8)};
  EXPECT_EQ(found({third, one}, one), (std::vector<StackNumber>{1, 0}));
}

TEST(StackMatcher, CompilersNameOutlinedLoopsDifferently) {
  EXPECT_TRUE(matches({frame(".omp_outlined.", "a.c", 5)}, {frame("main._omp_fn.0", "a.c", 5)}));
  EXPECT_TRUE(matches({frame("work", "a.c", 5)}, {frame("work.constprop.0", "a.c", 5)}));
}

TEST(StackMatcher, NamesServeWhereThereAreNoLines) {
  const std::vector<Frame> bare{frame("make", "", 0), frame("main", "", 0),
                                of_library("__libc_start_main", "/usr/lib/libc.so.6")};
  EXPECT_TRUE(matches(kMake, bare));
  EXPECT_TRUE(matches(bare, kMake));
  EXPECT_FALSE(matches(kMake, {frame("build", "", 0), frame("main", "", 0)}));
  // Two places in one function can't be distinguished.
  StackMatcher matcher;
  matcher.add(planned(kMake));
  matcher.add(planned({frame("make", "/src/a.cpp", 12), frame("main", "/src/a.cpp", 20)}));
  EXPECT_EQ(matcher.find(bare).best, 2U);
}

TEST(FunctionHash, OfTheProgramsOwnCode) {
  const std::vector<Frame> in_library{
      of_library("operator new(unsigned long)", "/usr/lib/libstdc++.so.6"), kMake[0]};
  EXPECT_EQ(function_hash(in_library), function_hash(kMake));
  EXPECT_EQ(function_hash(planned(kMake)), function_hash(kMake));
  EXPECT_NE(function_hash(kMake), 0U);
  EXPECT_NE(function_hash(kMake), function_hash(std::vector{kMake[1]}));
  EXPECT_EQ(function_hash(std::vector<Frame>{frame("", "", 0), kMake[1]}), 0U);
  EXPECT_EQ(function_hash(std::vector<Frame>{}), 0U);
}

}  // namespace
}  // namespace Atoll::process
