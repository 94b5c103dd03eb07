// Where transactions of one functionality are that may be open at the same time.
#pragma once

#include <cstddef>

namespace heddle::find {

// Where a transaction is among the events, if others of its functionality may be open meanwhile.
struct Span {
  std::size_t begins = 0;      // its first event
  std::size_t ends_first = 0;  // its COMMIT or ROLLBACK: the first one of those that may be
  std::size_t ends_last = 0;   // the last one; the number of events where it may end with them

  friend bool operator==(const Span&, const Span&) = default;
};

}  // namespace heddle::find
