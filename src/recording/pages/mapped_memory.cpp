#include "recording/pages/mapped_memory.hpp"

#include <fmt/format.h>

#include "recording/objects/object_table.hpp"

namespace Atoll::recording {
namespace {

using record::Backing;
using record::EventKind;

constexpr std::uint64_t kSystemV = ~std::uint64_t{0};  // used in place of a device number

std::uint64_t pages_up(std::uint64_t address) {
  return (address + kPageBytes - 1) / kPageBytes;
}

}  // namespace

void MappedMemory::add_range(std::uint32_t process, const record::Event& event,
                             const record::Allocated& range, const record::Mapped* mapped) {
  if (range.address > kAddresses || range.bytes > kAddresses) return;
  std::uint64_t begin = range.address / kPageBytes;
  const std::uint64_t end = pages_up(range.address + range.bytes), now = time_of(event);
  if (event.kind == EventKind::stack) return;  // a forked child reports its inherited stack
  if (event.kind == EventKind::brk) begin = pages_up(range.address);
  if (event.kind != EventKind::mapped || mapped == nullptr || mapped->backing == Backing::own)
    return pages_.put_own(process, begin, end, now);
  const auto put = [&](PhysicalPages::Kind kind, std::uint64_t id, std::uint64_t first) {
    pages_.put(process, begin, end, now, kind, id, first);
  };
  const std::uint64_t first = mapped->offset / kPageBytes;
  switch (mapped->backing) {
    case Backing::shared_anonymous:
      return put(PhysicalPages::Kind::shared, pages_.new_memory({process, begin}), 0);
    case Backing::system_v:
      return put(PhysicalPages::Kind::shared,
                 pages_.memory_of_file(kSystemV, mapped->inode, {process, begin}), 0);
    case Backing::shared_file:
    case Backing::private_file:
      return put(mapped->backing == Backing::shared_file ? PhysicalPages::Kind::shared
                                                         : PhysicalPages::Kind::copied,
                 pages_.memory_of_file(mapped->device, mapped->inode, {process, begin - first}),
                 first);
    case Backing::moved:
      return pages_.move(process, first, begin, end, now);
    case Backing::own:
      break;
  }
}

void MappedMemory::add_module(std::uint32_t process, const record::Event& event,
                              const process::LoadedModule& module) {
  const std::uint64_t now = time_of(event);
  pages_.put_own(process, module.begin / kPageBytes, pages_up(module.end), now);
  const process::FilePages& file = symbols_.read_only_pages(module.path);
  if (module.bias % kPageBytes != 0) return;
  for (const process::FilePages::Part& part : file.parts) {
    const std::uint64_t begin = part.begin + module.bias / kPageBytes;
    if (begin * kPageBytes < module.begin / kPageBytes * kPageBytes) continue;
    const PhysicalPages::Place home{process, begin - part.first};
    pages_.put(process, begin, begin + (part.end - part.begin), now, PhysicalPages::Kind::copied,
               pages_.memory_of_file(file.device, file.inode, home), part.first);
  }
}

std::string name_of_mapping(const record::Mapped& mapped, std::string_view path) {
  if (mapped.backing == Backing::system_v) return fmt::format("System V memory {}", mapped.inode);
  constexpr std::string_view kGone = " (deleted)";
  if (path.ends_with(kGone)) path.remove_suffix(kGone.size());
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace Atoll::recording
