// Common code of the compiler's tests: programs as text, the pipeline up to a pass, errors as
// values.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/check_races.hpp"
#include "greenmarl/lower.hpp"
#include "greenmarl/parser.hpp"
#include "greenmarl/pipeline.hpp"

namespace Atoll::greenmarl {

/// Returns a procedure p over a graph G, with output x and arguments n, r; `body` begins in line 2.
inline std::string with_body(const std::string& body) {
  return "Procedure p(G: Graph, n: Int, r: Node; x: N_P<Double>(G)) {\n" + body + "\n}\n";
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the first error as "LINE:COLUMN: message; way out", and sets `excerpt` to the two lines
/// of its caret. Returns an empty string if the program compiles.
inline std::string error_of(const std::string& program, std::string* excerpt = nullptr) {
  try {
    static_cast<void>(compile(program, "x.gm"));
  } catch (const CompileError& error) {
    EXPECT_EQ(error.kind(), Error::Kind::input);
    for (const Diagnostic& diagnostic : error.diagnostics()) {
      if (!diagnostic.error) continue;
      EXPECT_EQ(diagnostic.to_string(), error.what());
      if (excerpt != nullptr) *excerpt = diagnostic.excerpt;
      return diagnostic.to_string().substr(5);
    }
  }
  return "";
}

/// Returns each diagnostic in the form of error_of(). Warnings have "warning: " after the position.
inline std::vector<std::string> diagnostics_of(const std::string& program) {
  std::vector<std::string> lines;
  const auto add = [&](const std::vector<Diagnostic>& list) {
    for (const Diagnostic& diagnostic : list) lines.push_back(diagnostic.to_string().substr(5));
  };
  try {
    add(compile(program, "x.gm").warnings);
  } catch (const CompileError& error) {
    add(error.diagnostics());
  }
  return lines;
}

/// A program between passes of the pipeline.
class Stage {
 public:
  explicit Stage(const std::string& program)
      : source_(std::make_unique<Source>(Source{"x.gm", program})), diagnostics_(*source_) {
    module_ = parse(diagnostics_);
    procedure_ = lower(module_, module_.procedures.at(0), diagnostics_);
    check_races(procedure_, diagnostics_);
    for (const Diagnostic& diagnostic : diagnostics_.sorted())
      EXPECT_FALSE(diagnostic.error) << diagnostic.to_string();
  }

  /// Runs the passes up to and including `last`.
  Stage& through(const std::string& last) {
    for (const auto passes : {declaring_passes(), optimising_passes()})
      for (const Pass& pass : passes) {
        pass.run(procedure_);
        if (pass.name == last) return *this;
      }
    ADD_FAILURE() << "no pass is called " << last;
    return *this;
  }

  [[nodiscard]] std::string text() const { return ir::print(procedure_); }

 private:
  std::unique_ptr<Source> source_;
  Diagnostics diagnostics_;
  ast::Module module_;
  ir::Procedure procedure_;
};

}  // namespace Atoll::greenmarl
