// CloverLeaf's input decks and memory check. Decks in every notation of the original are parsed
// equally, and the proposed mesh fits into memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "../../apps/cloverleaf/deck.hpp"
#include "../../apps/cloverleaf/memory.hpp"
#include "atoll/base/error.hpp"

namespace clover {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& text, int dimensions = 2) {
  try {
    (void)parse_deck(text, "deck", dimensions);
  } catch (const Atoll::Error& error) {
    return error.what();
  }
  return "no error";
}

/// Returns the whole content of a deck as text.
std::string told(const Deck& deck) {
  std::string text;
  for (int axis = 0; axis < deck.dimensions; ++axis)
    text += fmt::format("{} {} {}; ", deck.cells[axis], deck.low[axis], deck.high[axis]);
  text += fmt::format("{} {} {} {} {} {} {}\n", deck.initial_timestep, deck.max_timestep,
                      deck.timestep_rise, deck.end_time, deck.end_step, deck.summary_frequency,
                      deck.visit_frequency);
  for (const State& state : deck.states)
    text += fmt::format("{} {} {} [{}] [{}] [{}] {}\n", static_cast<int>(state.geometry),
                        state.density, state.energy, fmt::join(state.velocity, " "),
                        fmt::join(state.low, " "), fmt::join(state.high, " "), state.radius);
  return text;
}

TEST(CloverleafDeck, SpellingsOfTheOriginal) {
  const std::string plain =
      "*clover\n state 1 density=0.2 energy=1\n"
      " state 2 density=1 energy=2.5 geometry=rectangle xmin=0 xmax=5 ymin=0 ymax=2\n"
      "x_cells=20\ny_cells=30\nxmax=10\nymax=10\ninitial_timestep=0.04\nend_step=3\n*endclover\n";
  const std::string wanted = told(parse_deck(plain, "deck", 2));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = plain;
    EXPECT_NE(text.find(from), text.npos) << from;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& text :
       {with("state 1 density", "STATE 1 Density"), with("rectangle", "RECTANGLE"),
        with("*clover", "*CLOVER"), with("x_cells=20\n", "x_cells=20 "),
        with("x_cells=20\ny_cells=30\nxmax=10", "xmax 10,y_cells=30 X_Cells 20"),
        with("energy=1\n", "energy=1 ; the background ! of all\n"), with("0.04", "4.D-2"),
        with("0.04", "+.04"), with("0.04", "4d-2"), with("density=1 ", "density=+1. "),
        with("x_cells=20", "use_opencl_kernels x_cells=20"),
        with("x_cells=20", "opencl_vendor=Any\nopencl_type = CPU\nuse_cuda_kernels\nx_cells=20"),
        with("x_cells=20", "profiler_on 1 x_cells=20 tiles_per_chunk 4"),
        with("x_cells=20", "2D_tile_decomposition=true\nx_cells=20"),
        with("xmin=0 xmax=5 ymin=0", "xmax=5"), with("x_cells=20\n", "x_cells=20 ymin=0\n")})
    EXPECT_EQ(told(parse_deck(text, "deck", 2)), wanted) << text;
}

TEST(CloverleafDeck, DefaultsOfAState) {
  const Deck deck = parse_deck(
      "*clover\nstate 1 density=1 energy=1\nstate 2 density=2 energy=1 geometry=sphere radius=3\n"
      "state 3 density=2 energy=1 geometry=cuboid ymin=-1d0 zmax=4\n*endclover",
      "deck", 3);
  EXPECT_EQ(deck.states[1].low, (std::array<double, 3>{0, 0, 0}));
  EXPECT_EQ(deck.states[1].radius, 3);
  EXPECT_EQ(deck.states[2].low, (std::array<double, 3>{0, -1, 0}));
  EXPECT_EQ(deck.states[2].high, (std::array<double, 3>{0, 0, 4}));
}

TEST(CloverleafDeck, MistakesAreStillRefused) {
  const auto deck = [](const std::string& line) {
    return "*clover\nstate 1 density=1 energy=1\n" + line + "\n*endclover\n";
  };
  EXPECT_THAT(error_of(deck("x_cell=20")), HasSubstr("deck:3: unknown key 'x_cell'"));
  EXPECT_THAT(error_of(deck("x_cells=20 y_cell=20")), HasSubstr("x_cells has 3 values"));
  EXPECT_THAT(error_of(deck("x_cells y_cells=20")), HasSubstr("x_cells has 0 values"));
  EXPECT_THAT(error_of(deck("use_opencl=1")), HasSubstr("unknown key"));
  EXPECT_THAT(error_of(deck("end_time=0.2d0d")), HasSubstr("not a number"));
  EXPECT_THAT(error_of(deck("end_time=+-2")), HasSubstr("not a number"));
  EXPECT_THAT(error_of(deck("end_time=+")), HasSubstr("not a number"));
  EXPECT_THAT(error_of(deck("end_time=nand")), HasSubstr("not a number"));
  EXPECT_THAT(error_of(deck("z_cells=3")), HasSubstr("unknown key"));
  EXPECT_EQ(error_of(deck("z_cells=3"), 3), "no error");
  EXPECT_THAT(error_of(deck("state 2 density=1 energy=1 geometry=circle xmin=a")),
              HasSubstr("state 2's xmin is 'a'"));
}

template <int D>
void check_proposal(const std::string& cells, double available) {
  const Deck deck =
      parse_deck("*clover\nstate 1 density=1 energy=1\n" + cells + "\n*endclover", "deck", D);
  std::string says;
  try {
    check_memory<D>(deck, "deck", available);
  } catch (const Atoll::Error& error) {
    says = error.what();
  }
  std::smatch numbers;
  ASSERT_TRUE(std::regex_search(says, numbers, std::regex("take at most ([0-9 x]+)"))) << says;
  Deck smaller = deck;
  std::istringstream sizes(numbers[1]);
  char times = 0;
  for (int axis = 0; axis < D; ++axis, sizes >> times) sizes >> smaller.cells[axis];
  check_memory<D>(smaller, "deck", available * 0.91);  // available memory may have decreased
  st::Program program(st::Options{.threads = 2});
  Fields<D> fields(program, smaller);
  double bytes = 0;
  for (const auto& mesh : program.meshes())
    for (const auto& field : mesh->fields()) bytes += static_cast<double>(field->memory().bytes());
  EXPECT_LE(bytes, 0.9 * available) << says;
  EXPECT_GE(bytes, 0.4 * available) << says;
}

TEST(CloverleafMemory, TheProposedMeshFits) {
  check_proposal<2>("x_cells=90000 y_cells=90000", 500e6);  // uses huge pages
  check_proposal<2>("x_cells=1000000 y_cells=30", 60e6);
  check_proposal<2>("x_cells=515 y_cells=1000000", 60e6);
  check_proposal<3>("x_cells=1000 y_cells=1000 z_cells=1000", 60e6);
  check_proposal<3>("x_cells=5000 y_cells=5000 z_cells=40", 90e6);
}

}  // namespace
}  // namespace clover
