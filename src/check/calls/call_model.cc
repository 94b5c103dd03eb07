#include "heddle/linearizability.h"

namespace heddle {

bool CallModel::only_reads(const ObjectCall&) const { return false; }

}  // namespace heddle
