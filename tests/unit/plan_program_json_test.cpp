// Program plans as JSON: written plans can be read back, errors are reported with their member.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "atoll/base/error.hpp"
#include "atoll/plan/program_plan.hpp"

namespace Atoll {
namespace {

using ::testing::HasSubstr;

// Generates random plans. Values are often equal.
class AnyPlan {
 public:
  explicit AnyPlan(unsigned seed) : random_(seed) {}

  ProgramPlan plan() {
    ProgramPlan plan;
    plan.machine = text();
    plan.command = texts();
    plan.reasons = texts();
    plan.bind_threads = chance();
    for (std::uint32_t i = 0, n = number(5); i < n; ++i) {
      PlannedThread thread{text(), {}, stack(), number(3), NodeId{number(8)}, {}};
      if (i > 0 && chance()) thread.creator = number(i);
      for (std::uint32_t pu = number(4); pu > 0; --pu) thread.pus.push_back(static_cast<int>(pu));
      plan.threads.push_back(thread);
    }
    for (std::uint32_t n = number(5); n > 0; --n) {
      PlannedObject object{PlannedObject::Kind{static_cast<int>(number(4))},
                           text(),
                           stack(),
                           random_() >> number(64),
                           number(3),
                           layout(),
                           {},
                           text()};
      std::uint64_t end = 0;
      for (std::uint32_t runs = number(4); runs > 0; --runs)
        object.runs.push_back({end += 1 + (random_() >> 20), NodeId{number(8)}});
      plan.objects.push_back(object);
    }
    if (chance()) plan.rest = layout();
    if (chance()) plan.before = Prediction{share(), share(), 0.5 + share()};
    if (chance()) plan.after = Prediction{share(), share(), 0.5 + share()};
    return plan;
  }

 private:
  std::uint32_t number(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool chance() { return number(2) == 0; }
  double share() {
    return chance() ? number(2) : std::uniform_real_distribution(0.0, 1.0)(random_);
  }
  std::string text() {
    static const std::vector<std::string> words{"", "main", "operator new[](unsigned long)",
                                                "a \"b\" \\ \n \x01 c", "größer.cpp"};
    return words[number(static_cast<std::uint32_t>(words.size()))];
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all(number(4));
    for (std::string& one : all) one = text();
    return all;
  }
  std::vector<PlanFrame> stack() {
    std::vector<PlanFrame> frames(number(4));
    for (PlanFrame& frame : frames)
      frame = {text(),  text(), static_cast<int>(number(3) * 1000),
               text(),  text(), random_() >> number(64),
               chance()};
    return frames;
  }
  Layout layout() {
    std::vector<NodeId> nodes(1 + number(4));
    for (std::uint32_t i = 0; i < nodes.size(); ++i) nodes[i] = NodeId{i * 2};
    switch (number(4)) {
      case 0:
        return {SingleNode{nodes.back()}, PageSize::small};
      case 1:
        return {Distributed{nodes, 2 << 20}, PageSize::huge};
      case 2:
        return {Partitioned{nodes}, PageSize::small};
      default:
        return {Replicated{nodes}, PageSize::huge};
    }
  }

  std::mt19937_64 random_;
};

TEST(PlanJson, ComesBackEqual) {
  EXPECT_EQ(plan_from_json(to_json(ProgramPlan{}), "p"), ProgramPlan{});
  for (unsigned seed = 0; seed < 300; ++seed) {
    const ProgramPlan plan = AnyPlan(seed).plan();
    const std::string text = to_json(plan);
    ASSERT_EQ(plan_from_json(text, "plan.json"), plan) << text;
    EXPECT_EQ(to_json(plan_from_json(text, "plan.json")), text);
  }
}

TEST(PlanJson, IsForPeople) {
  ProgramPlan plan;
  plan.command = {"./app", "8"};
  plan.bind_threads = true;
  plan.threads = {{.name = "main", .node = NodeId{0}},
                  {.creator = 0,
                   .stack = {{.function = "work", .file = "app.cpp", .line = 7, .offset = 0x4b32}},
                   .order = 2,
                   .node = NodeId{1},
                   .pus = {4, 5}}};
  plan.objects = {{.kind = PlannedObject::Kind::global,
                   .name = "table",
                   .bytes = 8192,
                   .layout = {Distributed{{NodeId{0}, NodeId{1}}}, PageSize::small},
                   .reason = "all read it"}};
  EXPECT_EQ(to_json(plan), R"({
  "atoll_plan": 1,
  "command": ["./app", "8"],
  "bind_threads": true,
  "threads": [
    {"name": "main", "node": 0},
    {
      "creator": 0,
      "order": 2,
      "node": 1,
      "pus": [4, 5],
      "stack": [{"function": "work", "file": "app.cpp", "line": 7, "offset": "0x4b32"}]
    }
  ],
  "objects": [
    {
      "kind": "global",
      "name": "table",
      "bytes": 8192,
      "layout": {"kind": "distributed", "nodes": [0, 1], "granule_bytes": 4096, "pages": "4k"},
      "reason": "all read it"
    }
  ]
}
)");
}

std::string refusal(const std::string& text) {
  try {
    (void)plan_from_json(text, "plan.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::input);
    return error.what();
  }
  return "accepted: " + text;
}

TEST(PlanJson, WhatIsWrongIsNamed) {
  const auto with = [](const std::string& members) {
    return R"({"atoll_plan":1,)" + members + "}";
  };
  const auto object = [&](const std::string& members) {
    return with(R"("objects":[{"kind":"heap",)" + members + "}]");
  };
  const auto frame = [&](const std::string& members) {
    return with(R"("threads":[{"node":0,"stack":[{)" + members + "}]}]");
  };
  const std::string layout = R"("layout":{"kind":"single","node":0,"pages":"4k"})";
  const std::string deep(100'000, '[');
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "plan.json:1:1"},
      {"{\n\"atoll_plan\": }", "plan.json:2:15"},
      {"[]", "plan.json: must be an object"},
      {"{}", "'atoll_plan' is missing; docs/plan-file.md"},
      {R"({"atoll_plan":2})", "/atoll_plan: version 2 is not known; this atoll reads version 1"},
      {R"({"atoll_plan":"1"})", "/atoll_plan: must be a number"},
      {R"({"atoll_plan":1,"atoll_plan":1})", "twice"},
      {with(R"("thread":[])"), "unknown key 'thread'"},
      {with(R"("machine":3)"), "/machine: must be a text"},
      {with(R"("command":"x")"), "/command: must be a list"},
      {with(R"("reasons":[1])"), "/reasons/0: must be a text"},
      {with(R"("bind_threads":1)"), "/bind_threads: must be true or false"},
      {with(R"("before":{"local_share":1.5,"busiest_share":0})"), "/before/local_share: 1.5"},
      {with(R"("after":{"local_share":1,"busiest_share":0,"time":0})"),
       "/after/time: 0 is no time"},
      {with(R"("after":{"local_share":1})"), "/after: the key 'busiest_share' is missing"},
      {with(R"("threads":[{}])"), "/threads/0: the key 'node' is missing"},
      {with(R"("threads":[{"node":-1}])"), "/threads/0/node: -1"},
      {with(R"("threads":[{"node":4294967295}])"), "/threads/0/node"},
      {with(R"("threads":[{"node":1.5}])"), "/threads/0/node: 1.5"},
      {with(R"("threads":[{"node":0},{"node":0,"creator":1}])"),
       "/threads/1/creator: thread 1 does not come before"},
      {with(R"("threads":[{"node":0,"pus":[0,-2]}])"), "/threads/0/pus/1"},
      {with(R"("threads":[{"node":0,"cpu":1}])"), "/threads/0: unknown key 'cpu'"},
      {frame(R"("offset":3)"), "/threads/0/stack/0/offset: must be a text"},
      {frame(R"("offset":"0x")"), "/threads/0/stack/0/offset: this is not an offset"},
      {frame(R"("offset":"0x1g")"), "write it as \"0x4b32\""},
      {frame(R"("offset":"0x11111111111111111")"), "/offset"},
      {frame(R"("line":3000000000)"), "/threads/0/stack/0/line"},
      {frame(R"("inlined":"yes")"), "/threads/0/stack/0/inlined"},
      {with(R"("objects":[{}])"), "/objects/0: the key 'kind' is missing"},
      {with(R"("objects":[{"kind":"hip"}])"), "/objects/0/kind: 'hip' is no kind"},
      {object(R"("bytes":1)"), "/objects/0: the key 'layout' is missing"},
      {object(R"("layout":{"kind":"single","pages":"4k"})"),
       "/objects/0/layout: the key 'node' is missing"},
      {object(R"("layout":3)"), "/objects/0/layout: a layout is an object"},
      {object(R"("layout":{"kind":)" + deep + std::string(deep.size(), ']') + "}"),
       "/objects/0/layout"},
      {object(layout + R"(,"runs":[{"end_page":2,"node":0},{"end_page":2,"node":1}])"),
       "/objects/0/runs/1/end_page: 2 does not follow"},
      {object(layout + R"(,"runs":[{"end_page":0,"node":0}])"), "/objects/0/runs/0/end_page"},
      {object(layout + R"(,"bytes":1e300)"), "/objects/0/bytes"},
      {with(R"("rest":{})"), "/rest: the key 'kind' is missing"},
  };
  for (const auto& [text, words] : cases) {
    const std::string message = refusal(text);
    EXPECT_THAT(message, HasSubstr(words)) << text.substr(0, 200);
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(PlanJson, TheDocumentsExampleIsAPlan) {
  std::ifstream file(ATOLL_SOURCE_DIR "/docs/plan-file.md");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t begin = text.find("```json\n") + 8;
  const ProgramPlan plan =
      plan_from_json(text.substr(begin, text.find("```", begin) - begin), "docs/plan-file.md");
  ASSERT_EQ(plan.threads.size(), 3U);
  EXPECT_EQ(plan.threads[2].creator, 0U);
  ASSERT_EQ(plan.objects.size(), 2U);
  EXPECT_EQ(plan.objects[0].stack.at(0).line, 31);
  EXPECT_EQ(plan_from_json(to_json(plan), "again"), plan);
}

}  // namespace
}  // namespace Atoll
