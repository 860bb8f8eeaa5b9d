// A hash table that only grows. Look-ups take no lock; insertions do.
#include "process/inside/sites.hpp"

#include <cstring>

#include "atoll/base/hash.hpp"

namespace Atoll::process::inside {
namespace {

struct Table {
  std::uint32_t size;  // a power of two
  std::atomic<HeapSite*> slots[1];
};
constexpr std::uint32_t kFirstSize = 4096;
constexpr std::uint32_t kRows = 4096;

std::atomic<Table*> table;
std::atomic<std::uint32_t> sites;
std::atomic<HeapSite**> rows[kRows];  // kRows sites per row, in order of their numbers
Lock sites_lock;

std::uint64_t hash(const std::uint64_t* stack, std::uint32_t levels) {
  std::uint64_t mixed = levels;
  for (std::uint32_t i = 0; i != levels; ++i) mixed = hash_more(mixed, stack[i]);
  return mixed;
}

HeapSite* look_up(const Table* in, const std::uint64_t* stack, std::uint32_t levels) {
  if (in == nullptr) return nullptr;
  for (std::uint64_t i = hash(stack, levels);; ++i) {
    HeapSite* site = in->slots[i & (in->size - 1)].load(std::memory_order_acquire);
    if (site == nullptr) return nullptr;
    if (!site->gone.load(std::memory_order_relaxed) && site->levels == levels &&
        std::memcmp(site->stack, stack, levels * sizeof *stack) == 0)
      return site;
  }
}

void put(Table& in, HeapSite& site) {
  std::uint64_t i = hash(site.stack, site.levels);
  while (in.slots[i & (in.size - 1)].load(std::memory_order_relaxed) != nullptr) ++i;
  in.slots[i & (in.size - 1)].store(&site, std::memory_order_release);
}

/// Returns a table with room for one more site; null if memory is short.
Table* roomy() {
  Table* now = table.load(std::memory_order_relaxed);
  const std::uint32_t n = sites.load(std::memory_order_relaxed);
  if (now != nullptr && n < now->size / 2) return now;
  const std::uint32_t size = now == nullptr ? kFirstSize : now->size * 2;
  auto* larger =
      static_cast<Table*>(allocate_permanent(sizeof(Table) + size * sizeof(now->slots[0])));
  if (larger == nullptr) return nullptr;
  larger->size = size;
  for (std::uint32_t i = 0; i != n; ++i) put(*larger, site_at(i));
  table.store(larger, std::memory_order_release);
  return larger;
}

}  // namespace

HeapSite* find_site(const std::uint64_t* stack, std::uint32_t levels) {
  HeapSite* known = look_up(table.load(std::memory_order_acquire), stack, levels);
  if (known != nullptr) return known;
  const Locked locked(sites_lock);
  Table* in = roomy();
  if (in == nullptr) return nullptr;
  known = look_up(in, stack, levels);
  if (known != nullptr) return known;
  const std::uint32_t n = sites.load(std::memory_order_relaxed);
  if (n / kRows >= kRows) return nullptr;
  HeapSite** row = rows[n / kRows].load(std::memory_order_relaxed);
  if (row == nullptr) {
    row = static_cast<HeapSite**>(allocate_permanent(kRows * sizeof(HeapSite*)));
    if (row == nullptr) return nullptr;
    rows[n / kRows].store(row, std::memory_order_release);
  }
  auto* site = allocate_permanent<HeapSite>();
  auto* kept = static_cast<std::uint64_t*>(allocate_permanent(levels * sizeof *stack));
  if (site == nullptr || kept == nullptr) return nullptr;
  std::memcpy(kept, stack, levels * sizeof *stack);
  site->number = n + 1;
  site->levels = levels;
  site->stack = kept;
  site->note = hooks::on_site(*site);
  row[n % kRows] = site;
  sites.store(n + 1, std::memory_order_release);
  put(*in, *site);
  return site;
}

void forget_sites(std::uint64_t begin, std::uint64_t end) {
  const std::uint32_t n = count_sites();
  for (std::uint32_t i = 0; i != n; ++i) {
    HeapSite& site = site_at(i);
    for (std::uint32_t level = 0; level != site.levels; ++level)
      if (site.stack[level] >= begin && site.stack[level] < end)
        site.gone.store(true, std::memory_order_relaxed);
  }
}

std::uint32_t count_sites() {
  return sites.load(std::memory_order_acquire);
}

HeapSite& site_at(std::uint32_t i) {
  return *rows[i / kRows].load(std::memory_order_acquire)[i % kRows];
}

}  // namespace Atoll::process::inside
