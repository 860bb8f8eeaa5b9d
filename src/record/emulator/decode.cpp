#include "record/emulator/decode.hpp"

#include <string.h>

#include "atoll/base/hash.hpp"
#include "record/emulator/guest.hpp"

namespace Atoll::record::dbi {
namespace {

struct alignas(128) Kept {
  InstructionBytes bytes;
  Instruction instruction;
};
constexpr unsigned kLog2Kept = 12;
Kept kept[1U << kLog2Kept];  // qemu translates one block at a time
Instruction not_kept;

Kept& place_of(const InstructionBytes& bytes) {
  return kept[golden_hash(bytes.words[0], bytes.words[1]) >> (64 - kLog2Kept)];
}

InstructionBytes bytes_of(const qemu_plugin_insn* instruction) {
  InstructionBytes bytes;
  const std::size_t size = qemu_plugin_insn_size(instruction);  // at most 15
  memcpy(bytes.words, qemu_plugin_insn_data(instruction), size);
  bytes.words[1] |= std::uint64_t{size} << 56;
  return bytes;
}

/// False if an access is to a fixed address, which may be relative to the instruction.
bool is_same_everywhere(const Instruction& instruction) {
  for (unsigned i = 0; i < instruction.accesses; ++i) {
    const Address& address = instruction.access[i].address;
    if (address.base == kNoRegister && address.index == kNoRegister) return false;
  }
  return true;
}

const Instruction& find(const qemu_plugin_insn* instruction, const InstructionBytes& bytes) {
  Kept& place = place_of(bytes);
  if (place.bytes == bytes) return place.instruction;
  not_kept = decode_instruction(
      static_cast<const std::uint8_t*>(qemu_plugin_insn_data(instruction)),
      qemu_plugin_insn_size(instruction), qemu_plugin_insn_vaddr(instruction), guest.is_64_bit);
  if (is_same_everywhere(not_kept)) place = {bytes, not_kept};
  return not_kept;
}

}  // namespace

BlockDecoder::BlockDecoder(const qemu_plugin_tb* block)
    : block_(block), count_(qemu_plugin_tb_n_insns(block)) {
  look_ahead();
}

/// Fetches what is kept of the next instruction, so that it is in the cache when it is used.
void BlockDecoder::look_ahead() {
  if (at_ == count_) return;
  bytes_ = bytes_of(qemu_plugin_tb_get_insn(block_, at_));
  const auto* place = reinterpret_cast<const char*>(&place_of(bytes_));
  __builtin_prefetch(place);
  __builtin_prefetch(place + 64);
}

const Instruction& BlockDecoder::next() {
  const qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(block_, at_++);
  const InstructionBytes bytes = bytes_;
  look_ahead();
  return find(instruction, bytes);
}

const Instruction& decode(const qemu_plugin_insn* instruction) {
  return find(instruction, bytes_of(instruction));
}

}  // namespace Atoll::record::dbi
