// The program `atoll` and its table of verbs. base/exit_code.hpp converts errors to exit codes. For
// an error in a Green-Marl program, a terminal also shows the source line.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/exit_code.hpp"
#include "atoll/base/log.hpp"
#include "atoll/greenmarl/compiler.hpp"
#include "atoll/options/asks_for_json.hpp"
#include "atoll/options/checks.hpp"
#include "cli/command_words.hpp"
#include "cli/program_options.hpp"
#include "cli/schedule_command.hpp"
#include "cli/verb.hpp"
#include "options/near_miss.hpp"

namespace Atoll::cli {
namespace {

/// The words after "--"; empty optional if there is no "--".
using CommandWords = std::optional<std::vector<std::string>>;

struct Verb {
  std::string_view name;
  void (*add)(options::Command app, const CommandWords& command);
};

/// Returns the words of a call; of "help VERB", those of "VERB --help".
std::vector<char*> words_of(int argc, char** argv) {
  std::vector<char*> words(argv, argv + argc);
  if (argc < 2 || std::string_view(argv[1]) != "help") return words;
  static char help[] = "--help";
  words.erase(words.begin() + 1);
  words.insert(std::ranges::find(words, std::string_view("--")), help);
  return words;
}

/// Adds a verb that takes no command.
template <auto Add>
void add(options::Command app, const CommandWords& /*command*/) {
  Add(app);
}

#if ATOLL_HAS_RECORDING
void add_either_schedule(options::Command app, const CommandWords& command) {
  command ? add_schedule_command(app, *command) : add_schedule(app);
}
#endif

#if ATOLL_HAS_SIMULATE
void add_simulate_of(options::Command app, const CommandWords& command) {
  add_simulate(app, command.value_or(std::vector<std::string>{}));
}
#endif

constexpr std::array kVerbs {
  Verb{"machine", add<add_machine>}, Verb{"compile", add<add_compile>},
      Verb{"graph", add<add_graph>}, Verb{"run", add_run},
#if ATOLL_HAS_RECORDING
      Verb{"profile", add_profile}, Verb{"trace", add_trace}, Verb{"report", add<add_report>},
      Verb{"diff", add<add_diff>}, Verb{"advise", add<add_advise>},
      Verb{"schedule", add_either_schedule},
#endif
      Verb{"reorder", add<add_reorder>},
#if ATOLL_HAS_SIMULATE
      Verb{"simulate", add_simulate_of},
#endif
};

/// Verbs that a build may lack, and the CMake option of their part.
struct PartVerb {
  std::string_view name, option;
};
constexpr std::array kPartVerbs{
    PartVerb{"profile", "ATOLL_RECORDING"}, PartVerb{"trace", "ATOLL_RECORDING"},
    PartVerb{"report", "ATOLL_RECORDING"},  PartVerb{"diff", "ATOLL_RECORDING"},
    PartVerb{"advise", "ATOLL_RECORDING"},  PartVerb{"schedule", "ATOLL_RECORDING"},
    PartVerb{"simulate", "ATOLL_SIMULATE"},
};

/// Throws Error (input) if the first word is no verb or this build lacks it; the parser would
/// report a missing verb.
void check_verb(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) {
    if (verb.name == argv[1]) return;
    names.emplace_back(verb.name);
  }
  for (const PartVerb& verb : kPartVerbs)
    if (verb.name == argv[1])
      throw Error::input(argv[1], "this build of atoll lacks the verb",
                         fmt::format("build Atoll with {}=ON and its libraries", verb.option));
  if (const std::string near = options::nearest(argv[1], names); !near.empty())
    throw Error::input(argv[1], "is no verb", fmt::format("did you mean {}?", near));
  throw Error::input(argv[1], "is no verb",
                     fmt::format("the verbs are {}; see 'atoll help'", fmt::join(names, ", ")));
}

/// Adds all verbs. `command` is the command of the call, if it has one.
void add_verbs(const options::CommandLine& app, const CommandWords& command) {
  for (const Verb& verb : kVerbs) verb.add(app, command);
}

/// Removes the command from the call, if the verb runs commands, and returns it.
CommandWords take_command_of_verb(int& argc, char** argv) {
  constexpr std::array<std::string_view, 5> kRunCommands{"run", "schedule", "simulate", "profile",
                                                         "trace"};
  if (argc < 2 || std::ranges::find(kRunCommands, argv[1]) == kRunCommands.end())
    return std::nullopt;
  const auto* const verb = std::ranges::find(kVerbs, argv[1], &Verb::name);
  if (verb == kVerbs.end()) return std::nullopt;
  const options::CommandLine app("", "atoll");
  verb->add(app, std::vector<std::string>{});
  return take_command(argc, argv, app.verb(argv[1]),
                      verb->name == "profile" || verb->name == "trace");
}

/// Returns a message of the parser without the "--" before a command: the parser lists "--" as
/// unexpected.
std::string mistake(std::string text) {
  if (const std::size_t at = text.find(": -- "); at != std::string::npos) text.erase(at + 2, 3);
  return text;
}

/// Returns advice for an invalid command line: the help to read.
std::string way_out(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "see 'atoll --help'";
  std::string help = fmt::format("see 'atoll {} --help'", argv[1]);
  const std::string_view verb = argv[1];
  if (verb == "profile" || verb == "trace") return help + "; the command's own options follow '--'";
  return help;
}

/// Opens /dev/null in place of closed standard streams. Otherwise the next opened file would get
/// the stream's descriptor and its output. Descriptors are O_CLOEXEC, so watched programs still see
/// closed streams.
void occupy_closed_streams() {
  // The modes make reads from input and writes to output fail as before; text to standard error is
  // dropped.
  static constexpr std::array kModes{O_WRONLY, O_RDONLY, O_WRONLY};
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", kModes[stream] | O_CLOEXEC) < 0) return;
}

/// Parses the call and runs its verb.
void parse(int argc, char** argv) {
  const CommandWords command = take_command_of_verb(argc, argv);
  const options::CommandLine app("Atoll puts data near the threads that use it.", "atoll",
                                 "atoll " ATOLL_VERSION);
  app.require_verb();
  app.footer(
      "A first walk:\n"
      "  atoll machine                              what this machine is\n"
      "  atoll graph generate rmat --scale 16 -o g.atoll\n"
      "  atoll compile pagerank.gm --patterns       how a program uses its arrays\n"
      "  atoll run pagerank.gm --graph g.atoll --arg e=1e-6 --arg d=0.85 --arg max=100\n"
#if ATOLL_HAS_SIMULATE
      "  atoll profile -o p -- ./program its arguments    who uses what\n"
      "  atoll simulate --machine opteron-8x8 -- ./program    its time elsewhere\n"
      "  atoll report p; atoll advise p -o plan; atoll run --plan plan -- ./program\n"
#endif
      "Each verb explains itself: atoll help VERB, or atoll VERB --help");
  add_verbs(app, command);
  app.parse(argc, argv);
}

int run(int all, char** words) {
  std::vector<char*> call = words_of(all, words);
  int argc = static_cast<int>(call.size());
  char** const argv = call.data();
  occupy_closed_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // makes exceeding the file size limit an ordinary error
  const bool is_json = options::asks_for_json(argc, argv);
  bool told = false;
  const auto work = [&] {
    try {
      check_verb(argc, argv);
      parse(argc, argv);
    } catch (const greenmarl::CompileError& error) {
      print_diagnostics(error.diagnostics());
      if (is_json) fmt::print("{}\n", error_json_of(error.diagnostics()));
      told = true;
    } catch (const AlreadyReported&) {
      told = true;
    } catch (const options::BadCall& error) {
      throw Error::input("", mistake(error.what()), way_out(argc, argv));
    } catch (const std::system_error& error) {
      if (std::ferror(stdout) == 0) throw;
      throw Error::failed("standard output", error.what());
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw Error::system("standard output", "writing to it", errno);
  };
  const int code = exit_code_of(work, is_json ? ErrorForm::json : ErrorForm::line);
  return told && code == 0 ? 2 : code;
}

}  // namespace
}  // namespace Atoll::cli

int main(int argc, char** argv) {
  return Atoll::cli::run(argc, argv);
}
