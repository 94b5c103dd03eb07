// A session in which a program itself runs, on any store that can have one.
#pragma once

#include <cstdint>
#include <memory>

#include "control/controlled_program.h"
#include "gate/gated_mariadb_session.h"
#include "heddle/result.h"
#include "store/store.h"

namespace heddle {

struct GateOptions {
  MariadbWords words;
  std::uint32_t timeout_ms = 30'000;
};

// Errors: bad_input where the session is neither one of PostgreSQL's, without TLS, nor one of
// MariaDB's or of the replicated store.
Result<std::unique_ptr<StoreSession>> open_gated_session(std::unique_ptr<StoreSession> session,
                                                         std::shared_ptr<ControlledProgram> program,
                                                         ProgramCall call,
                                                         const GateOptions& options);

}  // namespace heddle
