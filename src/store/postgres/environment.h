// What libpq would take from the environment (client_environment.h).
#pragma once

#include "store/postgres/session.h"

namespace heddle {

/// Takes libpq's variables out of the environment of this process.
void take_postgres_environment();

/// Adds to the parameters of a given server what the environment says of authentication and
/// encryption, where they say nothing themselves. Tells of what else there is, once.
void add_environment(ConnectionParameters& parameters);

}  // namespace heddle
