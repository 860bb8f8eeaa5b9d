// What the compiler's tests share: programs as text, the pipeline up to some pass, errors as
// values.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/check_races.hpp"
#include "greenmarl/lower.hpp"
#include "greenmarl/parser.hpp"
#include "greenmarl/pipeline.hpp"

namespace Atoll::greenmarl {

/// A procedure p over a graph G, with output x and arguments n, r; `body` starts in line 2.
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

/// "LINE:COLUMN: message; way out" and the caret's two lines; "" if the program is fine.
inline std::string error_of(const std::string& program, std::string* excerpt = nullptr) {
  try {
    static_cast<void>(compile(program, "x.gm"));
  } catch (const SourceError& error) {
    const std::string what = error.what();
    EXPECT_EQ(error.kind(), Error::Kind::input);
    EXPECT_TRUE(what.starts_with("x.gm:" + std::to_string(error.line()) + ":" +
                                 std::to_string(error.column()) + ": "))
        << what;
    if (excerpt != nullptr) *excerpt = error.excerpt();
    return what.substr(5);
  }
  return "";
}

/// A program on its way through the pipeline.
class Stage {
 public:
  explicit Stage(const std::string& program)
      : source_(std::make_unique<Source>(Source{"x.gm", program})),
        procedure_(lower(parse(*source_), *source_)) {
    check_races(procedure_);
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
  ir::Procedure procedure_;
};

}  // namespace Atoll::greenmarl
