#include "process/stack_matcher.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace Atoll::process {
namespace {

std::vector<Frame> frames_of(const std::vector<PlanFrame>& stack) {
  std::vector<Frame> frames;
  frames.reserve(stack.size());
  for (const PlanFrame& level : stack)
    frames.push_back({.function = level.function,
                      .file = level.file,
                      .line = level.line,
                      .module = level.module,
                      .build_id = level.build_id,
                      .offset = level.offset,
                      .inlined = level.inlined});
  return frames;
}

/// Returns the name without the suffix that compilers append to a split or cloned function, such as
/// "work.constprop.0".
std::string base_name(std::string_view function) {
  function = function.substr(0, function.find(" [clone"));
  for (const std::string_view suffix : {".constprop", ".isra", ".part", ".cold", ".lto_priv"})
    if (const std::size_t at = function.find(suffix); at != std::string_view::npos && at > 0)
      function = function.substr(0, at);
  return std::string(function);
}

/// Returns true for a part of a function that the compiler outlined into a function with its own
/// name.
bool is_outlined(std::string_view function) {
  return function.find("_omp_fn") != std::string_view::npos ||
         function.find("omp_outlined") != std::string_view::npos;
}

/// Returns true for run-time libraries of compilers and systems, whose frames differ between runs
/// of the same code.
bool is_runtime(std::string_view module) {
  static constexpr std::array<std::string_view, 9> names{"libc.",      "libc-",     "ld-",
                                                         "libpthread", "libstdc++", "libgcc",
                                                         "libgomp",    "libomp",    "libatoll-"};
  const std::string_view name = module.substr(module.rfind('/') + 1);
  return std::ranges::any_of(names,
                             [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace

StackMatcher::Stack StackMatcher::stack_of(const std::vector<Frame>& frames) {
  Stack stack;
  for (const Frame& frame : frames) {
    if (!frame.inlined) stack.physical.push_back({frame.build_id, frame.offset});
    if (frame.function.empty() && frame.line == 0) continue;
    Level level{base_name(frame.function), frame.file.substr(frame.file.rfind('/') + 1), frame.line,
                !frame.file.empty() && frame.line != 0 && !frame.file.starts_with("/usr/")};
    if (level.own) stack.own.push_back(level);
    if (!level.function.empty() && level.function != "_start" && !is_runtime(frame.module) &&
        !frame.file.starts_with("/usr/"))
      stack.named.push_back(level);
    stack.levels.push_back(std::move(level));
  }
  return stack;
}

bool StackMatcher::same(const Level& a, const Level& b, bool by_names) {
  if (by_names) return a.function == b.function;
  return a.line == b.line && a.file == b.file &&
         (a.function == b.function || is_outlined(a.function) || is_outlined(b.function));
}

bool StackMatcher::contains(const std::vector<Level>& all, const std::vector<Level>& some,
                            bool by_names) {
  auto next = some.begin();
  for (const Level& level : all)
    if (next != some.end() && same(level, *next, by_names)) ++next;
  return next == some.end();
}

/// Returns the length of the longest common subsequence of the levels.
std::size_t StackMatcher::agreement(const std::vector<Level>& a, const std::vector<Level>& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (const Level& level : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = same(level, b[j], false) ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  return row.back();
}

bool StackMatcher::is_other_build_of(const Stack& planned, const Stack& running) {
  const bool by_names = planned.own.empty() || running.own.empty();
  const auto& a = by_names ? planned.named : planned.own;
  const auto& b = by_names ? running.named : running.own;
  if (a.empty() || b.empty()) return false;
  // Names alone are weak evidence, so the innermost names, at the allocation, must be equal.
  if (by_names && a.front().function != b.front().function) return false;
  return a.size() <= b.size() ? contains(b, a, by_names) : contains(a, b, by_names);
}

StackNumber StackMatcher::add(const std::vector<PlanFrame>& stack) {
  const auto found = std::ranges::find(added_, stack);
  const auto number = static_cast<StackNumber>(found - added_.begin());
  if (found == added_.end()) {
    added_.push_back(stack);
    stacks_.push_back(stack_of(frames_of(stack)));
  }
  return number;
}

StackMatcher::Found StackMatcher::find(const std::vector<Frame>& frames) const {
  const Stack running = stack_of(frames);
  for (StackNumber i = 0; i < stacks_.size(); ++i) {
    const auto& planned = stacks_[i].physical;
    if (planned.empty() || planned.size() > running.physical.size() ||
        planned.front().build_id.empty())
      continue;
    if (std::ranges::equal(planned.begin(), planned.end(), running.physical.begin(),
                           running.physical.begin() + static_cast<std::ptrdiff_t>(planned.size())))
      return {.exact = true, .stacks = {i}, .best = 1};
  }
  std::vector<std::pair<std::size_t, StackNumber>> candidates;
  for (StackNumber i = 0; i < stacks_.size(); ++i)
    if (is_other_build_of(stacks_[i], running))
      candidates.emplace_back(agreement(stacks_[i].levels, running.levels), i);
  std::ranges::stable_sort(candidates, std::ranges::greater{},
                           &std::pair<std::size_t, StackNumber>::first);
  Found found;
  for (const auto& [levels, stack] : candidates) {
    found.stacks.push_back(stack);
    if (levels == candidates.front().first) ++found.best;
  }
  return found;
}

std::uint32_t function_hash(const std::vector<Frame>& frames) {
  const auto own = std::ranges::find_if(frames, [](const Frame& frame) {
    return !is_runtime(frame.module) && !frame.file.starts_with("/usr/");
  });
  if (own == frames.end() || own->function.empty()) return 0;
  const std::size_t hash = std::hash<std::string>{}(base_name(own->function));
  return static_cast<std::uint32_t>(hash % kMaxFunctionHash) + 1;
}

std::uint32_t function_hash(const std::vector<PlanFrame>& stack) {
  return function_hash(frames_of(stack));
}

}  // namespace Atoll::process
