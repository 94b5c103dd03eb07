/// Sessions of several calls: a user who does one thing after the other, as one functionality of a
/// program.
///
///   Result<SessionProgram> whole = with_sessions(*program, options, 2);
///   Result<FindReport> report = find_anomalies(whole->program, whole->options);
///
/// A session runs the bodies of its calls in order, each of which ends its transaction. Its cycles
/// enter it in its first call and leave it in its last one: they need the order of the session, and
/// are none without it.
#pragma once

#include <cstddef>
#include <vector>

#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/result.h"

namespace heddle {

struct SessionProgram {
  Program program;      ///< the functionalities of the original, then the sessions
  FindOptions options;  ///< with the levels of the sessions
  std::vector<std::vector<std::size_t>> calls = {};  ///< which functionalities each session calls
};

/// Adds the sessions that the constraints of the options name, and all of two to `most` calls of
/// functionalities that run at one level. Errors: bad_input for a session that calls what the
/// program does not have, with other arguments than it takes, or functionalities of several levels.
Result<SessionProgram> with_sessions(const Program& program, const FindOptions& options,
                                     std::size_t most);

}  // namespace heddle
