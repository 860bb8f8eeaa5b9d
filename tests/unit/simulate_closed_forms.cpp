#include "simulate_closed_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

constexpr std::uint64_t kLines = std::uint64_t{1} << 22;  // 256 MiB, which exceeds the caches
constexpr std::uint64_t kApart = std::uint64_t{1} << 40;  // distance between the threads' memory
constexpr double kLocal = 100, kRemote = 180, kLine = 3.2, kWire = 6.4;  // ns, as in SmallMachine

SyntheticProgram::Next chase(std::uint64_t count, std::uint64_t lines = kLines) {
  StyledAccess like;
  like.style.depends_on = 1;
  return accesses(
      count, [=](std::uint64_t i) { return random_line(i, lines, 1); }, like);
}

SyntheticProgram::Next gather(std::uint64_t count, std::uint64_t where = 0) {
  return accesses(count, [=](std::uint64_t i) { return where + random_line(i, kLines, 1); });
}

/// Returns a machine whose caches almost never hit.
SmallMachine without_caches(std::uint32_t cores_of_node) {
  SmallMachine machine(cores_of_node);
  machine.shape.l2 = {64, 8};
  machine.shape.l1 = {16, 8};
  return machine;
}

std::uint16_t second_memory(std::uint32_t /*node*/, std::uint64_t /*address*/) {
  return 1;
}

class Forms {
 public:
  void chases() {
    for (const bool remote : {false, true}) {
      const SmallMachine machine = without_caches(1);
      SyntheticProgram program;
      program.threads = {chase(100'000)};
      if (remote) program.home = second_memory;
      add(remote ? "chase, remote" : "chase", machine, program, 100'000, remote ? kRemote : kLocal);
    }
  }
  void gathers() {
    for (const std::uint32_t lines : {1U, 2U, 4U, 8U, 16U, 32U}) {
      SmallMachine machine = without_caches(1);
      machine.timing.core.lines = lines;
      machine.timing.core.window = 512;
      // A memory so much faster than the core's buffers that only the buffers limit.
      for (Ticks& ticks : machine.timing.machine.read_open) ticks = 100;
      machine.timing.machine.read_closed = machine.timing.machine.read_open;
      SyntheticProgram program;
      program.threads = {gather(200'000)};
      add(fmt::format("gather, {} in flight", lines), machine, program, 200'000, kLocal / lines);
    }
    SmallMachine machine = without_caches(1);
    machine.timing.core.lines = 32;
    machine.timing.core.window = 40;
    SyntheticProgram program;
    StyledAccess like;
    like.style.work.instructions = 9;  // four loads fit in the window
    program.threads = {accesses(
        200'000, [](std::uint64_t i) { return random_line(i, kLines, 1); }, like)};
    add("gather, window of 4 loads", machine, program, 200'000, kLocal / 4);
  }
  void stream() {
    SmallMachine machine(1);
    machine.shape.prefetch_streams = 16;
    machine.timing.core.prefetch_lines = 64;
    machine.timing.core.lines = 40;
    machine.timing.core.window = 512;
    SyntheticProgram program;
    program.threads = {accesses(800'000, [](std::uint64_t i) { return i * 8; })};
    add("stream", machine, program, 800'000, kLine / 8);
  }
  void controllers() {
    for (const std::uint32_t threads : {2U, 8U, 32U}) {
      SmallMachine machine = without_caches(32);
      machine.timing.core.lines = 2;
      SyntheticProgram program;
      for (std::uint32_t i = 0; i < threads; ++i)
        program.threads.push_back(gather(20'000, i * kApart));
      add(fmt::format("controller, {} threads", threads), machine, program, 20'000,
          std::max(kLocal / 2, kLine * threads));
    }
  }
  void links() {
    const SmallMachine machine = without_caches(16);
    SyntheticProgram program;
    for (std::uint32_t i = 0; i < 16; ++i) program.threads.push_back(gather(10'000, i * kApart));
    program.home = second_memory;
    const Ran ran = add("link", machine, program, 10'000, 16 * kWire);
    if (ran.wires[0 * 2 + 1].bytes != 0) all.back().why_not += "bytes went the other way; ";
  }
  void hops() {
    // Three nodes in a row. Nodes 0 and 1 read memory 2 over the wire from 2 to 1.
    SmallMachine machine(8, 3);
    machine.shape.l2 = {64, 8};
    machine.shape.l1 = {16, 8};
    machine.timing.machine.wire = {6'400, 6'400};  // 2 -> 1, 1 -> 0
    for (auto* const routes :
         {&machine.timing.machine.from_memory, &machine.timing.machine.to_memory,
          &machine.timing.machine.from_node})
      for (auto& route : *routes) route.clear();
    machine.timing.machine.from_memory[0 * 3 + 2] = {0, 1};
    machine.timing.machine.from_memory[1 * 3 + 2] = {0};
    for (const std::uint32_t threads : {8U, 16U}) {
      SyntheticProgram program;
      for (std::uint32_t i = 0; i < threads; ++i)
        program.threads.push_back(gather(10'000, i * kApart));
      program.home = [](std::uint32_t, std::uint64_t) { return std::uint16_t{2}; };
      const Ran ran = add(threads == 8 ? "two hops" : "two flows share a link", machine, program,
                          10'000, threads * kWire);
      const std::uint64_t second = ran.wires[0].bytes * (threads == 8 ? 2 : 1) / 2;
      if (ran.wires[1].bytes != second) all.back().why_not += "bytes of the second wire; ";
    }
  }
  void page_walks() {
    // Each access is to another page, and there are more pages than TLB entries. The level above
    // the page table's last level is in the walk cache. So a walk reads one entry, from memory,
    // because the entries exceed the caches.
    constexpr std::uint64_t kAccesses = 100'000;
    const double tlb2 = 2.8;
    for (const PageClass size : {PageClass::small, PageClass::huge, PageClass::gigantic}) {
      SmallMachine machine = without_caches(1);
      machine.shape.tlb1 = {CacheShape{16, 4}, CacheShape{16, 4}, CacheShape{4, 4}};
      machine.shape.tlb2 = {CacheShape{64, 4}, CacheShape{64, 4}, CacheShape{4, 4}};
      machine.shape.walk_cache = 2048;
      const char* const names[] = {"chase, walks of 4 KiB pages", "chase, walks of 2 MiB pages",
                                   "chase, walks of 1 GiB pages"};
      const std::uint64_t bytes[] = {1ULL << 30, 1ULL << 39, 1ULL << 46};
      const auto kind = static_cast<std::size_t>(size);
      SyntheticProgram program;
      program.pages = size;
      program.threads = {chase(kAccesses, bytes[kind] / 64)};
      add(names[kind], machine, program, kAccesses, kLocal + tlb2 + kLocal);
      program.threads = {chase(kAccesses, (3ULL << kPageBits[kind]) / 64)};
      if (size == PageClass::small) continue;  // three page table entries would stay in the caches
      add(std::string(names[kind]) + ", none", machine, program, kAccesses, kLocal);
    }
  }
  void written_line() {
    for (const bool far : {false, true}) {
      const SmallMachine machine(2);
      SyntheticProgram program;
      StyledAccess read;  // 200 ns of work, then a read and a write of the line
      read.style.work.instructions = 1999;
      read.address = 64;
      StyledAccess write = read;
      write.style.work.instructions = 0;
      write.write = true;
      for (std::uint32_t i = 0; i < 2; ++i)
        program.threads.push_back([=, done = 0](Batch& batch) mutable {
          StyledAccess first = read;
          if (done == 0) first.style.work.instructions += i * 1000;
          append(batch, first);
          append(batch, write);
          return ++done <= 20'000;
        });
      // On one chip, the read of the line takes 30 ns in addition to the work, and the window hides
      // 12.8 ns of it. The write doesn't wait. Between chips, the line is the bottleneck: for each
      // access it moves to one thread, and the other copy is invalidated. A read takes the home's
      // latency plus 50 ns, the upgrade takes the latency.
      const double formula = far ? 2 * (kLocal + kRemote + 50) : 200 + 30 - 12.8;
      const Ran ran =
          add(far ? "line written in turns, two chips" : "line written in turns, a chip", machine,
              program, 20'000, formula, {0, far ? 2U : 1U});
      const Counts& counts = ran.result.counts;
      if ((far ? counts.transfers_far : counts.transfers_near) < 39'000)
        all.back().why_not += "the line didn't move each time; ";
    }
  }
  void stores() {
    for (const std::uint32_t stores : {1U, 4U, 64U}) {
      SmallMachine machine = without_caches(1);
      machine.timing.core.stores = stores;
      machine.timing.core.lines = 8;
      SyntheticProgram program;
      StyledAccess like;
      like.write = true;
      like.style.work.instructions = 99;
      program.threads = {accesses(
          50'000, [](std::uint64_t i) { return random_line(i, kLines, 1); }, like)};
      // Each store has 10 ns of work, and its line takes 100 ns. As many stores overlap as the
      // buffer holds.
      add(fmt::format("stores, buffer of {}", stores), machine, program, 50'000,
          std::max({10.0, kLocal / stores, kLocal / 8}));
    }
  }

  void memory_sides() {
    // Both memories have a memory-side cache of 2^14 lines: 60 ns per hit, 40 ns to check, 2 ns per
    // line.
    constexpr std::uint64_t kSide = 1 << 14;
    constexpr double kHit = 60, kMiss = kLocal + 40, kFar = kRemote - kLocal, kSideLine = 2;
    const auto machine_with = [&](Ticks check) {
      SmallMachine machine = without_caches(1);
      machine.shape.memory_side.assign(2, {{kSide, 1}, 0});
      machine.timing.machine.memory_side.assign(2, {60'000, check, 2'000, 1});
      return machine;
    };
    const auto add_chase = [&](const std::string& name, std::uint64_t lines, double formula,
                               bool remote) {
      SyntheticProgram program;
      program.threads = {chase(400'000, lines)};
      if (remote) program.home = second_memory;
      add("memory-side cache, chase " + name, machine_with(40'000), program, 400'000, formula);
    };
    // Each line misses once. At each position, two lines conflict, and the last one stays.
    const double first = static_cast<double>(kSide) / 400'000;
    add_chase("that fits", kSide, kHit + first * (kMiss - kHit), false);
    add_chase("that fits, remote", kSide, kHit + kFar + first * (kMiss - kHit), true);
    add_chase("of twice its size", 2 * kSide, kHit + (0.5 + first) * (kMiss - kHit), false);
    add_chase("that doesn't fit", kLines, kMiss, false);
    // Streams of lines. A miss occupies the cache twice: for the look-up and for the fill.
    const auto add_stream = [&](const std::string& name, std::uint64_t lines, std::uint64_t rounds,
                                bool write, double formula) {
      SmallMachine machine = machine_with(0);
      // Makes the cache faster. Otherwise the cache and the memory would be busy for the same time.
      if (write) machine.timing.machine.memory_side.assign(2, {60'000, 0, 1'000, 1});
      machine.shape.prefetch_streams = 16;
      machine.timing.core.prefetch_lines = 64;
      machine.timing.core.lines = 64;
      machine.timing.core.window = 512;
      machine.timing.core.stores = 512;
      SyntheticProgram program;
      StyledAccess like;
      like.write = write;
      const std::uint64_t count = lines * rounds * 8;
      program.threads = {accesses(
          count, [=](std::uint64_t i) { return i % (lines * 8) * 8; }, like)};
      add("memory-side cache, stream " + name, machine, program, static_cast<double>(count),
          formula / 8);
    };
    add_stream("that fits", kSide, 10, false, (2 * kSideLine + 9 * kSideLine) / 10);
    add_stream("that doesn't fit", 8 * kSide, 1, false, std::max(kLine, 2 * kSideLine));
    // Stream of writes. The memory delivers each line, and receives the evicted line, if any. The
    // cache is busy for the look-up, for the fill and for the write-back of the line.
    add_stream("written, that doesn't fit", 8 * kSide, 1, true, kLine * (1 + 7. / 8));
  }

  std::vector<ClosedForm> all;

 private:
  Ran add(const std::string& name, const SmallMachine& machine, SyntheticProgram& program,
          double accesses, double formula, const std::vector<std::uint32_t>& hw_threads = {}) {
    Ran ran = run(machine, program, hw_threads);
    all.push_back({name, ran.ns / accesses, formula, {}});
    for (const std::string& law : ran.violated_invariants) all.back().why_not += law + "; ";
    return ran;
  }
};

}  // namespace

std::vector<ClosedForm> closed_forms() {
  Forms forms;
  forms.chases();
  forms.gathers();
  forms.stream();
  forms.controllers();
  forms.links();
  forms.hops();
  forms.page_walks();
  forms.written_line();
  forms.stores();
  forms.memory_sides();
  return forms.all;
}

std::vector<ClosedForm> queue_forms() {
  constexpr Ticks kService = 3'200, kTurn = 100'000;
  std::vector<ClosedForm> forms;
  for (const double load : {0.3, 0.6, 0.9}) {
    std::mt19937_64 random(7);
    std::exponential_distribution<double> gap(load / static_cast<double>(kService));
    std::vector<Ticks> arrivals;
    double at = 0;
    for (int i = 0; i < 2'000'000; ++i) arrivals.push_back(static_cast<Ticks>(at += gap(random)));
    // Requests within a quantum are in random order.
    for (auto begin = arrivals.begin(); begin != arrivals.end();) {
      const Ticks end_of_turn = (*begin / kTurn + 1) * kTurn;
      const auto end =
          std::find_if(begin, arrivals.end(), [=](Ticks time) { return time >= end_of_turn; });
      std::shuffle(begin, end, random);
      begin = end;
    }
    Queue queue;
    Ticks waited = 0;
    for (const Ticks arrival : arrivals) {
      queue.finalize_until(arrival - kTurn);
      waited += queue.add(arrival, kService, 64);
    }
    queue.finish();
    ClosedForm form{fmt::format("load {}", load),
                    static_cast<double>(waited) / static_cast<double>(arrivals.size()) / 1e3,
                    load * static_cast<double>(kService) / (2 * (1 - load)) / 1e3,
                    {}};
    const QueueTotals& totals = queue.totals();
    if (totals.charged != waited || totals.waited != waited) form.why_not += "waiting was lost; ";
    if (totals.area != totals.waited + totals.busy) form.why_not += "Little's law; ";
    forms.push_back(form);
  }
  return forms;
}

}  // namespace Atoll::simulate
