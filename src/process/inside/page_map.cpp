// The tree has three levels of 12 bits each, over the page numbers of 48-bit addresses.
#include "process/inside/page_map.hpp"

#include <atomic>

#include "atoll/base/page_size.hpp"
#include "process/inside/system.hpp"

namespace Atoll::process::inside {
namespace {

constexpr std::size_t kFan = 4096;
struct Leaf {
  std::atomic<PageOwner*> owners[kFan];
};
struct Branch {
  std::atomic<Leaf*> leaves[kFan];
};
std::atomic<Branch*> root[kFan];

template <typename T>
T* child_of(std::atomic<T*>& slot) {
  T* child = slot.load(std::memory_order_acquire);
  if (child != nullptr) return child;
  auto* fresh = static_cast<T*>(map_pages(sizeof(T)));
  if (fresh == nullptr) return nullptr;
  if (slot.compare_exchange_strong(child, fresh, std::memory_order_acq_rel)) return fresh;
  unmap_pages(fresh, sizeof(T));
  return child;
}

}  // namespace

PageOwner* page_owner(const void* address) {
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address) / kPageBytes;
  if (page >> 36 != 0) return nullptr;
  const Branch* branch = root[page >> 24].load(std::memory_order_acquire);
  if (branch == nullptr) return nullptr;
  const Leaf* leaf = branch->leaves[(page >> 12) % kFan].load(std::memory_order_acquire);
  return leaf == nullptr ? nullptr : leaf->owners[page % kFan].load(std::memory_order_acquire);
}

bool set_page_owner(const void* address, std::size_t pages, PageOwner* owner) {
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(address) / kPageBytes;
  for (std::uintptr_t page = first; page != first + pages; ++page) {
    if (page >> 36 != 0) return false;
    Branch* branch = child_of(root[page >> 24]);
    Leaf* leaf = branch == nullptr ? nullptr : child_of(branch->leaves[(page >> 12) % kFan]);
    if (leaf == nullptr) return false;
    leaf->owners[page % kFan].store(owner, std::memory_order_release);
  }
  return true;
}

}  // namespace Atoll::process::inside
