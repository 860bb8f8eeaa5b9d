// Generates Green-Marl programs from bytes. They use every construct of the language, with names
// and types that mostly match. Any bytes give a program. Some programs are damaged afterwards, so
// that the parser gets nearly valid programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace Atoll::fuzz {

class GreenmarlGrammar {
 public:
  explicit GreenmarlGrammar(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::string program() {
    const bool damaged = draw(4) == 3;
    const std::size_t returns = draw(4);
    std::string text =
        "Procedure p(G: Graph, n: Int, d: Double, r: Node, b: Bool, s, z: N_S(G), o: N_O(G), "
        "q: Node_Seq, m: Map<Node, Int>, k: Map<Int, Double>, len: E_P<Double>(G), y: N_P<Int>; "
        "x: N_P<Double>(G), parent: N_P<Node>, via: N_P<Edge>, seen: N_P<Bool>, out: Long)" +
        Names{"", " : Int", " : Node(G)", " : Bool"}[returns] +
        " {\n  N_P<N_S>(G) friends;\n  E_P<Bool> mark;\n  Collection<N_S>(G) c;\n  Edge e0 = "
        "NIL;\n";
    while (!at_end() && text.size() < kLongest) text += statement(0);
    text += Names{"", "Return 1;\n", "Return r;\n", "Return b;\n"}[returns];
    text +=
        "}\nLocal f(a: Double; g: Int) : Double { g = 1; Return a; }\n"
        "Local Procedure h(G: Graph, t: Node(G), x: N_P<Double>) { t.x += 1; }\n";
    return damaged && !at_end() ? damage(std::move(text)) : text;
  }

 private:
  static constexpr std::size_t kLongest = 3000;
  static constexpr int kDeepest = 5;
  using Names = std::vector<std::string>;

  [[nodiscard]] bool at_end() const { return at_ >= bytes_.size(); }
  /// Returns a number from 0 to below - 1. After the input's end, returns 0, which is the simplest
  /// choice everywhere.
  std::size_t draw(std::size_t below) { return at_end() ? 0 : bytes_[at_++] % below; }
  std::string one(const Names& names) { return names[draw(names.size())]; }

  /// Returns a new name, or rarely one that exists.
  std::string fresh(const char* stem) {
    return draw(40) == 39 ? one(nodes_) : stem + std::to_string(next_name_++);
  }

  std::string number(int depth) {
    if (depth > kDeepest) return one({"1", "n", "0.5"});
    const auto inner = [&] { return number(depth + 1); };
    switch (draw(26)) {
      case 0:
        return "1";
      case 1:
        return one({"0", "2.5", "1e-3", "3000000000", "INF", "-INF", "+INF"});
      case 2:
        return one(numbers_);
      case 3:
        return node(depth) + "." + one({"x", "y"});
      case 4:
        return one(edges_) + ".len";
      case 5:
      case 6:
        return "(" + inner() + one({" + ", " - ", " * ", " / "}) + inner() + ")";
      case 7:
        return "-" + inner();
      case 8:
        return "|" + inner() + "|";
      case 9:
        return "(" + one({"Int", "Long", "Float", "Double"}) + ") " + inner();
      case 10:
        return "(" + boolean(depth + 1) + " ? " + inner() + " : " + inner() + ")";
      case 11:
      case 12: {
        const std::string op = one({"Sum", "Product", "Min", "Max", "Avg"});
        return in_loop([&](const std::string& range) {
          return op + range + filter(depth) + "{" + inner() + "}";
        });
      }
      case 13:
        return in_loop([&](const std::string& range) { return "Count" + range + filter(depth); });
      case 14:
        return one({"G.NumNodes()", "G.NumEdges()"});
      case 15:
        return node(depth) + "." + one({"Degree()", "NumNbrs()", "InDegree()", "OutDegree()"});
      case 16:
        return one({"s", "o", "q", "m", "c", "r.friends"}) + ".Size()";
      case 17:
        return "m[" + node(depth) + "]";
      case 18:
        return "k[(Int) " + inner() + "]";
      case 19:
        return one({"m.GetMinValue()", "m.GetMaxValue()", "k.GetMinKey()", "k.GetMaxValue()"});
      case 20:
        return one({"Uniform()", "Rand(10)", "n % 7", "((Long) d % n)"});
      case 21:
        return one({"Exp", "Log"}) + "(" + inner() + ")";
      case 22:
        return "Pow(" + inner() + ", " + inner() + ")";
      case 23:
        return "[fabs($" + one(numbers_) + ")]";
      case 24:
        return "f(" + inner() + ", n)";
      default:
        return reached_.empty() ? "d" : "Edge(" + one(reached_) + ").len";
    }
  }

  std::string boolean(int depth) {
    if (depth > kDeepest) return one({"True", "b", "False"});
    const auto inner = [&] { return boolean(depth + 1); };
    switch (draw(14)) {
      case 0:
        return "True";
      case 1:
        return one({"b", "False", "r.seen"});
      case 2:
      case 3:
        return number(depth + 1) + one({" < ", " <= ", " > ", " >= ", " == ", " != "}) +
               number(depth + 1);
      case 4:
        return node(depth) + one({" == ", " != ", " < "}) + node(depth);
      case 5:
        return "!" + inner();
      case 6:
        return "(" + inner() + one({" && ", " || ", " And ", " Or "}) + inner() + ")";
      case 7: {
        const std::string op = one({"All", "Exist"});
        return in_loop([&](const std::string& range) {
          return op + range + filter(depth) + "{" + inner() + "}";
        });
      }
      case 8:
        return one({"s", "o", "r.friends"}) + ".Has(" + node(depth) + ")";
      case 9:
        return one({"s.IsSubsetOf(z)", "z.IsSubsetOf(r.friends)"});
      case 10:
        return "m." + one({"HasKey", "HasMinValue", "HasMaxValue"}) + "(" + node(depth) + ")";
      case 11:
        return one(nodes_) + "." + one({"HasEdgeTo", "HasEdgeFrom", "IsNbrFrom"}) + "(" +
               node(depth) + ")";
      case 12:
        return one(edges_) + ".mark";
      default:
        return one(edges_) + " == " + edge(depth);
    }
  }

  std::string node(int depth) {
    switch (depth > kDeepest ? draw(2) : draw(10)) {
      case 0:
      case 1:
        return one(nodes_);
      case 2:
        return one(nodes_) + ".parent";
      case 3:
        return one(edges_) + one({".ToNode()", ".FromNode()"});
      case 4:
        return "G.PickRandom()";
      case 5:
        return one(nodes_) + ".PickRandomNbr()";
      case 6:
        return one({"m.GetMinKey()", "m.GetMaxKey()"});
      case 7:
        return one({"q", "o"}) + one({".PopBack()", ".PopFront()", ".Pop()"});
      case 8:
        return one(nodes_) + ".via.ToNode()";
      default:
        return one(nodes_);
    }
  }

  std::string edge(int depth) {
    switch (depth > kDeepest ? 0 : draw(5)) {
      case 0:
        return one(edges_);
      case 1:
        return "NIL";
      case 2:
        return node(depth) + ".via";
      case 3:
        return reached_.empty() ? "e0" : one(reached_) + ".ToEdge()";
      default:
        return reached_.empty() ? "NIL" : "Edge(" + one(reached_) + ")";
    }
  }

  /// Returns the result of `body` for "(it: source.range)", with the iterator in scope.
  template <class Body>
  std::string in_loop(Body&& body) {
    const std::string it = fresh("t");
    const auto with = [&](Names& names, const std::string& range, bool along_edges = false) {
      const std::size_t reached = reached_.size();
      names.push_back(it);
      loops_.push_back(it);
      if (along_edges) reached_.push_back(it);
      std::string text = body("(" + it + ": " + range + ")");
      reached_.resize(reached);
      loops_.pop_back();
      names.pop_back();
      return text;
    };
    switch (draw(10)) {
      case 0:
        return with(nodes_, "G.Nodes");
      case 1:
      case 2:
        return with(nodes_, one(nodes_) + one({".Nbrs", ".OutNbrs", ".InNbrs"}), true);
      case 3:
        return with(edges_, "G.Edges");
      case 4:
        return with(nodes_, one(nodes_) + ".CommonNbrs(" + one(nodes_) + ")");
      case 5:
        return with(nodes_, one({"s", "o", "q", "r.friends"}) + one({".Items", "+.Items"}));
      case 6:
        return with(nodes_, one({"o-.Items", "q-.Items"}));
      case 7:
        return with(sets_, "c.Items");
      case 8:
        return with(nodes_,
                    traversals_ == 0 ? "G^.Nodes" : one(nodes_) + one({".UpNbrs", ".DownNbrs"}));
      default:
        return with(nodes_, "G.Nodes");
    }
  }

  std::string filter(int depth) { return draw(3) == 2 ? "(" + boolean(depth + 1) + ")" : ""; }

  std::string bound() { return draw(3) == 2 && !loops_.empty() ? " @ " + one(loops_) : ""; }

  std::string block(int depth) {
    // Names that are declared in a block are removed at its end.
    const std::size_t numbers = numbers_.size(), nodes = nodes_.size(), edges = edges_.size(),
                      sets = sets_.size();
    std::string text = " {\n";
    for (std::size_t left = draw(4); left > 0 && depth < kDeepest; --left)
      text += statement(depth + 1);
    numbers_.resize(numbers);
    nodes_.resize(nodes);
    edges_.resize(edges);
    sets_.resize(sets);
    return text + "}\n";
  }

  std::string declaration(int depth) {
    switch (draw(8)) {
      case 0: {
        std::string text = one({"Int ", "Long ", "Float ", "Double "});
        const std::string value = number(depth);
        numbers_.push_back(fresh("v"));
        return text + numbers_.back() + " = " + value + ";\n";
      }
      case 1: {
        const std::string value = node(depth);
        nodes_.push_back(fresh("w"));
        return one({"Node ", "Node(G) "}) + nodes_.back() + " = " + value + ";\n";
      }
      case 2: {
        const std::string value = edge(depth);
        edges_.push_back(fresh("e"));
        return one({"Edge ", "Edge(G) "}) + edges_.back() + " = " + value + ";\n";
      }
      case 3:
        sets_.push_back(fresh("u"));
        return "N_S(G) " + sets_.back() + one({";\n", " = s;\n", " = r.friends;\n"});
      case 4:
        return one({"Node_Prop<Int> ", "Edge_Prop<Double>(G) ", "N_P<Node> "}) + fresh("p") +
               one({";\n", ";\n", " = 1;\n"});
      case 5:
        return one({"Map<Node, Double> ", "Map<Int, Bool> ", "Node_Order ", "N_Q(G) "}) +
               fresh("m") + ", " + fresh("m") + ";\n";
      case 6:
        return one({"Graph ", "Bool "}) + fresh("g") + ";\n";
      default: {
        const std::string value = number(depth);
        const std::string a = fresh("v"), b = fresh("v");
        numbers_.insert(numbers_.end(), {a, b});
        return "Double " + a + " = " + value + ", " + b + ";\n";
      }
    }
  }

  std::string assignment(int depth) {
    switch (draw(17)) {
      case 0:
        return one(numbers_) + " = " + number(depth) + ";\n";
      case 1:
        return "b = " + boolean(depth) + ";\n";
      case 2:
        return "r = " + node(depth) + ";\n";
      case 3:
        return one(nodes_) + "." + one({"x", "y"}) + " = " + number(depth) + ";\n";
      case 4:
        return one(nodes_) + ".x" + one({" += ", " *= ", " min= ", " max= "}) + number(depth) +
               bound() + ";\n";
      case 5:
        return one(numbers_) + one({" += ", " *= ", " min= ", " max= "}) + number(depth) + bound() +
               ";\n";
      case 6:
        return one({"b", "r.seen"}) + one({" &= ", " |= "}) + boolean(depth) + bound() + ";\n";
      case 7:
        if (loops_.empty()) return "d = " + number(depth) + ";\n";
        return one(nodes_) + ".x <= " + number(depth) + " @ " + one({loops_[0]}) + ";\n";
      case 8:
        return one({"n", "r.y", "m[r]", "out"}) + one({"++", "--"}) + bound() + ";\n";
      case 9:
        return "<" + one(numbers_) + "; r> min= <" + number(depth) + "; " + node(depth) + ">" +
               bound() + ";\n";
      case 10: {
        const std::string at = one(nodes_);
        return "<" + at + ".x; " + at + ".parent, " + at + ".via> max= <" + number(depth) + "; " +
               node(depth) + ", " + edge(depth) + ">" + bound() + ";\n";
      }
      case 11:
        return one({"G.x", "s.x", "G.len"}) + " = " +
               one({"1", "0.5", "G.x + 1", "G.Degree()", "INF", "G.y"}) + ";\n";
      case 12:
        return one({"G.seen = G == r", "G.seen = False", "G.parent = NIL", "G.via = NIL",
                    "G.friends = s", "G.mark = True", "q.y = 1", "o.seen = True"}) +
               ";\n";
      case 13:
        return "m[" + node(depth) + "]" + one({" = ", " += ", " min= ", " max= "}) + "1;\n";
      case 14:
        return one(nodes_) + ".parent = " + node(depth) + ";\n";
      case 15:
        return one(edges_) + one({".len = ", ".len += "}) + number(depth) + ";\n";
      default:
        return one({"s = z", "z = r.friends", "r.friends = s"}) + ";\n";
    }
  }

  std::string statement(int depth) {
    if (draw(60) == 59) return one({"Return;\n", "Return 1;\n", "Return r;\n", "x;\n", "n = ;\n"});
    switch (draw(14)) {
      case 0:
      case 1:
      case 2:
        return assignment(depth);
      case 3:
        return declaration(depth);
      case 4:
      case 5: {
        const std::string kind = one({"Foreach ", "For "});
        return in_loop(
            [&](const std::string& range) { return kind + range + filter(depth) + block(depth); });
      }
      case 6: {
        std::string text = "If (" + boolean(depth) + ")" + block(depth);
        return draw(2) == 1 ? text + "Else" + block(depth) : text;
      }
      case 7:
        return "While (" + boolean(depth) + ")" + block(depth);
      case 8:
        return "Do" + block(depth) + "While (" + boolean(depth) + ");\n";
      case 9:
        return traversal(depth);
      case 10:
        return one({"s", "r.friends", one(sets_)}) + "." +
               one({"Add(" + node(depth) + ")", "Remove(r)", "Union(z)", "Intersect(s)",
                    "Complement(z)", "Clear()"}) +
               ";\n";
      case 11:
        return one({"q", "o"}) + "." +
               one({"PushBack(r)", "PushFront(" + node(depth) + ")", "Push(r)", "PopBack()",
                    "Clear()"}) +
               ";\n";
      case 12:
        return one({"c.PushBack(s)", "c.PopBack()", "m.Remove(r)", "m.Clear()", "k.Remove(1)",
                    "h(G, r, x)", "f(1, n)"}) +
               ";\n";
      default:
        return one({"[ /* $n $r.x */ ];\n", "[ $n += 1; ] :: [n];\n", "[ ] :: [r.x, G.y];\n", ";\n",
                    "{ Int n1; }\n"});
    }
  }

  std::string traversal(int depth) {
    const bool breadth_first = draw(2) == 0;
    const std::string it = fresh("v");
    std::string text = breadth_first ? "InBFS (" : "InDFS (";
    text += it + ": " + one({"G.Nodes", "G^.Nodes"}) + one({" From ", " ; "}) + one(nodes_) + ")";
    nodes_.push_back(it);
    loops_.push_back(it);
    traversals_ += breadth_first ? 1 : 0;
    if (draw(3) == 2) text += "[" + boolean(depth + 1) + "]";
    text += filter(depth) + block(depth);
    if (draw(2) == 1)
      text += (breadth_first ? "InReverse " : "InPost ") + filter(depth) + block(depth);
    traversals_ -= breadth_first ? 1 : 0;
    loops_.pop_back();
    nodes_.pop_back();
    return text;
  }

  /// Removes, duplicates or inserts pieces of text.
  std::string damage(std::string text) {
    for (std::size_t times = 1 + draw(4); times > 0; --times) {
      const std::size_t place = (draw(256) * 256 + draw(256)) % text.size();
      const std::size_t length = 1 + draw(12);
      switch (draw(3)) {
        case 0:
          text.erase(place, length);
          break;
        case 1:
          text.insert(place, text.substr(place, length));
          break;
        default:
          text.insert(place, one({"(", ")", "{", "}", "[", "]", ";", "<", "/*", "\"", "@", "$",
                                  " Foreach ", " Else ", " Proc ", "\xc3\xa4", "::", "= 1 +"}));
      }
    }
    return text;
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  int next_name_ = 1;
  int traversals_ = 0;
  Names numbers_{"n", "d", "out"};
  Names nodes_{"r"};
  Names edges_{"e0"};
  Names sets_{"z"};
  Names loops_, reached_;  ///< open loops' iterators; those over neighbours
};

}  // namespace Atoll::fuzz
