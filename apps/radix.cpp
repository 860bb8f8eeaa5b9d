// One round of parallel radix sort, the most significant digit first [affinity §4.3, §5.4]. Each
// task has a block of the keys: it counts their digits, and writes each key to the block that its
// digit belongs to. After this round each block is sorted by itself. Blocks that write many keys to
// each other should be on one node: where a pair of threads swaps all keys, only pairing them
// spares the remote writes.
#include "app.hpp"

#include <array>
#include <random>

namespace {

using Atoll::Array;
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

/// Uniform keys; or, to swap, each block has the keys that belong to the block opposite.
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
  const Atoll::Team team(Atoll::spread_places(machine, static_cast<int>(sort.blocks)));
  const Atoll::memory::Context context{machine, team};
  std::vector<std::uint32_t> order;  // which block thread 0, 1, … has
  for (std::uint32_t block = 0; block < sort.blocks; ++block)
    order.push_back(!paired          ? block
                    : block % 2 == 0 ? block / 2
                                     : static_cast<std::uint32_t>(sort.blocks) - 1 - block / 2);
  const Atoll::FollowedSchedule schedule(app::in_order("blocks", order, team, 0));
  const Atoll::TaskOptions follow{.follow = &schedule};
  std::vector<Atoll::NodeId> nodes(sort.blocks);
  for (std::size_t thread = 0; thread < sort.blocks; ++thread) {
    nodes[order[thread]] = team.places()[thread].node;
    std::printf("block %u: thread %zu, node %u\n", order[thread], thread,
                team.places()[thread].node.value);
  }

  // Each block's keys lie on its node, before and after.
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

  std::vector<Counts> positions(sort.blocks);  // of each block's next key of each digit
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
  const auto sort_blocks = [&](Key* out) {
    Atoll::for_each_task(
        team, "blocks", sort.blocks, 1,
        [&](std::size_t block) {
          std::sort(out + begin_of(block), out + begin_of(block) + received[block]);
        },
        follow);
  };

  // The serial answer: all keys sorted; without remote writes, each block's own ones among zeros.
  std::vector<Key> expected;
  std::size_t remote = 0;
  for (std::size_t block = 0; block < sort.blocks; ++block) {
    std::vector<Key> own;
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (sort.block_of_digit(digit_of(keys[i])) == block) {
        const bool is_own = i / each == block;
        remote += nodes[i / each] != nodes[block] ? 1 : 0;
        own.push_back(remote_writes || is_own ? keys[i] : 0);
      }
    std::sort(own.begin(), own.end());
    expected.insert(expected.end(), own.begin(), own.end());
  }
  std::printf("%zu of %zu keys are written to another node\n", remote_writes ? remote : 0,
              keys.size());
  Key* const out = to.master().data();
  app::time({{"one round", [&] { to.fill(0); }, [&] { round(from.local(), out); },
              [&] {
                sort_blocks(out);
                if (!std::ranges::equal(to.local(), expected))
                  throw Atoll::Error::failed("answer", "it isn't the serial one's");
              }}},
            options);
  app::print_checksum(to.local());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App call{"One round of parallel radix sort, most significant digit first.", "radix"};
  app::Options options{.threads = 4};
  std::size_t count = 1 << 22;
  std::uint64_t seed = 1;
  std::string input = "uniform", placement = "original";
  bool no_remote_writes = false;
  call.add_option("--keys", count, "Keys, in equal blocks (4194304)")
      ->check(app::count(1, std::uint64_t{1} << 40))
      ->type_name("N");
  call.add_option("--input", input, "Uniform keys, or swapped blocks (uniform)")
      ->check(CLI::IsMember({"uniform", "swap"}))
      ->type_name("KEYS");
  call.add_option("--placement", placement, "Paired: opposite blocks share a node (original)")
      ->check(CLI::IsMember({"original", "paired"}))
      ->type_name("HOW");
  call.add_flag("--no-remote-writes", no_remote_writes,
                "Leave out keys that belong to other blocks");
  call.add_option("--seed", seed, "Another seed, other keys (1)")->type_name("N");
  call.add_option("--threads", options.threads, "Threads, each with a block (4)")
      ->check(app::count(1, kDigits))
      ->type_name("N");
  app::add_times(call, options);
  return app::run(call, argc, argv, [&] {
    const Sort sort{static_cast<std::size_t>(options.threads)};
    count -= count % sort.blocks;
    sort_keys(Atoll::Machine::this_computer(), make_keys(count, sort, input == "swap", seed), sort,
              placement == "paired", !no_remote_writes, options);
  });
}
