#include "simulate/pages.hpp"

#include "simulate/ticks.hpp"

namespace Atoll::simulate {

Pages::Pages(std::vector<std::uint16_t> memory_of_node, int line_bits)
    : memory_of_node_(std::move(memory_of_node)), line_bits_(line_bits), slots_(1024) {}

std::uint64_t Pages::key_of(std::uint64_t process, std::uint64_t address, PageClass size) {
  const std::uint64_t number = (address & ((std::uint64_t{1} << kAddressBits) - 1)) >>
                               kPageBits[static_cast<std::size_t>(size)];
  return number | process << kNumberBits | static_cast<std::uint64_t>(size) << kSizeShift;
}

std::size_t Pages::slot_of(std::uint64_t key) const {
  const std::uint64_t hash = key * 0x9e37'79b9'7f4a'7c15U;
  auto at = static_cast<std::size_t>(static_cast<UnsignedWide>(hash) * slots_.size() >> 64);
  while (slots_[at] != 0 && (slots_[at] & kKey) != key) at = at + 1 == slots_.size() ? 0 : at + 1;
  return at;
}

bool Pages::find(std::uint64_t process, std::uint64_t address, Page& page) const {
  for (int size = kPageClasses - 1; size >= 0; --size) {
    const auto what = static_cast<PageClass>(size);
    if (touched_[static_cast<std::size_t>(size)] == 0) continue;
    const std::uint64_t slot = slots_[slot_of(key_of(process, address, what))];
    if (slot == 0) continue;
    page = {what, static_cast<std::uint16_t>(slot >> kHomeShift & 0xfff),
            (slot >> kReplicatedShift & 1) != 0};
    return true;
  }
  return false;
}

void Pages::place(std::uint64_t process, std::uint64_t address, const Page& page) {
  if ((used_ + 1) * 4 > slots_.size() * 3) grow();
  const std::uint64_t key = key_of(process, address, page.size);
  std::uint64_t& slot = slots_[slot_of(key)];
  if (slot == 0) {
    ++used_;
    ++touched_[static_cast<std::size_t>(page.size)];
  }
  slot = key | static_cast<std::uint64_t>(page.home) << kHomeShift |
         static_cast<std::uint64_t>(page.replicated) << kReplicatedShift | kUsed;
}

void Pages::grow() {
  std::vector<std::uint64_t> old(slots_.size() + slots_.size() / 2);
  old.swap(slots_);
  for (const std::uint64_t slot : old)
    if (slot != 0) slots_[slot_of(slot & kKey)] = slot;
}

std::uint16_t Pages::home_of(LineKey line, std::uint32_t node) {
  if (const std::uint64_t copy = copy_of(line); copy != 0)
    return static_cast<std::uint16_t>(copy - 1);
  const std::uint64_t process = process_of(line);
  const std::uint64_t address = address_of(line, line_bits_);
  Page page;
  if (!find(process, address, page)) {
    page = {PageClass::small, memory_of_node_[node], false};
    place(process, address, page);
  }
  return page.home;
}

}  // namespace Atoll::simulate
