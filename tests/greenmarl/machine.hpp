// The interpreter's state: names and what they stand for, calls, open loops.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <set>

#include "interpreter.hpp"

namespace Atoll::greenmarl::oracle {

/// A graph with both directions of its edges.
struct World {
  explicit World(const Graph& graph);

  Id nodes = 0;
  std::vector<std::pair<Id, Id>> edges;
  std::vector<std::vector<Id>> out;  ///< of each node the edges that begin there, ascending
  std::vector<std::vector<Id>> in;   ///< … that end there, by where they begin
};

struct Object;
using Handle = std::shared_ptr<Object>;

/// A resolved type.
struct Type {
  ast::TypeName::Kind kind = ast::TypeName::Kind::value;
  ValueType value = ValueType::int32;
  const World* world = nullptr;  ///< the graph that it is of
  std::vector<Type> of;
};

/// What a name stands for: a variable, a graph, a property, a collection or a map.
struct Object {
  Type type;
  Value value;                 ///< a variable's
  Id edge = kNil;              ///< of an iterator over neighbours: the edge that led to it
  std::vector<Value> values;   ///< a property's
  std::vector<Handle> held;    ///< a property's collections, or those in a Collection
  std::vector<Id> items;       ///< a set's, ascending; an order's, a sequence's
  std::map<Value, Value> map;  ///< a map's
};

/// A type before its context is known: INF, NIL and what only passes them on have none.
struct Static {
  std::optional<ValueType> type;
  bool literal = false;
  bool element = false;                   ///< without a type: NIL
  ValueType number = ValueType::float64;  ///< without a type: what it is where it meets none

  [[nodiscard]] ValueType alone() const {
    return type.value_or(element ? ValueType::node : number);
  }
};

enum class Flow : std::uint8_t { next, returned };

class Machine {
 public:
  Machine(const ast::Module& module, const Limits& limits) : module_(module), limits_(limits) {}

  Outputs run(const ast::Procedure& procedure, const std::vector<const World*>& worlds,
              const Inputs& inputs);

 private:
  struct Deferred {
    Handle target;
    std::optional<Id> element;
    Value value;
    std::optional<Value> key;  ///< of a map
  };
  struct OpenLoop {
    std::string iterator;
    std::vector<Deferred> deferred;
  };
  struct Search {
    const World* world;
    bool transposed;
    std::vector<std::int64_t> level;  ///< of each node, or -1
  };
  using Names = std::map<std::string, Handle>;
  struct Scope {
    Names variables, properties;
  };
  /// A procedure that is being run.
  struct Call {
    std::vector<Scope> scopes;
    std::vector<OpenLoop> loops;
    std::optional<ValueType> returns;
    std::optional<Value> returned;
    const Object* group = nullptr;  ///< of G.p = … the graph or collection; its name is the element
    Value element;                  ///< the current one
  };

  // Names and types (machine.cpp)
  [[nodiscard]] Call& call() { return calls_.back(); }
  [[nodiscard]] Handle variable(const std::string& name);
  [[nodiscard]] Handle property(const std::string& name);
  void declare(const std::string& name, Handle object);
  [[nodiscard]] Type type_of(const ast::TypeName& written, const World* around = nullptr);
  [[nodiscard]] Handle make(const Type& type) const;
  void step();

  // Types of expressions, without running them (types.cpp)
  [[nodiscard]] Static static_type(const ast::Expr& expr);
  [[nodiscard]] Static static_conditional(const ast::Expr& expr);
  [[nodiscard]] Static static_reduction(const ast::Expr& expr);
  [[nodiscard]] Static static_method(const ast::Expr& expr);
  [[nodiscard]] ValueType own_type(const ast::Expr& expr);
  [[nodiscard]] ValueType common_type(const Static& a, const Static& b);

  // Expressions (expressions.cpp)
  [[nodiscard]] Value evaluate(const ast::Expr& expr);
  [[nodiscard]] Value evaluate(const ast::Expr& expr, ValueType wanted);
  [[nodiscard]] bool holds(const ast::Expr& expr);
  [[nodiscard]] bool holds(const std::vector<ast::Expr>& condition);
  [[nodiscard]] Id element(const ast::Expr& expr);
  [[nodiscard]] Value binary(const ast::Expr& expr);
  [[nodiscard]] static Value negated_or_infinite(const ast::Expr& expr, const Value& operand);
  [[nodiscard]] Value reduction(const ast::Expr& expr);
  [[nodiscard]] bool takes_set(const ast::Expr& expr);
  [[nodiscard]] Handle collection(const ast::Expr& expr);
  [[nodiscard]] bool is_group(const ast::Expr& expr);
  [[nodiscard]] Id edge_to(const ast::Expr& expr);

  // Built-ins (builtins.cpp)
  std::optional<Value> method(const ast::Expr& expr);
  [[nodiscard]] Value of_graph(const World& world, const ast::Expr& expr);
  [[nodiscard]] Value of_element(const World& world, const Value& value, const ast::Expr& expr);
  std::optional<Value> of_collection(Object& object, const ast::Expr& expr);
  std::optional<Value> of_map(Object& object, const ast::Expr& expr);
  [[nodiscard]] Value of_nothing(const ast::Expr& expr);
  [[nodiscard]] Id draw(Id count);
  [[nodiscard]] const World& world_of(const ast::Expr& expr);

  // Calls (calls.cpp)
  std::optional<Value> procedure_call(const ast::Procedure& callee, const ast::Expr& expr);
  [[nodiscard]] const ast::Procedure* find(const std::string& name) const;

  // Statements (statements.cpp)
  Flow block(const std::vector<ast::Stmt>& statements);
  Flow statements(const std::vector<ast::Stmt>& statements);
  Flow statement(const ast::Stmt& stmt);
  void declaration(const ast::Stmt& stmt);
  void assignment(const ast::Stmt& stmt);
  void group_assignment(const ast::Stmt& stmt, const Handle& group);
  void best_assignment(const ast::Stmt& stmt);
  void map_assignment(const ast::Stmt& stmt);
  [[nodiscard]] bool assigns_group(const ast::Stmt& stmt);
  void store(const Handle& target, std::optional<Id> at, const Value& value);
  [[nodiscard]] const Value& load(const Handle& target, std::optional<Id> at) const;
  void defer(const ast::Stmt& stmt, Deferred deferred);
  static void copy(const Object& from, Object& to);
  /// combined(), and whether it was rounded.
  [[nodiscard]] Value combine(AssignOp op, const Value& a, const Value& b);

  // Loops and traversals (loops.cpp)
  Flow loop(const ast::Stmt& stmt);
  Flow traversal(const ast::Stmt& stmt);
  Flow breadth_first(const ast::Stmt& stmt, Id root, Search& search);
  Flow depth_first(const ast::Stmt& stmt, Id node, Search& search);
  Flow visit(const ast::Stmt& stmt, Id node, const Search& search, bool forward);
  [[nodiscard]] bool enters(const ast::Stmt& stmt, Id node, const Search& search);
  [[nodiscard]] std::vector<Id> next_level(const ast::Stmt& stmt, const std::vector<Id>& level,
                                           Search& search);
  [[nodiscard]] bool uses_down_neighbours(const std::vector<ast::Stmt>& statements) const;
  /// What a header runs over: fresh iterators.
  [[nodiscard]] std::vector<Handle> range(const ast::Header& header);
  [[nodiscard]] std::vector<Handle> neighbours(const ast::Header& header);
  [[nodiscard]] Handle iterator(const World& world, Value value, Id edge = kNil) const;
  void end_loop();

  const ast::Module& module_;
  Limits limits_;
  std::uint64_t steps_ = 0;
  std::vector<Call> calls_;
  std::vector<Search*> searches_;
  std::vector<std::shared_ptr<World>> local_graphs_;
  std::mt19937_64 random_{1};
  bool drew_ = false;
  bool loose_ = false;
};

}  // namespace Atoll::greenmarl::oracle
