#include "record/emulator/timed_block.hpp"

#include <algorithm>

namespace Atoll::record::dbi {

void TimedPlan::begin() {
  block_.site_count = block_.change_count = 0;
  block_.has_known_site = false;
  block_.all = between_ = {};
  for (std::size_t i = 0; i < kRegisters; ++i) chains_[i] = {static_cast<std::uint8_t>(i), 0};
  next_ = 0;
}

void TimedPlan::change(std::uint8_t to, std::uint16_t from) {
  if (from == 1U << to || block_.change_count == TimedBlock::kMaxChanges) return;
  block_.changes[block_.change_count++] = {to, from};
  ++between_.changes;
}

void TimedPlan::changes_of(const Instruction& instruction) {
  if (instruction.to != kNoRegister)
    change(instruction.to, static_cast<std::uint16_t>(1U << instruction.from));
  for (unsigned written = instruction.written; written != 0; written &= written - 1)
    change(static_cast<std::uint8_t>(__builtin_ctz(written)), instruction.read);
}

void TimedPlan::follow_floats(const Instruction& instruction) {
  if (instruction.float_to >= kRegisters) return;
  Chain longest;
  for (unsigned from = instruction.float_from; from != 0; from &= from - 1) {
    const Chain& chain = chains_[__builtin_ctz(from)];
    if (chain.of == kNoRegister) continue;
    // Prefers a chain that starts from the destination register itself: the next execution of the
    // block extends it.
    const bool goes_round = chain.of == instruction.float_to;
    const bool did = longest.of == instruction.float_to;
    if (longest.of == kNoRegister || goes_round > did ||
        (goes_round == did && chain.steps > longest.steps))
      longest = chain;
  }
  if (longest.of != kNoRegister && instruction.computes_floats) ++longest.steps;
  chains_[instruction.float_to] = longest;
}

void TimedPlan::add(const Instruction& instruction) {
  follow_floats(instruction);
  const std::uint16_t number = next_++;
  const bool accesses = instruction.known && instruction.accesses != 0;
  if (instruction.divides) ++between_.work.divisions;
  if (!accesses) {
    ++between_.work.instructions;
    changes_of(instruction);
    if (instruction.known) return;
  }
  TimedSite& site = block_.sites[block_.site_count];
  site = {};
  site.atomic = instruction.is_atomic;
  site.bytes = instruction.vector_bytes;
  block_.instructions[block_.site_count++] = number;
  if (!accesses) return;
  block_.has_known_site = true;
  last_site_ = block_.site_count - 1;
  site.before = between_;
  between_ = {};
  between_.first_change = static_cast<std::uint16_t>(block_.change_count);
  bool loads = false;
  for (unsigned i = 0; i < instruction.accesses; ++i) {
    const Address& address = instruction.access[i].address;
    for (const Register part : {address.base, address.index})
      if (part != kNoRegister) site.address = static_cast<std::uint16_t>(site.address | 1U << part);
    loads = loads || !instruction.access[i].is_store;
  }
  if (loads) site.loads_into = instruction.written;
}

const TimedBlock& TimedPlan::finish() {
  for (std::size_t i = 0; i < kRegisters; ++i)
    if (chains_[i].of == i) between_.work.chain = std::max(between_.work.chain, chains_[i].steps);
  (block_.has_known_site ? block_.sites[last_site_].after : block_.all) = between_;
  return block_;
}

}  // namespace Atoll::record::dbi
