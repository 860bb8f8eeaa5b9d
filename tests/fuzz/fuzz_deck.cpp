// Fuzzes CloverLeaf's input decks, for 2D and 3D. Either a one-line Error (input) is thrown, or a
// mesh can be created from the deck.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "../../apps/cloverleaf/deck.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto require = [](bool condition) {
    if (!condition) __builtin_trap();
  };
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const int dimensions : {2, 3}) try {
      const clover::Deck deck = clover::parse_deck(text, "deck", dimensions);
      require(!deck.states.empty() && deck.states[0].geometry == clover::Geometry::everywhere);
      for (int axis = 0; axis < dimensions; ++axis)
        require(deck.cells[axis] >= 1 && std::isnormal(deck.cell_size(axis)));
      for (const clover::State& state : deck.states)
        require(state.density > 0 && state.energy >= 0);
      require(deck.initial_timestep > 0 && deck.max_timestep > 0 && deck.timestep_rise > 0);
    } catch (const Atoll::Error& error) {
      const std::string_view message = error.what();
      require(error.kind() == Atoll::Error::Kind::input && message.starts_with("deck") &&
              message.find('\n') == std::string_view::npos);
    }
  return 0;
}
