// `atoll advise`: what to do about a program's use of memory, in words and as a plan.
#include <fmt/format.h>

#include <memory>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/units.hpp"
#include "cli/profile_text.hpp"
#include "cli/verb.hpp"
#include "profile/advise.hpp"
#include "profile/thresholds.hpp"

namespace Atoll::cli {
namespace {

struct Options {
  std::string path;
  std::string machine;
  std::string output;
  bool json = false;
};

void print(const Lines& lines) {
  for (const std::string& line : lines) fmt::print("{}\n", printable(line));
}

void print_prediction(const ProgramPlan& plan, std::size_t nodes) {
  fmt::print("\n  {:<36}{:>10}{:>10}\n", "predicted", "before", "after");
  const auto row = [](const std::string& name, double before, double after) {
    fmt::print("  {:<36}{:>10}{:>10}\n", name, percent(before), percent(after));
  };
  row("local accesses", plan.before->local_share, plan.after->local_share);
  row(fmt::format("at the busiest memory (equal: {})", percent(1 / static_cast<double>(nodes))),
      plan.before->busiest_share, plan.after->busiest_share);
}

void advise(const Options& options) {
  const OpenProfile opened(options.path, options.machine);
  const profile::Advice advice = profile::advise(opened.profile, opened.machine);
  const ProgramPlan& plan = advice.plan;
  if (!options.output.empty()) {
    AtomicFile file(options.output);
    file.write(to_json(plan) + "\n");
    file.commit();
  }
  if (options.json) {
    fmt::print("{}\n", to_json(plan));
    return;
  }
  const profile::Summary& summary = advice.summary;
  print({fit(options.path + ": " + summary.command, 80), ""});
  for (const std::string& line : summary.verdict()) print(wrap(line, 2));
  fmt::print("\nadvice, for {}\n", opened.machine.name());
  for (const profile::Recommendation& one : advice.recommendations)
    print(wrap(fmt::format("  - {}: {}", to_string(one.action), one.text), 4));
  const bool changes = plan.bind_threads || !plan.objects.empty();
  if (changes) {
    print_prediction(plan, summary.places.nodes.size());
    if (!advice.trade.empty()) print(wrap("  " + advice.trade, 2));
  } else {
    fmt::print("\nThere is nothing to do for a plan: it is empty.\n");
  }
  if (!options.output.empty())
    fmt::print("\nwritten\n  {}: places {}, binds {}\n", options.output,
               counted(plan.objects.size(), "object"), counted(plan.threads.size(), "thread"));
  if (!changes) return;
  fmt::print("\nnext\n");
  std::string next = "atoll advise " + quoted(options.path);
  if (!options.machine.empty()) next += " --machine " + quoted(options.machine);
  next += " -o plan.json";
  if (!options.output.empty()) {
    next = "atoll run --plan " + quoted(options.output) + " --";
    for (const std::string& word : plan.command) next += " " + quoted(word);
  }
  print({"  " + next});
}

std::string rules() {
  std::string text = "The rules:\n";
  for (const profile::Rule& rule : profile::kRules) {
    for (const std::string& line : wrap(fmt::format("  {}: {} -> {}; {}", to_string(rule.action),
                                                    rule.when, rule.then, rule.reason),
                                        4))
      text += line + "\n";
  }
  text += "Their thresholds:\n";
  for (const profile::Threshold& threshold : profile::kThresholds)
    text += fmt::format("  {:<11}{:>6}  {}\n", threshold.name, threshold.value, threshold.reason);
  return text;
}

}  // namespace

void add_advise(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "advise", "Say what would make a program's memory lie better, and write it as a plan");
  verb->add_option("profile", options->path, "What 'atoll profile' wrote")
      ->required()
      ->type_name("P");
  verb->add_option("--machine", options->machine,
                   "Plan for this machine (this computer; where it\nhas one node, xeon-x7550)")
      ->type_name("M");
  verb->add_option("-o,--output", options->output, "The plan to write, for 'atoll run --plan'")
      ->type_name("PLAN");
  verb->add_flag("--json", options->json, "Print the plan instead of text");
  verb->footer(rules() +
               "\n  atoll advise atoll.profile -o plan.json\n"
               "  atoll run --plan plan.json -- ./app");
  verb->callback([options] { advise(*options); });
}

}  // namespace Atoll::cli
