// Handwritten machine files: short forms. Contradictions are reported with their position, and
// invalid files are refused.
#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "atoll/base/units.hpp"
#include "machine_support.hpp"

namespace Atoll {
namespace {

// A short file with entries of each kind: two sockets, node 1 without memory, an HBM at the first
// socket.
const std::string kSmall = R"({
  "atoll_machine": 1,
  "name": "small",
  "about": "for tests",
  "sources": {
    "table": {"origin": "paper", "text": "Table 1"},
    "guess": {"origin": "estimated", "text": "by eye"}
  },
  "places": "2 package > numa > l3 1 MiB > 2 core > 2 pu",
  "pu_numbers": "cores first",
  "package_numbers": "0,3",
  "caches": {"line": "128 B"},
  "memories": [
    {"nodes": "0", "at": "numa 0", "tier": "dram", "capacity": ["4 GiB", "table"], "free": "1 GiB"},
    {"nodes": "2", "at": "package 0", "tier": "hbm", "capacity": ["1 GiB", "guess"]}
  ],
  "free": "1536 MiB",
  "initiators": [{"nodes": "1", "at": "package 1"}],
  "links": [
    {"common": "numa", "distance": 10, "latency": ["90 ns", "table"]},
    {"pairs": [["0", "2"]], "distance": 12, "latency": ["0.12 us", "table"]},
    {"pairs": [["1", "all"]], "distance": 21, "latency": ["200 ns", "guess"]},
    {"pairs": [["all", "0"]], "read": ["20 GB/s", "table"], "write": ["10 GB/s", "table"]},
    {"pairs": [["all", "2"]], "read": ["80 GiB/s", "table"], "write": ["4.5 GB/s", "table"]},
    {"pairs": [["0", "2"]], "by_threads": [
      {"threads": 1, "read": ["12 GB/s", "table"], "write": ["3 GB/s", "table"], "copy": ["5 GB/s", "guess"]},
      {"threads": 4, "read": ["40 GB/s", "table"], "write": ["4 GB/s", "table"], "copy": ["7 GB/s", "guess"]}]}
  ],
  "orders": [{"from": "0-1", "by": "bandwidth", "nodes": "2,0"}]
})";

Machine small(const std::string& text = kSmall) {
  return Machine::from_json(text, "small.json");
}

TEST(MachineFile, SaysWhatItSays) {
  const Machine machine = small();
  EXPECT_EQ(machine.name(), "small");
  EXPECT_EQ(machine.about(), "for tests");
  EXPECT_EQ(machine.initiators(), (std::vector{node(0), node(1)}));
  EXPECT_FALSE(machine.has_memory(node(1)));
  EXPECT_EQ(machine.memory(node(0)).free_bytes, kGiB);
  EXPECT_EQ(machine.free_bytes(), 1536 * kMiB);
  EXPECT_EQ(machine.memory(node(0)).source, (Source{Origin::paper, "Table 1"}));
  EXPECT_EQ(machine.memory(node(2)).tier, "hbm");
  EXPECT_EQ(machine.caches(), (CacheFigures{128, 0, 0, kMiB, 4}));
  EXPECT_EQ(machine.root().children[1].os_index, 3);
  EXPECT_EQ(machine.root().children[0].memories, std::vector{node(2)});
  // The numbers of a core's two threads differ by 4.
  EXPECT_EQ(machine.processors()[0], (Processor{0, 0, 0, node(0)}));
  EXPECT_EQ(machine.processors()[1], (Processor{4, 0, 0, node(0)}));
  EXPECT_EQ(machine.processors()[7], (Processor{7, 3, 1, node(1)}));
  const Link& link = machine.link(node(0), node(2));
  EXPECT_EQ(link.latency_ns, (Figure{120, {Origin::paper, "Table 1"}}));
  EXPECT_EQ(link.read_bytes_per_second.value, 80.0 * kGiB);
  EXPECT_EQ(link.write_bytes_per_second.value, 4.5e9);
  EXPECT_EQ(link.distance, 12);
  ASSERT_EQ(link.by_threads.size(), 2U);
  EXPECT_EQ(link.by_threads[1].threads, 4);
  EXPECT_EQ(link.by_threads[1].read_bytes_per_second, (Figure{40e9, {Origin::paper, "Table 1"}}));
  EXPECT_EQ(link.by_threads[1].write_bytes_per_second.value, 4e9);
  EXPECT_EQ(link.by_threads[0].copy_bytes_per_second, (Figure{5e9, {Origin::estimated, "by eye"}}));
  EXPECT_TRUE(machine.link(node(1), node(2)).by_threads.empty());
  EXPECT_EQ(machine.link(node(1), node(2)).distance, 21);
  EXPECT_EQ(machine.order(node(1), Ordering::bandwidth), (std::vector{node(2), node(0)}));
}

TEST(MachineFile, SmallRoundTrips) {
  const Machine machine = small();
  EXPECT_EQ(small(machine.to_json()), machine);
}

TEST(MachineFile, TheExampleOfTheDocumentation) {
  std::ifstream file(ATOLL_SOURCE_DIR "/docs/machine-file.md");
  std::ostringstream text;
  text << file.rdbuf();
  const std::string document = text.str();
  const std::size_t begin = document.find("```json\n{") + 8;
  const std::string example = document.substr(begin, document.find("```", begin) - begin);
  const Machine machine = small(example);
  EXPECT_EQ(machine.name(), "two-sockets");
  EXPECT_EQ(machine.order(node(1), Ordering::bandwidth), (std::vector{node(2), node(1), node(0)}));
  EXPECT_EQ(small(machine.to_json()), machine);
}

TEST(MachineFile, IrregularPlaces) {
  const std::string text = replaced(
      replaced(kSmall, "\"2 package > numa > l3 1 MiB > 2 core > 2 pu\"",
               R"([{"chain": "package > numa > l3 1 MiB", "inside": ["core > 2 pu", "2 core > pu"]},
                   "package > numa > l3 3 MiB > core > pu"])"),
      "\"pu_numbers\": \"cores first\"", "\"pu_numbers\": \"7,0-2,4\"");
  const Machine machine = small(text);
  ASSERT_EQ(machine.processors().size(), 5U);
  EXPECT_EQ(machine.processors()[0], (Processor{7, 0, 0, node(0)}));
  EXPECT_EQ(machine.processors()[1], (Processor{0, 0, 0, node(0)}));
  EXPECT_EQ(machine.processors()[3], (Processor{2, 2, 0, node(0)}));
  EXPECT_EQ(machine.processors()[4], (Processor{4, 3, 1, node(1)}));
  EXPECT_EQ(small(machine.to_json()), machine);
}

// --- contradictions ----------------------------------------------------------------------------

struct Wrong {
  const char* from;  ///< text of kSmall that is replaced
  const char* to;
  const char* place;    ///< position in the file
  const char* message;  ///< part of the message
};

TEST(MachineFile, EachContradictionIsNamedWithItsPlace) {
  const Wrong all[] = {
      // errors in the file as a whole
      {"\"atoll_machine\": 1", "\"atoll_machine\": 2", "/atoll_machine", "version 2 is unknown"},
      {"\"atoll_machine\": 1,", "", "small.json", "the key 'atoll_machine' is missing"},
      {"\"about\"", "\"abuot\"", "small.json", "unknown key 'abuot'"},
      {"\"about\": \"for tests\"", "\"about\": 7", "/about", "must be a text"},
      {"\"about\": \"for tests\"", "\"name\": \"twice\"", "small.json", "\"name\" is there twice"},
      {"\"name\": \"small\"", "\"name\": \"\"", "/name", "one line of text"},
      {"\"origin\": \"paper\"", "\"origin\": \"rumour\"", "/sources/table/origin",
       "'rumour' is not an origin"},
      {"\"text\": \"Table 1\"", "\"text\": \"two\\nlines\"", "/memories/0", "not one line"},
      // errors in places
      {"2 core > 2 pu", "2 core", "/places", "has no processing unit"},
      {"2 core > 2 pu", "2 core > 0 pu", "/places", "'0 pu' is not a place"},
      {"2 core > 2 pu", "2 kernel > 2 pu", "/places", "'2 kernel' is not a place"},
      {"2 core > 2 pu", "2 core > 99999999 pu", "/places", "is not a place"},
      {"2 core > 2 pu", "60000 core > 2 pu", "/pu_numbers", "240000 processing units; no more"},
      {"2 core > 2 pu", "60000 core > 60000 pu", "/places", "more than"},
      {"2 core > 2 pu", "2 core > l2 > 2 pu", "/places", "l2 0 lies in a core"},
      {"2 package > numa", "2 package > numa > numa", "/places", "numa 1 lies in a numa"},
      {"2 package > numa", "2 numa > package > numa", "/places", "lies in another numa"},
      {"l3 1 MiB", "l3 1 apple", "/places", "'1 apple' is not a size"},
      {"2 core > 2 pu\"", "2 core 1 MiB > 2 pu\"", "/places", "'2 core 1 MiB' is not a place"},
      {"\"cores first\"", "\"0-6\"", "/pu_numbers", "7 numbers for 8 places"},
      {"\"cores first\"", "\"0-6,6\"", "/pu_numbers", "6 is there twice"},
      {"\"cores first\"", "\"0-6,x\"", "/pu_numbers", "'0-6,x' is not a list"},
      {"\"0,3\"", "\"0\"", "/package_numbers", "1 numbers for 2 places"},
      {"\"128 B\"", "\"100 B\"", "/caches", "line of 100 bytes"},
      {"\"line\": \"128 B\"", "\"l3\": \"2 MiB\"", "/caches", "no l3 of the places has 2097152"},
      {"\"line\": \"128 B\"", "\"l3_shared_by\": 3", "/caches", "shared by 3"},
      {"\"line\": \"128 B\"", "\"l3_shared_by\": 0.5", "/caches/l3_shared_by",
       "not a whole number"},
      {"\"line\": \"128 B\"", "\"lines\": \"128 B\"", "/caches", "unknown key 'lines'"},
      // errors in memories
      {"[\"4 GiB\", \"table\"]", "[\"0 GiB\", \"table\"]", "/memories/0",
       "a memory of no capacity"},
      {"[\"4 GiB\", \"table\"]", "[\"-4 GiB\", \"table\"]", "/memories/0/capacity/0",
       "is not a size"},
      {"[\"4 GiB\", \"table\"]", "[\"8 PiB\", \"table\"]", "/memories/0",
       "than any processor can address"},
      {"[\"4 GiB\", \"table\"]", "\"4 GiB\"", "/memories/0/capacity", "must be a list"},
      {"[\"4 GiB\", \"table\"]", "[\"4 GiB\"]", "/memories/0/capacity", "a figure and its source"},
      {"[\"4 GiB\", \"table\"]", "[\"4 GiB\", \"tabel\"]", "/memories/0/capacity/1",
       "unknown source 'tabel'"},
      {"\"free\": \"1 GiB\"", "\"free\": \"5 GiB\"", "/memories/0", "more free than its capacity"},
      {"\"tier\": \"hbm\"", "\"tier\": \"hmb\"", "/memories/1", "'hmb' is not a tier"},
      {"\"nodes\": \"2\", \"at\"", "\"nodes\": \"0\", \"at\"", "/memories/1",
       "memory 0 is there twice"},
      {"\"nodes\": \"2\", \"at\"", "\"nodes\": \"2000\", \"at\"", "/memories/1/nodes",
       "up to 1023"},
      {"\"at\": \"package 0\"", "\"at\": \"package 2\"", "/memories/1/at",
       "'2' is not a list of numbers up to 1"},
      {"\"at\": \"package 0\"", "\"at\": \"group\"", "/memories/1/at", "there is no group place"},
      {"\"at\": \"package 0\"", "\"at\": \"socket\"", "/memories/1/at", "'socket' is not a kind"},
      {"\"at\": \"package 0\"", "\"at\": \"package\"", "/memories/1", "1 nodes at 2 places"},
      {"\"at\": \"package 0\"", "\"at\": \"pu 0\"", "/places", "pu 0 holds places or memories"},
      // errors in the owners of processing units
      {"\"initiators\": [{\"nodes\": \"1\", \"at\": \"package 1\"}],", "", "/places",
       "belongs to no node"},
      {"\"nodes\": \"1\", \"at\": \"package 1\"", "\"nodes\": \"0\", \"at\": \"package 1\"",
       "/initiators", "belongs to node 0, whose memory is elsewhere"},
      {"\"nodes\": \"1\", \"at\": \"package 1\"", "\"nodes\": \"1,2,3\", \"at\": \"package\"",
       "/initiators/0", "3 nodes for 2 places"},
      {"\"at\": \"package 1\"}]",
       "\"at\": \"package 1\"}, {\"nodes\": \"1\", \"at\": \"package\"}]", "/initiators/1",
       "a place is there twice"},
      // errors in links
      {"\"latency\": [\"90 ns\", \"table\"]", "\"latency\": [\"0 ns\", \"table\"]",
       "/links/0/latency", "0 is not above 0"},
      {"\"90 ns\"", "\"-90 ns\"", "/links/0/latency", "-90 is not above 0"},
      {"\"90 ns\"", "\"90\"", "/links/0/latency/0", "'90' is not a latency"},
      {"\"20 GB/s\"", "\"20 Gb/s\"", "/links/3/read/0", "'20 Gb/s' is not a bandwidth"},
      {"\"10 GB/s\"", "\"0 GB/s\"", "/links/3/write", "write from 0 to 0: 0 is not above 0"},
      {"\"distance\": 10", "\"distance\": 11", "/links/0/distance", "a distance of 11"},
      {"\"distance\": 21", "\"distance\": 10", "/links/2/distance", "a distance of 10"},
      {"\"distance\": 21", "\"distance\": 300", "/links/2/distance", "a distance of 300"},
      {"\"distance\": 21", "\"distance\": -1", "/links/2/distance", "a distance of -1"},
      {"\"distance\": 21", "\"distance\": \"far\"", "/links/2/distance", "must be a number"},
      {"[[\"1\", \"all\"]]", "[[\"1\", \"0\"]]", "/links", "no latency from 1 to 2"},
      {"[[\"1\", \"all\"]]", "[[\"all\", \"all\"]]", "/links/2",
       "latency from 0 to 0 again; first in /links/0"},
      {"[[\"1\", \"all\"]]", "[[\"2\", \"all\"]]", "/links/2/pairs/0/0",
       "node 2 has no processing units; those are 0-1"},
      {"[[\"1\", \"all\"]]", "[[\"1\", \"0,1\"]]", "/links/2/pairs/0/1",
       "node 1 is no memory; those are 0,2"},
      {"[[\"1\", \"all\"]]", "[[\"1\"]]", "/links/2/pairs/0", "must be initiators and memories"},
      {"{\"common\": \"numa\",", "{\"common\": \"group 1\",", "/links/0", "no pair"},
      {"\"read\": [\"20 GB/s\", \"table\"], \"write\": [\"10 GB/s\", \"table\"]",
       "\"common\": \"numa\"", "/links/3", "gives no figure"},
      {"\"threads\": 4", "\"threads\": 1", "/links/5/by_threads", "1 threads after 1"},
      {"\"threads\": 1", "\"threads\": 0", "/links/5/by_threads", "0 threads after 0"},
      {"\"threads\": 4", "\"threads\": 4.5", "/links/5/by_threads/1/threads", "whole number"},
      {"\"7 GB/s\"", "\"7 GHz\"", "/links/5/by_threads/1/copy/0", "is not a bandwidth"},
      {"\"7 GB/s\"", "\"0 GB/s\"", "/links/5/by_threads", "0 is not above 0"},
      {"\"threads\": 4, ", "", "/links/5/by_threads/1", "'threads' is missing"},
      // errors in orders
      {"\"2,0\"", "\"2,0,2\"", "/orders/0", "lists memory 2 twice"},
      {"\"2,0\"", "\"2\"", "/orders/0", "misses memory 0"},
      {"\"2,0\"", "\"2,0,1\"", "/orders/0", "there is no memory 1"},
      {"\"from\": \"0-1\"", "\"from\": \"0-2\"", "/orders/0/from",
       "node 2 has no processing units"},
      {"\"by\": \"bandwidth\"", "\"by\": \"beauty\"", "/orders/0/by",
       "'beauty' is not an ordering"},
      {"\"nodes\": \"2,0\"}",
       "\"nodes\": \"2,0\"}, {\"from\": \"1\", \"by\": \"bandwidth\", \"nodes\": \"0,2\"}",
       "/orders/1", "orders by bandwidth from 1 again; first in /orders/0"},
  };
  for (const Wrong& wrong : all) {
    const std::string text = replaced(kSmall, wrong.from, wrong.to);
    const std::string line = input_error([&] { static_cast<void>(small(text)); });
    EXPECT_TRUE(line.starts_with("small.json: ")) << line;
    EXPECT_NE(line.find(wrong.place), std::string::npos) << wrong.to << "\n" << line;
    EXPECT_NE(line.find(wrong.message), std::string::npos) << wrong.to << "\n" << line;
  }
}

TEST(MachineFile, OwnMemorySlowerThanAnotherOfItsTier) {
  const std::string text = R"({"atoll_machine": 1, "name": "exchanged",
    "sources": {"s": {"origin": "ORIGIN", "text": "t"}},
    "places": "2 numa > pu",
    "memories": [{"nodes": "0-1", "at": "numa", "tier": "dram", "capacity": ["1 GiB", "s"]}],
    "links": [{"read": ["1 GB/s", "s"], "write": ["1 GB/s", "s"]},
              {"common": "numa", "distance": 10, "latency": ["150 ns", "s"]},
              {"common": "machine", "distance": 20, "latency": ["100 ns", "s"]}]})";
  const std::string line =
      input_error([&] { static_cast<void>(small(replaced(text, "ORIGIN", "user"))); });
  EXPECT_NE(line.find("/links/1/latency"), std::string::npos) << line;
  EXPECT_NE(line.find("150 ns is slower than the 100 ns to memory 1"), std::string::npos) << line;
  // Measured figures may contradict the expected order.
  EXPECT_EQ(small(replaced(text, "ORIGIN", "measured")).link(node(0), node(0)).latency_ns.value,
            150);
}

TEST(MachineFile, DataThatContradictsItselfIsRefused) {
  const Machine good = Machine::open("cxl-2s");
  const auto with = [&](auto change) {
    Machine::Data data;
    data.name = "data";
    data.root = good.root();
    data.memories.assign(good.memories().begin(), good.memories().end());
    data.processors.assign(good.processors().begin(), good.processors().end());
    data.caches = good.caches();
    for (const NodeId from : good.initiators())
      for (const MemoryNode& memory : good.memories())
        data.links[{from, memory.id}] = good.link(from, memory.id);
    change(data);
    return input_error([&] { Machine(data, "here"); });
  };
  const auto expect = [](const std::string& line, const char* part) {
    EXPECT_TRUE(line.starts_with("here: ")) << line;
    EXPECT_NE(line.find(part), std::string::npos) << line;
  };
  using D = Machine::Data;
  expect(with([](D& d) { d.processors.pop_back(); }), "not those of the places");
  expect(with([](D& d) { d.processors[0].core = 9; }), "not those of the places");
  expect(with([](D& d) { d.processors[0].package = 1; }), "not those of the places");
  expect(with([](D& d) { std::swap(d.processors[0], d.processors[1]); }),
         "not those of the places");
  expect(with([](D& d) { d.processors.clear(); }), "no processing units");
  expect(with([](D& d) { d.processors[0].node = node(1); }),
         "belongs to node 1, whose memory is elsewhere");
  expect(with([](D& d) { d.root.children[0].index = 7; }), "numbered from 0");
  expect(with([](D& d) { d.root.kind = PlaceKind::package; }), "outermost");
  expect(with([](D& d) { d.root.children[0].os_index = -1; }),
         "package 0 has the system's number -1");
  expect(with([](D& d) { d.root.children[0].cache_bytes = 1; }), "package 0 has a cache's size");
  expect(with([](D& d) { d.root.children[1].memories = {node(2)}; }),
         "memory 2: is attached to two places");
  expect(with([](D& d) { d.root.children[0].memories.clear(); }),
         "memory 2: is attached to no place");
  expect(with([](D& d) { d.root.children[0].memories.push_back(node(7)); }),
         "memory 7: is attached to a place, but");
  expect(with([](D& d) { std::swap(d.memories[0], d.memories[1]); }), "list each once, ascending");
  expect(with([](D& d) { d.memories.clear(); }), "no memory");
  expect(with([](D& d) { d.links.erase({node(1), node(2)}); }), "latency from 1 to 2: is missing");
  expect(with([](D& d) {
           d.links[{node(2), node(2)}] = {};
         }),
         "from 2 to 2: there is no such initiator");
  expect(with([](D& d) {
           d.orders_by_hand[{node(2), Ordering::latency}] = {};
         }),
         "latency order from 2: node 2 has no");
}

// --- invalid JSON and other files
// --------------------------------------------------------------------

TEST(MachineFile, MalformedJsonIsNamedByLineAndColumn) {
  EXPECT_TRUE(
      input_error([] { static_cast<void>(small("")); }).starts_with("small.json:1:1: not JSON"));
  EXPECT_TRUE(input_error([] {
                static_cast<void>(small("{\n  \"a\": ]\n}"));
              }).starts_with("small.json:2:8: not JSON"));
  EXPECT_TRUE(input_error([] {
                static_cast<void>(small("{\"a\": 1} x"));
              }).starts_with("small.json:1:10: not JSON"));
  EXPECT_TRUE(input_error([] {
                static_cast<void>(small("{\"a\": 1e999}"));
              }).starts_with("small.json: not JSON"));
  for (const char* other : {"[]", "7", "null", "\"text\"", "{}", "[[[[[[]]]]]]"})
    EXPECT_TRUE(input_error([&] { static_cast<void>(small(other)); }).starts_with("small.json: "))
        << other;
  static_cast<void>(input_error([] { static_cast<void>(small(std::string(100000, '['))); }));
  std::string nested = "[]";
  for (int i = 0; i < 1000; ++i) nested = R"([{"chain": "group", "inside": )" + nested + "}]";
  static_cast<void>(input_error([&] {
    static_cast<void>(
        small(replaced(kSmall, "\"2 package > numa > l3 1 MiB > 2 core > 2 pu\"", nested)));
  }));
}

/// Reads the text. If it is refused, the error must be one line.
void try_file(const std::string& text) {
  try {
    static_cast<void>(small(text));
  } catch (const Error& error) {
    const std::string_view line = error.what();
    EXPECT_EQ(error.kind(), Error::Kind::input) << line;
    EXPECT_TRUE(line.starts_with("small.json:")) << line;
    EXPECT_EQ(line.find('\n'), std::string_view::npos) << line;
  }
}

TEST(MachineFile, EveryTruncationIsAnError) {
  const std::string whole = Machine::open("cxl-2s").to_json();
  for (std::size_t size = 0; size + 2 < whole.size(); ++size)
    EXPECT_NE(input_error([&] { static_cast<void>(small(whole.substr(0, size))); }), "");
}

TEST(MachineFile, FlippedBytesDoNoHarm) {
  const std::string whole = Machine::open("xeon-2x10").to_json();
  std::mt19937 random(3);
  const std::string likely = "0123456789,-\"[]{}: ax>";
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string text = whole;
    text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
    try_file(text);
    text[at] = likely[random() % likely.size()];
    try_file(text);
    text = whole;
    text.erase(at, 1 + random() % 20);
    try_file(text);
  }
}

}  // namespace
}  // namespace Atoll
