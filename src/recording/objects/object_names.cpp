#include "recording/objects/object_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>

#include "atoll/base/units.hpp"
#include "process/own_code.hpp"

namespace Atoll::recording {
namespace {

std::string ordinal(std::size_t n) {
  const std::size_t last = n % 10;
  const bool teen = n % 100 / 10 == 1;
  return fmt::format("{}{}", n,
                     teen || last == 0 || last > 3 ? "th"
                     : last == 1                   ? "st"
                     : last == 2                   ? "nd"
                                                   : "rd");
}

std::string file_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

/// Identity of a frame for users: function and line, or the address if they are unknown.
using Level = std::tuple<std::string_view, std::string_view, int, std::uint64_t>;

Level level_of(const Frame& frame) {
  const bool known = frame.line != 0 || !frame.function.empty();
  return {known ? frame.function : frame.module, frame.file, frame.line, known ? 0 : frame.offset};
}

}  // namespace

std::string program_of(const Process& process) {
  // Uses argv[0]: it distinguishes redis-server from redis-check-rdb, which are one file. The
  // argv[0] of a login shell begins with a dash.
  std::string called = process.command.empty() ? "" : file_name(process.command.front());
  return called.empty() || called.front() == '-' ? file_name(process.executable) : called;
}

const Frame* place_of(const Recording& run, const Object& object) {
  if (object.site == kNone) return nullptr;
  return process::own_level(run.sites[object.site].frames, run.processes[object.process].executable,
                            [](const Frame& frame) {
                              return process::CodePlace{frame.function, frame.file, frame.module};
                            });
}

std::string name_of(const Recording& run, const Object& object) {
  const std::string whose =
      run.processes.size() < 2 ? "" : " of " + program_of(run.processes[object.process]);
  if (object.kind == ObjectKind::stack && object.thread != kNone)
    return fmt::format("stack of thread {}{}", object.thread, whose);
  if (object.kind == ObjectKind::other) return "memory without a record" + whose;
  if (!object.name.empty()) return object.name;
  const Frame* place = place_of(run, object);
  if (place == nullptr) return fmt::format("{} {}", to_string(object.kind), object.id);
  return place->function.empty() ? fmt::format("{}+{:#x}", file_name(place->module), place->offset)
                                 : place->function;
}

SameLine::SameLine(const Recording& run) {
  std::vector<std::uint32_t> by_age(run.objects.size());
  std::iota(by_age.begin(), by_age.end(), 0U);
  std::ranges::stable_sort(by_age, {}, [&](auto id) { return run.objects[id].created_ns; });
  // The callers of the line's function are part of the key: allocations for different callers are
  // counted separately.
  std::map<std::tuple<std::uint32_t, ObjectKind, std::vector<Level>>, std::size_t> known;
  for (const std::uint32_t id : by_age) {
    const Object& object = run.objects[id];
    const Frame* const place = object.name.empty() ? place_of(run, object) : nullptr;
    if (place == nullptr || place->line == 0) continue;
    const std::vector<Frame>& stack = run.sites[object.site].frames;
    std::vector<Level> levels;
    for (const Frame* level = place; level != stack.data() + stack.size(); ++level)
      levels.push_back(level_of(*level));
    const auto [at, is_new] =
        known.try_emplace({object.process, object.kind, std::move(levels)}, lines_.size());
    if (is_new) lines_.emplace_back();
    Calls& calls = lines_[at->second];
    const auto call = std::ranges::find(calls, place->offset, &Call::offset);
    if (call == calls.end())
      calls.push_back({place->offset, object.bytes});
    else if (call->bytes != object.bytes)
      call->bytes = 0;
    of_[id] = {at->second, place->offset};
  }
}

std::string SameLine::words(const Object& object) const {
  const auto found = of_.find(object.id);
  if (found == of_.end()) return "";
  const auto& [line, offset] = found->second;
  const Calls& calls = lines_[line];
  if (calls.size() < 2) return "";
  const auto call = std::ranges::find(calls, offset, &Call::offset);
  const auto number = static_cast<std::size_t>(call - calls.begin()) + 1;
  const std::string size = call->bytes == 0 ? "" : ", " + format_bytes(call->bytes);
  return fmt::format(" ({} of {}{})", ordinal(number), calls.size(), size);
}

}  // namespace Atoll::recording
