// Turns an array's transfer into one of plain memory: a piece for each copy, with the node it lies
// on.
#include "atoll/array/transfer.hpp"

#include <string>
#include <utility>
#include <variant>

#include "atoll/base/error.hpp"

namespace Atoll {
namespace {

/// The node of all pages of a copy, if the layout names one.
NodeId node_of(const RawArray& array, std::size_t copy) {
  const auto& where = array.layout().where;
  if (const auto* single = std::get_if<SingleNode>(&where)) return single->node;
  if (const auto* replicated = std::get_if<Replicated>(&where)) return replicated->nodes[copy];
  return memory::kNowhere;
}

/// The copy of the source to read for a target on `node`: the one on the same node, if there is
/// one.
const std::byte* source_for(const RawArray& source, NodeId node) {
  for (std::size_t copy = 0; copy < source.copies(); ++copy)
    if (node_of(source, copy) == node) return source.copy(copy);
  return source.copy(0);
}

}  // namespace

memory::Transfer start_copy(memory::CopyEngines& engines, const RawArray& target,
                            const RawArray& source, const memory::TransferOptions& options) {
  if (source.size() != target.size() || source.bytes() != target.bytes())
    throw Error::input("array",
                       "copying " + std::to_string(source.size()) + " elements of " +
                           std::to_string(source.element_bytes()) + " bytes into " +
                           std::to_string(target.size()) + " of " +
                           std::to_string(target.element_bytes()),
                       "copy between arrays of one size");
  memory::CopyJob job;
  for (std::size_t copy = 0; copy < target.copies() && source.copies() > 0; ++copy) {
    const NodeId node = node_of(target, copy);
    job.pieces.push_back({target.copy(copy), source_for(source, node), target.bytes(), node});
  }
  return engines.start(std::move(job), options);
}

memory::Transfer start_copy(memory::CopyEngines& engines, const RawArray& target,
                            const void* source, std::size_t elements, std::size_t first,
                            const memory::TransferOptions& options) {
  target.check_positions(elements, first);
  memory::CopyJob job;
  const std::size_t width = target.element_bytes();
  for (std::size_t copy = 0; copy < target.copies(); ++copy)
    job.pieces.push_back({target.copy(copy) + first * width, static_cast<const std::byte*>(source),
                          elements * width, node_of(target, copy)});
  return engines.start(std::move(job), options);
}

memory::Transfer start_fill(memory::CopyEngines& engines, const RawArray& target,
                            const void* element, const memory::TransferOptions& options) {
  memory::CopyJob job;
  const auto* const bytes = static_cast<const std::byte*>(element);
  job.pattern.assign(bytes, bytes + target.element_bytes());
  for (std::size_t copy = 0; copy < target.copies(); ++copy)
    job.pieces.push_back({target.copy(copy), nullptr, target.bytes(), node_of(target, copy)});
  return engines.start(std::move(job), options);
}

}  // namespace Atoll
