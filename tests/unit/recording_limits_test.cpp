// Limitations of a recording: each kind has a unique name and a text, also in older recordings.
#include "atoll/recording/limits.hpp"

#include <gtest/gtest.h>

#include <set>

#include "recording/limits_text.hpp"
#include "recording/recording_json.hpp"

namespace Atoll::recording {
namespace {

template <class Kind>
std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds;
  for (int kind = 0; kind <= static_cast<int>(Kind::other); ++kind)
    kinds.push_back(static_cast<Kind>(kind));
  return kinds;
}

TEST(TraceLimits, EveryKindHasANameAndWords) {
  std::set<std::string_view> names;
  std::set<std::string> words;
  for (const LossKind kind : all_kinds<LossKind>()) {
    EXPECT_EQ(loss_kind_from(to_string(kind)), kind);
    EXPECT_TRUE(names.insert(to_string(kind)).second) << to_string(kind);
    EXPECT_TRUE(words.insert(in_words(Loss{kind, 3, "detail"}, kAccesses)).second);
  }
  names = {};
  for (const UnseenKind kind : all_kinds<UnseenKind>()) {
    EXPECT_EQ(unseen_kind_from(to_string(kind)), kind);
    EXPECT_TRUE(names.insert(to_string(kind)).second) << to_string(kind);
    EXPECT_TRUE(words.insert(in_words(Unseen{kind, "others", 3}, kAccesses)).second);
  }
  EXPECT_EQ(loss_kind_from("no such kind"), std::nullopt);
  EXPECT_EQ(unseen_kind_from(""), std::nullopt);
}

TEST(TraceLimits, WordsHaveDetailsAndFigures) {
  EXPECT_EQ(in_words(Unseen{UnseenKind::parts, "", 4}, kPageUses),
            "3 of 4 parts of allocations above 8 MiB, but their first touches");
  EXPECT_EQ(in_words(Unseen{UnseenKind::everything, "{no} permission"}, kPageUses),
            "page uses: {no} permission");
  EXPECT_EQ(in_words(Unseen{UnseenKind::other_libraries, "atollcc"}, kAccesses),
            "accesses of libraries that weren't compiled with atollcc, libc among them");
  EXPECT_EQ(in_words(Loss{LossKind::accesses_to_the_last, 1}, kPageUses),
            "page uses of addresses that several objects had in turn: given to the last");
}

TEST(TraceLimits, OlderAndNewerRecordingsAreRead) {
  Recording recording;
  recording.losses = {{LossKind::events_dropped, 5}, {LossKind::other, 6, "said"}};
  recording.cant_see = {{UnseenKind::parts, "", 4}, {UnseenKind::first_touches, "why"}};
  std::string text = to_json(recording);
  const Recording same = recording_from_json(text, "test");
  EXPECT_EQ(same.losses, recording.losses);
  EXPECT_EQ(same.cant_see, recording.cant_see);

  const auto replace = [&](std::string_view old, std::string_view by) {
    ASSERT_NE(text.find(old), std::string::npos) << text;
    text.replace(text.find(old), old.size(), by);
  };
  replace(R"({"count":5,"detail":"","kind":"events_dropped"})",
          R"({"what":"as of old","count":5})");
  replace(R"({"count":4,"detail":"","kind":"parts"})", R"("a line of old")");
  replace(R"("kind":"first_touches")", R"("kind":"of_the_future")");
  const Recording read = recording_from_json(text, "test");
  EXPECT_EQ(read.losses[0], (Loss{LossKind::other, 5, "as of old"}));
  EXPECT_EQ(read.cant_see[0], (Unseen{UnseenKind::other, "a line of old"}));
  EXPECT_EQ(read.cant_see[1], (Unseen{UnseenKind::other, "of_the_future"}));
}

}  // namespace
}  // namespace Atoll::recording
