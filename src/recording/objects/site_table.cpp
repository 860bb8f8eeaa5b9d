#include "recording/objects/site_table.hpp"

#include <fmt/format.h>

namespace Atoll::recording {

bool SiteTable::add_module(std::uint32_t process, process::LoadedModule module) {
  const process::LoadedModule* there = module_of(process, module.begin);
  if (there != nullptr && there->begin == module.begin && there->end == module.end &&
      there->path == module.path)
    return false;
  std::erase_if(modules_[process], [&](const process::LoadedModule& before) {  // it was unloaded
    return before.begin < module.end && module.begin < before.end;
  });
  modules_[process].push_back(std::move(module));
  return true;
}

void SiteTable::add_site(std::uint32_t process, std::uint32_t number,
                         std::span<const std::uint64_t> addresses) {
  numbers_[process][number] = position_of(process, addresses);
}

std::uint32_t SiteTable::add_place(std::uint32_t process, std::uint64_t address) {
  if (module_of(process, address) == nullptr) return kNone;
  return position_of(process, {&address, 1});
}

std::uint32_t SiteTable::position_of(std::uint32_t process,
                                     std::span<const std::uint64_t> addresses) {
  std::vector<std::pair<const process::LoadedModule*, std::uint64_t>> levels;
  std::string key;
  for (const std::uint64_t address : addresses) {
    const process::LoadedModule* module = module_of(process, address);
    levels.emplace_back(module, module == nullptr ? address : address - module->bias);
    key += fmt::format("{:x}@{}\n", levels.back().second, module == nullptr ? "" : module->path);
  }
  const auto [known, is_new] = known_.try_emplace(key, static_cast<std::uint32_t>(sites_.size()));
  if (!is_new) return known->second;
  Site& added = sites_.emplace_back();
  for (const auto& [module, address] : levels) {
    if (module == nullptr) {
      added.frames.push_back({.offset = address});
      continue;
    }
    const std::span<const Frame> frames = symbols_.frames(module->path, address);
    added.frames.insert(added.frames.end(), frames.begin(), frames.end());
  }
  return known->second;
}

std::uint32_t SiteTable::site_of(std::uint32_t process, std::uint32_t number) const {
  for (std::uint32_t i = process; i != kNone; i = parents_[i])
    if (const auto found = numbers_[i].find(number); found != numbers_[i].end())
      return found->second;
  return kNone;
}

const process::LoadedModule* SiteTable::module_of(std::uint32_t process,
                                                  std::uint64_t address) const {
  for (std::uint32_t i = process; i != kNone; i = parents_[i])
    for (auto module = modules_[i].rbegin(); module != modules_[i].rend(); ++module)
      if (address >= module->begin && address < module->end) return &*module;
  return nullptr;
}

}  // namespace Atoll::recording
