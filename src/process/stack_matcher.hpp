// Matches a stack of the running program with a plan's stacks: by build id and offset, else by
// function, file and line. The latter also works for another build of the same sources.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/plan/program_plan.hpp"
#include "atoll/process/frame.hpp"

namespace Atoll::process {

/// Number of a planned stack, in the order of addition.
using StackNumber = std::uint32_t;

/// Compilers differ in inlining, in tail calls that leave no frame, and in the names of split
/// functions. So two stacks match if all levels of the program's own code (with file and line, not
/// below /usr) in one of them occur in the other, in order. If one of them has no such level,
/// function names are compared. Of several matching stacks, those with the most common levels are
/// chosen.
class StackMatcher {
 public:
  /// Adds a stack. Equal stacks get the same number.
  StackNumber add(const std::vector<PlanFrame>& stack);

  struct Found {
    bool exact = false;               ///< matched by build id and offset
    std::vector<StackNumber> stacks;  ///< candidates, best first; empty if there is none
    std::size_t best = 0;             ///< number of equally good candidates at the front
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
    /// `own` and `named` are the program's own code, `named` by function names alone.
    std::vector<Level> levels, own, named;
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
/// Returns a hash of the innermost function of the program's own code, from 1 to kMaxFunctionHash;
/// 0 if it has no name.
[[nodiscard]] std::uint32_t function_hash(const std::vector<Frame>& frames);
/// Returns the same hash for a plan's levels.
[[nodiscard]] std::uint32_t function_hash(const std::vector<PlanFrame>& stack);

}  // namespace Atoll::process
