// The tables of a database that exists, as the text that defines them.
//
// Text, because src/store knows no front end, and because files are read from text, too: what holds
// for those holds for databases. Reading changes nothing: the transaction is a read-only one.
#pragma once

#include <string>
#include <vector>

#include "heddle/result.h"
#include "heddle/statement.h"

namespace heddle {

struct SchemaText {
  std::string store;  // the address, without a password
  Dialect dialect = Dialect::postgres;
  std::string text;               // CREATE and ALTER statements; empty: there are no tables
  std::vector<Diagnostic> notes;  // what the text cannot say
};

}  // namespace heddle
