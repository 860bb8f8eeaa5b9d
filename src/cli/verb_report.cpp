// `atoll report`: reports a program's use of memory from a profile.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/separate_files.hpp"
#include "atoll/program/options.hpp"
#include "cli/profile_text.hpp"
#include "cli/verb.hpp"
#include "machine/file_of_name.hpp"
#include "profile/advise.hpp"
#include "profile/html.hpp"

namespace Atoll::cli {
namespace {

struct ReportOptions {
  std::string path;
  std::string machine;
  std::string html;
  std::string by;
  bool json = false;
};

/// Parses --by. Throws Error (input) if `name` is invalid; returns an empty optional if it is
/// empty.
std::optional<profile::GroupKey> group_key_of(const std::string& name) {
  const auto by = profile::group_key_from_string(name);
  if (!by && !name.empty())
    throw Error::input("--by " + name, "is no way to sum up",
                       "take object, function, file, thread or process");
  return by;
}

void report_groups(profile::GroupKey by, const ReportOptions& options, const OpenProfile& opened,
                   const profile::Summary& summary) {
  const std::vector<profile::TrafficGroup> rows =
      profile::traffic_groups(by, opened.profile, summary);
  if (options.json) {
    fmt::print("{}\n", to_json(by, rows, summary));
    return;
  }
  for (const std::string& line : traffic_groups_text(by, rows, summary))
    fmt::print("{}\n", printable(line));
}

void report(const ReportOptions& options) {
  check_separate_files({options.html}, {options.path, machine_file_of_name(options.machine)});
  const std::optional<profile::GroupKey> by = group_key_of(options.by);
  const OpenProfile opened(options.path, options.machine);
  const profile::Advice advice = profile::advise(opened.profile, opened.machine);
  const profile::Summary& summary = advice.summary;
  if (!options.html.empty()) {
    const std::string commands[] = {command_to_plan(options.path, options.machine),
                                    command_to_run("plan.json", advice.plan.command)};
    write_html_report(opened.profile, advice, commands, options.html);
    note(options.html + " written, a page for a browser");
  }
  if (by) return report_groups(*by, options, opened, summary);
  if (options.json) {
    fmt::print("{}\n", to_json(summary));
    return;
  }
  const std::string next = command_to_plan(options.path, options.machine);
  for (const std::string& line : report_text(summary, options.path, next))
    fmt::print("{}\n", printable(line));
}

}  // namespace

void add_report(options::Command app) {
  auto options = std::make_shared<ReportOptions>();
  const options::Command verb =
      app.add_verb("report", "Show how a program used memory, from a profile");
  verb.add_option("profile", options->path, "What 'atoll profile' wrote").required().type_name("P");
  program::add_machine_option(verb, options->machine,
                              "See it for this machine: a preset, a machine file,\n"
                              "hwloc XML or description (this computer; xeon-x7550\n"
                              "if this computer has one node)");
  verb.add_option("--by", options->by,
                  "Show only who has the traffic: by object, function,\n"
                  "file, thread or process (function and file are those\n"
                  "of the allocation)")
      .type_name("WHAT");
  verb.add_flag("--json", options->json, "One JSON object instead of text");
  verb.add_option("--html", options->html, "Also write it as a page for a browser")
      .type_name("FILE");
  verb.footer(
      "The verdict comes first. It says what to do, and why: if threads communicate in\n"
      "groups, if pages belong to nodes, and if the memories are equally\n"
      "busy. 'local' is the share of the memory traffic between threads and the memory\n"
      "of their own node, 'busiest' the share that one memory serves.\n\n"
      "  atoll report atoll.profile\n"
      "  atoll report atoll.profile --machine opteron-8x8\n"
      "  atoll report atoll.profile --html report.html\n"
      "  atoll report atoll.profile --by thread");
  verb.run([options] { report(*options); });
}

}  // namespace Atoll::cli
