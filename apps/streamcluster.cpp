// Clusters a stream of points like PARSEC's Streamcluster, the annotated program of the Shoal paper
// [shoal §5.1]: online k-median by local search, reimplemented from docs/streamcluster.md. One
// array of coordinates is read repeatedly by all threads, and written once per chunk. With
// --baseline, memory is placed as in the original; otherwise by the policy from each array's use.
#include <fmt/format.h>

#include <atoll/atoll.hpp>
#include <atoll/base/atomic_file.hpp>
#include <atoll/base/progress.hpp>
#include <atoll/base/separate_files.hpp>
#include <atoll/base/units.hpp>

#include <numeric>
#include <optional>

#include "app.hpp"
#include "atoll/base/json.hpp"
#include "memory.hpp"
#include "streamcluster/centres.hpp"
#include "streamcluster/local_search.hpp"
#include "streamcluster/stream.hpp"

namespace {

using namespace streamcluster;
using Atoll::Error;
struct Options {
  Sizes sizes;
  std::int64_t generated = 0;
  std::string infile, outfile;
  int threads = 0;
  bool baseline = false;
  bool scalar = false;
  Atoll::LayoutKind layout = Atoll::LayoutKind::automatic;
  Atoll::LayoutPolicy policy = Atoll::LayoutPolicy::cost;
  std::string machine;
  bool dry_run = false;
  bool json = false;
};

/// Adds an option with the names of an enumeration's values.
template <class Value>
void add_choice(app::options::Command call, const std::string& name, Value& value,
                std::vector<Value> values, const std::string& help) {
  std::map<std::string, Value> by_name;
  for (const Value each : values) by_name.emplace(Atoll::to_string(each), each);
  std::string names;
  for (const Value each : values)
    names += (names.empty() ? "" : "|") + std::string(Atoll::to_string(each));
  call.add_option_function<std::string>(
          name, [&value, by_name](const std::string& text) { value = by_name.at(text); }, help)
      .check([=](const std::string& text) {
        return by_name.contains(text) ? "" : "'" + text + "' is none of " + names;
      })
      .type_name(names);
}

void add_options(app::options::Command call, Options& options) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 31;
  constexpr std::int64_t kMaxPoints = std::int64_t{1} << 40;
  const auto number = [&](const char* name, std::uint64_t& value, const char* help) {
    call.add_option(name, value, help).required().check(app::value::count(1, kMax)).type_name("");
  };
  number("k1", options.sizes.least, "Least number of centres");
  number("k2", options.sizes.most, "Greatest number of centres");
  number("d", options.sizes.dimensions, "Coordinates of a point");
  call.add_option("n", options.generated, "Points to draw; 0 or less: take those of infile")
      .required()
      .check(app::value::signed_count(std::numeric_limits<std::int64_t>::min(), kMaxPoints))
      .type_name("");
  number("chunksize", options.sizes.points, "Points that are clustered at a time");
  number("clustersize", options.sizes.centres, "Centres that are kept of all chunks, at most");
  call.add_option("infile", options.infile, "Raw 4-byte floats, d a point; unused if n > 0")
      .required()
      .type_name("");
  call.add_option("outfile", options.outfile, "Written: id, weight and coordinates of each centre")
      .required()
      .type_name("");
  call.add_option("nproc", options.threads, "Threads; 0: one for each core")
      .required()
      .check(app::value::count(0, 4096))
      .type_name("");
  call.add_flag("--baseline", options.baseline, "Place memory as the original program does");
  call.add_flag("--scalar", options.scalar, "Sum distances in the original's order");
  using enum Atoll::LayoutKind;
  add_choice(call, "--layout", options.layout,
             {automatic, single, distributed, partitioned, replicated},
             "Force this layout on all arrays that can have it");
  add_choice(call, "--policy", options.policy,
             {Atoll::LayoutPolicy::cost, Atoll::LayoutPolicy::shoal},
             "What chooses layouts (cost)");
  call.add_option("--machine", options.machine, "With --dry-run: the machine to decide for")
      .type_name("M");
  call.add_flag("--dry-run", options.dry_run, "Choose layouts and model their times; run nothing");
  call.add_flag("--json", options.json, "Print one JSON object");
}

void check(const Options& options) {
  const Sizes& sizes = options.sizes;
  if (sizes.least > sizes.most)
    throw Error::input("k1", fmt::format("{} is more than k2, {}", sizes.least, sizes.most),
                       "k1 is the least number of centres, k2 the greatest");
  if (!options.machine.empty() && !options.dry_run)
    throw Error::input("--machine", "only --dry-run decides for another machine", "add --dry-run");
  if (options.baseline && options.layout != Atoll::LayoutKind::automatic)
    throw Error::input("--layout", "--baseline has the original's", "leave one of them out");
  for (const std::uint64_t points : {sizes.points, sizes.centres})
    if (points * sizes.dimensions > std::uint64_t{1} << 40)
      throw Error::input(
          "d", fmt::format("{} points of {} coordinates are too many", points, sizes.dimensions));
}

// The two lists of points, and the layouts of their arrays. -------------------------------------

struct Lists {
  std::vector<Atoll::ArrayRequest> requests;  ///< arrays of the chunk, then those of the centres
  std::vector<Atoll::Choice> choices;
  std::vector<double> baseline_seconds;  ///< estimated by the model
};

Atoll::Layout baseline_layout(const Atoll::ThreadPlaces& places) {
  return {Atoll::SingleNode{places.front().node}, Atoll::PageSize::small};
}

Lists decide(const Options& options, const Atoll::Machine& machine,
             const Atoll::ThreadPlaces& places) {
  Lists lists;
  lists.requests = requests(options.sizes, options.sizes.points, "");
  for (auto& request : requests(options.sizes, options.sizes.centres, "kept "))
    lists.requests.push_back(std::move(request));
  lists.choices = choose_layouts(lists.requests, machine, places,
                                 {.policy = options.policy, .force = options.layout});
  const std::vector<Atoll::Layout> baseline(lists.requests.size(), baseline_layout(places));
  lists.baseline_seconds = Atoll::estimate_layouts(lists.requests, baseline, machine, places);
  if (options.policy == Atoll::LayoutPolicy::shoal) {  // the policy doesn't estimate times
    std::vector<Atoll::Layout> chosen;
    chosen.reserve(lists.choices.size());
    for (const Atoll::Choice& choice : lists.choices) chosen.push_back(choice.layout);
    const auto seconds = Atoll::estimate_layouts(lists.requests, chosen, machine, places);
    for (std::size_t i = 0; i < seconds.size(); ++i)
      lists.choices[i].estimated_seconds = seconds[i];
  }
  return lists;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}
double modelled_seconds(const Lists& lists) {
  double seconds = 0;
  for (const Atoll::Choice& choice : lists.choices) seconds += choice.estimated_seconds;
  return seconds;
}

Atoll::Json layouts_json(const Lists& lists) {
  Atoll::Json arrays = Atoll::Json::array();
  for (std::size_t i = 0; i < lists.choices.size(); ++i) {
    const Atoll::Choice& choice = lists.choices[i];
    arrays.push_back({{"name", choice.name},
                      {"bytes", lists.requests[i].bytes()},
                      {"layout", Atoll::Json::parse(Atoll::to_json(choice.layout))},
                      {"why", choice.why},
                      {"estimated_seconds", choice.estimated_seconds},
                      {"baseline_seconds", lists.baseline_seconds[i]}});
  }
  return arrays;
}

void print_layouts(const Lists& lists) {
  for (const Atoll::Choice& choice : lists.choices)
    fmt::print("{:<16} {}\n    {}\n", choice.name, Atoll::to_string(choice.layout), choice.why);
}

void dry_run(const Options& options) {
  const Atoll::Machine machine = options.machine.empty() ? Atoll::Machine::this_computer()
                                                         : Atoll::Machine::open(options.machine);
  const Atoll::ThreadPlaces places = spread_places(machine, options.threads);
  const Lists lists = decide(options, machine, places);
  const double annotated = modelled_seconds(lists), baseline = sum(lists.baseline_seconds);
  if (options.json) {
    fmt::print("{}\n", Atoll::Json{{"machine", machine.name()},
                                   {"threads", places.size()},
                                   {"arrays", layouts_json(lists)},
                                   {"estimated_seconds", annotated},
                                   {"baseline_seconds", baseline}}
                           .dump_sorted());
    return;
  }
  print_layouts(lists);
  fmt::print("\nmodelled on {} with {} threads, for one chunk:\n", machine.name(), places.size());
  fmt::print("baseline   {:>9}   all of it {}\n", Atoll::format_seconds(baseline),
             Atoll::to_string(baseline_layout(places)));
  fmt::print("annotated  {:>9}   {:.2f} times as fast\n", Atoll::format_seconds(annotated),
             baseline / annotated);
}

// The run. ---------------------------------------------------------------------------------------

Atoll::Json pages_json(const Memory<float>& memory) {
  Atoll::Json copies = Atoll::Json::array();
  for (const auto& copy : memory.pages()) {
    Atoll::Json nodes = Atoll::Json::object();
    for (const auto& [node, pages] : copy) nodes[std::to_string(node.value)] = pages;
    copies.push_back(nodes);
  }
  return copies;
}

/// "pages on node 0: 2,048", summed over all copies.
std::string pages_text(const Memory<float>& memory) {
  std::map<Atoll::NodeId, std::uint64_t> sums;
  for (const auto& copy : memory.pages())
    for (const auto& [node, pages] : copy) sums[node] += pages;
  std::string text;
  for (const auto& [node, pages] : sums)
    text += fmt::format("{}{}: {}", text.empty() ? "pages on node " : ", ", node.value,
                        Atoll::format_count(pages));
  return text;
}

/// Checks that one copy of all arrays fits; the policy makes more copies only if there is room.
void check_memory(const Sizes& sizes) {
  double bytes = 0;
  for (const std::uint64_t points : {sizes.points, sizes.centres})
    for (const Atoll::ArrayRequest& request : requests(sizes, points, ""))
      bytes += static_cast<double>(request.bytes());
  app::check_memory("chunksize and clustersize",
                    Atoll::format_count(sizes.points) + " points and " +
                        Atoll::format_count(sizes.centres) + " centres",
                    bytes, "take fewer");
}

void run(Options options) {
  Atoll::check_separate_files({options.outfile}, {options.generated > 0 ? "" : options.infile});
  Draws draws;
  Stream stream(options.generated > 0 ? static_cast<std::uint64_t>(options.generated) : 0,
                options.infile, options.sizes.dimensions, draws);
  options.sizes.points = std::min(options.sizes.points, stream.size());
  check_memory(options.sizes);
  Atoll::AtomicFile outfile(options.outfile);

  const Atoll::Machine machine = Atoll::Machine::this_computer();
  // Loops are short, about 0.1 ms. OpenMP's threads would poll for the next loop for milliseconds,
  // and take processor time from other work.
  const Atoll::Team team(spread_places(machine, options.threads),
                         Atoll::Team::Runtime::std_threads);
  const Atoll::memory::Context context{machine, team};
  const Lists lists = decide(options, machine, team.places());
  const auto list = [&](std::size_t first, std::size_t capacity) {
    const std::size_t arrays = lists.choices.size() / 2;
    const Placement placement{context, std::span(lists.choices).subspan(first * arrays, arrays)};
    return make_points(options.sizes, capacity, options.baseline ? nullptr : &placement);
  };
  Points chunk = list(0, options.sizes.points);
  Centres centres(list(1, options.sizes.centres), options.sizes.centres);

  const CostFunction costs = options.scalar ? costs_in_order : costs_by_vectors;
  const app::Clock::time_point start = app::Clock::now();
  double reading = 0, cost = 0;
  Atoll::Json chunks = Atoll::Json::array();
  std::uint64_t comparisons = 0;
  Atoll::Progress progress("clustering", stream.size());
  atoll_mark_begin();
  while (stream.left() > 0) {
    const std::uint64_t before = stream.points_read();
    const app::Clock::time_point read = app::Clock::now();
    stream.read(chunk, options.sizes.points);
    reading += app::seconds_since(read);
    const Found found = LocalSearch(team, draws, costs, options.sizes, chunk).run();
    cost += found.cost;
    comparisons += found.comparisons;
    chunks.push_back({{"points", chunk.count}, {"centres", found.centres}, {"cost", found.cost}});
    if (options.json) chunks.back()["pages"] = pages_json(chunk.coordinates);
    move_to_means(chunk);
    centres.append(chunk, before);
    progress.add(chunk.count);
  }
  centres.points().coordinates.sync();
  const Found found = LocalSearch(team, draws, costs, options.sizes, centres.points()).run();
  move_to_means(centres.points());
  atoll_mark_end();
  const double seconds = app::seconds_since(start);
  outfile.write(centres.text());
  outfile.commit();

  if (options.json) {
    fmt::print("{}\n", Atoll::Json{{"points", stream.size()},
                                   {"dimensions", options.sizes.dimensions},
                                   {"threads", team.size()},
                                   {"baseline", options.baseline},
                                   {"scalar", options.scalar},
                                   {"chunks", chunks},
                                   {"centres", found.centres},
                                   {"cost", cost},
                                   {"comparisons", comparisons + found.comparisons},
                                   {"seconds", seconds},
                                   {"reading_seconds", reading},
                                   {"arrays",
                                    options.baseline ? Atoll::Json::array() : layouts_json(lists)}}
                           .dump_sorted());
    return;
  }
  fmt::print("{} points of {} coordinates in {} chunk{}\n", Atoll::format_count(stream.size()),
             options.sizes.dimensions, chunks.size(), chunks.size() == 1 ? "" : "s");
  fmt::print("{} centres, cost {:.6g} in the chunks\n", found.centres, cost);
  fmt::print("{} with {} threads, {} of them for reading\n", Atoll::format_seconds(seconds),
             team.size(), Atoll::format_seconds(reading));
  fmt::print("coordinates {}, {}\n",
             options.baseline ? "where the main thread touched them first"
                              : Atoll::to_string(lists.choices.front().layout),
             pages_text(chunk.coordinates));
}

constexpr const char* kUsage =
    "Usage: streamcluster k1 k2 d n chunksize clustersize infile outfile nproc\n"
    "                     [OPTIONS]\n";

}  // namespace

int main(int argc, char** argv) {
  Options options;
  const Atoll::options::CommandLine app(
      "Clusters a stream of points, as PARSEC's Streamcluster does", "streamcluster");
  add_options(app, options);
  app.usage(kUsage);
  return app::run(app, argc, argv, [&] {
    check(options);
    options.dry_run ? dry_run(options) : run(options);
  });
}
