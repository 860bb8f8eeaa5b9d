// Runs the syntax tree of a Green-Marl program step by step: slow and on one thread, but apart from
// lowering, passes and emitter, so that what they make can be compared with it. Iterations of a
// Foreach are run one after another in ascending order.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "greenmarl/ast.hpp"
#include "value.hpp"

namespace Atoll::greenmarl::oracle {

struct Graph {
  Id nodes = 0;
  std::vector<std::pair<Id, Id>> edges;  ///< ascending: a pair's position is its edge's number
};

using Entries = std::vector<std::pair<Value, Value>>;
/// The collections of a Collection, or of a property: one for each node or edge.
using Many = std::vector<std::vector<Id>>;

/// What the procedure is given, by name; what isn't there is 0, False, NIL or empty.
struct Inputs {
  std::map<std::string, Value> scalars;
  std::map<std::string, std::vector<Value>> properties;
  std::map<std::string, std::vector<Id>> collections;
  std::map<std::string, Many> many;
  std::map<std::string, Entries> maps;
};

/// What it leaves: output scalars, and every property, collection and map that is an argument.
struct Outputs {
  std::optional<Value> returned;
  std::map<std::string, Value> scalars;
  std::map<std::string, std::vector<Value>> properties;
  std::map<std::string, std::vector<Id>> collections;
  std::map<std::string, Many> many;
  std::map<std::string, Entries> maps;
  bool random = false;  ///< a random number was drawn: other answers are right, too
  /// The meaning doesn't fix the answer: a sum or product of real numbers was rounded, an argmin of
  /// properties met equals, or several values waited for one element.
  bool loose = false;
};

struct Limits {
  std::uint64_t steps = 10'000'000;  ///< statements and expressions; beyond it throws TooLong
};

class TooLong : public std::runtime_error {
 public:
  TooLong() : std::runtime_error("the program takes too many steps") {}
};

/// The program has something that the interpreter doesn't take: foreign text.
class NotTaken : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs `procedure`, "" for the first that isn't Local, on as many graphs as it takes. The program
/// is one that the compiler takes. Throws Stop where the program would.
[[nodiscard]] Outputs interpret(const ast::Module& module, const std::vector<Graph>& graphs,
                                const Inputs& inputs, const std::string& procedure = "",
                                const Limits& limits = {});

}  // namespace Atoll::greenmarl::oracle
