// `atoll graph`: generates, converts and describes graphs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "atoll/base/error.hpp"
#include "atoll/base/json.hpp"
#include "atoll/base/separate_files.hpp"
#include "atoll/base/units.hpp"
#include "atoll/graph/describe.hpp"
#include "atoll/graph/generate.hpp"
#include "atoll/machine/thread_places.hpp"
#include "atoll/options/checks.hpp"
#include "cli/graph_text_options.hpp"
#include "cli/verb.hpp"
#include "graph/formats.hpp"
#include "graph/labels.hpp"
#include "graph/state.hpp"

namespace Atoll::cli {
namespace {

using graph::Graph;
using graph::Section;

constexpr Section kReverse[] = {Section::r_begin, Section::r_node_idx, Section::r_edge_idx};

Team all_cores() {
  return Team(spread_places(Machine::this_computer()));
}

void add_json(options::Command verb, bool& json) {
  verb.add_flag("--json", json, "One JSON object instead of text");
}

/// Throws Error (input) if the graph and the JSON object would both be on standard output.
void check_output(const std::string& path, bool json) {
  if (json && path == "-")
    throw Error::input("--json", "standard output has the graph already: -o -",
                       "name a file, or leave --json out");
}

/// Writes a graph in the format that the name selects, and prints a line or a JSON object about its
/// contents.
void save_as(const Graph& graph, const std::string& path, bool json) {
  graph::format_to_write(path).write(graph, path);
  if (path == "-") return;
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(path, unknown);
  if (json) {
    const Json all{{"file", path},
                   {"nodes", graph.nodes()},
                   {"edges", graph.edges()},
                   {"bytes", unknown ? Json() : Json(bytes)}};
    fmt::print("{}\n", all.dump(2));
    return;
  }
  fmt::print("{}: {} nodes, {} edges{}\n", path, format_count(graph.nodes()),
             format_count(graph.edges()), unknown ? "" : ", " + format_bytes(bytes));
}

void add_generate(options::Command verb) {
  struct Call {
    std::string kind;
    std::string output;
    bool json = false;
    graph::GenerateOptions options;
  };
  const auto call = std::make_shared<Call>();
  graph::GenerateOptions& options = call->options;
  const options::Command generate = verb.add_verb("generate", "Makes a synthetic graph");
  generate
      .add_option("KIND", call->kind,
                  "rmat: skewed degrees, Graph500's parameters; uniform: both ends at random")
      .required()
      .check(value::one_of({"rmat", "uniform"}));
  generate.add_option("--scale", options.scale, "2^scale nodes")
      .check(value::count(1, 40))
      .show_default()
      .type_name("N");
  generate.add_option("--edge-factor", options.edge_factor, "Edges drawn for each node")
      .check(value::real(0, 1e12))
      .show_default()
      .type_name("R");
  generate.add_option("--seed", options.seed, "Another seed, another graph")
      .check(value::count(0))
      .show_default()
      .type_name("S");
  const auto add_switch = [&](const char* name, bool& flag, const char* help) {
    generate.add_flag_function(
        name, [call, &flag] { flag = false; }, help);
  };
  add_switch("--no-symmetrise", options.symmetrise, "Keep edges in one direction");
  add_switch("--no-deduplicate", options.deduplicate, "Keep duplicates and self-loops");
  add_switch("--no-permute", options.permute, "Keep the hubs' ids low");
  generate.add_flag("--wide-ids", options.wide_ids, "64-bit ids even where 32 bits would do");
  generate
      .add_option(
          "-o,--output", call->output,
          "FILE to write; *.el, *.graph are text, - is an edge list on standard output, else "
          "binary")
      .required()
      .type_name("FILE");
  add_json(generate, call->json);
  generate.footer("The same seed gives the same graph on every machine.");
  generate.run([call] {
    check_output(call->output, call->json);
    check_separate_files({call->output}, {});
    const Team team = all_cores();
    Graph graph = call->kind == "rmat" ? generate_rmat(call->options, team)
                                       : generate_uniform(call->options, team);
    if (graph::format_to_write(call->output).labels)
      for (const Section section : {Section::r_begin, Section::r_node_idx})
        graph.require(section, team);
    save_as(graph, call->output, call->json);
  });
}

const std::map<std::string, graph::Duplicates>& duplicates_by_name() {
  using graph::Duplicates;
  static const std::map<std::string, Duplicates> rules{
      {"first", Duplicates::first}, {"last", Duplicates::last}, {"min", Duplicates::min},
      {"max", Duplicates::max},     {"sum", Duplicates::sum},   {"error", Duplicates::error}};
  return rules;
}

void add_convert(options::Command verb) {
  struct Call {
    std::string input, output, labels;
    std::string directions = "both";
    bool keep_duplicates = false, json = false;
    std::string duplicates = "first";
    graph::BuildOptions build;
    std::shared_ptr<GraphTextCall> text;
  };
  const auto call = std::make_shared<Call>();
  const options::Command convert = verb.add_verb("convert", "Brings a graph into another form");
  convert.add_option("IN", call->input, kGraphInput).required();
  convert
      .add_option(
          "-o,--output", call->output,
          "FILE to write; *.el, *.graph are text, - is an edge list on standard output, else "
          "binary")
      .required()
      .type_name("FILE");
  convert.add_option("--labels", call->labels, "FILE with the nodes' names, the first for node 0")
      .type_name("FILE");
  convert.add_option("--directions", call->directions, "What to store: out-edges, or in-edges too")
      .check(value::one_of({"out", "both"}))
      .type_name("WHICH")
      .show_default();
  call->text = add_graph_text_options(convert);
  auto& of_text = call->text->options;
  of_text.push_back(
      convert.add_flag("--symmetrise", call->build.symmetrise, "Every edge in both directions"));
  const options::Option keep =
      convert.add_flag("--keep-duplicates", call->keep_duplicates, "Edges that are there twice");
  of_text.push_back(keep);
  of_text.push_back(convert
                        .add_option("--duplicates", call->duplicates,
                                    "The values of edges with the same ends: first (default), "
                                    "last, min, max, sum; or error, which refuses them")
                        .check(value::one_of(duplicates_by_name(), false))
                        .type_name("RULE")
                        .excludes(keep));
  of_text.push_back(
      convert.add_flag("--drop-self-loops", call->build.drop_self_loops, "No edges to oneself"));
  of_text.push_back(
      convert.add_flag("--wide-ids", call->build.wide_ids, "64-bit ids even where 32 would do"));
  add_json(convert, call->json);
  convert.footer(
      "An edge list has 'source target' on each line, ids from 0; lines that begin\n"
      "with # or % are comments. IN may be packed: gzip, zstd, xz, bzip2; tar or zip\n"
      "of one file.");
  convert.run([call] {
    check_output(call->output, call->json);
    check_separate_files({call->output}, {call->input, call->labels, call->text->vertices});
    call->build.deduplicate = !call->keep_duplicates;
    call->build.duplicates = duplicates_by_name().at(call->duplicates);
    graph::TextOptions text = text_options(*call->text);
    const bool labels = graph::format_to_write(call->output).labels;
    if (!call->labels.empty()) {
      if (!labels)
        throw Error::input(
            call->output,
            fmt::format("{} has no labels", graph::format_to_write(call->output).name),
            "write a binary graph");
      if (std::error_code unknown; std::filesystem::exists(call->labels, unknown) &&
                                   !std::filesystem::is_regular_file(call->labels, unknown))
        throw Error::input(call->labels, "is no regular file",
                           "labels are read twice: name a file");
      if (text.ids == graph::TextOptions::Ids::relabel)
        throw Error::input("--labels",
                           "its lines are for ids as they are, and --relabel changes them",
                           "use one of the two");
      // Nodes beyond the last edge have labels, too.
      call->build.min_nodes = graph::count_labels(call->labels);
    }
    // If the output format can't store labels, ids are kept as they are.
    if (!labels && text.ids == graph::TextOptions::Ids::automatic)
      text.ids = graph::TextOptions::Ids::keep;
    const Team team = all_cores();
    Graph graph = graph::load(call->input, team, call->build, text);
    if (!call->labels.empty()) read_labels(graph, call->labels);
    if (labels) {
      if (call->directions == "both")
        for (const Section section : {Section::r_begin, Section::r_node_idx})
          graph.require(section, team);
      else
        for (const Section section : kReverse) graph.state().section(section) = {};
    }
    save_as(graph, call->output, call->json);
  });
}

/// Returns the range of degrees of a slot: "0", "1", "2-3", "4-7" …
std::string degree_range(std::size_t slot) {
  if (slot <= 1) return std::to_string(slot);
  const std::uint64_t first = std::uint64_t{1} << (slot - 1);
  return fmt::format("{}-{}", first, 2 * first - 1);
}

std::vector<std::string> section_names(const Graph& graph) {
  std::vector<std::string> names;
  for (int i = 0; i < graph::kSections; ++i)
    if (graph.has(Section{i})) names.emplace_back(to_string(Section{i}));
  if (graph.has_labels()) names.emplace_back("labels");
  names.insert(names.end(), graph.value_names().begin(), graph.value_names().end());
  return names;
}

double mean_degree(const Graph& graph) {
  return graph.nodes() == 0
             ? 0
             : static_cast<double>(graph.edges()) / static_cast<double>(graph.nodes());
}

int bits(graph::IdWidth width) {
  return 8 * static_cast<int>(width);
}

void print_info(const std::string& path, const Graph& graph, const std::vector<std::string>& stored,
                const graph::Figures& figures, const graph::Components* components) {
  const auto row = [](std::string_view name, const std::string& text) {
    fmt::print("  {:<12}{}\n", name, text);
  };
  fmt::print("{}\n", path);
  row("nodes",
      fmt::format("{}, {}-bit ids", format_count(graph.nodes()), bits(graph.node_width())));
  row("edges",
      fmt::format("{}, {}-bit ids", format_count(graph.edges()), bits(graph.edge_width())));
  row("arrays", fmt::format("{}", fmt::join(stored, ", ")));
  row("out-degree", fmt::format("{:.3g} on average, {} at most", mean_degree(graph),
                                format_count(figures.max_out_degree)));
  row("in-degree", fmt::format("{} at most", format_count(figures.max_in_degree)));
  row("dangling", fmt::format("{} nodes without out-edges, {} of them without any edge",
                              format_count(figures.dangling), format_count(figures.isolated)));
  row("self-loops", format_count(figures.self_loops));
  row("duplicates", format_count(figures.duplicates));
  row("symmetric", figures.symmetric ? "yes: for each edge there is one back" : "no");
  if (components != nullptr)
    row("components", fmt::format("{}, the largest of {} nodes", format_count(components->count),
                                  format_count(components->largest)));
  fmt::print("\n  {:<12}{:>14}\n", "out-degree", "nodes");
  std::uint64_t most = 1;
  for (const std::uint64_t nodes : figures.out_degrees) most = std::max(most, nodes);
  for (std::size_t slot = 0; slot < figures.out_degrees.size(); ++slot)
    fmt::print("  {:<12}{:>14}  {:*<{}}\n", degree_range(slot),
               format_count(figures.out_degrees[slot]), "", figures.out_degrees[slot] * 40 / most);
}

void print_info_json(const std::string& path, const Graph& graph,
                     const std::vector<std::string>& stored, const graph::Figures& figures,
                     const graph::Components* components) {
  Json histogram = Json::array();
  for (std::size_t slot = 0; slot < figures.out_degrees.size(); ++slot)
    histogram.push_back({{"degree", degree_range(slot)}, {"nodes", figures.out_degrees[slot]}});
  Json json{{"file", path},
            {"nodes", graph.nodes()},
            {"edges", graph.edges()},
            {"node_id_bits", bits(graph.node_width())},
            {"edge_id_bits", bits(graph.edge_width())},
            {"arrays", stored},
            {"labels", graph.has_labels()},
            {"values", graph.value_names()},
            {"mean_degree", mean_degree(graph)},
            {"max_out_degree", figures.max_out_degree},
            {"max_in_degree", figures.max_in_degree},
            {"dangling", figures.dangling},
            {"isolated", figures.isolated},
            {"self_loops", figures.self_loops},
            {"duplicates", figures.duplicates},
            {"symmetric", figures.symmetric},
            {"out_degrees", histogram}};
  if (components != nullptr)
    json["components"] = {{"count", components->count}, {"largest", components->largest}};
  fmt::print("{}\n", json.dump(2));
}

void add_info(options::Command verb) {
  struct Call {
    std::string input;
    bool components = false;
    bool json = false;
    std::shared_ptr<GraphTextCall> text;
  };
  const auto call = std::make_shared<Call>();
  const options::Command info = verb.add_verb("info", "Describes a graph");
  info.add_option("FILE", call->input, kGraphInput).required();
  call->text = add_graph_text_options(info);
  info.add_flag("--components", call->components, "Count weakly connected components too");
  add_json(info, call->json);
  info.footer("Duplicates of a text are shown as they are; a program gets each edge once.");
  info.run([call] {
    const Team team = all_cores();
    Graph graph = graph::load(call->input, team, {.deduplicate = false}, text_options(*call->text));
    const auto stored = section_names(graph);
    const graph::Figures figures = describe(graph, team);
    graph::Components components;
    if (call->components) components = weak_components(graph);
    (call->json ? print_info_json : print_info)(call->input, graph, stored, figures,
                                                call->components ? &components : nullptr);
  });
}

}  // namespace

void add_graph(options::Command app) {
  const options::Command verb = app.add_verb("graph", "Makes, converts and describes graphs");
  verb.require_verb();
  add_generate(verb);
  add_convert(verb);
  add_info(verb);
  verb.footer(
      "  atoll graph generate rmat --scale 16 -o g.atoll\n"
      "  atoll graph convert edges.txt --labels names.txt -o g.atoll\n"
      "  atoll graph info g.atoll");
}

}  // namespace Atoll::cli
