#include "gate/open_gated_session.h"

#include <utility>

#include "gate/called_program.h"
#include "gate/gated_replicated_session.h"
#include "gate/gated_session.h"
#include "store/mariadb/session.h"
#include "store/replicated/session.h"

namespace heddle {

Result<std::unique_ptr<StoreSession>> open_gated_session(std::unique_ptr<StoreSession> session,
                                                         std::shared_ptr<ControlledProgram> program,
                                                         ProgramCall call,
                                                         const GateOptions& options) {
  const bool is_mariadb = dynamic_cast<MariadbClient*>(session.get()) != nullptr;
  const bool is_replicated = dynamic_cast<ReplicatedSession*>(session.get()) != nullptr;
  if (!is_mariadb && !is_replicated) {
    return GatedSession::open(std::move(session), std::move(program), std::move(call),
                              options.timeout_ms);
  }
  auto called = CalledProgram::open(std::move(program), std::move(call), options.timeout_ms);
  if (!called) return called.error();
  if (is_replicated) return GatedReplicatedSession::open(std::move(session), std::move(*called));
  return GatedMariadbSession::open(std::move(session), std::move(*called), options.words,
                                   options.timeout_ms);
}

}  // namespace heddle
