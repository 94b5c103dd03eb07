/// Programs in Java: what the methods of classes that talk to a database through JDBC do.
///
///   Program program = *parse_program({{"schema.sql", "CREATE TABLE account ..."}});
///   read_java_program({{"Bank.java", text}}, {}, program);   // adds its functionalities
///
/// Read are classes with a Connection (CLOTHO's shape), procedures of BenchBase, and ordinary
/// classes that use java.sql; classes without database access are skipped. What cannot be followed
/// is taken to read and write anything, with a note.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "heddle/program.h"
#include "heddle/result.h"

namespace heddle {

/// How Java is read.
struct JavaOptions {
  std::size_t depth = 24;         ///< of methods that are followed, one in another
  std::size_t jobs = 0;           ///< threads; 0: one for each processor
  bool skips_unreadable = false;  ///< leaves out files that do not parse, with a note
  /// Files that a tool made: what they declare is known, and their methods are followed where
  /// others call them, but none of these is a functionality.
  std::set<std::string> declarations_only = {};
};

/// Reads the files as one source tree and adds a functionality for each public method that reaches
/// a database and that no other class of the tree calls, and for protected ones that only a class
/// without source can call. Classes with tests are left out. The tables are the program's. An error
/// has bad_input and its place, or bound, when a method is too long to be followed.
Result<void> read_java_program(const std::vector<SourceText>& files, const JavaOptions& options,
                               Program& program);

}  // namespace heddle
