// One round of parallel radix sort, most significant digit first [affinity §4.3, §5.4]. Each task
// has a block of the keys: it counts their digits, and writes each key to the block of its digit.
// After this round, blocks can be sorted independently. Blocks that exchange many keys should be on
// the same node: if pairs of threads exchange all keys, only placing each pair on one node avoids
// the remote writes.
#include "app.hpp"
#include "memory.hpp"

#include <sched.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <random>
#include <utility>

namespace {

using Atoll::Array, Atoll::Error;
using Key = std::uint32_t;

constexpr std::size_t kDigits = 256;
using Counts = std::array<std::size_t, kDigits>;

std::size_t digit_of(Key key) {
  return key >> 24;
}

struct Sort {
  std::size_t blocks;
  [[nodiscard]] std::size_t block_of_digit(std::size_t digit) const {
    return digit * blocks / kDigits;
  }
  [[nodiscard]] std::size_t first_digit(std::size_t block) const {
    return (block * kDigits + blocks - 1) / blocks;
  }
};

/// Returns uniform keys; if `swap`, all keys of a block belong to the opposite block.
std::vector<Key> make_keys(std::size_t count, const Sort& sort, bool swap, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Key> keys(count);
  for (std::size_t block = 0; block < sort.blocks; ++block) {
    const std::size_t opposite = sort.blocks - 1 - block;
    const std::size_t low = swap ? sort.first_digit(opposite) : 0;
    const std::size_t digits = swap ? sort.first_digit(opposite + 1) - low : kDigits;
    for (std::size_t i = count / sort.blocks * block; i < count / sort.blocks * (block + 1); ++i)
      keys[i] = static_cast<Key>((low + random() % digits) << 24 | (random() & 0xffffff));
  }
  return keys;
}

void sort_keys(const Atoll::Machine& machine, const std::vector<Key>& keys, const Sort& sort,
               bool paired, bool remote_writes, const app::Options& options) {
  const Atoll::Team team(Atoll::scheduled_places(machine, static_cast<int>(sort.blocks)));
  const Atoll::memory::Context context{machine, team};
  std::vector<std::uint32_t> order;  // the block of thread 0, 1, …
  for (std::uint32_t block = 0; block < sort.blocks; ++block)
    order.push_back(!paired          ? block
                    : block % 2 == 0 ? block / 2
                                     : static_cast<std::uint32_t>(sort.blocks) - 1 - block / 2);
  const Atoll::FollowedSchedule own(app::in_order("blocks", order, team, 0));
  const Atoll::ScheduledLoop* lists = app::inherited_lists(team, "blocks", sort.blocks, 0);
  const Atoll::FollowedSchedule& schedule = lists == nullptr ? own : *Atoll::inherited_schedule();
  if (lists == nullptr) lists = &own.schedule().loops[0];
  const Atoll::TaskOptions follow{.follow = &schedule};
  std::vector<Atoll::NodeId> nodes(sort.blocks);
  for (std::size_t thread = 0; thread < sort.blocks; ++thread)
    for (const std::uint32_t block : lists->of(thread)) {
      nodes[block] = team.places()[thread].node;
      std::printf("block %u: thread %zu, node %u\n", block, thread, nodes[block].value);
    }

  // The keys of each block are on its node, in the input and in the output.
  const std::size_t each = keys.size() / sort.blocks;
  Atoll::Partitioned before{nodes}, after{nodes};
  std::vector<std::uint64_t> received(sort.blocks);
  for (const Key key : keys) ++received[sort.block_of_digit(digit_of(key))];
  for (std::size_t block = 0; block < sort.blocks; ++block) {
    before.ends.push_back(each * (block + 1));
    after.ends.push_back((block == 0 ? 0 : after.ends[block - 1]) + received[block]);
  }
  Array<Key> from(context, keys.size(), {before, Atoll::PageSize::small});
  Array<Key> to(context, keys.size(), {after, Atoll::PageSize::small});
  from.copy_from(keys);
  const auto begin_of = [&](std::size_t block) {
    return block == 0 ? 0 : static_cast<std::size_t>(after.ends[block - 1]);
  };

  std::vector<Counts> positions(sort.blocks);  // for each block and digit, the position of the next
                                               // key
  const auto round = [&](std::span<const Key> in, Key* out) {
    Atoll::for_each_task(
        team, "blocks", sort.blocks, 1,
        [&](std::size_t block) {
          Counts counts{};
          for (const Key key : in.subspan(block * each, each)) ++counts[digit_of(key)];
          positions[block] = counts;
        },
        follow);
    for (std::size_t digit = 0, next = 0; digit < kDigits; ++digit)
      for (Counts& block : positions) next += std::exchange(block[digit], next);
    Atoll::for_each_task(
        team, "blocks", sort.blocks, 1,
        [&](std::size_t block) {
          Counts at = positions[block];
          for (const Key key : in.subspan(block * each, each)) {
            const std::size_t digit = digit_of(key);
            if (remote_writes || sort.block_of_digit(digit) == block) out[at[digit]++] = key;
          }
        },
        follow);
  };
  /// Queries the nodes of the pages and of each block's thread.
  const auto written_far = [&] {
    const std::vector<Atoll::NodeId> pages = to.where().front().pages;
    std::atomic<std::size_t> far{0};
    Atoll::for_each_task(
        team, "blocks", sort.blocks, 1,
        [&](std::size_t block) {
          unsigned cpu = 0, node = 0;
          if (::getcpu(&cpu, &node) != 0)
            throw Error::system("radix", "asking for the node", errno);
          Counts at = positions[block];
          for (const Key key : from.local().subspan(block * each, each)) {
            const std::size_t digit = digit_of(key);
            if (remote_writes || sort.block_of_digit(digit) == block)
              far += pages[at[digit]++ * sizeof(Key) / 4096].value != node ? 1U : 0U;
          }
        },
        follow);
    return far.load();
  };
  const auto sort_blocks = [&](Key* out) {
    Atoll::for_each_task(
        team, "blocks", sort.blocks, 1,
        [&](std::size_t block) {
          std::sort(out + begin_of(block), out + begin_of(block) + received[block]);
        },
        follow);
  };

  // The serial result: all keys sorted; without remote writes, each block has only its own keys and
  // zeros.
  std::vector<Key> expected;
  for (std::size_t block = 0; block < sort.blocks; ++block) {
    const std::size_t begin = expected.size();
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (sort.block_of_digit(digit_of(keys[i])) == block)
        expected.push_back(remote_writes || i / each == block ? keys[i] : 0);
    std::sort(expected.begin() + static_cast<std::ptrdiff_t>(begin), expected.end());
  }
  Key* const out = to.master().data();
  app::time({{"one round", [&] { to.fill(0); }, [&] { round(from.local(), out); },
              [&] {
                sort_blocks(out);
                if (!std::ranges::equal(to.local(), expected))
                  throw Error::failed("answer", "it isn't the serial one's");
              }}},
            options);
  std::printf("%zu of %zu keys are written to another node\n", written_far(), keys.size());
  app::print_checksum(to.local());
}

}  // namespace

int main(int argc, char** argv) {
  const Atoll::options::CommandLine call(
      "One round of parallel radix sort, most significant digit first.", "radix");
  app::Options options{.threads = 4};
  std::size_t count = 1 << 22;
  std::uint64_t seed = 1;
  std::string input = "uniform", placement = "original";
  bool no_remote_writes = false;
  call.add_option("--keys", count, "Keys, in equal blocks (4194304)")
      .check(app::value::count(1, std::uint64_t{1} << 40))
      .type_name("N");
  call.add_option("--input", input, "Uniform keys, or swapped blocks (uniform)")
      .check(app::value::one_of({"uniform", "swap"}))
      .type_name("KEYS");
  call.add_option("--placement", placement, "Paired: opposite blocks share a node (original)")
      .check(app::value::one_of({"original", "paired"}))
      .type_name("HOW");
  call.add_flag("--no-remote-writes", no_remote_writes,
                "Leave out keys that belong to other blocks");
  call.add_option("--seed", seed, "Another seed, other keys (1)")
      .check(app::value::count(0))
      .type_name("N");
  call.add_option("--threads", options.threads, "Threads, each with a block (4)")
      .check(app::value::count(1, kDigits))
      .type_name("N");
  app::add_times(call, options);
  return app::run(call, argc, argv, [&] {
    const Sort sort{static_cast<std::size_t>(options.threads)};
    count -= count % sort.blocks;
    // The keys, the placed input and output, and the expected result, which grows while it is
    // computed.
    app::check_memory("--keys", Atoll::format_count(count) + " keys",
                      6.0 * static_cast<double>(count) * sizeof(Key), "take fewer keys");
    sort_keys(Atoll::Machine::this_computer(), make_keys(count, sort, input == "swap", seed), sort,
              placement == "paired", !no_remote_writes, options);
  });
}
