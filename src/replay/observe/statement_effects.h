// What statements of each kind can leave behind, in one table.
#pragma once

#include "heddle/statement.h"

namespace heddle {

struct StatementEffects {
  StatementKind kind;
  bool only_rows = false;      // changes nothing but rows and sequences
  bool clean_session = false;  // leaves nothing in the session once its transaction has ended
  bool clean_unless_temporary = false;  // the same, where it makes nothing temporary
  bool no_snapshot = false;  // after it a transaction still reads what others then commit
  bool ends_transaction = false;
};

// Whether statements of the kind read or write rows.
bool uses_rows(StatementKind kind);

// Whether the statement locks rows that it reads.
bool locks_reads(const Statement& statement);

// Whether a transaction's snapshot is there once the statement has run.
bool takes_snapshot(const Statement& statement);

// By kind alone: functions that a statement calls may do anything.
const StatementEffects& effects_of(StatementKind kind);

}  // namespace heddle
