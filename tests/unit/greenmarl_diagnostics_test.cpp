// The parser's diagnostics for invalid text: each error is reported once, and all errors in one
// run. Also the list of diagnostics and the caret.
#include "greenmarl/diagnostics.hpp"

#include <fmt/format.h>

#include <ctime>

#include "greenmarl_support.hpp"

namespace Atoll::greenmarl {
namespace {

using Lines = std::vector<std::string>;

std::string line_of(const Diagnostic& diagnostic) {
  return diagnostic.to_string().substr(5);  // removes "x.gm:"
}

/// Returns the diagnostics of the parser only.
Lines parse_messages(const std::string& text) {
  const Source source{"x.gm", text};
  Diagnostics diagnostics(source);
  static_cast<void>(parse(diagnostics));
  Lines lines;
  for (const Diagnostic& diagnostic : diagnostics.sorted()) lines.push_back(line_of(diagnostic));
  return lines;
}

struct Case {
  const char* body;
  const char* error;
};

// Each text has a second error in line 3 or 4. Both must be reported, and no others.
TEST(GreenmarlDiagnostics, TheParserGoesOnBehindAMistake) {
  for (const auto& [body, error] : std::initializer_list<Case>{
           {"Int a = ;", "2:9: ';' can't stand here; expected an expression"},
           {"Int For;",
            "2:5: 'For' can't stand here; expected a name for a variable, not a keyword"},
           {"Int if = ;", "2:10: ';' can't stand here; expected an expression"},
           {"Int foreach foreach;",
            "2:13: 'foreach' can't stand here; expected ';' after a declaration; the keyword is "
            "written Foreach"},
           {"G.x + 1;",
            "2:5: '+' can't stand here; expected an assignment: = += *= ++ -- min= max= &= |= or "
            "<="},
           {"n -= 1;", "2:3: there is no -=; write x += -y"},
           {"n /= 2;", "2:3: there is no /=; write x = x / y"},
           {"n++ + 1;", "2:5: '+' can't stand here; expected ';' after an assignment"},
           {"n = 1 n = 3;", "2:7: 'n' can't stand here; expected ';' after an assignment"},
           {"n = (n + 1;", "2:11: ';' can't stand here; expected ')' to close this '('"},
           {"n = 1 + * 2;", "2:9: '*' can't stand here; expected an expression"},
           {"n = n & 1;", "2:7: '&' means nothing here; write && for and"},
           {"n = \"a\";",
            "2:5: '\"' means nothing here; there are no texts but foreign ones: [ … ]"},
           {"n = 1 # 2;",
            "2:7: '#' means nothing here; a program is ASCII text outside of comments"},
           {"n = ||n||;", "2:5: '||' can't stand here; write |e| within |…| as |(|e|)|"},
           {"n = 12ab;", "2:7: 'a' directly after a number; put a space between them"},
           {"m[3 = 1;", "2:5: '=' can't stand here; expected ']' to close this '['"},
           {"f(1 2);", "2:5: '2' can't stand here; expected ',' between arguments"},
           {"n = f(;", "2:7: ';' can't stand here; expected an expression"},
           {"Map<Int> m;", "2:8: '>' can't stand here; expected ',' between a Map's key and value"},
           {"Node_Prop p;", "2:11: 'p' can't stand here; expected '<' after Node_Prop"},
           {"N_P<Int(G) p;",
            "2:8: '(' can't stand here; expected '>' after the types of Node_Prop"},
           {"Map<Int, Foo> m;",
            "2:10: 'Foo' can't stand here; expected a type in Map<…>: Int, Long, Float, Double, "
            "Bool, Node, Edge, a property, a collection or a Map"},
           {"Node_Seq<Int> s;", "2:9: '<' can't stand here; expected a name for a variable"},
           {"int a = 1;", "2:1: 'int' is no keyword; write Int"},
           {"Foo a = 1;",
            "2:1: there is no type 'Foo'; the types are Int, Long, Float, Double, Bool, Node, "
            "Edge, Graph, Node_Prop, Edge_Prop, Node_Set, Node_Order, Node_Seq, Collection and "
            "Map"},
           {"foreach (t: G.Nodes) { t.x = 1; }", "2:1: 'foreach' is no keyword; write Foreach"},
           {"if (n > 1) { n = 1; } Else { n = 2; }", "2:1: 'if' is no keyword; write If"},
           {"do { n = 1; } While (n > 1);", "2:1: 'do' is no keyword; write Do"},
           {"Foreac (t: G.Nodes) { t.x = 1; n = 2; }",
            "2:1: 'Foreac' begins no loop or reduction; write Foreach, For, InBFS or InDFS; Sum, "
            "Product, Count, Min, Max, All, Exist or Avg"},
           {"Foreach (t: G.Leaves) { t.x = 1; n = 2; }",
            "2:15: nothing runs over 'Leaves'; write Nodes, Edges, Nbrs, InNbrs, UpNbrs, DownNbrs, "
            "Items or CommonNbrs(node)"},
           {"Foreach (t: G) { t.x = 1; }",
            "2:14: ')' can't stand here; expected '.' before what to run over, such as .Nodes or "
            ".Nbrs"},
           {"Foreach t: G.Nodes { t.x = 1; }",
            "2:9: 't' can't stand here; expected '(' before an iterator"},
           {"Foreach (t in G.Nodes) { t.x = 1; }",
            "2:12: 'in' can't stand here; expected ':' between the iterator and what it runs over"},
           {"Foreach (t: G.Nodes { t.x = 1; n = 2; }",
            "2:21: '{' can't stand here; expected ')' after what to run over"},
           {"Foreach (t: G.Nodes)(t.x > ) { t.x = 1; n = 2; }",
            "2:28: ')' can't stand here; expected an expression"},
           {"For (Int i = 0; i < 3; i++) { n = 1; n = 2; }",
            "2:6: 'Int' can't stand here; expected a name for the iterator, not a keyword"},
           {"For (t: G-.Nodes) { n = 1; }",
            "2:12: Nodes have no direction; only Items run backwards: collection-.Items"},
           {"For (t: r.CommonNbrs) { n = 1; }",
            "2:21: ')' can't stand here; expected '(' after CommonNbrs"},
           {"If (n +) n = 1; Else n = 2;", "2:8: ')' can't stand here; expected an expression"},
           {"If (n +) { n = 1; } Else { n = 2; }",
            "2:8: ')' can't stand here; expected an expression"},
           {"If n > 1 { n = 1; }", "2:4: 'n' can't stand here; expected '(' before the condition"},
           {"While (n > 1 { n = 2; }",
            "2:14: '{' can't stand here; expected ')' to close this '('"},
           {"Else { n = 1; }",
            "2:1: there is nothing that this Else belongs to; it follows the body of an If"},
           {"InReverse { n = 1; }",
            "2:1: there is nothing that this InReverse belongs to; it follows the body of an "
            "InBFS"},
           {"InPost { n = 1; }",
            "2:1: there is nothing that this InPost belongs to; it follows the body of an InDFS"},
           {"Do { n = 1; } Whle (n > 1);",
            "2:15: 'Whle' can't stand here; expected 'While' after the body of Do"},
           {"Do { n = 1; } While (n > );", "2:26: ')' can't stand here; expected an expression"},
           {"Do { n = 1; } While (True)\n",
            "4:1: 'n' can't stand here; expected ';' after Do … While (…)"},
           {"InBFS (v: G..Nodes; r)[v.x > 1] { n = 1; n = 2; } InReverse { n = 3; }",
            "2:13: '.' can't stand here; expected a name of a property or built-in after '.'"},
           {"InBFS (v: G.Nodes) { n = 1; }",
            "2:18: ')' can't stand here; expected ';' or From before the root"},
           {"InBFS (v: G.Nodes From r)[v.x][v.x] { n = 1; }",
            "2:31: '[' can't stand here; expected one navigator only"},
           {"InBFS (v: G.Nodes From r) { n = 1; } InPost { n = 2; }",
            "2:38: InPost can't follow InBFS; write InReverse"},
           {"InDFS (v: G.Nodes From r) { n = 1; } InReverse { n = 2; }",
            "2:38: InReverse can't follow InDFS; write InPost"},
           {"<n; r> min= <1; r, r>;",
            "2:1: there are 2 targets and 3 values; give each target one"},
           {"<n; r> min= 1;", "2:13: '1' can't stand here; expected '<' before their values"},
           {"<n> min= <1>;", "2:1: there is one target only; write it without < and >"},
           {"n = Max(1, 2);",
            "2:5: Max runs over nodes, edges or items; write Max(it: …){…}; of two values take a > "
            "b ? a : b"},
           {"n = Sum(r);", "2:5: Sum runs over nodes, edges or items; write Sum(it: …)"},
           {"n = Sum(t: G.Nodes);",
            "2:20: ';' can't stand here; expected '{' before the body of Sum"},
           {"n = Sum(t: G.Nodes){t.x + };", "2:27: '}' can't stand here; expected an expression"},
           {"Return Count(t: G.Nodes){True};",
            "2:25: '{' can't stand here; expected no body: Count(it: …)(condition)"},
           {"[ f($) ];", "2:5: a '$' in this foreign text is followed by no name; write $name"},
           {"[ f() ] :: a;",
            "2:12: 'a' can't stand here; expected '[' before what the text changes"},
           {"n += 1 @ 2;", "2:10: '2' can't stand here; expected a name of an iterator after '@'"},
           {"{ n = ; }", "2:7: ';' can't stand here; expected an expression"},
           {"If (n > 1) { n = ; } Else { n = 1; }",
            "2:18: ';' can't stand here; expected an expression"},
       }) {
    const std::string second = "n = 1 + ;";
    const int line = std::string(body).ends_with('\n') ? 4 : 3;
    Lines wanted{error, fmt::format("{}:9: ';' can't stand here; expected an expression", line)};
    EXPECT_EQ(parse_messages(with_body(body + ("\n" + second))), wanted) << body;
  }
}

// The line after a missing ';' is parsed.
TEST(GreenmarlDiagnostics, AMissingSemicolonCostsNothing) {
  for (const char* next : {"Int b = +;", "n = +;", "r.x = +;", "r.x += +;", "Foreach (t: +) { }",
                           "If (+) { }", "Return +;", "N_P<+> p;"}) {
    const Lines lines = parse_messages(with_body(std::string("n = 1\n") + next));
    ASSERT_EQ(lines.size(), 2U) << next;
    EXPECT_TRUE(lines[0].starts_with("3:1: '")) << lines[0];
    EXPECT_TRUE(lines[0].ends_with("expected ';' after an assignment")) << lines[0];
    EXPECT_TRUE(lines[1].find("'+' can't stand here") != std::string::npos) << lines[1];
  }
  EXPECT_EQ(parse_messages(with_body("Foreach (t: G.Nodes) { n = 1 } n = +;")),
            (Lines{"2:30: '}' can't stand here; expected ';' after an assignment",
                   "2:36: '+' can't stand here; expected an expression"}));
}

TEST(GreenmarlDiagnostics, Procedures) {
  EXPECT_EQ(parse_messages(""),
            Lines{"1:1: there is no procedure in this file; write Procedure name(G: Graph) { … }"});
  EXPECT_EQ(parse_messages("\n\x01"),
            Lines{"2:1: the byte 0x01 means nothing here; a program is ASCII text outside of "
                  "comments"});
  EXPECT_EQ(parse_messages("Procedure p(G) { }"),
            Lines{"1:14: ')' can't stand here; expected ':' between a parameter and its type"});
  EXPECT_EQ(parse_messages("Procedure p(G: Graph) { } x"),
            Lines{"1:27: 'x' can't stand here; expected 'Procedure' at the start of a procedure"});
  EXPECT_EQ(parse_messages("procedure p(G: Graph) { }"),
            Lines{"1:1: 'procedure' can't stand here; expected 'Procedure' at the start of a "
                  "procedure; the keyword is written Procedure"});
  // An unclosed procedure ends before the next procedure, which is parsed.
  EXPECT_EQ(
      parse_messages("Proc p(G: Graph) {\n If (True) { G.x = 1;\n}\nProc q(G: Graph) { n = +; }"),
      (Lines{"4:1: 'Proc' can't stand here; expected '}' at the end of a block",
             "4:24: '+' can't stand here; expected an expression"}));
  EXPECT_EQ(
      parse_messages("Proc p(G: Graph) { } }\nProc q(G Graph) { }\nProc r(G: Graph) { n = +; }"),
      (Lines{"1:22: '}' can't stand here; expected 'Procedure' at the start of a procedure",
             "2:10: 'Graph' can't stand here; expected ':' between a parameter and its type",
             "3:24: '+' can't stand here; expected an expression"}));
  EXPECT_EQ(parse_messages(with_body("{")),
            Lines{"4:1: the end of the program can't stand here; expected '}' at the end of a "
                  "block"});
}

// An unclosed comment or foreign text causes no further errors.
TEST(GreenmarlDiagnostics, WhatIsNotClosedIsOneMistake) {
  EXPECT_EQ(parse_messages(with_body("n = 1; /* n = 2;")),
            Lines{"2:8: this comment isn't closed; end it with */"});
  EXPECT_EQ(parse_messages(with_body("[ n = 2;")),
            Lines{"2:1: this foreign text isn't closed; end it with ]"});
}

TEST(GreenmarlDiagnostics, TheyComeInTheOrderOfTheText) {
  const Source source{"x.gm", "a\nb c\n"};
  Diagnostics diagnostics(source);
  diagnostics.error({2, 3}, "third", "");
  diagnostics.warning({2, 1}, "second", "do this");
  EXPECT_FALSE(Diagnostics(source).failed());
  EXPECT_TRUE(diagnostics.failed());
  EXPECT_THROW(diagnostics.fail({1, 1}, "first", "do that"), MistakeReported);
  diagnostics.error({1, 1}, "it follows from the first", "");  // dropped: 1:1 has an error
  diagnostics.warning({1, 1}, "so does this", "");
  Lines lines;
  for (const Diagnostic& diagnostic : diagnostics.sorted()) lines.push_back(line_of(diagnostic));
  EXPECT_EQ(lines, (Lines{"1:1: first; do that", "2:1: warning: second; do this", "2:3: third"}));
  const CompileError error(diagnostics.sorted());
  EXPECT_STREQ(error.what(), "x.gm:1:1: first; do that");
  EXPECT_EQ(error.diagnostics().size(), 3U);
}

TEST(GreenmarlDiagnostics, AreLinesAsErrorsAre) {
  Diagnostic mistake;
  mistake.file = "a\x1b[1m\nb.gm";
  mistake.message = "'" + std::string(5000, '7') + "' is wrong";
  mistake.way_out = "x";
  const std::string line = mistake.to_string();
  EXPECT_EQ(line, CompileError({mistake}).what());
  EXPECT_EQ(line.find_first_of("\x1b\n"), std::string::npos);
}

TEST(GreenmarlDiagnostics, AWarningHidesNoError) {
  const Source source{"x.gm", "a\n"};
  Diagnostics diagnostics(source);
  diagnostics.warning({1, 1}, "a doubt", "");
  EXPECT_FALSE(diagnostics.failed());
  diagnostics.error({1, 1}, "a mistake", "");
  EXPECT_TRUE(diagnostics.failed());
  ASSERT_EQ(diagnostics.sorted().size(), 1U);
  EXPECT_EQ(diagnostics.sorted()[0].message, "a mistake");
}

TEST(GreenmarlDiagnostics, TheCaretStandsBelowThePlace) {
  const auto excerpt = [](const std::string& body) {
    std::string text;
    error_of(with_body(body), &text);
    return text;
  };
  EXPECT_EQ(excerpt("\t/* ä */ G.x = 1 + y;"),
            "   /* ä */ G.x = 1 + y;\n"
            "                     ^");
  const std::string longer = excerpt("G.x = " + std::string(100, '1') + ";");
  EXPECT_EQ(longer.substr(longer.find('\n')), "\n        ^");
  const std::string far = excerpt(std::string(200, ' ') + "G.x = y;");
  const std::size_t caret = far.size() - far.find('\n') - 2;
  EXPECT_EQ(far[caret], 'y');
  EXPECT_LE(far.find('\n'), 80U);
  // Excerpts of foreign text that has several lines.
  EXPECT_EQ(excerpt("[ f();\n  g($); ];"), "    g($); ];\n      ^");
}

TEST(GreenmarlDiagnostics, DeepNestingIsAnError) {
  const auto nested = [](const std::string& open, const std::string& core, const std::string& close,
                         int levels) {
    std::string text;
    for (int i = 0; i < levels; ++i) text += open;
    text += core;
    for (int i = 0; i < levels; ++i) text += close;
    return text;
  };
  EXPECT_EQ(parse_messages(with_body("G.x = " + nested("(", "1", ")", 190) + ";")), Lines{});
  EXPECT_EQ(parse_messages(with_body(nested("If (True) {", "", "}", 190))), Lines{});
  for (const int levels : {250, 20000}) {
    for (const std::string& body :
         {"n = " + nested("(", "1", ")", levels) + ";",
          "n = " + nested("- ", "1", "", levels) + ";",
          "n = " + nested("|(", "1", ")|", levels) + ";",
          "n = " + nested("(Int) ", "1", "", levels) + ";",
          "n = " + nested("f(", "1", ")", levels) + ";",
          "n = " + nested("m[", "1", "]", levels) + ";",
          "n = " + nested("Edge(", "1", ")", levels) + ";",
          "n = " + nested("True ? 1 : ", "1", "", levels) + ";",
          "n = " + nested("Sum(t: G.Nodes){", "1", "}", levels) + ";",
          "n = " + nested("Sum(t: f(", "1", ").Items){1}", levels) + ";",
          nested("{", "", "}", levels), nested("If (True) ", "n = 1;", "", levels),
          nested("While (True) {", "n = 1;", "}", levels),
          nested("InBFS (v: G.Nodes From r) {", "n = 1;", "}", levels),
          nested("Do ", "n = 1;", " While (True);", levels),
          nested("Collection<", "N_S", ">", levels) + " c;",
          "n = 2 + " + nested("(", "1", "", levels)}) {
      const Lines lines = parse_messages(with_body(body));
      ASSERT_EQ(lines.size(), 1U) << body.substr(0, 30) << levels;
      EXPECT_NE(lines[0].find("nested too deeply; at most 200 levels"), std::string::npos)
          << lines[0];
    }
    // The tree of a left-associative chain of operators is as deep as the chain is long.
    for (const std::string& body : {"n = 1" + nested(" + 1", "", "", levels) + ";",
                                    "n = a" + nested(".b", "", "", levels) + ";",
                                    "n = a" + nested("[1]", "", "", levels) + ";"}) {
      const Lines lines = parse_messages(with_body(body));
      ASSERT_EQ(lines.size(), 1U);
      EXPECT_NE(lines[0].find("this expression is too long"), std::string::npos) << lines[0];
    }
  }
}

// Any invalid file gives few lines in little CPU time.
TEST(GreenmarlDiagnostics, AFileThatIsNoProgramCostsLittle) {
  const std::size_t bytes = std::size_t{1} << 20;
  for (const std::string piece :
       {"(", "{", "}", "a", "a=;", "=;\n", "If(", "/*", "Proc ", "Proc p(){", "Foreach(a:b.Nodes)",
        "InBFS(", "{a=;", "Sum(t:f(", "Else ", "1 ", "- "}) {
    std::string text = "Proc p() { x = ";
    while (text.size() + piece.size() <= bytes) text += piece;
    const std::clock_t start = std::clock();
    EXPECT_LE(parse_messages(text).size(), 100U) << piece;
    EXPECT_LT(std::clock() - start, 2 * CLOCKS_PER_SEC) << piece;
  }
  EXPECT_EQ(parse_messages(std::string(10 * bytes, '(')),
            Lines{"1:1: this is longer than 4 MiB; name a Green-Marl program"});
}

TEST(GreenmarlDiagnostics, Files) {
  const auto message = [](const std::string& path) -> std::string {
    try {
      static_cast<void>(compile_file(path));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input);
      return error.what();
    }
    return "";
  };
  const std::string way_out = ": can't be read; name a Green-Marl program, such as pagerank.gm";
  EXPECT_EQ(message("no/such.gm"), "no/such.gm" + way_out);
  EXPECT_EQ(message("/"), "/: is a directory; name a Green-Marl program, such as pagerank.gm");
  EXPECT_EQ(message("/dev/zero"),
            "/dev/zero:1:1: this is longer than 4 MiB; name a Green-Marl program");
}

}  // namespace
}  // namespace Atoll::greenmarl
