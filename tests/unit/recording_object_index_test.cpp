// Look-ups of objects by words of memory, compared with arrays of bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

#include "recording/objects/object_index.hpp"

namespace Atoll::recording {
namespace {

TEST(TraceObjectIndex, KnowsWhatWasUsedAgain) {
  std::minstd_rand random(3);
  constexpr std::uint64_t kPages = 8, kBytes = kPages * kPageBytes;
  for (int round = 0; round < 30; ++round) {
    ObjectIndex index;
    index.add_process(kNone, 1000);
    std::vector<std::uint32_t> bytes(kBytes, kNone);
    std::array<std::uint64_t, kPages> reused{};
    for (std::uint32_t object = 0; object < 20; ++object) {
      const std::uint64_t begin = random() % kBytes,
                          end = std::min(begin + 1 + random() % 3000, kBytes);
      const auto gone = [](std::uint32_t before) { return before % 3 == 0; };
      index.note_reuse(0, begin, end, gone);
      index.put(0, begin, end, object);
      for (std::uint64_t byte = begin; byte < end; ++byte) {
        if (bytes[byte] != kNone && gone(bytes[byte]))
          reused[byte / kPageBytes] |= std::uint64_t{1} << byte % kPageBytes / kLineBytes;
        bytes[byte] = object;
      }
    }
    for (std::uint64_t page = 0; page < kPages; ++page)
      EXPECT_EQ(index.reused_lines(0, page), reused[page]);
  }
}

/// Compares each byte with the last object that was put there.
TEST(TraceObjectIndex, AgreesWithAnArrayOfBytes) {
  std::minstd_rand random(11);
  constexpr std::uint64_t kPages = 8, kBytes = kPages * kPageBytes;
  const auto around = [](std::uint32_t object) { return object % 4 == 0; };
  for (int round = 0; round < 30; ++round) {
    ObjectIndex index;
    index.add_process(kNone, 1000);
    index.add_process(0, 1001);
    std::array<std::vector<std::uint32_t>, 2> bytes;
    bytes.fill(std::vector<std::uint32_t>(kBytes, kNone));
    for (std::uint32_t object = 0; object < 90; ++object) {
      const std::uint32_t process = random() % 2;
      std::uint64_t begin = random() % kBytes,
                    end = begin + random() % (object < 60 ? kBytes / 4 : 20);
      if (random() % 2 == 0) begin = begin / 64 * 64, end = end / 64 * 64;
      end = std::min(end, kBytes);
      around(object) ? index.put_around(process, begin, end, object)
                     : index.put(process, begin, end, object);
      for (std::uint64_t byte = begin; byte < end; ++byte) bytes[process][byte] = object;
    }
    for (std::uint32_t process = 0; process < 2; ++process)
      for (std::uint64_t page = 0; page < kPages; ++page) {
        std::array<std::array<std::set<std::uint32_t>, 8>, kLinesOfPage> found;
        int line = 0;
        for (const ObjectLines& some : index.lines_of(process, page)) {
          EXPECT_NE(some.words, 0);
          if (some.first_line != line) {  // another object begins in the previous line
            EXPECT_EQ(some.first_line + 1, line);
            EXPECT_EQ(some.end_line, line);
          }
          for (line = some.first_line; line < some.end_line; ++line)
            for (std::size_t word = 0; word < 8; ++word)
              if (((some.words >> word) & 1U) != 0) {
                EXPECT_TRUE(found[static_cast<std::size_t>(line)][word].insert(some.object).second);
              }
        }
        EXPECT_EQ(line, kLinesOfPage);
        for (std::size_t word = 0; word < kPageBytes / 8; ++word) {
          std::set<std::uint32_t> of_word;
          for (std::uint32_t from = process; of_word.empty() && from != kNone;
               from = from == 1 ? 0 : kNone)
            for (std::uint64_t byte = 0; byte < 8; ++byte)
              if (const std::uint32_t object = bytes[from][page * kPageBytes + word * 8 + byte];
                  object != kNone)
                of_word.insert(object);
          if (!std::ranges::all_of(of_word, around)) std::erase_if(of_word, around);
          const std::set<std::uint32_t>& words_found = found[word / 8][word % 8];
          if (of_word.empty()) {
            EXPECT_EQ(words_found, std::set{1000 + process});
          } else if (around(*of_word.begin())) {  // any one of them
            EXPECT_EQ(words_found.size(), 1U);
            EXPECT_TRUE(of_word.contains(*words_found.begin()));
          } else {
            EXPECT_EQ(words_found, of_word);
          }
        }
      }
  }
}

}  // namespace
}  // namespace Atoll::recording
