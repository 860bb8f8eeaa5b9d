// Sums over objects: lines belong to one object each.
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
    all.private_accesses += object.private_accesses;
    all.read_shared_accesses += object.read_shared_accesses;
    all.write_shared_accesses += object.write_shared_accesses;
    all.falsely_shared_accesses += object.falsely_shared_accesses;
  }
  return all;
}

}  // namespace Atoll::profile
