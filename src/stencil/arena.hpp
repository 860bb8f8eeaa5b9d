// Arena allocator for queued loops: allocations are freed all at once, and the memory is reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace Atoll::stencil {

class Arena {
 public:
  /// Allocates `bytes`, valid until clear().
  void* allocate(std::size_t bytes, std::size_t alignment) {
    if (block_ < blocks_.size()) {
      const std::size_t at = aligned(at_, alignment);
      if (at + bytes <= blocks_[block_].bytes) {
        at_ = at + bytes;
        return blocks_[block_].data.get() + at;
      }
    }
    next_block(bytes + alignment);
    const std::size_t at = aligned(0, alignment);
    at_ = at + bytes;
    return blocks_[block_].data.get() + at;
  }
  template <class T>
  T* allocate(std::size_t count) {
    return static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
  }
  void clear() { block_ = at_ = 0; }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> data;
    std::size_t bytes;
  };
  [[nodiscard]] std::size_t aligned(std::size_t at, std::size_t alignment) const {
    const auto base = reinterpret_cast<std::uintptr_t>(blocks_[block_].data.get());
    return (base + at + alignment - 1) / alignment * alignment - base;
  }
  void next_block(std::size_t least) {
    if (block_ < blocks_.size()) ++block_;
    while (block_ < blocks_.size() && blocks_[block_].bytes < least) ++block_;
    if (block_ >= blocks_.size()) {
      const std::size_t bytes = least > kBlockBytes ? least : kBlockBytes;
      blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(bytes), bytes});
      block_ = blocks_.size() - 1;
    }
    at_ = 0;
  }
  static constexpr std::size_t kBlockBytes = 256 << 10;
  std::vector<Block> blocks_;
  std::size_t block_ = 0, at_ = 0;
};

}  // namespace Atoll::stencil
