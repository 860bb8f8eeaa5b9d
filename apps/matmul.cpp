// Product of a dense matrix and one whose top right and bottom left blocks are zero [affinity §3,
// Figure 5]. Four tasks compute the blocks of C and skip zero blocks. Tasks 0 and 2 read one block
// of B, tasks 1 and 3 the other, so each pair should run on threads of the same node.
#include "app.hpp"
#include "memory.hpp"

namespace {

using Atoll::Array;

constexpr std::size_t kBlocks = 4;  // 11, 12, 21, 22

/// A matrix stored block after block.
struct Blocks {
  std::size_t side;
  double* data;
  [[nodiscard]] double* block(std::size_t which) const { return data + which * side * side; }
};

/// Small integers, so that all sums are exact.
double a_of(std::size_t row, std::size_t column) {
  return static_cast<double>((row * 31 + column * 17) % 13);
}
double b_of(std::size_t row, std::size_t column, std::size_t side) {
  return row / side == column / side ? static_cast<double>((row * 7 + column * 3) % 11) : 0;
}

/// Computes a block of C: the block of A at the same position times the block of B on the diagonal.
void multiply_block(const Blocks& a, const Blocks& b, const Blocks& c, std::size_t block) {
  const std::size_t side = a.side;
  const double* const left = a.block(block);
  const double* const right = b.block(block % 2 == 0 ? 0 : 3);
  double* const to = c.block(block);
  std::fill(to, to + side * side, 0.0);
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t k = 0; k < side; ++k)
      for (std::size_t j = 0; j < side; ++j)
        to[i * side + j] += left[i * side + k] * right[k * side + j];
}

/// Returns the whole matrix in row-major order.
std::vector<double> whole(std::span<const double> blocks, std::size_t side) {
  std::vector<double> rows;
  for (std::size_t i = 0; i < 2 * side; ++i)
    for (std::size_t j = 0; j < 2 * side; ++j)
      rows.push_back(blocks[((i / side * 2 + j / side) * side + i % side) * side + j % side]);
  return rows;
}

void multiply(const Atoll::Machine& machine, std::size_t size, bool paired,
              const app::Options& options) {
  const Atoll::Team team(Atoll::scheduled_places(machine, kBlocks));
  const Atoll::memory::Context context{machine, team};
  const std::size_t side = size / 2, elements = size * size;
  // If there are two nodes, threads 0 and 1 share one, so the order of the blocks selects the
  // pairs.
  const Atoll::FollowedSchedule own(app::in_order(
      "blocks", paired ? std::vector{0U, 2U, 1U, 3U} : std::vector{0U, 1U, 2U, 3U}, team, 0));
  const Atoll::ScheduledLoop* lists = app::inherited_lists(team, "blocks", kBlocks, 0);
  const Atoll::FollowedSchedule& schedule = lists == nullptr ? own : *Atoll::inherited_schedule();
  if (lists == nullptr) lists = &own.schedule().loops[0];
  std::vector<Atoll::NodeId> nodes(kBlocks);  // for each block, the node of its thread
  for (std::size_t thread = 0; thread < kBlocks; ++thread)
    for (const std::uint32_t block : lists->of(thread)) {
      nodes[block] = team.places()[thread].node;
      std::printf("block %u: thread %zu, node %u\n", block, thread, nodes[block].value);
    }
  const Atoll::Layout by_block{Atoll::Partitioned{nodes}, Atoll::PageSize::small};
  Array<double> a(context, elements, by_block), c(context, elements, by_block);
  Array<double> b(
      context, elements,
      {Atoll::Partitioned{{nodes[0], nodes[0], nodes[1], nodes[1]}}, Atoll::PageSize::small});
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      const std::size_t at = ((i / side * 2 + j / side) * side + i % side) * side + j % side;
      a.set(at, a_of(i, j));
      b.set(at, b_of(i, j, side));
    }
  std::vector<double> expected(elements);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t k = 0; k < size; ++k)
        expected[i * size + j] += a_of(i, k) * b_of(k, j, side);

  const Blocks as{side, a.master().data()}, bs{side, b.master().data()},
      cs{side, c.master().data()};
  app::time({{paired ? "0 with 2, 1 with 3" : "0 with 1, 2 with 3", [&] { c.fill(0); },
              [&] {
                Atoll::for_each_task(team, "blocks", kBlocks, 1,
                                     [&](std::size_t block) { multiply_block(as, bs, cs, block); },
                                     {.follow = &schedule});
              },
              [&] { app::check_answer(whole(c.local(), side), expected, 0); }}},
            options);
  app::print_checksum<double>(whole(c.local(), side));
}

}  // namespace

int main(int argc, char** argv) {
  const Atoll::options::CommandLine call(
      "Four tasks multiply matrices, one of which has two zero blocks.", "matmul");
  app::Options options;
  std::size_t size = 200;
  std::string placement = "original";
  call.add_option("--size", size, "Rows and columns, an even number (200)")
      .check(app::value::count(2, 1'000'000))
      .type_name("N");
  call.add_option("--placement", placement, "Who shares a node: 0 and 1, or paired 0 and 2")
      .check(app::value::one_of({"original", "paired"}))
      .type_name("HOW");
  app::add_times(call, options);
  return app::run(call, argc, argv, [&] {
    if (size % 2 != 0)
      throw Atoll::Error::input("matmul", "--size is odd", "take a size that two blocks make up");
    const auto elements = static_cast<double>(size) * static_cast<double>(size);
    app::check_memory("--size", "three matrices and their answers", 7 * elements * sizeof(double),
                      "take a smaller size");
    multiply(Atoll::Machine::this_computer(), size, placement == "paired", options);
  });
}
