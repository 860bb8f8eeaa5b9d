// Sums over objects: each line belongs to one object.
#include "profile/sharing.hpp"

namespace Atoll::profile {

Sharing sharing_of_program(const Profile& profile) {
  Sharing all;
  for (const Sharing& object : profile.sharing) {
    all.private_lines += object.private_lines;
    all.read_shared_lines += object.read_shared_lines;
    all.write_shared_lines += object.write_shared_lines;
    all.falsely_shared_lines += object.falsely_shared_lines;
    all.unknown_pages += object.unknown_pages;
    all.communication += object.communication;
    all.write_communication += object.write_communication;
    all.private_traffic += object.private_traffic;
    all.read_shared_traffic += object.read_shared_traffic;
    all.write_shared_traffic += object.write_shared_traffic;
    all.falsely_shared_traffic += object.falsely_shared_traffic;
    all.spinning_lines += object.spinning_lines;
    all.spinning_traffic += object.spinning_traffic;
    all.spinning_accesses += object.spinning_accesses;
  }
  return all;
}

}  // namespace Atoll::profile
