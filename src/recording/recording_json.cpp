#include "recording/recording_json.hpp"

#include "atoll/base/error.hpp"
#include "atoll/base/json.hpp"

namespace Atoll::recording {
namespace {

/// Files have -1 in place of kNone.
std::int64_t id_of(std::uint32_t id) {
  return id == kNone ? -1 : std::int64_t{id};
}
std::uint32_t id_from(const Json& value) {
  const auto id = value.get<std::int64_t>();
  return id < 0 ? kNone : static_cast<std::uint32_t>(id);
}

/// Files have -1 in place of kNoEvent. Version 1 of the trace has no events.
std::int64_t event_of(std::uint64_t number) {
  return number == kNoEvent ? -1 : static_cast<std::int64_t>(number);
}
std::uint64_t event_from(const Json& value, const char* key) {
  const auto number = value.value(key, std::int64_t{-1});
  return number < 0 ? kNoEvent : static_cast<std::uint64_t>(number);
}

template <typename T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
template <typename T>
std::optional<T> optional_from(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
}

constexpr std::array kKinds{ObjectKind::heap,  ObjectKind::pool,    ObjectKind::global,
                            ObjectKind::stack, ObjectKind::mapping, ObjectKind::other};

ObjectKind kind_from(const std::string& word) {
  for (const ObjectKind kind : kKinds)
    if (to_string(kind) == word) return kind;
  throw JsonError("\"" + word + "\" is no kind of object");
}

Json to_value(const Process& process) {
  return {{"pid", process.pid},
          {"parent", id_of(process.parent)},
          {"executable", process.executable},
          {"command", process.command},
          {"started_ns", process.started_ns},
          {"ended_ns", process.ended_ns},
          {"exit_code", optional_json(process.exit_code)},
          {"signal", optional_json(process.signal)},
          {"forked_after", event_of(process.forked_after)}};
}

Process process_from(const Json& value) {
  Process process;
  value.at("pid").get_to(process.pid);
  process.parent = id_from(value.at("parent"));
  value.at("executable").get_to(process.executable);
  value.at("command").get_to(process.command);
  value.at("started_ns").get_to(process.started_ns);
  value.at("ended_ns").get_to(process.ended_ns);
  process.exit_code = optional_from<int>(value.at("exit_code"));
  process.signal = optional_from<int>(value.at("signal"));
  process.forked_after = event_from(value, "forked_after");
  return process;
}

Json to_value(const Thread& thread) {
  return {{"process", thread.process},
          {"tid", thread.tid},
          {"creator", id_of(thread.creator)},
          {"creation_site", id_of(thread.creation_site)},
          {"order", thread.order},
          {"name", thread.name},
          {"pu", thread.pu},
          {"started_ns", thread.started_ns},
          {"ended_ns", thread.ended_ns},
          {"joined_ns", thread.joined_ns},
          {"stream", id_of(thread.stream)},
          {"created_event", event_of(thread.created_event)},
          {"begun_event", event_of(thread.begun_event)},
          {"ended_event", event_of(thread.ended_event)},
          {"joined_event", event_of(thread.joined_event)}};
}

Thread thread_from(const Json& value) {
  Thread thread;
  value.at("process").get_to(thread.process);
  value.at("tid").get_to(thread.tid);
  thread.creator = id_from(value.at("creator"));
  thread.creation_site = id_from(value.at("creation_site"));
  value.at("order").get_to(thread.order);
  value.at("name").get_to(thread.name);
  value.at("pu").get_to(thread.pu);
  value.at("started_ns").get_to(thread.started_ns);
  value.at("ended_ns").get_to(thread.ended_ns);
  value.at("joined_ns").get_to(thread.joined_ns);
  if (value.contains("stream")) thread.stream = id_from(value.at("stream"));
  thread.created_event = event_from(value, "created_event");
  thread.begun_event = event_from(value, "begun_event");
  thread.ended_event = event_from(value, "ended_event");
  thread.joined_event = event_from(value, "joined_event");
  return thread;
}

Json to_value(const Site& site) {
  Json frames = Json::array();
  for (const Frame& frame : site.frames)
    frames.push_back({{"function", frame.function},
                      {"file", frame.file},
                      {"line", frame.line},
                      {"module", frame.module},
                      {"build_id", frame.build_id},
                      {"offset", frame.offset},
                      {"inlined", frame.inlined}});
  return frames;
}

Site site_from(const Json& value) {
  Site site;
  for (const Json& frame : value)
    site.frames.push_back({.function = frame.at("function").string(),
                           .file = frame.at("file").string(),
                           .line = frame.at("line").get<int>(),
                           .module = frame.at("module").string(),
                           .build_id = frame.at("build_id").string(),
                           .offset = frame.at("offset").get<std::uint64_t>(),
                           .inlined = frame.at("inlined").get<bool>()});
  return site;
}

Json to_value(const Object& object) {
  return {{"kind", to_string(object.kind)},
          {"process", object.process},
          {"name", object.name},
          {"site", id_of(object.site)},
          {"thread", id_of(object.thread)},
          {"order", object.order},
          {"address", object.address},
          {"bytes", object.bytes},
          {"allocations", object.allocations},
          {"module", object.module},
          {"build_id", object.build_id},
          {"offset", object.offset},
          {"created_ns", object.created_ns},
          {"freed_ns", object.freed_ns}};
}

Object object_from(const Json& value) {
  Object object;
  object.kind = kind_from(value.at("kind").string());
  value.at("process").get_to(object.process);
  value.at("name").get_to(object.name);
  object.site = id_from(value.at("site"));
  object.thread = id_from(value.at("thread"));
  value.at("order").get_to(object.order);
  value.at("address").get_to(object.address);
  value.at("bytes").get_to(object.bytes);
  value.at("allocations").get_to(object.allocations);
  value.at("module").get_to(object.module);
  value.at("build_id").get_to(object.build_id);
  value.at("offset").get_to(object.offset);
  value.at("created_ns").get_to(object.created_ns);
  value.at("freed_ns").get_to(object.freed_ns);
  return object;
}

template <typename T>
Json list(const std::vector<T>& values) {
  Json all = Json::array();
  for (const T& value : values) all.push_back(to_value(value));
  return all;
}

/// Converts a list. If its members have an `id`, it is set to their index.
template <typename F>
auto list_from(const Json& values, F&& from) {
  std::vector<decltype(from(values))> all;
  for (const Json& value : values) {
    all.push_back(from(value));
    if constexpr (requires { all.back().id; })
      all.back().id = static_cast<std::uint32_t>(all.size() - 1);
  }
  return all;
}

/// Converts a loss. Older recordings have text only; an unknown kind becomes `other`.
Loss loss_from(const Json& value) {
  const auto count = value.at("count").get<std::uint64_t>();
  if (value.contains("what")) return {LossKind::other, count, value.at("what").string()};
  const std::string &name = value.at("kind").string(), &detail = value.at("detail").string();
  const auto kind = loss_kind_from(name);
  return {kind.value_or(LossKind::other), count, kind ? detail : name};
}

Unseen unseen_from(const Json& value) {
  if (value.is_string()) return {UnseenKind::other, value.string()};
  const std::string &name = value.at("kind").string(), &detail = value.at("detail").string();
  const auto kind = unseen_kind_from(name);
  return {kind.value_or(UnseenKind::other), kind ? detail : name,
          value.at("count").get<std::uint64_t>()};
}

TaskLoop loop_from(const Json& value) {
  TaskLoop loop;
  value.at("name").get_to(loop.name);
  value.at("iterations").get_to(loop.iterations);
  value.at("chunk").get_to(loop.chunk);
  value.at("fingerprint").get_to(loop.fingerprint);
  return loop;
}

Reduction reduction_from(const Json& value) {
  Reduction reduction;
  value.at("process").get_to(reduction.process);
  value.at("begin").get_to(reduction.begin);
  value.at("end").get_to(reduction.end);
  return reduction;
}

}  // namespace

std::string to_json(const Recording& recording) {
  Json losses = Json::array(), unseen = Json::array();
  for (const Loss& loss : recording.losses)
    losses.push_back(
        {{"kind", to_string(loss.kind)}, {"count", loss.count}, {"detail", loss.detail}});
  for (const Unseen& one : recording.cant_see)
    unseen.push_back({{"kind", to_string(one.kind)}, {"count", one.count}, {"detail", one.detail}});
  Json loops = Json::array(), reductions = Json::array();
  for (const TaskLoop& loop : recording.task_loops)
    loops.push_back({{"name", loop.name},
                     {"iterations", loop.iterations},
                     {"chunk", loop.chunk},
                     {"fingerprint", loop.fingerprint}});
  for (const Reduction& one : recording.reductions)
    reductions.push_back({{"process", one.process}, {"begin", one.begin}, {"end", one.end}});
  Json all = {{"frontend", to_string(recording.frontend)},
              {"frontend_reason", recording.frontend_reason},
              {"cant_see", unseen},
              {"losses", losses},
              {"processes", list(recording.processes)},
              {"threads", list(recording.threads)},
              {"sites", list(recording.sites)},
              {"objects", list(recording.objects)},
              {"task_loops", loops},
              {"reductions", reductions},
              {"split_accesses", recording.split_accesses},
              {"elapsed_seconds", recording.elapsed_seconds},
              {"native_seconds", optional_json(recording.native_seconds)},
              {"epoch_ns", recording.epoch_ns},
              {"epochs", recording.epochs}};
  if (recording.contents != StreamContents{})
    all["contents"] = {{"work", recording.contents.work},
                       {"dependence", recording.contents.dependence},
                       {"atomics", recording.contents.atomics}};
  return all.dump_sorted();
}

Recording recording_from_json(std::string_view text, std::string_view where) {
  try {
    const Json all = Json::parse(text);
    Recording recording;
    const auto frontend = frontend_from_string(all.at("frontend").get<std::string>());
    if (!frontend) throw Error::input(where, "names a front end that there isn't");
    recording.frontend = *frontend;
    all.at("frontend_reason").get_to(recording.frontend_reason);
    for (const Json& one : all.at("cant_see")) recording.cant_see.push_back(unseen_from(one));
    for (const Json& loss : all.at("losses")) recording.losses.push_back(loss_from(loss));
    recording.processes = list_from(all.at("processes"), process_from);
    recording.threads = list_from(all.at("threads"), thread_from);
    recording.sites = list_from(all.at("sites"), site_from);
    recording.objects = list_from(all.at("objects"), object_from);
    if (const Json* const loops = all.find("task_loops"))  // older ones have none
      recording.task_loops = list_from(*loops, loop_from);
    if (const Json* const reductions = all.find("reductions"))
      recording.reductions = list_from(*reductions, reduction_from);
    all.at("split_accesses").get_to(recording.split_accesses);
    all.at("elapsed_seconds").get_to(recording.elapsed_seconds);
    recording.native_seconds = optional_from<double>(all.at("native_seconds"));
    all.at("epoch_ns").get_to(recording.epoch_ns);
    all.at("epochs").get_to(recording.epochs);
    if (const Json* const contents = all.find("contents"))
      recording.contents = {.work = contents->value("work", false),
                            .dependence = contents->value("dependence", false),
                            .atomics = contents->value("atomics", false)};
    return recording;
  } catch (const JsonError& error) {
    throw Error::input(where, error.what(), "record it again");
  }
}

}  // namespace Atoll::recording
