// The accesses of a function that are to be recorded, in their order within each block.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <vector>

namespace Atoll::trace::compiled {

enum class Shape {
  plain,     ///< `bytes` (1 to 65535) at `pointer`
  variable,  ///< `length` bytes at `pointer`
  masked,    ///< those lanes of `bytes` each, side by side, that `mask` has
  gather,    ///< lanes of `bytes` at pointers, or at `pointer` + `index` * `scale`
};

struct Access {
  llvm::Instruction* at;  ///< it happens here
  llvm::Value* pointer;   ///< may be a vector if shape is gather
  std::uint64_t bytes;    ///< of a lane if there is a mask
  std::uint64_t align;    ///< of `pointer`
  bool reads, writes;     ///< one or both
  bool memory = false;    ///< counts as an access for each 8 bytes
  Shape shape = Shape::plain;
  llvm::Value* length = nullptr;
  llvm::Value* mask = nullptr;  ///< null: all lanes; else i1s, or integers whose sign counts
  llvm::Value* index = nullptr;
  std::uint64_t scale = 1;
  bool atomic = false;  ///< of an atomic operation that reads and writes
  bool packed = false;  ///< shape masked: the mask's lanes lie side by side in memory
};

/// Returns a function's accesses, without those that only this function can see: to variables whose
/// address doesn't leave it.
[[nodiscard]] std::vector<Access> accesses_of(llvm::Function& function);

/// True for a call that returns, doesn't throw, and reaches no task mark, free, lock, barrier, or
/// access that anybody could order with others.
[[nodiscard]] bool is_harmless_call(const llvm::CallBase& call);

}  // namespace Atoll::trace::compiled
