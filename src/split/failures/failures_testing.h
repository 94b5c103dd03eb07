// What the tests of failures share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "heddle/split_failures.h"

namespace heddle::failures {

inline constexpr const char* kBank = R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE wallet (id int PRIMARY KEY, balance int NOT NULL);
CREATE FUNCTION total(cid int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; w int;
BEGIN
  SELECT balance INTO a FROM account WHERE id = cid;
  SELECT balance INTO w FROM wallet WHERE id = cid;
  RETURN a + w;
END $$;
CREATE PROCEDURE transfer(cid int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - amount WHERE id = cid;
  UPDATE wallet SET balance = balance + amount WHERE id = cid;
END $$;
CREATE PROCEDURE store(cid int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = amount WHERE id = cid;
  UPDATE wallet SET balance = amount WHERE id = cid;
END $$;)";
inline constexpr const char* kTwo = R"({"M1": ["account"], "M2": ["wallet"]})";

// A report and the names of the functionalities that it is about.
struct Examined : FailureReport {
  std::vector<std::string> names;
};

// The failures of a program that a cut divides, whose cycles nobody looks for.
inline Result<Examined> examine(const std::string& program, const std::string& cut,
                                const FailureOptions& options = {}) {
  const Result<Program> read = parse_program({{"program.sql", program}});
  if (!read) return read.error();
  const Result<Cut> named = parse_cut(cut, "cut.json");
  if (!named) return named.error();
  Result<Cut> matched = match_cut(*named, read->schema);
  if (!matched) return matched.error();
  Result<ChoppedProgram> chopped = chop_program(*read, *matched);
  if (!chopped) return chopped.error();
  SplitReport split;
  split.chopped = std::move(*chopped);
  split.cut = std::move(*matched);
  Result<FailureReport> report = find_failures(split, options);
  if (!report) return report.error();
  Examined examined;
  static_cast<FailureReport&>(examined) = std::move(*report);
  for (const Functionality& one : read->functionalities) examined.names.push_back(one.name);
  return examined;
}

// "buy 1 in 2 lost answer possible", "transfer 1 aborted read by total 1 confirmed".
inline std::vector<std::string> lines_of(const Examined& report) {
  std::vector<std::string> lines;
  for (const SplitFailure& failure : report.failures) {
    std::string& line = lines.emplace_back(
        fmt::format("{} {} ", report.names[failure.at.functionality], failure.at.number + 1));
    for (const std::size_t round : failure.rounds) line += fmt::format("in {} ", round + 1);
    line += failure.reader
                ? fmt::format("aborted read by {} {}", report.names[failure.reader->functionality],
                              failure.reader->number + 1)
                : std::string(to_string(failure.way));
    line += fmt::format(" {}", to_string(failure.execution.status));
  }
  return lines;
}

}  // namespace heddle::failures
