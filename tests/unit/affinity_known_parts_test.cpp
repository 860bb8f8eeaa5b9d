// Parts of tasks that come again are known, and others are not, whatever small thing differs.
#include "affinity/known_parts.hpp"

#include <gtest/gtest.h>

#include <random>

namespace Atoll::affinity {
namespace {

using Lines = std::vector<trace::LineUse>;

trace::TaskUses part_of(std::uint64_t task, const Lines& lines, std::uint32_t process = 0,
                        std::uint32_t thread = 0) {
  return {.process = process, .thread = thread, .loop = "loop", .number = task, .lines = lines};
}

TEST(KnownParts, AreThoseThatWereAdded) {
  std::mt19937_64 random(5);
  KnownParts known;
  std::vector<Lines> lines(20'000);
  for (Lines& part : lines) {
    part.resize(random() % 6);  // some use nothing
    for (trace::LineUse& use : part)
      use = {.line = random() % 5000, .read = static_cast<std::uint8_t>(random())};
  }
  for (std::uint64_t task = 0; task < lines.size(); ++task) {
    EXPECT_FALSE(known.contains(part_of(task, lines[task])));
    known.add(part_of(task, lines[task]));
  }
  for (std::uint64_t task = 0; task < lines.size(); ++task) {
    EXPECT_TRUE(known.contains(part_of(task, lines[task], 0, 7))) << "thread 7 runs it now";
    EXPECT_FALSE(known.contains(part_of(task, lines[task], 1)));
    EXPECT_FALSE(known.contains(part_of(task + lines.size(), lines[task])));
    Lines other = lines[task];
    other.push_back({.line = 1});
    EXPECT_FALSE(known.contains(part_of(task, other)));
    for (const auto member :
         {&trace::LineUse::read, &trace::LineUse::written, &trace::LineUse::atomic}) {
      other = lines[task];
      if (other.empty()) continue;
      other.front().*member ^= 1;
      EXPECT_FALSE(known.contains(part_of(task, other)));
    }
  }
}

}  // namespace
}  // namespace Atoll::affinity
