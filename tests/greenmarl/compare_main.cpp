// Compares compiled Green-Marl programs with the interpreter: either the programs FILE …, or random
// programs of COUNT seeds from SEED on. Each program runs on several graphs, with two layouts, on
// 1, 2 and 4 threads.
//
//   compare [--seed SEED] [--count COUNT] [--seconds S] [--folder FOLDER] [--reduce] [FILE …]
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>

#include "answer.hpp"
#include "atoll/greenmarl/compiler.hpp"
#include "cases.hpp"
#include "compiled_run.hpp"
#include "generator.hpp"
#include "reduce.hpp"

namespace Atoll::greenmarl::oracle {
namespace {

/// Number of programs in a C++ file.
constexpr std::size_t kInFile = 25;
/// Maximum number of interpreter steps. If a program needs more on a graph, that graph is skipped.
constexpr std::uint64_t kSteps = 1'500'000;

struct Options {
  std::uint64_t seed = 1;
  std::uint64_t count = 240;
  double seconds = 1e9;  ///< no new C++ file is started afterwards
  std::string folder;
  bool reduce = false;
  std::vector<std::string> files;
};

/// The interpreter's result for a program on a graph.
struct Expected {
  enum Kind : std::uint8_t {
    answer,  ///< `outputs` is the expected result
    stop,    ///< the program stops at `stops`
    open,    ///< several results are valid; the program only runs
    none,    ///< exceeds kSteps; the program doesn't run
  } kind = none;
  Outputs outputs;
  std::string stops;
};

struct Subject {
  std::string name;  ///< of the file or the seed
  std::uint64_t seed = 0;
  ast::Module module;
  CompiledProcedure program;
  std::vector<Expected> expected;  ///< by kind of graph
};

const ast::Procedure& entry_of(const ast::Module& module) {
  for (const ast::Procedure& procedure : module.procedures)
    if (!procedure.local) return procedure;
  throw std::logic_error("no procedure");
}

/// In generated programs, random numbers don't affect the result.
Expected expected_of(const ast::Module& module, int kind, std::uint64_t seed, bool generated) {
  Expected expected;
  const std::vector<Graph> graphs = random_graphs(entry_of(module), kind);
  try {
    expected.outputs = interpret(module, graphs, random_inputs(entry_of(module), graphs, seed), "",
                                 {.steps = kSteps});
    const bool fixed = !expected.outputs.loose && (generated || !expected.outputs.random);
    expected.kind = fixed ? Expected::answer : Expected::open;
  } catch (const Stop& stop) {
    expected.kind = Expected::stop;
    expected.stops = fmt::format("{}:{}", stop.at.line, stop.at.column);
  } catch (const TooLong&) {
    expected.kind = Expected::none;
  } catch (const NotTaken&) {
    expected.kind = Expected::open;
  }
  return expected;
}

std::string setting_name(const Setting& setting, int kind) {
  return fmt::format("graph {}, {}", kind, to_string(setting));
}

/// Runs the compiled procedure in every setting. Returns the first difference from the expected
/// result; empty if there is none.
std::string fault_of(const Subject& subject, const Case& compiled, bool wide) {
  const Procedure description = compiled.describe();
  const program::Entry entry = compiled.entry();
  for (int kind = 0; kind < kGraphKinds; ++kind) {
    const Expected& expected = subject.expected[static_cast<std::size_t>(kind)];
    if (expected.kind == Expected::none) continue;
    const std::vector<Graph> graphs = random_graphs(entry_of(subject.module), kind);
    const Inputs inputs = random_inputs(entry_of(subject.module), graphs, subject.seed);
    for (const Placed placed : {Placed::replicated, Placed::partitioned})
      for (const int threads : {1, 2, 4}) {
        const Setting setting{placed, threads, wide};
        std::optional<Outputs> got;
        std::string stopped;
        try {
          got = run_compiled(description, entry, graphs, inputs, setting);
        } catch (const std::exception& error) {
          stopped = error.what();
        }
        if (expected.kind == Expected::open) continue;
        std::string fault;
        if (expected.kind == Expected::stop && got)
          fault = fmt::format("it ends, expected is that it stops at {}", expected.stops);
        else if (expected.kind == Expected::answer && !got)
          fault = fmt::format("it stops: {}", stopped);
        else if (expected.kind == Expected::answer)
          fault = difference(expected.outputs, *got);
        if (!fault.empty()) return fmt::format("{}: {}", setting_name(setting, kind), fault);
      }
  }
  return "";
}

/// Returns the result of `work`, which runs in a child process, because a compiled program may end
/// its process.
std::string in_a_process(const std::function<std::string()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) throw Error::failed("compare", "no pipe");
  std::cout.flush();
  const pid_t child = ::fork();
  if (child < 0) throw Error::failed("compare", "no process");
  if (child == 0) {
    ::close(ends[0]);
    ::alarm(300);
    std::string text;
    try {
      text = work();
    } catch (const std::exception& error) {
      text = error.what();
    }
    const bool written = ::write(ends[1], text.data(), text.size()) >= 0;
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text(65536, ' ');
  std::size_t length = 0;
  for (ssize_t got = 1; got > 0;) {
    got = ::read(ends[0], text.data() + length, text.size() - length);
    if (got > 0) length += static_cast<std::size_t>(got);
  }
  ::close(ends[0]);
  text.resize(length);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return fmt::format("signal {} ends it", WTERMSIG(status));
  return text.empty() && status != 0 ? "a sanitizer ends it" : text;
}

class Comparison {
 public:
  explicit Comparison(Options options) : options_(std::move(options)) {
    std::filesystem::create_directories(options_.folder);
  }

  int run() {
    const auto start = std::chrono::steady_clock::now();
    const auto in_time = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
             options_.seconds;
    };
    for (const std::string& file : options_.files) {
      std::ostringstream text;
      text << std::ifstream(file).rdbuf();
      take(text.str(), std::filesystem::path(file).stem().string(), 1);
    }
    if (!options_.files.empty()) options_.count = 0;
    for (std::uint64_t i = 0; i < options_.count && in_time(); ++i) {
      const std::uint64_t seed = options_.seed + i;
      const std::string name = fmt::format("random_{}", seed);
      take(random_program(seed, name), name, seed);
    }
    flush();
    fmt::print("{} programs, of {} answers {} compared; {} faults\n", programs_, answers_ + others_,
               answers_, faults_);
    return faults_ == 0 && programs_ > 0 && answers_ > 0 ? 0 : 1;
  }

 private:
  void take(const std::string& text, const std::string& name, std::uint64_t seed) {
    Subject subject{
        .name = name, .seed = seed, .module = parsed(text), .program = {}, .expected = {}};
    if (options_.files.empty() && !has_one_answer(subject.module, seed)) return;
    for (int kind = 0; kind < kGraphKinds; ++kind)
      subject.expected.push_back(expected_of(subject.module, kind, seed, options_.files.empty()));
    try {
      // Compiles the printed tree, so that the printer is tested, too.
      subject.program = compile(ast::print(subject.module), name + ".gm");
      for (const Diagnostic& warning : subject.program.warnings)
        if (warning.message.find("in no order") != std::string::npos && options_.files.empty())
          fault(subject, "a conflict is told: " + warning.to_string());
    } catch (const std::exception& error) {
      fault(subject, std::string("it isn't compiled: ") + error.what());
      return;
    }
    for (const Expected& expected : subject.expected)
      ++(expected.kind == Expected::answer || expected.kind == Expected::stop ? answers_ : others_);
    batch_.push_back(std::move(subject));
    if (batch_.size() == kInFile) flush();
  }

  /// Compiles and runs the collected programs.
  void flush() {
    if (batch_.empty()) return;
    std::vector<CompiledProcedure> programs;
    for (const Subject& subject : batch_) programs.push_back(subject.program);
    const bool wide = files_++ % 3 == 2;
    const std::string name = fmt::format("cases_{}_{}", options_.seed, files_);
    try {
      const Library library(options_.folder, name, programs, wide ? 4 : 1);
      for (std::size_t i = 0; i < batch_.size(); ++i) {
        const std::string text =
            in_a_process([&] { return fault_of(batch_[i], library[i], wide); });
        if (!text.empty()) fault(batch_[i], text);
        ++programs_;
      }
    } catch (const std::exception& error) {
      if (batch_.size() == 1) {
        fault(batch_[0], error.what());
      } else {  // compiles each program separately to find the faulty one
        const std::vector<Subject> all = std::move(batch_);
        for (const Subject& subject : all) {
          batch_ = {subject};
          flush();
        }
      }
    }
    batch_.clear();
  }

  void fault(const Subject& subject, const std::string& what) {
    ++faults_;
    const std::string file = options_.folder + "/" + subject.name + ".fault.gm";
    std::ofstream(file) << ast::print(subject.module);
    fmt::print("{}: {}\n  the program: {}\n", subject.name, what, file);
    std::cout.flush();
    if (!options_.reduce) return;
    const ast::Module small = reduced(
        subject.module, [&](const ast::Module& module) { return shows_fault(subject, module); });
    fmt::print("{}\n", ast::print(small));
    std::cout.flush();
  }

  bool shows_fault(const Subject& subject, const ast::Module& module) {
    Subject one{.name = subject.name,
                .seed = subject.seed,
                .module = module,
                .program = {},
                .expected = {}};
    try {
      one.program = compile(ast::print(module), "x.gm");
      for (const Diagnostic& warning : one.program.warnings)
        if (warning.message.find("in no order") != std::string::npos) return false;
    } catch (const CompileError&) {
      return false;
    } catch (const std::exception&) {
      return true;
    }
    try {
      for (int kind = 0; kind < kGraphKinds; ++kind)
        one.expected.push_back(expected_of(one.module, kind, one.seed, options_.files.empty()));
    } catch (const std::exception&) {
      return false;
    }
    try {
      const Library library(options_.folder, fmt::format("reduce_{}", ++reductions_), {one.program},
                            1);
      return !in_a_process([&] { return fault_of(one, library[0], false); }).empty();
    } catch (const std::exception&) {
      return true;
    }
  }

  Options options_;
  std::vector<Subject> batch_;
  std::uint64_t programs_ = 0, answers_ = 0, others_ = 0, faults_ = 0, files_ = 0, reductions_ = 0;
};

Options options_of(int argc, char** argv) {
  Options options;
  options.folder = (std::filesystem::temp_directory_path() / "atoll-compare").string();
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto next = [&] {
      if (i + 1 == argc) throw Error::input(word, "needs a value");
      return std::string(argv[++i]);
    };
    if (word == "--seed")
      options.seed = std::stoull(next());
    else if (word == "--count")
      options.count = std::stoull(next());
    else if (word == "--seconds")
      options.seconds = std::stod(next());
    else if (word == "--folder")
      options.folder = next();
    else if (word == "--reduce")
      options.reduce = true;
    else
      options.files.push_back(word);
  }
  return options;
}

}  // namespace
}  // namespace Atoll::greenmarl::oracle

int main(int argc, char** argv) {
  using namespace Atoll::greenmarl::oracle;
  try {
    return Comparison(options_of(argc, argv)).run();
  } catch (const std::exception& error) {
    std::cerr << "compare: " << error.what() << '\n';
    return 2;
  }
}
