// One session of a PostgreSQL as what an interpretation runs its statements with.
//
//   auto session = PostgresStatements::connect(server->conninfo());
//   interpret(program, program.functionalities[0], {"1"}, **session);
//
// Values are sent as parameters of the types that the client gives them; each call waits for the
// server's answer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heddle/interpret.h"
#include "heddle/result.h"
#include "store/postgres/session.h"
#include "store/postgres/types.h"

namespace heddle {

class PostgresStatements : public StatementRunner {
 public:
  // `conninfo` is libpq's. Errors: whatever the server says (trouble: environment).
  static Result<std::unique_ptr<PostgresStatements>> connect(const std::string& conninfo);

  Result<StatementResult> run(const ProgramStatement& statement,
                              const std::vector<ClientValue>& values) override;
  // Error: bad_input, another connection than the first one.
  Result<StatementResult> cross(Boundary boundary, const std::string& savepoint,
                                std::size_t connection) override;

  // Any one statement.
  Result<StatementResult> execute(const std::string& text, const std::vector<ClientValue>& values);

 private:
  explicit PostgresStatements(PostgresConnection connection) : connection_(std::move(connection)) {}

  Result<void> read_types();
  Result<StatementResult> to_result(const PGresult* result);

  PostgresConnection connection_;
  PostgresTypes types_;
};

}  // namespace heddle
