// The allocation tree for the HTML report: call stacks, outermost first, with the accesses to the
// memory that each level allocated.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "atoll/base/json.hpp"
#include "profile/html_parts.hpp"
#include "recording/objects/object_names.hpp"

namespace Atoll::profile {
namespace {

using recording::kNone;

/// Bytes of a level in addition to its names.
constexpr std::size_t kNumbersOfLevel = 120;

struct Level {
  std::uint32_t parent = kNone;
  std::string name, place;
  std::uint64_t reads = 0, writes = 0, bytes = 0, allocations = 0;
};

/// Returns the name for objects without an allocation call, or whose call wasn't recorded.
std::string_view without_stack(recording::ObjectKind kind) {
  switch (kind) {
    case recording::ObjectKind::global:
      return "global variables";
    case recording::ObjectKind::stack:
      return "stacks of threads";
    case recording::ObjectKind::mapping:
      return "mappings, code and files";
    case recording::ObjectKind::other:
      return "memory without a record";
    default:
      return "allocations without a call stack";
  }
}

class Tree {
 public:
  explicit Tree(const Profile& profile) : run_(profile.recording) {
    std::vector<Level> of_objects(run_.objects.size());
    for (const PackedChunk& chunk : profile.chunks) {
      of_objects[chunk.object].reads += chunk.reads;
      of_objects[chunk.object].writes += chunk.writes;
    }
    for (const recording::Object& object : run_.objects) {
      Level& amount = of_objects[object.id];
      amount.bytes = object.bytes;
      amount.allocations = object.allocations;
      add(object, amount);
    }
  }

  [[nodiscard]] Json to_json(std::size_t bytes) const {
    // A level has at least the accesses of each of its callees, so it precedes them.
    std::vector<std::uint32_t> order(levels_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t i) {
      return std::pair(levels_[i].reads + levels_[i].writes, levels_[i].bytes);
    });
    std::vector<std::uint32_t> position(levels_.size(), kNone);
    Json rows = Json::array();
    std::size_t left_out = 0;
    for (const std::uint32_t i : order) {
      const Level& level = levels_[i];
      const std::size_t needed = level.name.size() + level.place.size() + kNumbersOfLevel;
      if (left_out > 0 || needed > bytes) {
        ++left_out;
        continue;
      }
      bytes -= needed;
      position[i] = static_cast<std::uint32_t>(rows.size());
      rows.push_back({{"parent", level.parent == kNone ? -1 : int(position[level.parent])},
                      {"name", level.name},
                      {"place", level.place},
                      {"reads", level.reads},
                      {"writes", level.writes},
                      {"bytes", level.bytes},
                      {"allocations", level.allocations}});
    }
    return {{"levels", rows}, {"left_out", left_out}};
  }

 private:
  std::uint32_t child(std::uint32_t parent, const std::string& name, const std::string& place) {
    const auto [found, fresh] = known_.try_emplace({parent, name, place}, levels_.size());
    if (fresh) levels_.push_back({.parent = parent, .name = name, .place = place});
    return found->second;
  }

  void add(const recording::Object& object, const Level& amount) {
    std::uint32_t at = kNone;
    if (object.site != kNone && !run_.sites[object.site].frames.empty()) {
      const std::vector<recording::Frame>& stack = run_.sites[object.site].frames;
      for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) {
        at = child(
            at, frame->function.empty() ? fmt::format("{:#x}", frame->offset) : frame->function,
            frame->file.empty() ? frame->module : fmt::format("{}:{}", frame->file, frame->line));
      }
    } else {
      at = child(kNone, std::string(without_stack(object.kind)), "");
      at = child(at, name_of(run_, object), object.module);
    }
    for (; at != kNone; at = levels_[at].parent) {
      levels_[at].reads += amount.reads;
      levels_[at].writes += amount.writes;
      levels_[at].bytes += amount.bytes;
      levels_[at].allocations += amount.allocations;
    }
  }

  const recording::Recording& run_;
  std::vector<Level> levels_;
  std::map<std::tuple<std::uint32_t, std::string, std::string>, std::uint32_t> known_;
};

}  // namespace

Json html_tree(const Profile& profile, std::size_t bytes) {
  return Tree(profile).to_json(bytes);
}

}  // namespace Atoll::profile
