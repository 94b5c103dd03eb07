// What the gates of all stores to which programs speak PostgreSQL's protocol know of its drivers.
#pragma once

#include <string>

#include "gate/called_program.h"
#include "heddle/result.h"
#include "store/store.h"
#include "wire/postgres/client_statements.h"
#include "wire/postgres/messages.h"

namespace heddle {

// Waits until a driver has connected that knows the token, and says with what it began; its next
// messages come from the reader. Who says another word is sent away. Error: the call cannot be
// made, or the time is over.
Result<postgres::StartupMessage> await_startup(CalledProgram& program,
                                               postgres::MessageReader& from_client,
                                               Deadline deadline);

// A statement with its values, for messages.
std::string shown_unit(const postgres::ClientUnit& unit);

// In the form in which both are compared (wire/postgres/statement_essence.h).
std::string essence_of(const postgres::ClientUnit& unit);
std::string essence_of(const CalledStatement& called);

// Whether two essences are one statement: drivers give savepoints without names names of their own.
bool is_same_statement(const std::string& a, const std::string& b);

// The interpreter's own, around what it may have to undo, which no driver says.
bool is_reader_savepoint(const std::string& essence);

// What the essence begins with when a driver sets the level of the transactions that follow, and
// when a program sets that of its transaction.
inline constexpr std::string_view kSetSessionLevel = "set session characteristics as transaction ";
inline constexpr std::string_view kSetLevel = "set transaction ";

}  // namespace heddle
