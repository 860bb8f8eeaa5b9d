#include "recording/objects/object_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace Atoll::recording {
namespace {

using record::EventKind;

ObjectKind kind_of(EventKind kind) {
  switch (kind) {
    case EventKind::stack:
      return ObjectKind::stack;
    case EventKind::slab:
      return ObjectKind::pool;
    case EventKind::mapped:
    case EventKind::brk:
      return ObjectKind::mapping;
    default:
      return ObjectKind::heap;
  }
}

}  // namespace

ObjectTable::ObjectTable(const std::vector<std::uint32_t>& parents,
                         const std::vector<Thread>& threads, ModulePages accessed,
                         process::Symbols& symbols, ObjectIndex& index)
    : threads_(threads),
      accessed_(std::move(accessed)),
      symbols_(symbols),
      index_(index),
      ranges_(parents.size()),
      processes_(parents.size()) {
  for (std::uint32_t i = 0; i < parents.size(); ++i)
    index_.add_process(parents[i], add({.process = i, .name = "not in any object"}));
}

std::uint32_t ObjectTable::add(Object object) {
  object.id = static_cast<std::uint32_t>(objects_.size());
  objects_.push_back(std::move(object));
  return objects_.back().id;
}

void ObjectTable::add_module(std::uint32_t process, const process::LoadedModule& module,
                             Moment now) {
  if (!accessed_.accessed(process, module.begin, module.end)) return;
  note_reuse(process, module.begin, module.end, now.ns);
  const std::string& build_id = symbols_.build_id(module.path);
  const std::uint32_t id = add({.kind = ObjectKind::mapping,
                                .process = process,
                                .name = std::filesystem::path(module.path).filename().string(),
                                .address = module.begin,
                                .bytes = module.end - module.begin,
                                .module = module.path,
                                .build_id = build_id,
                                .created_ns = now.ns});
  index_.put_around(process, module.begin, module.end, id);
  ranges_.put_preexisting(process, module.begin, module.end, id, now.clock);
  for (const process::StaticVariable& variable : symbols_.variables(module.path)) {
    const std::uint64_t begin = module.bias + variable.address;
    if (begin < module.begin || begin >= module.end || variable.bytes > module.end - begin ||
        !accessed_.accessed(process, begin, begin + variable.bytes))
      continue;
    const std::uint32_t of_variable = add({.kind = ObjectKind::global,
                                           .process = process,
                                           .name = variable.name,
                                           .address = begin,
                                           .bytes = variable.bytes,
                                           .module = module.path,
                                           .build_id = build_id,
                                           .offset = variable.address,
                                           .created_ns = now.ns});
    index_.put(process, begin, begin + variable.bytes, of_variable);
    ranges_.put_inside(process, begin, begin + variable.bytes, of_variable);
  }
}

void ObjectTable::add_range(EventKind kind, const record::Allocated& range, const Thread& thread,
                            std::uint32_t site, Moment now, std::string name) {
  if (range.address > kAddresses || range.bytes > kAddresses) return;
  Process& process = processes_[thread.process];
  const std::uint64_t begin = range.address, end = range.address + range.bytes;
  const auto put = [&](std::uint32_t object) {
    index_.put(thread.process, begin, end, object);
    if (kind == EventKind::stack || kind == EventKind::brk)
      ranges_.put_preexisting(thread.process, begin, end, object, now.clock);
    else
      ranges_.put(thread.process, begin, end, object, now.clock);
  };
  if (kind == EventKind::stack) {
    const auto known = process.stacks.find(begin);
    if (known != process.stacks.end() && objects_[known->second].bytes == range.bytes) {
      threads_of_stacks_[known->second].push_back(thread.id);
      return put(known->second);
    }
  }
  if (kind == EventKind::slab) {
    const auto pool = process.pools.find(range.site);
    if (pool != process.pools.end()) {
      objects_[pool->second].bytes += range.bytes;
      return put(pool->second);
    }
  }
  if (kind == EventKind::brk && process.brk != kNone) {
    objects_[process.brk].bytes += range.bytes;
    return put(process.brk);
  }
  const std::uint32_t id = add({.kind = kind_of(kind),
                                .process = thread.process,
                                .name = std::move(name),
                                .site = site,
                                .thread = thread.id,
                                .address = begin,
                                .bytes = range.bytes,
                                .created_ns = now.ns});
  Object& object = objects_[id];
  if (kind == EventKind::stack) {
    object.name = fmt::format("stack of thread {}", thread.id);
    process.stacks[begin] = id;
    threads_of_stacks_[id] = {thread.id};
  } else if (kind == EventKind::brk) {
    object.name = "heap (brk)";
    process.brk = id;
  } else if (kind != EventKind::slab) {  // a pool has no order; its slabs may be added at any time
    object.order = process.orders[site]++;
  }
  if (kind == EventKind::slab) {
    object.allocations = 0;
    process.pools[range.site] = id;
  } else {
    process.by_begin[begin] = id;
  }
  note_reuse(thread.process, begin, end, now.ns);
  put(id);
}

void ObjectTable::note_reuse(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                             std::uint64_t now_ns) {
  index_.note_reuse(process, begin, end, [&](std::uint32_t before) {
    Object& object = objects_[before];
    if (object.kind == ObjectKind::stack) {
      const std::uint64_t ended = threads_[threads_of_stacks_[before].back()].ended_ns;
      return ended != 0 && ended <= now_ns;
    }
    if (!object.module.empty() && object.freed_ns == 0) object.freed_ns = now_ns;  // unloaded
    return object.freed_ns != 0;
  });
}

void ObjectTable::describe(std::uint32_t process, const record::Allocated& range,
                           std::string name) {
  for (const auto& [begin, id] : processes_[process].by_begin) {
    Object& object = objects_[id];
    if (range.address < begin || range.address - begin >= object.bytes || !object.name.empty())
      continue;
    object.name = std::move(name);
    return;
  }
}

void ObjectTable::free(std::uint32_t process, const record::Freed& freed, Moment now) {
  if (freed.address > kAddresses || freed.bytes > kAddresses) return;
  std::uint64_t bytes = freed.bytes;
  const auto found = processes_[process].by_begin.find(freed.address);
  if (found != processes_[process].by_begin.end()) {
    objects_[found->second].freed_ns = now.ns;
    if (bytes == 0) bytes = objects_[found->second].bytes;
    processes_[process].by_begin.erase(found);
  }
  ranges_.remove(process, freed.address, freed.address + bytes, now.clock);
}

void ObjectTable::add_small(std::uint32_t process, std::uint32_t site, std::uint64_t allocations) {
  const auto pool = processes_[process].pools.find(site);
  if (pool != processes_[process].pools.end()) objects_[pool->second].allocations += allocations;
}

std::vector<Object> ObjectTable::take() {
  for (Object& object : objects_)  // a process may end before it reports its pools
    object.allocations = std::max<std::uint64_t>(object.allocations, 1);
  for (auto& [id, threads] : threads_of_stacks_) {
    threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
    if (threads.size() == 1) continue;
    const std::size_t named = std::min<std::size_t>(threads.size(), 4);
    objects_[id].name = fmt::format(
        "stacks of threads {}{}",
        fmt::join(threads.begin(), threads.begin() + static_cast<std::ptrdiff_t>(named), ", "),
        named < threads.size() ? ", …" : "");
    objects_[id].thread = kNone;
  }
  return std::move(objects_);
}

}  // namespace Atoll::recording
