// The generator's state: symbols in scope, and their uses by the iterations of open Foreach loops.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "atoll/pattern/procedure.hpp"

namespace Atoll::greenmarl::oracle {

enum class What : std::uint8_t {
  scalar,  ///< a variable or an iterator
  node_prop,
  edge_prop,
  set_prop,  ///< a Node_Prop<Node_Set>
  far_prop,  ///< of nodes in the first graph; values are nodes in the second
  set,
  order,
  sequence,
  sets,  ///< a Collection<Node_Set>
  map,
};

struct Symbol {
  std::string name;
  What what = What::scalar;
  ValueType type = ValueType::int32;  ///< value of a property or map
  ValueType key = ValueType::int32;
  std::size_t graph = 0;  ///< index of the graph to which its nodes or edges belong
  std::size_t loops = 0;  ///< number of open loops at its declaration
  bool fixed = false;     ///< may not be assigned: an iterator, a counter, a variable tested for
                          ///< NIL
  bool exists = false;    ///< never NIL
  bool has_edge = false;  ///< an iterator over neighbours
  std::vector<const Symbol*> own_of = {};  ///< iterators in whose iteration no other one has this
                                           ///< element
  const Symbol* nearby = nullptr;  ///< the traversal's iterator, if this is one of its up- or
                                   ///< down-neighbours
};

/// Use of an outer symbol by the iterations of a Foreach.
struct Role {
  enum Kind : std::uint8_t { read, own, combine, defer, change } kind = read;
  std::string op;  ///< name of the operator or built-in
};

struct OpenLoop {
  const Symbol* iterator = nullptr;
  bool unordered = false;
  std::map<const Symbol*, Role> roles;
  bool traversal = false;
  std::map<const Symbol*, Role> forward = {};  ///< in the reverse pass: roles of the forward pass
};

/// A procedure that the program calls.
struct Helper {
  std::string name;
  std::vector<ValueType> takes;
  std::optional<ValueType> gives;  ///< type of the result
  // If there is no result, the procedure changes a property of this type, a set and a map, and has
  // an output.
  ValueType property = ValueType::int32;
};

/// An accessed element: its text, and its symbol if it is one.
struct Element {
  std::string text;
  const Symbol* symbol = nullptr;
};

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string program(const std::string& name);

 private:
  // Random choices (writer.cpp)
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool chance(std::size_t percent) { return below(100) < percent; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }
  std::string one_of_words(std::string_view words);

  // Names and roles (writer.cpp)
  std::string parameters(bool output);
  ValueType value_type();
  const Symbol& add(Symbol symbol);
  std::string fresh(const std::string& begin);
  std::vector<const Symbol*> visible(const std::function<bool(const Symbol&)>& wanted) const;
  const Symbol* pick(const std::function<bool(const Symbol&)>& wanted);
  bool may(const Symbol& symbol, Role role, const Symbol* at = nullptr);
  [[nodiscard]] bool in_foreach() const;
  void open_loop(const Symbol* iterator, bool unordered);
  void close_loop();
  void line(const std::string& text);
  [[nodiscard]] std::string graph() const { return graph_ == 0 ? "G" : "H"; }
  /// Returns the graph of a type, as "(H)", if there are two graphs.
  [[nodiscard]] std::string of() const { return several_ ? "(" + graph() + ")" : ""; }
  /// As of(), but sometimes also if there is only one graph.
  std::string maybe_of() { return several_ || chance(35) ? "(" + graph() + ")" : ""; }
  [[nodiscard]] std::string type_text(ValueType type) const;
  /// Calls `write` with the other graph's nodes, edges, properties and collections in scope.
  template <class Write>
  auto in_the_other(Write&& write) {
    graph_ = 1 - graph_;
    auto written = write();
    graph_ = 1 - graph_;
    return written;
  }

  // Expressions (write_expressions.cpp)
  std::string expression(ValueType type, int depth);
  std::string number(ValueType type, int depth);
  std::string condition(int depth);
  std::string literal(ValueType type);
  std::string node(int depth, bool exists);
  std::string edge(int depth);
  std::optional<Element> node_element();
  std::optional<Element> edge_element();
  std::optional<std::string> read_of(ValueType type);
  std::optional<std::string> far_node();
  std::optional<std::string> reduction(ValueType type, int depth);
  std::optional<std::string> header(const std::string& it, bool unordered, Symbol& iterator);
  std::optional<std::string> count(int depth);
  std::optional<std::string> of_map(ValueType type, int depth);
  std::optional<std::string> call(ValueType type, int depth);

  // Statements (write_statements.cpp)
  void block(int depth, int statements);
  void body(int depth, int statements);
  void statement(int depth);
  void statement_here(int depth);
  void declare();
  void assign_scalar();
  void assign_property();
  void assign_group();
  void argmin();
  void deferred();
  void deferred_in_traversal();
  void loop(int depth);
  void sweep();
  std::string of_one(const Symbol& node, ValueType type);
  void branch(int depth);
  void while_loop(int depth);
  void assign_far();

  // With collections (write_collections.cpp)
  void use_collection();
  void use_map();
  void use_sets(int depth);

  // Larger statements (write_large.cpp)
  void traversal(int depth);
  void guarded(int depth);
  void call_statement();
  void helpers();
  void unique_best();
  void local_graph();
  void early_return();

  std::mt19937_64 random_;
  std::deque<Symbol> symbols_;
  std::vector<std::vector<const Symbol*>> scopes_;
  std::vector<OpenLoop> loops_;
  std::string text_;
  std::size_t graph_ = 0;  ///< index of the graph whose symbols are in scope
  bool several_ = false;   ///< the program has two graphs
  int indent_ = 0;
  int names_ = 0;
  int left_ = 0;  ///< number of statements that may still be generated
  ValueType returns_ = ValueType::int32;
  const Symbol* searched_ = nullptr;  ///< iterator of a breadth-first traversal, within its body
  bool in_traversal_ = false;
  std::vector<Helper> helpers_;
  std::optional<ValueType> helper_returns_;
};

[[nodiscard]] std::string name_of(ValueType type);

}  // namespace Atoll::greenmarl::oracle
