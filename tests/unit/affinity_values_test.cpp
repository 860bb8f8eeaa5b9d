// Input checks of affinity scheduling: invalid graphs, lists of locations and schedules are refused
// with the reason.
#include <gmock/gmock.h>

#include <functional>

#include "atoll/base/error.hpp"
#include "atoll/plan/affinity_graph.hpp"
#include "atoll/plan/schedule.hpp"

namespace Atoll {
namespace {

/// A path of three vertices.
AffinityGraph path() {
  return {{0, 1, 3, 4}, {1, 0, 2, 1}, {5, 5, 7, 7}, {}};
}
TaskLocations two_tasks() {
  return {{0, 2, 3}, {0, 1, 1}, 2};
}
Schedule five_iterations() {
  return {{{0, NodeId{0}}, {1, NodeId{1}}}, {{"rows", 5, 2, 0, {0, 1, 3}, {1, 2, 0}}}};
}

template <class Value>
std::string refusal(Value value, const std::function<void(Value&)>& spoil) {
  spoil(value);
  try {
    check(value, "it");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::input);
    return error.what();
  }
  return "none";
}
std::string of_path(const std::function<void(AffinityGraph&)>& spoil) {
  return refusal(path(), spoil);
}
std::string of_tasks(const std::function<void(TaskLocations&)>& spoil) {
  return refusal(two_tasks(), spoil);
}
std::string of_schedule(const std::function<void(Schedule&)>& spoil) {
  return refusal(five_iterations(), spoil);
}

TEST(AffinityValues, RightOnesPass) {
  EXPECT_NO_THROW(check(path(), "it"));
  EXPECT_NO_THROW(check(AffinityGraph{}, "it"));
  EXPECT_NO_THROW(check(two_tasks(), "it"));
  EXPECT_NO_THROW(check(TaskLocations{}, "it"));
  EXPECT_NO_THROW(check(five_iterations(), "it"));
}

TEST(AffinityValues, Graphs) {
  EXPECT_EQ(path().vertices(), 3U);
  EXPECT_EQ(path().edges(), 2U);
  EXPECT_EQ(of_path([](auto& g) { g.begin.clear(); }),
            "it: doesn't begin with 0 at its first vertex");
  EXPECT_EQ(of_path([](auto& g) { g.begin = {0, 3, 1, 4}; }), "it: vertex 1 ends before it begins");
  EXPECT_EQ(of_path([](auto& g) { g.begin.back() = 9; }),
            "it: has 4 entries, but its rows (one a vertex) end at 9");
  EXPECT_EQ(of_path([](auto& g) { g.weights.pop_back(); }),
            "it: has not as many weights as neighbours");
  EXPECT_EQ(of_path([](auto& g) { g.vertex_weights = {1}; }),
            "it: has not as many vertex weights as vertices");
  EXPECT_EQ(of_path([](auto& g) { g.neighbours[0] = 3; }),
            "it: vertex 0 has a neighbour beyond the last");
  EXPECT_EQ(of_path([](auto& g) { g.neighbours[0] = 0; }), "it: vertex 0 is its own neighbour");
  EXPECT_EQ(of_path([](auto& g) { g.neighbours[2] = 0; }),
            "it: vertex 1 has neighbours that don't ascend");
  EXPECT_EQ(of_path([](auto& g) { g.weights[3] = 0; }),
            "it: vertex 1 has an edge to 2 with two weights");
  EXPECT_EQ(of_path([](auto& g) { g.weights[2] = g.weights[3] = 0; }),
            "it: vertex 1 has an edge of weight 0");
  EXPECT_EQ(of_path([](auto& g) { g.neighbours[0] = 2; }),
            "it: vertex 0 has an edge to 2 that it hasn't got");
}

TEST(AffinityValues, TasksAndTheirLocations) {
  EXPECT_EQ(two_tasks().tasks(), 2U);
  EXPECT_EQ(of_tasks([](auto& t) { t.begin[1] = 4; }), "it: task 1 ends before it begins");
  EXPECT_EQ(of_tasks([](auto& t) { t.location_count = 1; }),
            "it: task 0 has a location beyond the last");
}

TEST(AffinityValues, Schedules) {
  const Schedule right = five_iterations();
  EXPECT_THAT(right.find("rows")->of(1), testing::ElementsAre(2, 0));
  EXPECT_EQ(right.find("columns"), nullptr);
  EXPECT_EQ(of_schedule([](auto& s) { s.places.clear(); }), "it: has no thread");
  EXPECT_EQ(of_schedule([](auto& s) { s.places.pop_back(); }),
            "it: loop 'rows': has lists for 2 of 1 threads");
  EXPECT_EQ(of_schedule([](auto& s) { s.loops.push_back(s.loops[0]); }),
            "it: loop 'rows': is there twice");
  EXPECT_EQ(of_schedule([](auto& s) { s.loops[0].chunk = 0; }),
            "it: loop 'rows': has chunks of no iteration");
  EXPECT_EQ(of_schedule([](auto& s) { s.loops[0].iterations = 7; }),
            "it: loop 'rows': lists 3 of 4 tasks");
  EXPECT_EQ(of_schedule([](auto& s) {
              s.loops[0].tasks = {1, 1, 0};
            }),
            "it: loop 'rows': lists task 1 twice");
  EXPECT_EQ(of_schedule([](auto& s) {
              s.loops[0].tasks = {1, 3, 0};
            }),
            "it: loop 'rows': has no task 3; the last is 2");
}

}  // namespace
}  // namespace Atoll
