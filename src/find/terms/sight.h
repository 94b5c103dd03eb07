// Which versions of a table's rows a statement reads, where times tell (docs/levels.md): those of
// its snapshot, or the newest ones when it gets its locks.
#pragma once

#include <cstdint>

#include "find/forms/statement_form.h"
#include "find/terms/applied_level.h"
#include "find/terms/unfold.h"

namespace heddle::find {

enum class Sight : std::uint8_t {
  snapshot,
  newest,
  either,  // of some rows these and of others those: not known of which
};

struct Sights {
  Sight found;   // of rows that are in its snapshot and match there: values, and that they are gone
  Sight others;  // of rows that are not, or do not match
};

// Whether the statement writes or locks rows of it.
bool takes(const RowSource& source);

// Of one of the event's sources. At abstract levels there is no difference.
Sights sights_of(const Event& event, const RowSource& source, AppliedLevel level);

}  // namespace heddle::find
