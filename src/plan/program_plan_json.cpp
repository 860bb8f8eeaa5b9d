// Reads and writes plans of programs as JSON (docs/plan-file.md). Default values are left out, so
// that a plan is short enough for manual editing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "atoll/plan/program_plan.hpp"
#include "base/json_cursor.hpp"
#include "base/json_text.hpp"
#include "plan/layout_json.hpp"

namespace Atoll {
namespace {

using detail::JsonCursor;
using Object = Json;
using Kind = PlannedObject::Kind;

constexpr int kVersion = 1;
constexpr std::string_view kWayOut = "docs/plan-file.md shows the format";
constexpr std::array<std::pair<Kind, std::string_view>, 5> kKinds{{{Kind::heap, "heap"},
                                                                   {Kind::pool, "pool"},
                                                                   {Kind::global, "global"},
                                                                   {Kind::stack, "stack"},
                                                                   {Kind::mapping, "mapping"}}};

// Writing.

template <typename Value>
void put_unless_usual(Object& object, const char* key, const Value& value) {
  if (value != Value{}) object[key] = value;
}

Object stack_json(const std::vector<PlanFrame>& stack) {
  Object list = Object::array();
  for (const PlanFrame& frame : stack) {
    Object level = Object::object();
    put_unless_usual(level, "function", frame.function);
    put_unless_usual(level, "file", frame.file);
    put_unless_usual(level, "line", frame.line);
    put_unless_usual(level, "module", frame.module);
    put_unless_usual(level, "build_id", frame.build_id);
    if (frame.offset != 0) level["offset"] = fmt::format("{:#x}", frame.offset);
    put_unless_usual(level, "inlined", frame.inlined);
    list.push_back(std::move(level));
  }
  return list;
}

Object thread_json(const PlannedThread& thread) {
  Object json = Object::object();
  put_unless_usual(json, "name", thread.name);
  if (thread.creator) json["creator"] = *thread.creator;
  put_unless_usual(json, "order", thread.order);
  json["node"] = thread.node.value;
  put_unless_usual(json, "pus", thread.pus);
  put_unless_usual(json, "command", thread.command);
  if (!thread.stack.empty()) json["stack"] = stack_json(thread.stack);
  return json;
}

Object object_json(const PlannedObject& object) {
  Object json{{"kind", kKinds.at(static_cast<std::size_t>(object.kind)).second}};
  put_unless_usual(json, "name", object.name);
  put_unless_usual(json, "bytes", object.bytes);
  put_unless_usual(json, "order", object.order);
  json["layout"] = Object::parse(to_json(object.layout));
  for (const PageRun& run : object.runs)
    json["runs"].push_back({{"end_page", run.end_page}, {"node", run.node.value}});
  put_unless_usual(json, "reason", object.reason);
  if (!object.stack.empty()) json["stack"] = stack_json(object.stack);
  return json;
}

Object prediction_json(const Prediction& prediction) {
  return {{"local_share", prediction.local_share},
          {"busiest_share", prediction.busiest_share},
          {"time", prediction.time}};
}

// Reading.

std::string text_or_empty(const JsonCursor& object, std::string_view key) {
  const auto value = object.find(key);
  return value ? value->string() : std::string();
}

template <typename Number>
Number number_or_zero(const JsonCursor& object, std::string_view key) {
  const auto value = object.find(key);
  return value ? value->whole_number(std::numeric_limits<Number>::max()) : Number{};
}

bool true_or_false(const JsonCursor& object, std::string_view key) {
  const auto value = object.find(key);
  return value && value->boolean();
}

/// Returns the elements of an optional list.
std::vector<JsonCursor> elements(const JsonCursor& object, std::string_view key) {
  const auto list = object.find(key);
  return list ? list->elements() : std::vector<JsonCursor>{};
}

std::vector<std::string> texts(const JsonCursor& object, std::string_view key) {
  std::vector<std::string> all;
  for (const JsonCursor& text : elements(object, key)) all.push_back(text.string());
  return all;
}

NodeId node(const JsonCursor& object) {
  return NodeId{object.get("node").whole_number(UINT32_MAX - 1)};
}

std::uint64_t offset(const JsonCursor& frame) {
  const auto value = frame.find("offset");
  if (!value) return 0;
  const std::string& text = value->string();
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  if (!text.starts_with("0x") || text.size() < 3 ||
      std::from_chars(text.data() + 2, end, number, 16) != std::from_chars_result{end, std::errc{}})
    throw value->wrong("this is not an offset", "write it as \"0x4b32\"");
  return number;
}

std::vector<PlanFrame> stack(const JsonCursor& object) {
  std::vector<PlanFrame> frames;
  for (const JsonCursor& level : elements(object, "stack")) {
    level.with_keys({"function", "file", "line", "module", "build_id", "offset", "inlined"});
    frames.push_back({.function = text_or_empty(level, "function"),
                      .file = text_or_empty(level, "file"),
                      .line = number_or_zero<int>(level, "line"),
                      .module = text_or_empty(level, "module"),
                      .build_id = text_or_empty(level, "build_id"),
                      .offset = offset(level),
                      .inlined = true_or_false(level, "inlined")});
  }
  return frames;
}

PlannedThread thread(const JsonCursor& json, std::uint32_t position) {
  json.with_keys({"name", "creator", "order", "node", "pus", "command", "stack"});
  PlannedThread thread{.name = text_or_empty(json, "name"),
                       .stack = stack(json),
                       .order = number_or_zero<std::uint32_t>(json, "order"),
                       .node = node(json),
                       .command = texts(json, "command")};
  if (const auto creator = json.find("creator")) {
    thread.creator = creator->whole_number(UINT32_MAX);
    if (*thread.creator >= position)
      throw creator->wrong(fmt::format("thread {} does not come before this one", *thread.creator),
                           "write a creator before the threads that it creates");
  }
  for (const JsonCursor& pu : elements(json, "pus"))
    thread.pus.push_back(pu.whole_number(std::numeric_limits<int>::max()));
  return thread;
}

Kind kind(const JsonCursor& json) {
  for (const auto& [kind, word] : kKinds)
    if (json.string() == word) return kind;
  throw json.wrong(fmt::format("'{}' is no kind of object", json.string()),
                   "write heap, pool, global or stack");
}

PlannedObject object(const JsonCursor& json) {
  json.with_keys({"kind", "name", "bytes", "order", "layout", "runs", "reason", "stack"});
  PlannedObject object{.kind = kind(json.get("kind")),
                       .name = text_or_empty(json, "name"),
                       .stack = stack(json),
                       .bytes = number_or_zero<std::uint64_t>(json, "bytes"),
                       .order = number_or_zero<std::uint32_t>(json, "order"),
                       .layout = detail::layout_from(json.get("layout")),
                       .reason = text_or_empty(json, "reason")};
  for (const JsonCursor& run : elements(json, "runs")) {
    run.with_keys({"end_page", "node"});
    const auto end = run.get("end_page").whole_number(std::uint64_t{1} << 52);
    if (end <= (object.runs.empty() ? 0 : object.runs.back().end_page))
      throw run.get("end_page")
          .wrong(fmt::format("{} does not follow", end), "write the runs' ends in ascending order");
    object.runs.push_back({end, node(run)});
  }
  return object;
}

std::optional<Prediction> prediction(const JsonCursor& plan, std::string_view key) {
  const auto json = plan.find(key);
  if (!json) return std::nullopt;
  json->with_keys({"local_share", "busiest_share", "time"});
  const auto share = [&](std::string_view name) {
    const JsonCursor value = json->get(name);
    if (!(value.number() >= 0 && value.number() <= 1))
      throw value.wrong(fmt::format("{} is not a share", value.number()),
                        "write a number from 0 to 1");
    return value.number();
  };
  Prediction prediction{share("local_share"), share("busiest_share")};
  if (const auto time = json->find("time")) prediction.time = time->number();
  if (!(prediction.time > 0))
    throw json->get("time").wrong(fmt::format("{} is no time", prediction.time),
                                  "write a number above 0");
  return prediction;
}

}  // namespace

std::string to_json(const ProgramPlan& plan) {
  Object json{{"atoll_plan", kVersion}};
  put_unless_usual(json, "machine", plan.machine);
  put_unless_usual(json, "command", plan.command);
  put_unless_usual(json, "reasons", plan.reasons);
  if (plan.before) json["before"] = prediction_json(*plan.before);
  if (plan.after) json["after"] = prediction_json(*plan.after);
  put_unless_usual(json, "bind_threads", plan.bind_threads);
  for (const PlannedThread& thread : plan.threads) json["threads"].push_back(thread_json(thread));
  for (const PlannedObject& object : plan.objects) json["objects"].push_back(object_json(object));
  if (plan.rest) json["rest"] = Object::parse(to_json(*plan.rest));
  return detail::format_json(json);
}

ProgramPlan plan_from_json(std::string_view text, std::string_view where) {
  if (text.starts_with("SQLite format 3"))
    throw Error::input(where, "is a profile, not a plan", "make one: atoll advise PROFILE -o PLAN");
  const Json document = detail::parse_json(text, where, kWayOut);
  const JsonCursor json(document, where, kWayOut);
  json.with_keys({"atoll_plan", "machine", "command", "reasons", "before", "after", "bind_threads",
                  "threads", "objects", "rest"});
  const JsonCursor version = json.get("atoll_plan");
  if (version.number() != kVersion)
    throw version.wrong(fmt::format("version {} is not known", version.number()),
                        fmt::format("this atoll reads version {}", kVersion));
  ProgramPlan plan{.machine = text_or_empty(json, "machine"),
                   .command = texts(json, "command"),
                   .reasons = texts(json, "reasons"),
                   .bind_threads = true_or_false(json, "bind_threads"),
                   .before = prediction(json, "before"),
                   .after = prediction(json, "after")};
  for (const JsonCursor& element : elements(json, "threads"))
    plan.threads.push_back(thread(element, static_cast<std::uint32_t>(plan.threads.size())));
  for (const JsonCursor& element : elements(json, "objects"))
    plan.objects.push_back(object(element));
  if (const auto rest = json.find("rest")) plan.rest = detail::layout_from(*rest);
  return plan;
}

}  // namespace Atoll
