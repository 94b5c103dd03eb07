// Types of a PostgreSQL database by their numbers, as libpq says them.
#pragma once

#include <map>
#include <string>

#include <libpq-fe.h>

#include "heddle/outcome.h"

namespace heddle {

class PostgresTypes {
 public:
  // What asks a server for its types.
  static const char* query();
  // The rows of the answer.
  static PostgresTypes from(const std::vector<Row>& rows);

  bool empty() const { return names_.empty(); }
  // "numeric(12,2)"
  std::string text(Oid type, int modifier) const;
  // 0: the server finds out.
  Oid number(const std::string& type) const;

 private:
  std::map<Oid, std::string> names_;
  std::map<std::string, Oid> numbers_;
};

}  // namespace heddle
