// Memory accesses of a function that are to be recorded, in program order within each block.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <vector>

namespace Atoll::record::compiled {

enum class Shape {
  plain,     ///< `bytes` (1 to 65535) at `pointer`
  variable,  ///< `length` bytes at `pointer`
  masked,    ///< adjacent lanes of `bytes` each, those that are set in `mask`
  gather,    ///< lanes of `bytes` each at a vector of pointers, or at `pointer` + `index` * `scale`
};

struct InstructionAccess {
  llvm::Instruction* at;  ///< the instruction that makes the access
  llvm::Value* pointer;   ///< may be a vector if shape is gather
  std::uint64_t bytes;    ///< size of the access, or of one lane if there is a mask
  std::uint64_t align;    ///< alignment of `pointer`
  bool reads, writes;     ///< one or both
  bool memory = false;    ///< counts once per 8 bytes
  Shape shape = Shape::plain;
  llvm::Value* length = nullptr;
  llvm::Value* mask = nullptr;  ///< null: all lanes; else a vector of i1, or of integers whose sign
                                ///< bit selects the lane
  llvm::Value* index = nullptr;
  std::uint64_t scale = 1;
  bool atomic = false;  ///< an atomic read-modify-write operation
  bool packed = false;  ///< shape masked: active lanes are contiguous in memory (expand, compress)
};

/// Returns the accesses of a function, except those to local variables whose address doesn't
/// escape.
[[nodiscard]] std::vector<InstructionAccess> accesses_of(llvm::Function& function);

/// True for a call that returns, doesn't throw, and reaches no task mark, free, lock, barrier, or
/// atomic operation that orders accesses.
[[nodiscard]] bool is_harmless_call(const llvm::CallBase& call);

}  // namespace Atoll::record::compiled
