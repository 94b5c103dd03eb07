/// Programs in Java: what the methods of classes that talk to a database through JDBC do.
///
///   Program program = *parse_program({{"schema.sql", "CREATE TABLE account ..."}});
///   Result<Reading> read = read_java_program({{"Bank.java", text}}, {}, program);
///   program.functionalities   // now those of the class, too
///
/// Read are classes with a Connection (CLOTHO's shape), procedures of BenchBase, and ordinary
/// classes that use java.sql; classes without database access are skipped. What cannot be followed
/// is taken to read and write anything, with a note.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "heddle/program.h"
#include "heddle/reading.h"
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
  /// Whether connections commit after each statement until the code says otherwise; none: those
  /// that it opens do, and those that it is given are in one transaction.
  std::optional<bool> autocommit = {};
  /// Whether commands of Redis are statements of the program; else they are not read.
  bool reads_redis = true;
  /// What all functionalities share: steps of reading, and actions that are kept of them.
  std::size_t most_steps = 6'000'000;
  std::size_t most_actions = 600'000;
  /// Told how many methods have been read, of how many; called from several threads.
  std::function<void(std::size_t done, std::size_t known)> progress = {};
};

/// Reads the files as one source tree and adds a functionality for each public method that reaches
/// a database and that no other class of the tree calls, and for protected ones that only a class
/// without source can call. Classes with tests are left out. The tables are the program's. Where
/// there is too much to follow all calls in their places, what they do stands in the functionality
/// in any order and number, with a note. When a bound of the whole command is hit (base/bounds.h),
/// the rest is not read, which is counted and noted. An error has bad_input and its place.
Result<Reading> read_java_program(const std::vector<SourceText>& files, const JavaOptions& options,
                                  Program& program);

}  // namespace heddle
