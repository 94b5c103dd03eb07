// SQLite's library as a whole, before its first connection.
#pragma once

namespace heddle {

// Starts SQLite without its count of the memory that all connections hold: for the sake of that
// count each allocation of each thread would take one and the same lock. To be called before a
// connection is opened, by any thread; after the first call it does nothing.
void start_sqlite_library();

}  // namespace heddle
