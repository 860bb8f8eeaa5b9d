// Assembles the page: its frame, styles and scripts, the summary as JSON, and the views' data.
#include "profile/html.hpp"

#include <fmt/format.h>

#include <map>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/json.hpp"
#include "profile/html_files.hpp"
#include "profile/html_parts.hpp"
#include "recording/limits_text.hpp"

namespace Atoll::profile {
namespace {

/// Maximum number of characters of the command that are shown: a command may have megabytes.
constexpr std::size_t kCommand = 2000;

/// Replaces each <!--NAME--> of the page's frame by `text`.
void fill_in(std::string& page, std::string_view name, std::string_view text) {
  const std::string mark = fmt::format("<!--{}-->", name);
  for (std::size_t at = 0; (at = page.find(mark, at)) != std::string::npos; at += text.size())
    page.replace(at, mark.size(), text);
}

std::string joined(std::span<const detail::PageFile> files) {
  std::string text;
  for (const detail::PageFile& file : files) text += file.text;
  return text;
}

/// Returns JSON for a <script> element, with `<` escaped: names from the program may contain
/// </script> or <!--. Bytes that aren't UTF-8 become U+FFFD.
std::string embedded(const Json& value) {
  std::string text = value.dump_sorted();
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");
  return text;
}

/// Returns a sampled profile's shares in the form that reports print; null if the profile isn't
/// sampled.
Json said_json(const ShareIntervals* intervals) {
  if (intervals == nullptr) return {};
  Json local = Json::array(), busiest = Json::array();
  for (std::size_t i = 0; i < kMappings.size(); ++i) {
    local.push_back(format_share(0, &intervals->local[i]));
    busiest.push_back(format_share(0, &intervals->busiest[i]));
  }
  return {{"share", format_share(0, &intervals->share)},
          {"exclusivity", format_share(0, &intervals->exclusivity)},
          {"local", local},
          {"busiest", busiest}};
}

Json outcomes_json(const std::vector<Outcome>& outcomes) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    rows.push_back({{"mapping", to_string(kMappings[i])},
                    {"local_share", outcomes[i].local_share()},
                    {"busiest_share", outcomes[i].busiest_share()},
                    {"time", outcomes[i].time}});
  return rows;
}

Json sharing_json(const Sharing& sharing) {
  return {sharing.private_lines,        sharing.read_shared_lines, sharing.write_shared_lines,
          sharing.falsely_shared_lines, sharing.unknown_pages,     sharing.spinning_lines};
}

Json balance_json(const Balance& balance) {
  return {{"pages", balance.pages}, {"accesses", balance.accesses}};
}

Json object_json(const ObjectSummary& object) {
  return {{"id", object.id},
          {"kind", object.kind},
          {"name", object.name},
          {"place", object.place},
          {"bytes", object.bytes},

          {"pages", object.pages},
          {"reads", object.reads},
          {"writes", object.writes},
          {"traffic", object.traffic},
          {"exclusivity", object.exclusivity},
          {"balance", balance_json(object.balance)},
          {"what_if", outcomes_json(object.outcomes)},
          {"sharing", sharing_json(object.sharing)},
          {"said", said_json(object.intervals ? &*object.intervals : nullptr)},
          {"footprint", object.footprint},
          {"use", object.use}};
}

Json run_json(const Summary& summary) {
  Json losses = Json::array();
  for (const recording::Loss& loss : summary.losses)
    losses.push_back({{"what", in_words(loss, summary.counted_as)}, {"count", loss.count}});
  Json cant_see = Json::array();
  for (const recording::Unseen& unseen : summary.cant_see)
    cant_see.push_back(in_words(unseen, summary.counted_as));
  std::uint64_t reads = 0, writes = 0;
  for (const ObjectSummary& object : summary.objects) {
    reads += object.reads;
    writes += object.writes;
  }
  return {{"command", summary.command.substr(0, kCommand)},
          {"frontend", summary.frontend},
          {"frontend_reason", summary.frontend_reason},
          {"elapsed_seconds", summary.elapsed_seconds},
          {"slowdown", summary.slowdown() ? Json(*summary.slowdown()) : Json()},
          {"losses", losses},
          {"cant_see", cant_see},
          {"processes", summary.processes.size()},
          {"pages", summary.pages},
          {"reads", reads},
          {"writes", writes},
          {"counts",
           {{"one", summary.counted_as.one},
            {"many", summary.counted_as.many},
            {"title", recording::capital(summary.counted_as.many)},
            {"by_kind", summary.tells_writes}}},
          {"weighed",
           {{"one", summary.weighed_as.one},
            {"many", summary.weighed_as.many},
            {"title", recording::capital(summary.weighed_as.many)},
            {"units", summary.weighed_as == recording::kTraffic ? "lines of memory traffic"
                                                                : summary.weighed_as.many}}},
          {"traffic", summary.traffic},
          {"machine", summary.machine},
          {"other_machine", summary.other_machine},
          {"bound", summary.places.recorded}};
}

Json threads_json(const Profile& profile, const Summary& summary) {
  std::map<std::string, std::size_t> names;
  Json of = Json::array(), processes = Json::array();
  for (const recording::Thread& thread : profile.recording.threads) {
    of.push_back(names.try_emplace(thread.name, names.size()).first->second);
    processes.push_back(thread.process);
  }
  std::vector<std::string_view> list(names.size());
  for (const auto& [name, position] : names) list[position] = name;
  return {{"names", list},
          {"name", of},
          {"process", processes},
          {"node", summary.places.nodes_of_threads}};
}

}  // namespace

std::string html_report(const Profile& profile, const Advice& advice,
                        std::span<const std::string> commands) {
  const Summary& summary = advice.summary;
  std::vector<std::uint32_t> shown;
  Json objects = Json::array();
  for (const ObjectSummary& object : summary.objects) {
    if (shown.size() == kHtmlObjects) break;
    shown.push_back(object.id);
    objects.push_back(object_json(object));
  }
  Json nodes = Json::array();
  for (const NodeId node : summary.places.nodes) nodes.push_back(node.value);

  Json mappings = Json::object();
  for (const Mapping mapping : kMappings)
    mappings[std::string(to_string(mapping))] = in_words(mapping);

  HtmlData data;
  const Json values{
      {"run", run_json(summary)},
      {"verdict",
       {{"text", summary.verdict()},
        {"structure", summary.structure},
        {"exclusivity", summary.exclusivity}}},
      {"mappings", mappings},
      {"advice", html_advice(advice, commands)},
      {"processes", html_processes(summary)},
      {"footprint",
       {{"program", summary.footprint}, {"seconds", static_cast<double>(summary.epoch_ns) * 1e-9}}},
      {"said", said_json(summary.intervals ? &summary.intervals->program : nullptr)},
      {"nodes", nodes},
      {"threads", threads_json(profile, summary)},
      {"balance", balance_json(summary.balance)},
      {"what_if", outcomes_json(summary.outcomes)},
      {"sharing", sharing_json(summary.sharing)},
      {"objects", objects},
      {"all_objects", summary.objects.size()},
      {"communication", html_communication(profile, summary.places, kHtmlMatrixBytes, data)},
      {"exclusivity",
       html_exclusivity(summary.by_node, summary.places, shown, kHtmlGridBytes, data)},
      {"maps", html_maps(profile, shown, kHtmlTileBytes, data)},
      {"tree", html_tree(profile, kHtmlTreeBytes)}};

  std::string page(detail::page_frames().front().text);
  fill_in(page, "counts", summary.counted_as.many);
  fill_in(page, "weighed", summary.weighed_as.many);
  fill_in(page, "styles", joined(detail::page_styles()));
  fill_in(page, "scripts", joined(detail::page_scripts()));
  fill_in(page, "values", embedded(values));
  fill_in(page, "data", data.base64());
  return page;
}

void write_html_report(const Profile& profile, const Advice& advice,
                       std::span<const std::string> commands, const std::string& path) {
  AtomicFile file(path);
  file.write(html_report(profile, advice, commands));
  file.commit();
}

}  // namespace Atoll::profile
