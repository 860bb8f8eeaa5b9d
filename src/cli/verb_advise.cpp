// `atoll advise`: recommends a placement for a program's memory, as text and as a plan.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/json.hpp"
#include "atoll/base/separate_files.hpp"
#include "atoll/base/units.hpp"
#include "atoll/program/options.hpp"
#include "cli/profile_text.hpp"
#include "cli/verb.hpp"
#include "machine/file_of_name.hpp"
#include "profile/advise.hpp"
#include "profile/places_in_words.hpp"
#include "profile/plan_intervals.hpp"
#include "profile/predict_plan.hpp"
#include "profile/thresholds.hpp"

namespace Atoll::cli {
namespace {

using profile::PlanIntervals;
using profile::PlanOnRun;
using profile::Profile;

struct AdviseOptions {
  std::string path;
  std::string machine;
  std::string output;
  std::string on;
  bool json = false;
};

void print(const Lines& lines) {
  for (const std::string& line : lines) fmt::print("{}\n", printable(line));
}

void print_prediction(const std::string& title, const Prediction& before, const Prediction& after,
                      std::size_t nodes, const recording::CountedAs& as,
                      const PlanIntervals* sure_before = nullptr,
                      const PlanIntervals* sure_after = nullptr) {
  fmt::print("\n  {:<36}{:>10}{:>10}\n", title, "before", "after");
  const auto row = [&](const std::string& name, double Prediction::*share,
                       profile::Interval PlanIntervals::*interval) {
    fmt::print(
        "  {:<36}{:>10}{:>10}\n", name,
        profile::format_share(before.*share, sure_before ? &(sure_before->*interval) : nullptr),
        profile::format_share(after.*share, sure_after ? &(sure_after->*interval) : nullptr));
  };
  row(fmt::format("local {}", as.many), &Prediction::local_share, &PlanIntervals::local);
  row(fmt::format("at the busiest memory (equal: {})", percent(1 / static_cast<double>(nodes))),
      &Prediction::busiest_share, &PlanIntervals::busiest);
  fmt::print("  {:<36}{:>10.2f}{:>10.2f}\n", fmt::format("time of {}", as.many), before.time,
             after.time);
}

std::string names_of(const std::vector<std::string>& missing) {
  constexpr std::size_t kNames = 5;
  const std::size_t shown = std::min(kNames, missing.size());
  std::string names = fmt::format(
      "{}", fmt::join(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < missing.size()) names += fmt::format(" and {} more", missing.size() - shown);
  return names;
}

/// Prints the predicted effect of the plan on another run.
void print_on(const std::string& path, const Profile& other, const ProgramPlan& plan,
              const PlanOnRun& on, std::size_t nodes) {
  const std::string command =
      other.recording.processes.empty()
          ? ""
          : fmt::format(": {}", fmt::join(other.recording.processes.front().command, " "));
  fmt::print("\n");
  print({fit("this plan on " + path + command, 80)});
  std::string found = fmt::format("  {} of the plan's {} recognised", on.recognised,
                                  counted(plan.objects.size(), "object"));
  if (!on.missing.empty()) found += ", not " + names_of(on.missing);
  if (plan.bind_threads)
    found += fmt::format("; {} of {} have a place in it", on.threads,
                         counted(other.recording.threads.size(), "thread"));
  print(wrap(found, 4));
  print_prediction("predicted there", on.before, on.after, nodes,
                   recording::weighed_as(other.recording));
}

std::string json_on(const std::string& path, const ProgramPlan& plan, const PlanOnRun& on) {
  const auto json = [](const Prediction& of) {
    return Json{
        {"local_share", of.local_share}, {"busiest_share", of.busiest_share}, {"time", of.time}};
  };
  const Json all{{"atoll_plan_on", 1},
                 {"plan", Json::parse(to_json(plan))},
                 {"profile", path},
                 {"before", json(on.before)},
                 {"after", json(on.after)},
                 {"objects", {{"recognised", on.recognised}, {"missing", on.missing}}},
                 {"threads", on.threads}};
  return all.dump(2);
}

void advise(const AdviseOptions& options) {
  check_separate_files({options.output},
                       {options.path, options.on, machine_file_of_name(options.machine)});
  const OpenProfile opened(options.path, options.machine);
  const profile::Advice advice = profile::advise(opened.profile, opened.machine);
  const ProgramPlan& plan = advice.plan;
  std::optional<OpenProfile> other;
  PlanOnRun on;
  if (!options.on.empty()) {
    other.emplace(options.on, options.machine);
    on = profile::predict_plan(plan, other->profile, opened.machine);
  }
  if (!options.output.empty()) {
    AtomicFile file(options.output);
    file.write(to_json(plan) + "\n");
    file.commit();
  }
  if (options.json) {
    fmt::print("{}\n", other ? json_on(options.on, plan, on) : to_json(plan));
    return;
  }
  const profile::Summary& summary = advice.summary;
  print({fit(options.path + ": " + summary.command, 80), ""});
  for (const std::string& line : summary.verdict()) print(wrap(line, 2));
  if (const std::string words = profile::places_in_words(summary.places); !words.empty())
    print(wrap("  " + words, 2));
  for (const std::string& note : advice.notes) print(wrap("  " + note, 2));
  fmt::print("\nadvice, for {}\n", opened.machine.name());
  for (const profile::Recommendation& one : advice.recommendations) {
    print(wrap(fmt::format("  - {}: {}", to_string(one.action), one.text), 4));
    if (!one.source.empty()) print(wrap("    in the source: " + one.source, 6));
  }
  if (!advice.why.empty()) print(wrap("  why: " + advice.why, 4));
  const bool changes = advice.changes();
  if (changes) {
    PlanIntervals before, after;
    if (summary.intervals) {
      constexpr auto kOs = static_cast<std::size_t>(profile::Mapping::os);
      const profile::ShareIntervals& program = summary.intervals->program;
      before = {program.local[kOs], program.busiest[kOs]};
      after = profile::plan_intervals(advice);
    }
    print_prediction(summary.intervals ? "predicted (90 % sure; -: not known)" : "predicted",
                     *plan.before, *plan.after, summary.places.nodes.size(), summary.weighed_as,
                     summary.intervals ? &before : nullptr, summary.intervals ? &after : nullptr);
    if (!advice.trade.empty()) print(wrap("  " + advice.trade, 2));
  } else {
    fmt::print("\nThere is nothing to do for a plan: it is empty.\n");
  }
  if (other && changes) print_on(options.on, other->profile, plan, on, summary.places.nodes.size());
  if (!options.output.empty())
    fmt::print("\nwritten\n  {}: places {}, binds {}\n", options.output,
               counted(plan.objects.size(), "object"), counted(plan.threads.size(), "thread"));
  if (!changes) return;
  fmt::print("\nnext\n");
  print({"  " + (options.output.empty() ? command_to_plan(options.path, options.machine)
                                        : command_to_run(options.output, plan.command))});
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

void add_advise(options::Command app) {
  auto options = std::make_shared<AdviseOptions>();
  const options::Command verb = app.add_verb(
      "advise", "Say what would make a program's memory lie better, and write it as a plan");
  verb.add_option("profile", options->path, "What 'atoll profile' wrote").required().type_name("P");
  program::add_machine_option(
      verb, options->machine,
      "Plan for this machine (this computer; xeon-x7550\nif this computer has one node)");
  verb.add_option(
          "--on", options->on,
          "Predict the plan for this profile too, of another run of the\nprogram: does it fit "
          "one run only?")
      .type_name("Q");
  verb.add_option("-o,--output", options->output, "The plan to write, for 'atoll run --plan'")
      .type_name("FILE");
  verb.add_flag("--json", options->json, "Print the plan instead of text");
  verb.footer(rules() +
              "\n  atoll advise atoll.profile -o plan.json\n"
              "  atoll run --plan plan.json -- ./app");
  verb.run([options] { advise(*options); });
}

}  // namespace Atoll::cli
