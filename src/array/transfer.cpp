// Submits an array's jobs to copy engines.
#include "atoll/array/transfer.hpp"

namespace Atoll {

memory::Transfer start_copy(memory::CopyEngines& engines, const RawArray& target,
                            const RawArray& source, const memory::TransferOptions& options) {
  return engines.start(target.copy_job(source), options);
}

memory::Transfer start_copy(memory::CopyEngines& engines, const RawArray& target,
                            const void* source, std::size_t elements, std::size_t first,
                            const memory::TransferOptions& options) {
  return engines.start(target.copy_job(source, elements, first), options);
}

memory::Transfer start_fill(memory::CopyEngines& engines, const RawArray& target,
                            const void* element, const memory::TransferOptions& options) {
  return engines.start(target.fill_job(element), options);
}

}  // namespace Atoll
