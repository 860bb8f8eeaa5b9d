#include "cli/watch_options.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

#include "atoll/base/error.hpp"
#include "atoll/base/exit_code.hpp"
#include "atoll/base/json.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/units.hpp"
#include "atoll/options/checks.hpp"
#include "cli/program_options.hpp"
#include "recording/frontends/frontend_table.hpp"

namespace Atoll::cli {

namespace {

constexpr std::string_view kAuto = "auto";

std::vector<std::string_view> words_of(Frontends frontends) {
  std::vector<std::string_view> words{kAuto};
  std::ranges::copy(recording::frontend_words(frontends == Frontends::all),
                    std::back_inserter(words));
  return words;
}

}  // namespace

void add_frontend_option(options::Command verb, WatchWords& words, Frontends frontends) {
  verb.add_option("--frontend", words.frontend, "How to watch (auto)")
      .check({[](const std::string& text) -> std::string {
                if (text == kAuto || recording::frontend_from_string(text)) return "";
                return fmt::format("\"{}\" is no front end; take {}", text,
                                   recording::alternatives(words_of(Frontends::all)));
              },
              ""})
      .type_name(fmt::format("{}", fmt::join(words_of(frontends), "|")));
}

std::string frontends_help(Frontends frontends) {
  std::string help = "Front ends (--frontend auto takes the first that can watch the program):\n";
  for (const recording::FrontendRow* row : recording::frontends())
    if (frontends == Frontends::all || !row->is_sampled)
      help += fmt::format("  {:<10}{}\n", row->word, row->help);
  return help;
}

bool requests_samples(const recording::WatchOptions& options) {
  return options.frontend && recording::is_sampled(*options.frontend);
}

void add_recording_options(options::Command verb, WatchWords& words, Frontends frontends) {
  add_frontend_option(verb, words, frontends);
  verb.add_option("--memory", words.memory,
                  "Memory for recording, e.g. 2GiB (a quarter of this computer's); if it is\n"
                  "short, pages are recorded without lines, and the report says so")
      .type_name("SIZE");
  verb.add_option("--after", words.after_seconds, "Begin to record after this many seconds")
      .check(value::real(0, 1e9))
      .type_name("SECONDS");
  verb.add_option("--iterations", words.iterations,
                  "Record the first N iterations of the loop that calls atoll_mark_iteration()")
      .check(value::count(1, std::numeric_limits<int>::max()))
      .type_name("N");
  verb.add_flag("--between-marks", words.between_marks,
                "Record from atoll_mark_begin() to atoll_mark_end() (atoll/marks/marks.h)");
}

void add_watch_options(options::Command verb, WatchWords& words, Frontends frontends,
                       const std::optional<std::vector<std::string>>& command) {
  const options::Option listed =
      verb.add_option("command", words.command, "The command; its own options follow it")
          .type_name("COMMAND...");
  add_recording_options(verb, words, frontends);
  const options::Option check =
      verb.add_option("--check", words.check, "Check a file's invariants instead")
          .excludes(listed)
          .type_name("FILE");
  if (command) {
    words.command = *command;
    const auto refuse = [](const char* why) {
      return options::Check([why](const std::string&) { return why; }, "");
    };
    listed.check(refuse("is in front of '--', which ends the options"));
    check.check(refuse("the call has a command, too: leave one of them out"));
  }
  verb.add_flag("--native", words.native, "Run the command alone first, to know the slowdown");
}

void report_problems(const std::string& path, const std::vector<std::string>& wrong) {
  for (const std::string& line : wrong) fmt::print("{}: {}\n", path, line);
  if (!wrong.empty()) throw Error::input(path, "isn't right", "record it again");
}

void print_checked(const std::string& path, Json result, const std::vector<std::string>& wrong) {
  const Error error = Error::input(path, "isn't right", "record it again");
  result["wrong"] = wrong;
  if (!wrong.empty()) {
    print_to_stderr(fmt::format("atoll: {}\n", error.what()));
    const Json parts = Json::parse(error_json(error.place(), error.problem(), error.way_out(), 2));
    for (const auto& [name, part] : parts.items()) result[name] = part;
  }
  fmt::print("{}\n", result.dump(2));
  if (!wrong.empty()) throw AlreadyReported{};
}

void print_signal(const WatchWords& words, int status) {
  if (!WIFSIGNALED(status)) return;
  const int signal = WTERMSIG(status);
  print_to_stderr(fmt::format("atoll: {}: ended by signal {} ({})\n", words.command.front(), signal,
                              ::strsignal(signal)));
}

recording::WatchOptions watch_options(const WatchWords& words) {
  recording::WatchOptions options;
  if (words.command.empty())
    throw Error::input("", "there is no command to watch",
                       "give it after --: atoll profile -- ./program its arguments");
  options.command = words.command;
  if (words.frontend != kAuto) options.frontend = recording::frontend_from_string(words.frontend);
  if (!words.memory.empty()) {
    options.memory_bytes = parse_bytes(words.memory, "--memory");
    if (options.memory_bytes < kMiB)
      throw Error::input("--memory", words.memory + " is too little", "give 1MiB at least");
  }
  options.page_share = words.pages_percent / 100;
  options.after_seconds = words.after_seconds;
  options.iterations = words.iterations;
  options.only_between_marks = words.between_marks;
  options.native_too = words.native;
  return options;
}

}  // namespace Atoll::cli
