// Table of the kinds of records: its consistency, and its agreement with docs/trace-file.md.
#include "atoll/record/record_kinds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "record/compiler/abi.hpp"
#include "record/stream_words.hpp"

namespace Atoll::record {
namespace {

std::string list_of_fields(const RecordRow& row) {
  std::string list;
  for (std::size_t i = 0; i < row.count; ++i) {
    const std::string name = to_string(row.fields[i]);
    list += (i == 0 ? "" : ", ") + (i < row.required ? name : "[" + name + "]");
  }
  return list;
}

std::string table_of(std::initializer_list<RecordGroup> groups) {
  std::string table = "| kind | name | fields | meaning |\n| --- | --- | --- | --- |\n";
  for (const RecordRow& row : kRecordRows)
    if (std::ranges::find(groups, row.group) != groups.end())
      table += "| " + std::to_string(static_cast<unsigned>(row.kind)) + " | `" + row.name + "` | " +
               list_of_fields(row) + " | " + row.meaning + " |\n";
  return table;
}

std::string table_of_fields() {
  std::string table = "| field | meaning |\n| --- | --- |\n";
#define ATOLL_X(name, meaning) table += std::string("| " #name " | ") + (meaning) + " |\n";
  ATOLL_RECORD_FIELDS(ATOLL_X)
#undef ATOLL_X
  return table;
}

std::string table_of_styles() {
  std::string table =
      "| word | bits | field of a style |\n| --- | --- | --- |\n| 1 | 0-6 | its number |\n";
  const auto add = [&](unsigned word, unsigned bit, unsigned bits, const char* meaning) {
    table += "| " + std::to_string(word) + " | " + std::to_string(bit) +
             (bits == 1 ? "" : "-" + std::to_string(bit + bits - 1)) + " | " + meaning + " |\n";
  };
#define ATOLL_X(word, bit, bits, member, meaning) add(word, bit, bits, meaning);
  ATOLL_STYLE_FIELDS(ATOLL_X)
#undef ATOLL_X
  return table;
}

TEST(RecordKinds, TheDocumentHasTheirTables) {
  std::ifstream file(std::filesystem::path(ATOLL_SOURCE_DIR) / "docs" / "trace-file.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const std::string& table :
       {table_of({RecordGroup::event, RecordGroup::task}), table_of({RecordGroup::work}),
        table_of_styles(), table_of({RecordGroup::wait, RecordGroup::placement}),
        table_of_fields()})
    EXPECT_NE(text.str().find("\n\n" + table + "\n"), std::string::npos)
        << "docs/trace-file.md lacks this table:\n"
        << table;
}

/// Files of earlier versions have these numbers, and at least these numbers of words.
TEST(RecordKinds, NumbersAndFieldsInFilesStay) {
  const std::map<unsigned, std::pair<std::string, unsigned>> in_files{{1, {"clock", 1}},
                                                                      {2, {"thread_created", 1}},
                                                                      {3, {"thread_begun", 1}},
                                                                      {4, {"thread_ended", 1}},
                                                                      {5, {"thread_joined", 1}},
                                                                      {6, {"allocated", 3}},
                                                                      {7, {"freed", 3}},
                                                                      {8, {"mapped", 3}},
                                                                      {9, {"unmapped", 3}},
                                                                      {10, {"mark_begin", 1}},
                                                                      {11, {"mark_end", 1}},
                                                                      {12, {"mark_iteration", 1}},
                                                                      {64, {"style", 2}},
                                                                      {65, {"work", 3}},
                                                                      {80, {"released", 3}},
                                                                      {81, {"waited", 2}},
                                                                      {82, {"barrier", 4}},
                                                                      {83, {"posted", 3}},
                                                                      {84, {"took", 3}},
                                                                      {85, {"asleep", 3}},
                                                                      {86, {"expects", 3}},
                                                                      {96, {"policy_of_range", 4}},
                                                                      {97, {"policy_of_thread", 2}},
                                                                      {98, {"pages_moved", 4}},
                                                                      {99, {"huge_pages", 4}},
                                                                      {100, {"bound", 2}},
                                                                      {101, {"pages_populated", 4}},
                                                                      {102, {"pages_discarded", 4}},
                                                                      {103, {"pages_remapped", 4}},
                                                                      {105, {"pages_cached", 4}},
                                                                      {128, {"task_begun", 3}},
                                                                      {129, {"task_ended", 1}}};
  for (const auto& [number, expected] : in_files) {
    const RecordRow* row = find_row(static_cast<RecordKind>(number));
    ASSERT_NE(row, nullptr) << number;
    EXPECT_EQ(row->name, expected.first);
    EXPECT_EQ(row->required, expected.second) << row->name;
  }
}

TEST(RecordKinds, EachRowIsConsistent) {
  std::set<RecordField> used;
  for (const RecordRow& row : kRecordRows) {
    EXPECT_EQ(find_row(row.kind), &row);
    EXPECT_STREQ(to_string(row.kind), row.name);
    EXPECT_EQ(row.is_event() || row.is_clock(), row.group != RecordGroup::work) << row.name;
    for (std::size_t i = 0; i < row.count; ++i) {
      used.insert(row.fields[i]);
      EXPECT_EQ(std::count(row.fields, row.fields + row.count, row.fields[i]), 1) << row.name;
      EXPECT_TRUE(row.fields[i] != RecordField::mask || i + 1 == row.count) << row.name;
    }
  }
#define ATOLL_X(name, meaning) EXPECT_TRUE(used.contains(RecordField::name)) << #name;
  ATOLL_RECORD_FIELDS(ATOLL_X)
#undef ATOLL_X
  for (const unsigned unknown : {0U, 13U, 90U, 130U, 255U, 256U, 4000U})
    EXPECT_EQ(find_row(static_cast<RecordKind>(unknown)), nullptr);
  EXPECT_STREQ(to_string(static_cast<RecordKind>(90)), "unknown");
}

TEST(RecordKinds, StylesAreDecodedAsTheyWereEncoded) {
  const Style largest{.access = {.work = {.instructions = ~0U, .divisions = kMaxSlow, .chain = 1},
                                 .depends_on = 63,
                                 .atomic = true},
                      .steps = kMaxSteps};
  const Style stepped{.access = {.work = {.instructions = 7, .divisions = 2, .chain = kMaxSlow}},
                      .stepped = true};
  for (const Style& style : {Style{}, largest, stepped}) {
    EXPECT_EQ(style_of(style_word(style, 127), second_style_word(style)), style);
    EXPECT_EQ(style_index_of(style_word(style, 127)), 127U);
  }
  EXPECT_EQ(style_word(stepped, 5), 5U | 1U << 8 | 2U << 24 | std::uint64_t{kMaxSlow} << 36);
  EXPECT_EQ(second_style_word(largest), 0xffff'ffffU | std::uint64_t{63} << 32);
}

TEST(RecordKinds, WorkIsDecodedAsItWasEncoded) {
  const Work work{.instructions = 5'000'000'000, .divisions = 0xffff'ffffU, .chain = 3};
  EXPECT_EQ(work_of(work.instructions, slow_word(work)), work);
  const auto record = encode_record<RecordKind::work>(work.instructions, slow_word(work), 0);
  EXPECT_EQ(following_of(record.words[0]), 3U);
  EXPECT_EQ(record_kind_of(record.words[0]), RecordKind::work);
}

/// Programs that an earlier atollcc compiled have these numbers.
TEST(RecordKinds, TheEncodingOfWorkInCompiledCallsStays) {
  const compiled::TimedMeta meta{
      .meta = {.bytes = 8, .writes = 1},
      .atomic = true,
      .work = {.instructions = 0x3ffe, .divisions = 0xfd, .chain = 0xfb}};
  EXPECT_EQ(meta.packed(), 0xfbfd'fff9'0040'0008U);
  const compiled::TimedMeta read = compiled::TimedMeta::of(meta.packed());
  EXPECT_EQ(read.work, meta.work);
  EXPECT_TRUE(read.atomic && !read.stepped);
}

}  // namespace
}  // namespace Atoll::record
