// Finds which of a plan's stacks a stack of the running program is: by build id and offset, else by
// function, file and line, which also hold for another build of the same sources.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/plan/program_plan.hpp"
#include "atoll/process/frame.hpp"

namespace Atoll::process {

/// A planned stack's number, in the order in which they were added.
using StackNumber = std::uint32_t;

/// Compilers differ in what they inline, in which calls they leave no frame, and in how they name
/// what they split off. So two stacks are the same place if all levels of the program's own code
/// (with file and line, not below /usr) of one of them are in the other, in order. If one side has
/// none, the functions' names are compared. Among several such stacks, those that agree in most
/// levels are chosen.
class StackMatcher {
 public:
  /// Equal stacks have one number.
  StackNumber add(const std::vector<PlanFrame>& stack);

  struct Found {
    bool exact = false;               ///< by build id and offset
    std::vector<StackNumber> stacks;  ///< those that it can be, best first; empty: none
    std::size_t best = 0;             ///< this many of them are equally good
  };
  [[nodiscard]] Found find(const std::vector<Frame>& frames) const;

 private:
  struct Level {
    std::string function, file;
    int line = 0;
    bool own = false;  ///< the program's own code, with file and line
  };
  struct Physical {
    std::string build_id;
    std::uint64_t offset = 0;
    friend bool operator==(const Physical&, const Physical&) = default;
  };
  struct Stack {
    std::vector<Level> levels, own, named;  ///< `named`: own by their functions' names alone
    std::vector<Physical> physical;
  };

  static Stack stack_of(const std::vector<Frame>& frames);
  static bool same(const Level& a, const Level& b, bool by_names);
  static bool contains(const std::vector<Level>& all, const std::vector<Level>& some,
                       bool by_names);
  static std::size_t agreement(const std::vector<Level>& a, const std::vector<Level>& b);
  static bool is_other_build_of(const Stack& planned, const Stack& running);

  std::vector<std::vector<PlanFrame>> added_;
  std::vector<Stack> stacks_;
};

inline constexpr std::uint32_t kMaxFunctionHash = (1 << 20) - 2;
/// Returns the innermost function of the program's own code, as a number of at most
/// kMaxFunctionHash; 0 if it has no name.
[[nodiscard]] std::uint32_t function_hash(const std::vector<Frame>& frames);
/// Returns the same for a plan's levels.
[[nodiscard]] std::uint32_t function_hash(const std::vector<PlanFrame>& stack);

}  // namespace Atoll::process
