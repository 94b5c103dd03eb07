// What MariaDB's client library would take from the environment (client_environment.h).
#pragma once

#include "store/mariadb/address.h"

namespace heddle {

/// Takes the library's variables out of the environment of this process.
void take_mariadb_environment();

/// Adds to the address of a given server what the environment says of authentication, where it says
/// nothing itself: MariaDB has the password only. Tells of what else there is, once.
void add_environment(MariadbAddress& address);

}  // namespace heddle
