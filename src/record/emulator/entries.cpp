// On x86-64 hosts, translated code runs with rbp pointing to the CPU state, which begins with the
// general registers. At a block's entry all registers are stored there. So a callback at the entry
// can compute each address that follows from the registers. It needs no computed arguments, and no
// host register is live yet that the call could clobber.
#include "record/emulator/entries.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <utility>

#include "record/emulator/count_callbacks.hpp"

namespace Atoll::record::dbi {
namespace {

/// Base of fixed addresses.
std::uint64_t near = 0;

// Encoding of the callbacks' data. One access without an index: its displacement. A group with a
// base register: a PackedGroup. Other groups: the displacement in the upper half (relative to
// `near` if it is fixed), and the group's place (a multiple of 64). With an index, also for one
// access: the base register in the lowest 4 bits, then log2 of the scale, and the index register
// above the group.
constexpr unsigned kScaleShift = 4, kIndexShift = 26, kDisplacementShift = 32;
constexpr std::uint64_t kGroupMask = kGroupsBytes - alignof(Group);
static_assert(kGroupsBytes == 1U << kIndexShift && alignof(Group) == 1U << (kScaleShift + 2));

void* pack(const AtEntry& entry) {
  const Address& address = entry.access.address;
  const bool fixed = address.base == kNoRegister, indexed = address.index != kNoRegister;
  auto displacement = static_cast<std::uint64_t>(address.displacement);
  if (entry.group == nullptr && !indexed) return reinterpret_cast<void*>(displacement);
  if (!fixed && !indexed)
    return PackedGroup(entry.group, static_cast<std::int16_t>(displacement)).data();
  if (fixed) displacement -= near;
  std::uint64_t packed = displacement << kDisplacementShift;
  if (entry.group != nullptr) packed |= place_of(entry.group);
  if (indexed)
    packed |= address.base |
              static_cast<std::uint64_t>(std::countr_zero(address.scale)) << kScaleShift |
              std::uint64_t{address.index} << kIndexShift;
  return reinterpret_cast<void*>(packed);
}

inline std::uint64_t displacement_of(std::uint64_t packed) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(packed) >> kDisplacementShift);
}

#ifdef ATOLL_STATE_AT_RBP
constexpr bool kHostIsKnown = true;
template <unsigned Number>
inline std::uint64_t plus_register(std::uint64_t value) {
  asm volatile("addq %c1(%%rbp), %0" : "+r"(value) : "i"(8 * Number));
  return value;
}
inline std::uint64_t register_value(std::uint64_t number) {
  std::uint64_t value;
  asm volatile("movq (%%rbp, %1, 8), %0" : "=r"(value) : "r"(number));
  return value;
}
inline const std::uint64_t* all_registers() {
  const std::uint64_t* first;
  asm volatile("movq %%rbp, %0" : "=r"(first));
  return first;
}
#else
constexpr bool kHostIsKnown = false;
template <unsigned>
std::uint64_t plus_register(std::uint64_t value) {
  return value;
}
std::uint64_t register_value(std::uint64_t) {
  return 0;
}
const std::uint64_t* all_registers() {
  return nullptr;
}
#endif

/// `Base` is kNoRegister for a fixed address.
template <unsigned Base, unsigned Log2, bool IsStore>
void on_one(unsigned, void* data) {
  const auto displacement = reinterpret_cast<std::uint64_t>(data);
  count<Log2, IsStore>(Base == kNoRegister ? displacement : plus_register<Base>(displacement));
}

template <unsigned Base, bool IsNarrow>
void on_group(unsigned, void* data) {
  const PackedGroup packed(data);
  count_group<IsNarrow>(packed.group(), plus_register<Base>(packed.origin()));
}

void on_fixed_group(unsigned, void* data) {
  const auto packed = reinterpret_cast<std::uint64_t>(data);
  count_group<false>(group_at(packed & kGroupMask), near + displacement_of(packed));
}

inline std::uint64_t indexed_address(std::uint64_t packed) {
  return register_value(packed & 15) + displacement_of(packed) +
         (register_value(packed >> kIndexShift & 15) << (packed >> kScaleShift & 3));
}

template <unsigned Log2, bool IsStore>
void on_indexed(unsigned, void* data) {
  count<Log2, IsStore>(indexed_address(reinterpret_cast<std::uint64_t>(data)));
}

void on_indexed_group(unsigned, void* data) {
  const auto packed = reinterpret_cast<std::uint64_t>(data);
  count_group<false>(group_at(packed & kGroupMask), indexed_address(packed));
}

/// Test of one block: the entry callback computes an address from a register, and an access of the
/// block must then have this address. Only this test verifies the assumed location of the
/// registers.
struct LocationTest {
  std::uint64_t displacement;
  std::uint64_t expected;
  Register base;
  bool agreed;
};
constexpr std::size_t kProofs = 32;  // number of blocks that must pass the test
LocationTest proofs[4 * kProofs];    // (more, since some blocks are never executed)
std::atomic<std::size_t> proofs_begun = 0, proofs_agreed = 0;
std::atomic<bool> disproved = false;

void begin_proof(unsigned, void* data) {
  auto* proof = static_cast<LocationTest*>(data);
  if (proofs_agreed >= kProofs || disproved) return;
  // If the assumed location is wrong, it may not be readable.
  std::uint64_t value = 0;
  const iovec to = {&value, sizeof value};
  const iovec from = {const_cast<std::uint64_t*>(all_registers() + proof->base), sizeof value};
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != sizeof value) disproved = true;
  proof->expected = value + proof->displacement;
}

void end_proof(unsigned, qemu_plugin_meminfo_t, std::uint64_t address, void* data) {
  auto* proof = static_cast<LocationTest*>(data);
  if (proofs_agreed >= kProofs) return;
  if (address != proof->expected) disproved = true;
  if (!proof->agreed) ++proofs_agreed;
  proof->agreed = true;
}

using EntryCall = void (*)(unsigned, void* data);

struct Calls {
  EntryCall one[2][6];  // by kind and log2 of the size in bytes
  EntryCall group[2];   // by Group::is_narrow
};
using Sizes = std::make_integer_sequence<unsigned, 6>;
template <unsigned Base, unsigned... Log2>
constexpr Calls calls_with_base(std::integer_sequence<unsigned, Log2...>) {
  return {{{on_one<Base, Log2, false>...}, {on_one<Base, Log2, true>...}},
          {on_group<Base, false>, on_group<Base, true>}};
}
template <unsigned... Log2>
constexpr Calls calls_at_fixed(std::integer_sequence<unsigned, Log2...>) {
  return {{{on_one<kNoRegister, Log2, false>...}, {on_one<kNoRegister, Log2, true>...}},
          {on_fixed_group, on_fixed_group}};
}
template <unsigned... Log2>
constexpr Calls calls_with_index(std::integer_sequence<unsigned, Log2...>) {
  return {{{on_indexed<Log2, false>...}, {on_indexed<Log2, true>...}},
          {on_indexed_group, on_indexed_group}};
}
template <unsigned... Base>
constexpr std::array<Calls, kNoRegister> calls_by_base(std::integer_sequence<unsigned, Base...>) {
  return {calls_with_base<Base>(Sizes())...};
}
constexpr auto kWithBase = calls_by_base(std::make_integer_sequence<unsigned, kNoRegister>());
constexpr Calls kAtFixed = calls_at_fixed(Sizes()), kWithIndex = calls_with_index(Sizes());

void call_at_entry(qemu_plugin_tb* block, EntryCall call, void* data) {
  qemu_plugin_register_vcpu_tb_exec_cb(block, call, QEMU_PLUGIN_CB_NO_REGS, data);
}

}  // namespace

EntryRules entry_rules(std::uint64_t block_address) {
  if (near == 0) near = block_address;
  return {kHostIsKnown && proofs_agreed >= kProofs && !disproved, near};
}

void test_register_location(qemu_plugin_tb* block, const BlockPlan& plan) {
  BlockPlan::Example example = {};
  if (!kHostIsKnown || disproved || proofs_begun == std::size(proofs) || !plan.example(example))
    return;
  LocationTest& proof = proofs[proofs_begun++];
  proof = {static_cast<std::uint64_t>(example.displacement), 0, example.base, false};
  call_at_entry(block, begin_proof, &proof);
  qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, example.instruction), end_proof,
                                   QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, &proof);
}

void watch_entry(qemu_plugin_tb* block, const AtEntry& entry) {
  const MemoryOperand& access = entry.access;
  const Calls& calls = access.address.index != kNoRegister  ? kWithIndex
                       : access.address.base != kNoRegister ? kWithBase[access.address.base]
                                                            : kAtFixed;
  const EntryCall call = entry.group != nullptr
                             ? calls.group[entry.group->is_narrow ? 1 : 0]
                             : calls.one[access.is_store ? 1 : 0][std::countr_zero(access.bytes)];
  call_at_entry(block, call, pack(entry));
}

}  // namespace Atoll::record::dbi
