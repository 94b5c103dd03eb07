// A statement of MariaDB in the form in which two of them are compared, as
// wire/postgres/statement_essence.h does it for PostgreSQL: letters, blanks, comments, the quotes
// and scale of numbers, and the ways of quoting and writing points in time do not matter.
#pragma once

#include <string>
#include <string_view>

namespace heddle::mariadb {

// TRUE and FALSE are the numbers that they are. Without the limit of time that a driver puts before
// it: SET STATEMENT max_statement_time=5 FOR ...
std::string statement_essence(std::string_view text);

// "BEGIN", "START TRANSACTION READ ONLY", as an essence.
bool is_begin(std::string_view essence);
// COMMIT, ROLLBACK of all.
bool is_end(std::string_view essence);
// What a driver asks for itself, and settings of its session: SHOW, SET, @@autocommit, the
// catalogue.
bool is_of_driver(std::string_view essence);

}  // namespace heddle::mariadb
