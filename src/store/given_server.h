// Whether this process has worked with what is a user's own.
#pragma once

namespace heddle {

/// A given server was reached: from now on what is written may hold rows of it. Thread-safe.
void note_given_server();
bool has_reached_given_server();

}  // namespace heddle
