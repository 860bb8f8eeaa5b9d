// Collections and maps in files: saved ones load in the same order; errors are reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <vector>

#include "program/input_files.hpp"
#include "program/output_files.hpp"
#include "temporary_folder.hpp"

namespace Atoll::program {
namespace {

using testing::HasSubstr;
using Pairs = std::vector<std::pair<Scalar, Scalar>>;

class ProgramItems : public testing::Test {
 protected:
  ProgramItems() {
    std::ofstream(folder_ / "labels") << "a\nb c\nNIL\n";
    read_labels(graph_, (folder_ / "labels").string());
  }

  /// Returns a collection that is stored in `pairs`.
  [[nodiscard]] Items items(const CollectionUse& use, Pairs& pairs) const {
    return {.use = &use,
            .count = pairs.size(),
            .names = &names_,
            .value_names = &names_,
            .visit =
                [&pairs](std::uint64_t count, const auto& visit) {
                  for (std::size_t i = 0; i < std::min<std::size_t>(count, pairs.size()); ++i)
                    visit(pairs[i].first, pairs[i].second);
                },
            .add =
                [&pairs, &use](Scalar item, Scalar value) {
                  for (const auto& [known, unused] : pairs)
                    if (use.kind != CollectionKind::sequence && known == item) return false;
                  pairs.emplace_back(item, value);
                  return true;
                }};
  }
  std::string save(const CollectionUse& use, Pairs pairs, const std::string& name) {
    AtomicFile file((folder_ / name).string());
    save_items(file, name, items(use, pairs));
    std::stringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  Pairs load(const CollectionUse& use, const std::string& name) {
    Pairs pairs;
    load_items((folder_ / name).string(), items(use, pairs));
    return pairs;
  }
  std::string refusal(const CollectionUse& use, const std::string& text,
                      const std::string& name = "f") {
    std::ofstream(folder_ / name) << text;
    try {
      static_cast<void>(load(use, name));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input);
      return error.what();
    }
    return "";
  }

  const TemporaryFolder folder_;
  const Team team_{ThreadPlaces(1), Team::Runtime::std_threads, false};
  graph::Graph graph_ = graph::from_edges({{0, 1}, {1, 2}, {1, 2}}, team_, {.deduplicate = false});
  const Names names_{graph_};
};

TEST_F(ProgramItems, WhatIsSavedIsLoaded) {
  const auto id = [](std::int64_t number) { return Scalar(number); };
  const CollectionUse sequence{.name = "s", .kind = CollectionKind::sequence};
  const Pairs nodes{{id(2), id(2)}, {id(1), id(1)}, {id(2), id(2)}};
  EXPECT_EQ(save(sequence, nodes, "s"), "\"NIL\"\n\"b c\"\n\"NIL\"\n");
  EXPECT_EQ(load(sequence, "s"), nodes);
  EXPECT_EQ(save(sequence, nodes, "s.csv"), "s\n\"\"\"NIL\"\"\"\nb c\n\"\"\"NIL\"\"\"\n");
  EXPECT_EQ(load(sequence, "s.csv"), nodes);

  const CollectionUse map{
      .name = "m", .kind = CollectionKind::map, .key = ValueType::edge, .value = ValueType::int64};
  const Pairs pairs{{id(0), id(std::numeric_limits<std::int64_t>::max())},
                    {id(2), id(9007199254740993)},
                    {id(std::numeric_limits<std::uint32_t>::max()), id(-1)}};
  const std::string text = "a \"b c\" INF\n\"b c\" \"NIL\" #2 9007199254740993\nNIL -1\n";
  EXPECT_EQ(save(map, pairs, "m"), text);
  EXPECT_EQ(load(map, "m"), pairs);
  EXPECT_THAT(save(map, pairs, "m.csv"), HasSubstr("\n\"a \"\"b c\"\"\",INF\n"));
  EXPECT_EQ(load(map, "m.csv"), pairs);

  const CollectionUse reals{.name = "r",
                            .kind = CollectionKind::map,
                            .key = ValueType::float32,
                            .value = ValueType::node};
  const Pairs real{{double{0.1F}, id(0)}, {-0.0, id(2)}};
  EXPECT_EQ(save(reals, real, "r"), "0.1 a\n-0 \"NIL\"\n");
  EXPECT_EQ(load(reals, "r"), real);
}

TEST_F(ProgramItems, WhatIsWrongIsNamed) {
  const CollectionUse set{.name = "s", .kind = CollectionKind::set};
  EXPECT_THAT(refusal(set, "a\n\n\"b c\"\na\n"),
              HasSubstr("f:4: a second line for 'a'; a Node_Set has it once"));
  EXPECT_THAT(refusal(set, "aa\n"),
              HasSubstr("f:1: there is no node 'aa' in the graph; near it: 'a'"));
  EXPECT_THAT(refusal(set, "b c\n"), HasSubstr("f:1: there is no node 'b'"));
  EXPECT_THAT(refusal(set, "a 1\n"), HasSubstr("f:1: '1' is too much; write a label a line"));
  EXPECT_THAT(refusal(set, "NIL\n"), HasSubstr("f:1: NIL is no node"));
  EXPECT_THAT(refusal(set, "a", "f.bin"), HasSubstr("f.bin: a Node_Set isn't kept in binary"));
  const CollectionUse map{.name = "m",
                          .kind = CollectionKind::map,
                          .key = ValueType::boolean,
                          .value = ValueType::int32};
  EXPECT_THAT(refusal(map, "True 1\nFalse 2\ntrue 3\n"),
              HasSubstr("f:3: a second line for 'True'"));
  EXPECT_THAT(refusal(map, "True\n"), HasSubstr("f:1: the line ends before an Int"));
  EXPECT_THAT(refusal(map, "k,x\n", "f.csv"),
              HasSubstr("f.csv:1: no column 'm'; its columns are k, x"));
}

}  // namespace
}  // namespace Atoll::program
