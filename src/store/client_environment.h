// What the clients' libraries of stores would take from the environment, which heddle takes away
// from them: PGHOSTADDR sends the connections of a throwaway server to the user's own, PGOPTIONS
// changes what its sessions answer, PGSERVICE does both. Some of it cannot be overruled by what a
// connection is given, only by not being there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "store/mariadb_address.h"
#include "store/postgres_session.h"

namespace heddle {

/// Removes those variables from the environment of this process and remembers them; only the first
/// call does anything. Best called before there are threads, since others may read the environment.
void take_client_environment();

/// Adds to the parameters of a given server what the environment says of authentication and
/// encryption, where they say nothing themselves. Tells of what else there is, once.
void add_environment(ConnectionParameters& parameters);
/// The same for MariaDB, which has the password only.
void add_environment(MariadbAddress& address);

/// Who is told, in one line, that variables are ignored. Nobody is, unless somebody asks.
void tell_of_ignored_variables(std::function<void(const std::string& line)> listener);

}  // namespace heddle
