// The C calls on one Device. A handle is the address of a Block in a table with an entry per unit.
// So handles need no allocation, and foreign handles are recognised by their address. Only the
// entries of units at which blocks begin are touched.
#include "atoll/pim/bmem.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string_view>

#include "atoll/base/error.hpp"
#include "pim/at_once.hpp"

namespace Atoll::pim {

/// The device of the C calls and its table of handles.
struct DefaultDevice {
  /// An empty Block is all zeros, so calloc() initialises the table.
  struct Entry {
    Block block;
    std::byte padding[64 - sizeof(Block)];
  };

  explicit DefaultDevice(const Geometry& g)
      : device(g),
        stride(std::uint64_t{g.subarrays} * g.banks + 1),
        count(stride * g.rows),
        entries(static_cast<Entry*>(std::calloc(count, sizeof(Entry)))) {
    if (entries == nullptr) throw std::bad_alloc();
  }
  ~DefaultDevice() { std::free(entries); }
  DefaultDevice(const DefaultDevice&) = delete;
  DefaultDevice& operator=(const DefaultDevice&) = delete;

  [[nodiscard]] Block* entry_of(const Rectangle& r) const {
    const Geometry& g = device.geometry();
    const std::size_t column = std::size_t{r.bank} * g.subarrays + r.first.subarray;
    // The table is ordered by rows, as devices are filled: neighbours share its pages.
    return &entries[r.first.row * stride + column].block;
  }
  /// Returns null if `handle` isn't the handle of a block.
  [[nodiscard]] Block* block_of(const void* handle) const {
    const std::size_t offset =
        reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(entries);
    if (offset % sizeof(Entry) != 0 || offset / sizeof(Entry) >= count) return nullptr;
    Block* const block = &entries[offset / sizeof(Entry)].block;
    return *block ? block : nullptr;
  }

  void* allocate(const char* call, Request request) {
    return device.allocate_at_once(
        request,
        [&](const Rectangle& where) -> void* {
          return new (entry_of(where)) Block(&device, where, request);
        },
        [&](Visitor* at_home) { return allocate_otherwise(call, request, at_home); });
  }
  void* allocate_otherwise(const char* call, Request request, Visitor* at_home);
  int free(Block& block) { return device.free_at_once(block) ? BMEM_OK : free_otherwise(block); }
  int free_otherwise(Block& block);

  Device device;
  /// One more than the number of subarrays: otherwise all rows of a subarray would map to the same
  /// cache sets.
  const std::uint64_t stride;
  const std::uint64_t count;
  Entry* const entries;
};

namespace {

std::atomic<DefaultDevice*> current{nullptr};
thread_local int last_code = BMEM_OK;

/// Text returned by bmem_strerror(). Its address is fixed.
thread_local std::array<char, 256> last_text{};

int fail(int code, std::string_view text) {
  last_code = code;
  *fmt::format_to_n(last_text.data(), last_text.size() - 1, "{}", text).out = '\0';
  return code;
}
int fail_without_device(const char* call) {
  return fail(BMEM_ESTATE, fmt::format("{}: there is no device; call bmem_init first", call));
}
int fail_handle(const char* call) {
  return fail(
      BMEM_EHANDLE,
      fmt::format("{}: not the handle of a block; it was freed already, or never one", call));
}

/// Runs f and converts an exception into a code.
template <class F>
int guarded(F f) {
  try {
    return f();
  } catch (const Error& error) {
    return fail(error.kind() == Error::Kind::input ? BMEM_EINVAL : BMEM_ENOMEM, error.what());
  } catch (const std::bad_alloc&) {
    return fail(BMEM_ENOMEM, "bmem: no memory for the allocator's own data; make a smaller device");
  }
}

[[nodiscard]] std::uint32_t narrow(const char* call, const char* what, std::uint64_t value) {
  if (value > std::numeric_limits<std::uint32_t>::max())
    throw Error::input(call, fmt::format("{} {}", value, what), "at most 2^32 - 1");
  return static_cast<std::uint32_t>(value);
}

}  // namespace

// All but the fastest path are separate functions, so that the fastest path needn't save registers.
[[gnu::noinline]] void* DefaultDevice::allocate_otherwise(const char* call, Request request,
                                                          Visitor* at_home) {
  void* handle = nullptr;
  guarded([&] {
    Block block = device.allocate_otherwise(request, at_home);
    if (!block) {
      const Extent e = extent_of(device.geometry(), request);
      return fail(BMEM_ENOFIT,
                  fmt::format("{}: no bank has {} rows free in {} neighbouring subarrays", call,
                              e.rows, e.subarrays));
    }
    Block* const entry = entry_of(block.where());
    handle = new (entry) Block(std::move(block));
    return int{BMEM_OK};
  });
  return handle;
}

[[gnu::noinline]] int DefaultDevice::free_otherwise(Block& block) {
  try {
    device.free(block);
    return BMEM_OK;
  } catch (const Error&) {  // two threads freed it at the same time
    return fail_handle("bmem_free");
  }
}

}  // namespace Atoll::pim

using namespace Atoll::pim;

int bmem_init(std::uint64_t rows, std::uint64_t columns, std::uint64_t subarrays,
              std::uint64_t banks) {
  return guarded([&] {
    auto made = std::make_unique<DefaultDevice>(
        Geometry{narrow("bmem_init", "rows", rows), narrow("bmem_init", "columns", columns),
                 narrow("bmem_init", "subarrays", subarrays), narrow("bmem_init", "banks", banks)});
    DefaultDevice* none = nullptr;
    if (!current.compare_exchange_strong(none, made.get()))
      return fail(BMEM_ESTATE, "bmem_init: there is a device already; call bmem_dtor first");
    static_cast<void>(made.release());
    return int{BMEM_OK};
  });
}

int bmem_dtor(void) {
  const std::unique_ptr<DefaultDevice> last(current.exchange(nullptr));
  return last ? BMEM_OK : fail_without_device("bmem_dtor");
}

void* bmem_malloc(std::uint64_t bytes, BMEM_DIM dim) {
  DefaultDevice* const all = current.load(std::memory_order_acquire);
  if (all != nullptr && dim == HORI)
    return all->allocate("bmem_malloc", Request::horizontal(bytes));
  if (all != nullptr && dim == VERT) return all->allocate("bmem_malloc", Request::vertical(bytes));
  if (all == nullptr)
    fail_without_device("bmem_malloc");
  else
    fail(BMEM_EINVAL, "bmem_malloc: no such dimension; give HORI or VERT");
  return nullptr;
}

void* bmem_malloc_raw(std::uint64_t subarrays, std::uint64_t rows) {
  DefaultDevice* const all = current.load(std::memory_order_acquire);
  void* handle = nullptr;
  guarded([&] {
    if (all == nullptr) return fail_without_device("bmem_malloc_raw");
    const Request request = Request::raw(narrow("bmem_malloc_raw", "subarrays", subarrays),
                                         narrow("bmem_malloc_raw", "rows", rows));
    handle = all->allocate("bmem_malloc_raw", request);
    return int{BMEM_OK};
  });
  return handle;
}

int bmem_free(void* handle) {
  if (handle == nullptr) return BMEM_OK;
  DefaultDevice* const all = current.load(std::memory_order_acquire);
  if (all == nullptr) return fail_without_device("bmem_free");
  Block* const entry = all->block_of(handle);
  if (entry == nullptr) return fail_handle("bmem_free");
  return all->free(*entry);
}

int bmem_where(const void* handle, bmem_block* where) {
  const DefaultDevice* const all = current.load(std::memory_order_acquire);
  if (all == nullptr) return fail_without_device("bmem_where");
  const Block* const block = all->block_of(handle);
  if (block == nullptr) return fail_handle("bmem_where");
  const auto [bank, first, extent] = block->where();
  const BMEM_DIM dim = block->orientation() == Orientation::horizontal ? HORI
                       : block->orientation() == Orientation::vertical ? VERT
                                                                       : RAW;
  *where = {bank, first.subarray, extent.subarrays, first.row, extent.rows, dim, block->bytes()};
  return BMEM_OK;
}

int bmem_errno(void) {
  return last_code;
}

const char* bmem_strerror(void) {
  return last_text.data();
}
