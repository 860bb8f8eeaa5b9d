// Executes the plans of timed blocks. A site's callback processes the work before the access and,
// at the block's last site, the work after it. So only blocks without accesses need a callback of
// the block.
#include "record/emulator/timed_callbacks.hpp"

#include <stdlib.h>
#include <string.h>

#include "record/emulator/access_info.hpp"
#include "record/emulator/count_callbacks.hpp"
#include "record/emulator/decode.hpp"
#include "record/emulator/guest.hpp"
#include "record/emulator/timed_block.hpp"

namespace Atoll::record::dbi {
namespace {

using record::ThreadState;
using record::TimedCounts;

/// Data of a site's callback: the site, and the changes of its block.
struct SiteData {
  TimedSite site;
  const NumberChange* changes;
};

struct Registers {
  std::uint64_t number[kRegisters];  ///< number of the latest load that it depends on
};
__attribute__((tls_model("initial-exec"))) thread_local constinit Registers registers = {};
/// Site of the latest load. A store by the same instruction may follow.
__attribute__((tls_model("initial-exec"))) thread_local constinit const void* loaded = nullptr;

TimedPlan plan;  // shared: qemu translates one block at a time

std::uint64_t largest(std::uint16_t from) {
  std::uint64_t last = 0;
  for (unsigned left = from; left != 0; left &= left - 1) {
    const std::uint64_t number = registers.number[__builtin_ctz(left)];
    if (number > last) last = number;
  }
  return last;
}

void apply_between(TimedCounts& counts, const Between& between, const NumberChange* changes) {
  counts.add(between.work);
  const NumberChange* const end = changes + between.first_change + between.changes;
  for (const NumberChange* change = changes + between.first_change; change != end; ++change)
    registers.number[change->to] = largest(change->from);
}

void on_site(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address, void* data) {
  const auto* placed = static_cast<const SiteData*>(data);
  const TimedSite& site = placed->site;
  if (site.bytes > 8 && !begins_vector(access, address, site.bytes)) return;
  const std::uint32_t bytes = site.bytes > 8 ? site.bytes : bytes_of(access);
  if (!ensure_counting(address)) return;
  ThreadState* thread = counting;
  const bool is_load = (access & kLoad) != 0, stores = is_store(access);
  const bool is_second = !is_load && loaded == placed;
  loaded = is_load && !stores ? placed : nullptr;
  if (!is_second) apply_between(thread->timed, site.before, placed->changes);
  const record::Timing timing{.dependence = largest(site.address), .atomic = site.atomic};
  std::uint64_t number = 0;
  if (is_load) number = record::record_timed(thread, address, bytes, false, timing);
  if (stores) record::record_timed(thread, address, bytes, true, timing);
  if (is_load)
    for (unsigned into = site.loads_into; into != 0; into &= into - 1)
      registers.number[__builtin_ctz(into)] = number;
  if (!is_second) apply_between(thread->timed, site.after, placed->changes);
}

/// Callback data of a block without sites.
struct BlockWithoutSites {
  Between all;
  const NumberChange* changes;
};

void on_quiet(unsigned, void* data) {
  if (!is_counting()) return;
  const auto* quiet = static_cast<const BlockWithoutSites*>(data);
  apply_between(counting->timed, quiet->all, quiet->changes);
}

/// Copies a plan. The copy is never freed, as code is translated once.
template <typename T>
T* keep(const T* from, std::size_t count) {
  auto* to = static_cast<T*>(malloc(count * sizeof(T) + 1));
  if (to != nullptr && count != 0) memcpy(static_cast<void*>(to), from, count * sizeof(T));
  return to;
}

}  // namespace

void watch_timed(qemu_plugin_tb* block) {
  const std::size_t count = qemu_plugin_tb_n_insns(block);
  plan.begin();
  BlockDecoder decoder(block);
  for (std::size_t i = 0; i < count; ++i) plan.add(decoder.next());
  const TimedBlock& planned = plan.finish();
  const NumberChange* changes = keep(planned.changes, planned.change_count);
  if (changes == nullptr) return;
  if (!planned.has_known_site) {
    const BlockWithoutSites quiet{planned.all, changes};
    if (const BlockWithoutSites* kept = keep(&quiet, 1); kept != nullptr)
      qemu_plugin_register_vcpu_tb_exec_cb(block, on_quiet, QEMU_PLUGIN_CB_NO_REGS,
                                           const_cast<BlockWithoutSites*>(kept));
  }
  for (std::size_t i = 0; i < planned.site_count; ++i) {
    const SiteData placed{planned.sites[i], changes};
    const SiteData* kept = keep(&placed, 1);
    if (kept == nullptr) return;
    qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, planned.instructions[i]),
                                     on_site, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                     const_cast<SiteData*>(kept));
  }
}

}  // namespace Atoll::record::dbi
