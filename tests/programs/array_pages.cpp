// Creates arrays of every layout and page size, moves each to every other layout, and prints the
// node of each page by where(), as runs: "LABEL: NODExPAGES …". The output must be the same in a
// guest with several nodes and under `atoll simulate` with a description of that guest.
#include <cstdio>
#include <string>
#include <vector>

#include "atoll/atoll.hpp"

namespace {

using namespace Atoll;

/// Returns the number of 4 KiB pages of an array: some pages of the requested size.
std::size_t pages_of(PageSize size) {
  return size == PageSize::small ? 157 : 512 * 3 + 77;
}

void print(const std::string& label, const Array<double>& array) {
  for (const CopyWhereabouts& copy : array.where()) {
    std::printf("%s:", label.c_str());
    std::size_t run = 0;
    for (std::size_t page = 0; page < copy.pages.size(); page += run) {
      run = 1;
      while (page + run < copy.pages.size() && copy.pages[page + run] == copy.pages[page]) ++run;
      std::printf(" %dx%zu", static_cast<int>(copy.pages[page].value), run);
    }
    std::printf("\n");
  }
}

std::vector<Layout> layouts(const std::vector<NodeId>& nodes, PageSize pages) {
  const std::size_t page = page_bytes(pages);
  const std::vector<NodeId> backwards(nodes.rbegin(), nodes.rend());
  return {{SingleNode{nodes[1]}, pages},
          {SingleNode{nodes.back()}, pages},
          {Distributed{nodes, page}, pages},
          {Distributed{backwards, 3 * page}, pages},
          {Distributed{{nodes[0], nodes[0], nodes[1]}, page}, pages},
          {Partitioned{nodes}, pages},
          {Partitioned{{nodes[1], nodes[0], nodes[2]}}, pages},
          {Replicated{{nodes[1], nodes[0]}}, pages}};
}

}  // namespace

int main() {
  const Machine machine = Machine::this_computer();
  const Team team(spread_places(machine));
  const memory::Context context{machine, team};
  std::vector<NodeId> nodes;
  for (const MemoryNode& memory : machine.memories()) nodes.push_back(memory.id);
  for (const PageSize pages : {PageSize::small, PageSize::huge})
    for (const Layout& layout : layouts(nodes, pages)) {
      const std::string name = to_string(layout);
      const std::size_t elements = pages_of(pages) * 512 - 3;
      {
        const Array<double> array(context, elements, layout);
        print(name, array);
      }
      for (const Layout& next : layouts(nodes, pages)) {
        Array<double> array(context, elements, layout);
        array.move_to(context, next);
        print(name + " -> " + to_string(next), array);
      }
    }
  return 0;
}
