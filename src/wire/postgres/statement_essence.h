// A statement and its values in the form in which two of them are compared: one that was read in
// source code, and one that a driver made of that code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::postgres {

// The words in small letters with one blank between them and values in place of $1, $2, ...;
// without comments and a last semicolon. Numbers and points in time are written in one way,
// whatever their quotes, so that 1.50 is '1.5'; a list of numbers is the same in IN (...) and = ANY
// ('{...}'). That takes a text for the number that it looks like, which no driver and no reader
// mistakes. Blanks at the end of a text do not count: a driver gives the value of a char(n) with
// them, PostgreSQL's own conversion to text without.
std::string statement_essence(std::string_view text,
                              const std::vector<std::optional<std::string>>& values);

// What statements have in common that differ in their values alone: the essence with ? for each
// value and parameter, and with one for a whole list behind IN.
std::string statement_template(std::string_view text);

// "BEGIN", "START TRANSACTION READ ONLY", as the essence of a statement.
bool is_begin(std::string_view essence);
// COMMIT, ROLLBACK of all.
bool is_end(std::string_view essence);
// What a driver asks for itself, and settings of its session: SHOW, SET, the catalogue.
bool is_of_driver(std::string_view essence);
// The same, and what pools and mappers send on their own: looks whether a connection lives, what
// the server is, which tables and types there are. It reads no rows of the application's.
bool prepares_connection(std::string_view essence);
// The value in the same way, for comparing what is returned.
std::string value_essence(std::string_view value);

}  // namespace heddle::postgres
