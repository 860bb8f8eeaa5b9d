// Errors about values, conditions and operators with incompatible types.
#include "greenmarl_mistakes.hpp"

namespace Atoll::greenmarl {
namespace {

TEST(GreenmarlMistakes, Values) {
  expect_said({
      {"G.x = True;", {"2:7: a Bool can't be 'G.x', a Double; the types have to go together"}},
      {"n = r;", {"2:5: a Node can't be 'n', an Int; the types have to go together"}},
      {"r = n;", {"2:5: an Int can't be 'r', a Node; the types have to go together"}},
      {"n = NIL;", {"2:5: NIL can't be 'n', an Int; the types have to go together"}},
      {"b = NIL;", {"2:5: NIL can't be 'b', a Bool; the types have to go together"}},
      {"n = b;", {"2:5: a Bool can't be 'n', an Int; the types have to go together"}},
      {"b = r;", {"2:5: a Node can't be 'b', a Bool; the types have to go together"}},
      {"Edge e = r;", {"2:10: a Node can't be 'e', an Edge; the types have to go together"}},
      {"Node y = 3;", {"2:10: an Int can't be 'y', a Node; the types have to go together"}},
      {"r = INF;", {"2:5: INF can't be 'r', a Node; the types have to go together"}},
      {"b = -INF;", {"2:6: -INF can't be 'b', a Bool; the types have to go together"}},
      {"Return 1;",
       {"2:1: this procedure returns nothing; declare what it returns, ( … ) : Int, or leave the "
        "value out"}},
  });
}

TEST(GreenmarlMistakes, Conditions) {
  expect_said({
      {"b = 1;", {"2:5: an Int can't be 'b', a Bool; compare it"}},
      {"If (n) { n = 1; }", {"2:5: an Int can't be a condition, a Bool; compare it"}},
      {"If (r) { }", {"2:5: a Node can't be a condition, a Bool; the types have to go together"}},
      {"If (NIL) { }", {"2:5: NIL can't be a condition, a Bool; the types have to go together"}},
      {"While (r.x) { }", {"2:8: a Double can't be a condition, a Bool; compare it"}},
      {"Do { } While (n);", {"2:15: an Int can't be a condition, a Bool; compare it"}},
      {"b = n && True;", {"2:5: an Int can't be a condition, a Bool; compare it"}},
      {"b = True Or r;",
       {"2:13: a Node can't be a condition, a Bool; the types have to go together"}},
      {"n = n ? 1 : 2;", {"2:5: an Int can't be a condition, a Bool; compare it"}},
      {"n = Count(t: G.Nodes)(t.x);", {"2:23: a Double can't be a condition, a Bool; compare it"}},
      {"n = Sum(t: G.Nodes)(1){1};", {"2:21: an Int can't be a condition, a Bool; compare it"}},
      {"b = All(t: G.Nodes){1};", {"2:21: an Int can't be in the body of All, a Bool; compare it"}},
      {"b = Exist(t: G.Nodes){t.x};",
       {"2:23: a Double can't be in the body of Exist, a Bool; compare it"}},
  });
}

TEST(GreenmarlMistakes, Operators) {
  expect_said({
      {"n = 1 + True;", {"2:7: '+' does not go with an Int and a Bool; it takes two numbers"}},
      {"n = r + 1;", {"2:7: '+' does not go with a Node and an Int; it takes two numbers"}},
      {"n = 1.5 % 2;", {"2:9: '%' does not go with a Double and a Double; it takes two integers"}},
      {"b = r < 1;",
       {"2:7: '<' does not go with a Node and an Int; it takes two numbers, or two of one type"}},
      {"b = True < False;",
       {"2:10: '<' does not go with a Bool and a Bool; it takes two numbers, or two of one type"}},
      {"b = r == n;",
       {"2:7: '==' does not go with a Node and an Int; it takes two numbers, or two of one type"}},
      {"b = n == NIL;",
       {"2:7: '==' does not go with an Int and a Node; it takes two numbers, or two of one type"}},
      {"b = s == s;",
       {"2:5: 's', a Node_Set, can't stand here as a value; call a built-in of it, such as "
        "Size()"}},
      {"Edge e; b = r == e;",
       {"2:15: '==' does not go with a Node and an Edge; it takes two numbers, or two of one "
        "type"}},
      {"n = -b;", {"2:5: a Bool has no negative; a number is needed here"}},
      {"n = |b|;", {"2:5: a Bool has no absolute value; a number is needed here"}},
      {"b = !n;", {"2:5: an Int has no opposite; '!' takes a Bool"}},
      {"n = b ? 1 : False;",
       {"2:7: '?' has to choose between an Int and a Bool; both have to be numbers, or of one "
        "type"}},
      {"r = b ? r : 1;",
       {"2:7: '?' has to choose between a Node and an Int; both have to be numbers, or of one "
        "type"}},
      {"n = (Int) r;",
       {"2:5: a Node can't be cast to Int; casts are between Int, Long, Float, Double and Bool"}},
      {"r = (Node) n;",
       {"2:5: an Int can't be cast to Node; casts are between Int, Long, Float, Double and Bool"}},
      {"n &= True;", {"2:1: '&=' does not go with an Int; it takes a Bool"}},
      {"n min= b;", {"2:8: a Bool can't be 'n', an Int; the types have to go together"}},
      {"b += 1;", {"2:1: '+=' does not go with a Bool; it takes a number"}},
      {"b min= True;",
       {"2:1: 'min=' does not go with a Bool; it takes a number, a Node or an Edge"}},
      {"r += r;", {"2:1: '+=' does not go with a Node; it takes a number"}},
      {"r++;", {"2:1: '+=' does not go with a Node; it takes a number"}},
      {"s++;",
       {"2:1: 's' is a collection, and is only assigned with '='; use its built-ins, such as Add "
        "or Union"}},
      {"s += r;",
       {"2:1: 's' is a collection, and is only assigned with '='; use its built-ins, such as Add "
        "or Union"}},
      {"n = Sum(t: G.Nodes){True};", {"2:21: Sum of a Bool; its body has to be a number"}},
      {"n = Max(t: G.Nodes){t};",
       {"2:5: a Node can't be 'n', an Int; the types have to go together"}},
      {"r = Max(t: G.Nodes){NIL};",
       {"2:21: Max of a Node; its body has to be a number, a Node or an Edge"}},
      {"r = Sum(t: G.Nodes){t};", {"2:21: Sum of a Node; its body has to be a number"}},
      {"n = 9223372036854775808;",
       {"2:5: 9223372036854775808 is too large for a Long; write a Double: append .0"}},
      {"n = -9223372036854775809;",
       {"2:6: -9223372036854775809 is too low for a Long; write a Double: append .0"}},
      {"n = -9223372036854775808;",
       {"2:6: this number is too large for an Int; declare the target as a Long"}},
  });
}

TEST(GreenmarlMistakes, Numbers) {
  expect_said({
      {"n = 1.5;",
       {"2:5: warning: a Double loses its fraction as 'n', an Int; write (Int) before it if this "
        "is meant"}},
      {"n = r.x;",
       {"2:5: warning: a Double loses its fraction as 'n', an Int; write (Int) before it if this "
        "is meant"}},
      {"n += 0.5;",
       {"2:6: warning: a Double loses its fraction as 'n', an Int; write (Int) before it if this "
        "is meant"}},
      {"m[r] = 1.5;",
       {"2:8: warning: a Double loses its fraction as 'm[r]', an Int; write (Int) before it if "
        "this is meant"}},
      {"n = Avg(t: G.Nodes){t.x};",
       {"2:5: warning: a Double loses its fraction as 'n', an Int; write (Int) before it if this "
        "is meant"}},
      {"n = 3000000000;",
       {"2:5: this number is too large for an Int; declare the target as a Long"}},
      {"n = 99999999999999999999;",
       {"2:5: 99999999999999999999 is too large for a Long; write a Double: append .0"}},
      {"G.x = 1e999;", {"2:7: 1e999 is beyond what a Double holds; write INF or 0.0"}},
      {"Float f = 1e39;",
       {"2:11: this number is too large for a Float; declare the target as a Double"}},
  });
}

TEST(GreenmarlMistakes, TypesThatCannotBe) {
  expect_said({
      {"N_P<Graph> y;",
       {"2:5: a property can't hold a Graph; it holds numbers, Bools, Nodes, Edges or sets"}},
      {"N_P<N_P<Int>> y;",
       {"2:5: a property can't hold a Node_Prop<Int>; it holds numbers, Bools, Nodes, Edges or "
        "sets"}},
      {"N_P<Map<Int, Int>> y;",
       {"2:5: a property can't hold a Map<Int, Int>; it holds numbers, Bools, Nodes, Edges or "
        "sets"}},
      {"Map<N_S, Int> y;",
       {"2:5: a Map can't hold a Node_Set; keys and values are numbers, Bools, Nodes or Edges"}},
      {"Map<Int, N_P<Int>> y;",
       {"2:10: a Map can't hold a Node_Prop<Int>; keys and values are numbers, Bools, Nodes or "
        "Edges"}},
      {"Collection<Node> y;",
       {"2:12: a Collection can't hold a Node; it holds Node_Set, Node_Order or Node_Seq"}},
      {"Collection<Map<Int, Int>> y;",
       {"2:12: a Collection can't hold a Map<Int, Int>; it holds Node_Set, Node_Order or "
        "Node_Seq"}},
  });
}

TEST(GreenmarlMistakes, MapsAndCollections) {
  expect_said({
      {"m[1] = 2;", {"2:3: an Int can't be a key, a Node; the types have to go together"}},
      {"m[r] = r;", {"2:8: a Node can't be 'm[r]', an Int; the types have to go together"}},
      {"n = m[n];", {"2:7: an Int can't be a key, a Node; the types have to go together"}},
      {"b = m[r];", {"2:6: an Int can't be 'b', a Bool; compare it"}},
      {"m[r] &= True;", {"2:1: '&=' does not go with an Int; it takes a Bool"}},
      {"s = 1;",
       {"2:5: this can't be 's', a Node_Set; name a collection of the same type and graph"}},
      {"N_S t = q;",
       {"2:9: this can't be 't', a Node_Set; name a collection of the same type and graph"}},
      {"N_S t = r;",
       {"2:9: this can't be 't', a Node_Set; name a collection of the same type and graph"}},
      {"q = s;",
       {"2:5: this can't be 'q', a Node_Seq; name a collection of the same type and graph"}},
      {"N_O o = s;",
       {"2:9: this can't be 'o', a Node_Order; name a collection of the same type and graph"}},
      {"Map<Node, Int> k = s;",
       {"2:20: this can't be 'k', a Map<Node, Int>; name a collection of the same type and graph"}},
      {"Map<Int, Int> k = m;",
       {"2:19: this can't be 'k', a Map<Int, Int>; name a collection of the same type and graph"}},
      {"Collection<N_S> c; c.PushBack(q);",
       {"2:31: this can't be an argument of PushBack(), a Node_Set; name a collection of the same "
        "type and graph"}},
  });
}

}  // namespace
}  // namespace Atoll::greenmarl
