// What can be forgotten. Let F be settled transactions such that
//
//   1. none that stays ended before, or stands in a session before, one of F began;
//   2. where one of F and one that stays touch the same key, and one of them writes it, the one of
//      F comes first in every legal order;
//   3. the writer of each key's last version in F is the same in every legal order.
//
// Where 3 fails only for versions that nobody has read, their writers may be left over with these
// writes alone, and with what is forced among them: whatever order of them is chosen then, F has a
// legal order with it, if all other conflicts in F are decided.
//
// Then every legal order of all there is and ever will be stays legal when F is moved to its
// front, as only transactions change places that have nothing to do with each other. So the whole
// is legal exactly if F is, which has been checked by itself, and if the rest is from the versions
// on that F leaves. (Moving what does not conflict: Papadimitriou, "The serializability of
// concurrent database updates", JACM 26(4), 1979.)
#pragma once

#include <vector>

#include "check/follow/forced_order.h"

namespace heddle {

struct Forgettable {
  std::vector<bool> nodes;  // F, by node
  // Writers of F whose order on a key is open, by key.
  std::unordered_map<std::int64_t, std::vector<Node>> left_over;
  std::vector<Node> never_seen;  // of unknown outcome: whoever reads it reads what is overwritten
  std::vector<Node> put_off;     // of unknown outcome: F is before it because nobody sees it before
  // The last writers of keys in F; of a list all writers in their order.
  std::unordered_map<std::int64_t, std::vector<Node>> last_writers;
};

// The largest F that is found by leaving out of all settled transactions what keeps it from being
// one. REQUIRES: order.is_known(); the settled part is legal.
Forgettable choose_forgettable(const KeptPart& part, const LevelShape& shape,
                               const ForcedOrder& order);

}  // namespace heddle
