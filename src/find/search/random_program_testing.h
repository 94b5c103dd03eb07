// Small random programs for comparing searches: one or two tables, one to three procedures of a few
// statements each. Values and keys are few, so that statements meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>

#include <fmt/format.h>

#include "find/search/random_values_testing.h"

namespace heddle::find {

class RandomPrograms : public RandomValues {
 public:
  // How often procedures end a transaction on the way. Retried: they change a row if it is as they
  // have read it, and else try again.
  // Apart: one way ends the transaction and does something in the next one, another does not. Each:
  // statements are transactions, as on a connection that commits by itself.
  enum class Borders : std::uint8_t { none, some, many, retried, apart, each };

  static constexpr const char* kBorder = "  COMMIT;\n";

  // Two: the first column is a unique key as well, and most rows are inserted unless one is in
  // their way, by whichever key. Cascade: rows of the second table go with those of the first one
  // that they name in a column that nobody writes. Foreign: they keep these from being deleted, or
  // change with them, and come to refer to others. Absent: not about keys, but about rows that must
  // be there, or must not, for something to be changed. Changed: rows get keys that others may
  // have, by whichever statement, and values that a check may refuse. Grouped: as absent, by what
  // queries find that have groups, outer joins, inner queries or OFFSET. Locked: about what queries
  // find that lock it. Inner: a statement changes rows within
  // its WITH, too. Named: rows come and go never, and are mostly named by the first column, a
  // unique key that nobody writes. Again: rows are often deleted and put back. Flowing: what is
  // read goes into what is written, in one way or another, or it does not. Taken: rows are read and
  // deleted. Queued: the first row of a queue is taken out, and perhaps locked ones passed over.
  enum class Keys : std::uint8_t {
    primary,
    two,
    cascade,
    foreign,
    absent,
    changed,
    grouped,
    locked,
    inner,
    named,
    again,
    flowing,
    taken,
    guarded,
    queued
  };

  // Many: procedures raise errors because of what they have read, and one does little else.
  enum class Errors : std::uint8_t { none, many };

  explicit RandomPrograms(std::uint64_t seed, Contention contention = Contention::some,
                          Borders borders = Borders::none, Keys keys = Keys::primary,
                          Errors errors = Errors::none)
      : RandomValues(seed, contention),
        conflicts_(seed),
        raises_(seed),
        borders_(borders),
        keys_(keys),
        errors_(errors) {}

  static constexpr const char* kReference = " REFERENCES t0 ON DELETE CASCADE";
  static constexpr const char* kRefers = " REFERENCES t0";
  static constexpr const char* kSetNull = " ON DELETE SET NULL";
  static constexpr const char* kRename = " ON UPDATE CASCADE";
  static constexpr const char* kNoOther = " AND NOT EXISTS (SELECT 1 FROM t1 o WHERE o.x = a)";
  static constexpr const char* kNoneLikeIt = " AND NOT EXISTS (SELECT 1 FROM t0 o WHERE o.x = a)";
  static constexpr const char* kNotAmong = " AND a NOT IN (SELECT x FROM t1 WHERE x > 0)";
  static constexpr const char* kGroups = " GROUP BY x";
  static constexpr const char* kHaving = " HAVING count(*) > 1";
  static constexpr const char* kUnique = " UNIQUE";
  static constexpr const char* kCheck = ", CHECK (x < y + 4)";

  // With at most so many procedures.
  std::string next(std::size_t procedures) {
    tables_ = has_order() ? 2 : errors_ == Errors::many ? 1 + below(4) / 3 : 1 + below(2);
    columns_ = 1 + below(2);
    if (keys_ == Keys::named) columns_ = 2;
    std::string text;
    for (std::size_t table = 0; table < tables_; ++table) {
      text += fmt::format("CREATE TABLE t{} (id int PRIMARY KEY", table);
      for (std::size_t i = 0; i < columns_; ++i) {
        text += fmt::format(", {} int{}{}", column(i), below(4) == 0 ? "" : " NOT NULL",
                            is_unique(table) && i == 0 ? kUnique : "");
      }
      if (keys_ == Keys::changed && table == 1 && columns_ == 2) text += kCheck;
      const bool refers = has_references() && table == 1;
      if (refers && keys_ == Keys::cascade) text += std::string(", up int NOT NULL") + kReference;
      if (refers && keys_ == Keys::foreign) text += std::string(", up int") + kRefers + action();
      text += ");\n";
    }
    // One that checks what it reads, and one that may come in between.
    const bool has_checker =
        (errors_ == Errors::many || has_pair() || retries() || borders_ == Borders::apart) &&
        procedures > 1;
    const std::size_t functionalities = has_checker ? procedures : 1 + below(procedures);
    for (std::size_t i = 0; i < functionalities; ++i) text += procedure(i);
    return text;
  }

 private:
  bool has_references() const { return keys_ == Keys::cascade || keys_ == Keys::foreign; }
  bool has_order() const { return has_references() || has_pair(); }
  // Whether the first two procedures are made for each other.
  bool has_pair() const {
    return keys_ == Keys::foreign || keys_ == Keys::absent || keys_ == Keys::changed ||
           keys_ == Keys::grouped || keys_ == Keys::locked || keys_ == Keys::inner ||
           keys_ == Keys::flowing || keys_ == Keys::taken || keys_ == Keys::guarded ||
           keys_ == Keys::queued;
  }
  bool retries() const { return borders_ == Borders::retried; }
  bool is_unique(std::size_t table) const {
    return keys_ == Keys::two || keys_ == Keys::named || (keys_ == Keys::changed && table == 0);
  }

  // Whether there is a row with the first argument in a column decides what it does. It reads
  // nothing else: an UPDATE that changes no row, which nobody looks at, is none of find's outcomes.
  std::string asks() {
    const std::string table = fmt::format("t{}", below(2));
    const char* const negated = below(3) == 0 ? "" : "NOT ";
    const std::string all = all_columns();
    const std::string more = more_values();
    switch (below(6)) {
      case 0:
        return fmt::format(
            "  IF {}EXISTS (SELECT 1 FROM {} WHERE x = a) THEN\n    {};\n"
            "  END IF;\n",
            negated, table, row_change());
      case 1:
        return fmt::format(
            "  IF a {}IN (SELECT x FROM {} WHERE x > 0) THEN\n    {};\n"
            "  END IF;\n",
            negated, table, row_change());
      case 2:
        return fmt::format(
            "  IF (SELECT count(*) FROM {} WHERE x = a) {} 1 THEN\n    {};\n"
            "  END IF;\n",
            table, comparison(), row_change());
      case 3:
        return fmt::format("  DELETE FROM t0 WHERE id = a{};\n", kNoOther);
      case 4:
        return fmt::format("  DELETE FROM t0 WHERE id = {}{};\n", key(), kNotAmong);
      default:
        return fmt::format("  INSERT INTO t0 ({}) SELECT id + 4, a{} FROM t1 WHERE id = {}{};\n",
                           all, more, key(), kNoneLikeIt);
    }
  }

  // Whether a query has a row, or the value is null that it has, decides what it does.
  std::string asks_groups() {
    const std::string negated = below(2) == 0 ? "" : "NOT ";
    const std::string question = below(2) == 0 ? "v0 IS " + negated + "NULL" : negated + "FOUND";
    return fmt::format("  {};\n  IF {} THEN\n    {};\n  END IF;\n", grouped_query(), question,
                       made_row());
  }

  // Mostly a row that such a query finds.
  std::string made_row() {
    if (below(3) == 0) return row_change();
    return fmt::format("INSERT INTO t{} ({}) VALUES (b + 2, a{})", below(2), all_columns(),
                       more_values());
  }

  std::string grouped_query() {
    const std::string table = fmt::format("t{}", below(2));
    static constexpr const char* kJoined = "t0 LEFT JOIN t1 o ON o.x = t0.x WHERE t0.id";
    switch (below(12) % 10) {
      case 0:
        return fmt::format("SELECT DISTINCT x INTO v0 FROM {} WHERE x = a", table);
      case 1:
        return fmt::format("SELECT x, count(*) INTO v0, v1 FROM {} WHERE x = a{}", table, kGroups);
      case 2:
        return fmt::format("SELECT count(*) INTO v0 FROM {} WHERE x = a{}", table, kHaving);
      case 3:
        return fmt::format("SELECT o.x INTO v0 FROM {} = {}", kJoined, key());
      case 4:
        return fmt::format("SELECT t0.x INTO v0 FROM {} = {} AND o.id IS NULL", kJoined, key());
      case 5:
        return fmt::format("SELECT (SELECT max(x) FROM t1) INTO v0 FROM t0 WHERE id = {}", key());
      case 6:
        return fmt::format(
            "SELECT x INTO v0 FROM t0 WHERE x = a UNION SELECT x FROM t1 WHERE x = {}",
            client_value());
      case 7:
        return fmt::format("SELECT x INTO v0 FROM {} WHERE x >= a ORDER BY id OFFSET 1", table);
      case 8:
        return fmt::format(
            "SELECT nullif(d.n, 0) INTO v0 FROM (SELECT count(*) AS n FROM {} WHERE x = a) d",
            table);
      default:
        return fmt::format(
            "SELECT x INTO v0 FROM t0 WHERE id = {} AND (x = a OR EXISTS (SELECT 1 FROM t1 "
            "WHERE t1.x = a))",
            key());
    }
  }

  // Looks, mostly with a lock, and changes what it found, or acts where it found nothing.
  std::string locks_first() {
    const std::string table = fmt::format("t{}", below(2));
    static constexpr const char* kLocks[] = {" FOR UPDATE", " FOR UPDATE", " FOR SHARE", ""};
    const std::string lock = kLocks[below(4)];
    const std::string where = below(2) == 0 ? "x " + std::string(comparison()) + " a" : predicate();
    std::string body =
        fmt::format("  SELECT x INTO v0 FROM {} WHERE {} ORDER BY id{};\n", table, where, lock);
    variables_ = 1;
    switch (below(4)) {
      case 0:
        return body + fmt::format("  UPDATE {} SET x = v0 + 1 WHERE id = {};\n", table, key());
      case 1:
        return body + fmt::format("  IF FOUND THEN\n    {};\n  END IF;\n", row_change());
      default:
        return body + fmt::format("  IF NOT FOUND THEN\n    {};\n  END IF;\n", row_change());
    }
  }

  // Mostly none.
  std::string action() {
    switch (below(6)) {
      case 0:
        return kSetNull;
      case 1:
        return kRename;
      default:
        return "";
    }
  }

  std::string procedure(std::size_t number) {
    const std::size_t statements = contention_ == Contention::much ? 2 + below(3) : 1 + below(4);
    variables_ = 0;
    std::string body;
    bool is_open = false;
    const bool is_made = errors_ == Errors::many && number < 2;
    if (is_made) body = number == 0 ? checker() : changer();
    const bool is_apart = borders_ == Borders::apart && number < 2;
    if (is_apart) body = number == 0 || below(2) == 0 ? ways_apart() : "  " + change() + ";\n";
    const bool is_done = is_made || is_apart || retries() || (has_pair() && number < 2);
    if (retries()) body = number == 0 || below(3) == 0 ? retry_loop() : changer();
    const bool is_about_references = keys_ == Keys::foreign && number < 2;
    const bool is_about_rows = keys_ == Keys::absent && number < 2;
    if (is_about_rows) body = number == 0 ? asks() : "  " + row_change() + ";\n";
    if (keys_ == Keys::grouped && number < 2) {
      body = number == 0 ? asks_groups() : "  " + made_row() + ";\n";
    }
    if (keys_ == Keys::locked && number < 2) {
      body = number == 0 || below(3) == 0 ? locks_first() : "  " + row_change() + ";\n";
    }
    if (keys_ == Keys::inner && number < 2) {
      body = number == 0 ? changes_inside() : looks_before("  " + row_change() + ";\n");
    }
    if (keys_ == Keys::flowing && number < 2) body = flows();
    if (keys_ == Keys::taken && number < 2) body = takes();
    if (keys_ == Keys::queued && number < 2)
      body = number == 0 || below(3) != 0 ? takes_first() : "  " + row_change() + ";\n";
    if (keys_ == Keys::guarded && number < 2)
      body = number == 0 || below(2) == 0 ? guards() : "  " + row_change() + ";\n";
    if (is_about_references) body = number == 0 ? looks_first() : "  " + reference_change() + ";\n";
    if (keys_ == Keys::changed && number < 2) body = key_body(number);
    for (std::size_t i = 0; i < statements && !is_done; ++i) {
      if (!is_open && borders_ != Borders::none) body += border();
      if (!is_open && below(5) == 0) {
        body += fmt::format("  IF {} {} {} THEN\n", client_value(), comparison(), client_value());
        is_open = true;
      }
      body += (is_open ? "    " : "  ") + statement() + ";\n";
      if (is_open && below(2) == 0) {
        body += "  END IF;\n";
        is_open = false;
      }
    }
    if (is_open) body += "  END IF;\n";
    return fmt::format(
        "CREATE PROCEDURE f{}(a int, b int) LANGUAGE plpgsql AS $$\n"
        "DECLARE v0 int; v1 int; v2 int; v3 int;\nBEGIN\n{}END $$;\n",
        number, body);
  }

  // Where a transaction ends, for all that goes on or only for what gives up; or nothing.
  std::string border() {
    if (borders_ == Borders::each) return kBorder;
    if (borders_ == Borders::many) return below(2) == 0 ? kBorder : "";
    switch (below(8)) {
      case 0:
        return kBorder;
      case 1:
        return fmt::format("  IF {} {} {} THEN\n    ROLLBACK;\n    RETURN;\n  END IF;\n",
                           client_value(), comparison(), client_value());
      default:
        return "";
    }
  }

  // Changes a row by what it has read of it, but for one way that gives up and does something else.
  std::string ways_apart() {
    const std::string table = fmt::format("t{}", below(tables_));
    const std::string set = column(below(columns_));
    variables_ = 1;
    return fmt::format(
        "  SELECT {0} INTO v0 FROM {1} WHERE id = a;\n  IF v0 {2} {3} THEN\n    {4};\n    {5};\n{6}"
        "  END IF;\n  UPDATE {1} SET {0} = v0 + b WHERE id = a;\n",
        set, table, comparison(), below(4), below(3) == 0 ? "COMMIT" : "ROLLBACK",
        below(2) == 0 ? change() : statement(), below(4) == 0 ? "" : "    RETURN;\n");
  }

  // Ends in an error where these two differ.
  std::string error(const std::string& one, const std::string& other) {
    switch (raises_() % 5) {
      case 0:
        return fmt::format("  ASSERT {} = {};\n", one, other);
      case 1:
        return fmt::format("  IF {0} = {1} THEN RETURN; END IF;\n  RAISE EXCEPTION '%', {0};\n",
                           one, other);
      case 2:
        return fmt::format("  IF {} > {} THEN RAISE no_data_found; END IF;\n", one, other);
      default:
        return fmt::format("  IF {0} <> {1} THEN RAISE EXCEPTION '% %', {0}, {1}; END IF;\n", one,
                           other);
    }
  }

  // Reads a few cells, often one of them twice, and ends in an error because of them, before or
  // after it has written; it may catch the error.
  std::string checker() {
    const std::size_t reads = 2 + below(2);
    const bool catches = raises_() % 5 == 0;
    const std::size_t writes = below(8);  // before which read, or behind all of them, if at all
    std::string body = catches ? "  BEGIN\n" : "";
    std::string read;
    for (std::size_t i = 0; i < reads; ++i) {
      if (writes == i) body += "  " + change() + ";\n";
      if (read.empty() || below(3) == 0) {
        const std::string of = below(4) == 0 ? client_value() : "a";
        read = fmt::format("SELECT {} INTO v{{}} FROM t{} WHERE id = {};\n",
                           column(below(columns_)), below(tables_), of);
      }
      body += "  " + fmt::format(fmt::runtime(read), variables_++);
    }
    body += error(fmt::format("v{}", reads - 1), fmt::format("v{}", reads - 2));
    if (writes == reads) body += "  " + change() + ";\n";
    if (!catches) return body;
    return body + "  EXCEPTION WHEN raise_exception OR no_data_found THEN\n  " + change() +
           ";\n  END;\n";
  }

  // Sometimes with what an earlier attempt or nobody has looked at, behind a change that stays, or
  // in another way than the first time.
  std::string retry_loop() {
    const std::string table = fmt::format("t{}", below(tables_));
    const std::string set = column(below(columns_));
    const std::string read = fmt::format("SELECT {} INTO v0 FROM {} WHERE id = a;\n", set, table);
    const std::size_t way = below(10);
    variables_ = 2;
    std::string body = way == 0 ? "  " + read : "";
    body += "  FOR i IN 1..2 LOOP\n";
    if (way == 1) body += "    IF v0 IS NULL THEN\n      " + read + "    END IF;\n";
    if (way == 2) body += "    " + change() + ";\n    COMMIT;\n";
    if (way == 3) body += "    v2 := v2 + 1;\n";
    if (way != 0 && way != 1) body += "    " + read;
    if (way == 4)
      body += "    IF i = 1 AND v0 > b THEN\n      ROLLBACK;\n      RETURN;\n    END IF;\n";
    if (way == 5) body += "    IF i > 1 THEN\n      " + change() + ";\n    END IF;\n";
    body += fmt::format("    SELECT {} INTO v1 FROM {} WHERE id = a;\n", set, table);
    body += fmt::format("    UPDATE {} SET {} = v0 + b WHERE id = a{};\n", table, set,
                        below(5) == 0 ? "" : fmt::format(" AND {} = v1", set));
    const bool returns = below(3) != 0;
    body += returns ? "    IF found THEN\n      COMMIT;\n      RETURN;\n    END IF;\n"
                    : "    EXIT WHEN found;\n";
    if (below(4) != 0) body += "    ROLLBACK;\n";
    if (way == 6) body += "    IF i = 1 THEN\n      RAISE EXCEPTION 'twice';\n    END IF;\n";
    body += "  END LOOP;\n";
    if (returns && below(2) == 0) body += "  RAISE EXCEPTION 'again';\n";
    if (way == 3) body += "  " + fmt::format("UPDATE {} SET {} = v2 WHERE id = b;\n", table, set);
    return body;
  }

  // Writes a few cells of the row that it is given, or others.
  std::string changer() {
    std::string body;
    for (std::size_t i = 0, count = 1 + below(2); i < count; ++i) {
      body += "  " + (below(5) == 0 ? statement() : change()) + ";\n";
    }
    return body;
  }

  std::string change() {
    const std::string set = column(below(columns_));
    return below(2) == 0 ? fmt::format("UPDATE t{0} SET {1} = {1} + 1 WHERE id = {2}",
                                       below(tables_), set, key())
                         : fmt::format("UPDATE t{} SET {} = {} WHERE id = {}", below(tables_), set,
                                       client_value(), key());
  }

  std::string statement() {
    std::string table = fmt::format("t{}", below(tables_));
    const bool inserts = keys_ == Keys::two && below(3) == 0;
    if (keys_ == Keys::named) return named_statement(table);
    if (keys_ == Keys::again && below(2) == 0) return deleted_or_put_back(table);
    if (keys_ == Keys::foreign && below(3) != 0) return reference_statement();
    if (keys_ == Keys::cascade && below(2) == 0) return cascade_statement();
    if (has_references()) table = "t0";
    switch (inserts ? 6 : below(9)) {
      case 0:
      case 1:
      case 2:
        return fmt::format("SELECT {} INTO v{} FROM {} WHERE {}", column(below(columns_)),
                           variables_++, table, predicate());
      case 3:
      case 4: {
        const std::string set = column(below(columns_));
        return fmt::format("UPDATE {} SET {} = {} WHERE {}", table, set, client_value(),
                           predicate());
      }
      case 5: {
        const std::string set = column(below(columns_));
        return fmt::format("UPDATE {} SET {} = {} + {} WHERE {}", table, set,
                           column(below(columns_)), client_value(), predicate());
      }
      case 6:
        return (columns_ == 1 ? fmt::format("INSERT INTO {} (id, x) VALUES ({}, {})", table, key(),
                                            client_value())
                              : fmt::format("INSERT INTO {} (id, x, y) VALUES ({}, {}, {})", table,
                                            key(), client_value(), client_value())) +
               upsert(table);
      case 7:
        return fmt::format("SELECT {} INTO v{} FROM {} WHERE {} ORDER BY {}{} LIMIT 1",
                           column(below(columns_)), variables_++, table, condition(),
                           below(2) == 0 ? "id" : column(below(columns_)),
                           below(2) == 0 ? "" : " DESC");
      default:
        return fmt::format("DELETE FROM {} WHERE {}", table, predicate());
    }
  }

  std::string deleted_or_put_back(const std::string& table) {
    if (below(2) == 0) return fmt::format("DELETE FROM {} WHERE id = {}", table, key());
    return fmt::format(
        "INSERT INTO {} ({}) VALUES ({}, {}{}){}", table, all_columns(), key(), client_value(),
        more_values(),
        below(3) == 0 ? "" : fmt::format(" ON CONFLICT (id) DO UPDATE SET x = {}.x + 1", table));
  }

  // Reads or changes the row of a key.
  std::string named_statement(const std::string& table) {
    const std::string where = fmt::format("{} = {}", below(4) == 0 ? "id" : "x", key());
    if (variables_ > 0 && below(2) == 0) {
      return fmt::format("UPDATE {} SET y = {} + 1 WHERE {}", table, client_value(), where);
    }
    return fmt::format("SELECT {} INTO v{} FROM {} WHERE {}", below(3) == 0 ? "id" : "y",
                       variables_++, table, where);
  }

  // Deletes what others refer to, or reads or changes what does.
  std::string cascade_statement() {
    const std::string where = below(3) == 0 ? "up" : "id";
    switch (below(4)) {
      case 0:
        return fmt::format("DELETE FROM t0 WHERE id = {}", key());
      case 1:
        return fmt::format("UPDATE t1 SET x = x + 1 WHERE {} = {}", where, key());
      default:
        return fmt::format("SELECT {} INTO v{} FROM t1 WHERE {} = {}", column(below(columns_)),
                           variables_++, where, key());
    }
  }

  // Comes to refer to a row, or deletes or renames what may be referred to.
  std::string reference_change() {
    switch (below(7)) {
      case 0:
      case 1:
        return fmt::format("DELETE FROM t0 WHERE id = {}", key());
      case 2:
      case 3:
        return fmt::format("INSERT INTO t1 ({}, up) VALUES ({}, {}, {})", all_columns(),
                           below(2) == 0 ? "3" : "4", columns_ == 1 ? "1" : "1, 2", key());
      case 4:
        return fmt::format("UPDATE t1 SET up = {} WHERE id = {}", key(), 1 + below(2));
      case 5:
        return fmt::format("DELETE FROM t1 WHERE up = {}", key());
      default:
        return fmt::format("UPDATE t0 SET id = id + 5 WHERE id = {}", key());
    }
  }

  // And what refers to one.
  std::string reference_read() {
    return below(2) == 0
               ? fmt::format("SELECT {} INTO v{} FROM t0 WHERE id = {}", column(below(columns_)),
                             variables_++, key())
               : fmt::format("SELECT {} INTO v{} FROM t1 WHERE {} = {}", column(below(columns_)),
                             variables_++, below(5) == 0 ? "id" : "up", key());
  }

  std::string reference_statement() {
    return below(2) == 0 ? reference_change() : reference_read();
  }

  // Reads, and changes something behind that, mostly only where there was nothing.
  std::string looks_first() {
    std::string body = "  " + reference_read() + ";\n";
    if (below(3) == 0) body += "  " + reference_read() + ";\n";
    switch (below(5)) {
      case 0:
      case 1:
        return body + "  " + reference_change() + ";\n";
      case 2:
        return body + "  IF found THEN\n    " + reference_change() + ";\n  END IF;\n";
      default:
        return body + "  IF NOT found THEN\n    " + reference_change() + ";\n  END IF;\n";
    }
  }

  // Reads something, or changes it, and then gives a row a key or a value.
  std::string key_body(std::size_t number) {
    const std::string table = fmt::format("t{}", below(2));
    const std::string what = column(below(columns_));
    const std::string first =
        number == 0
            ? fmt::format("SELECT {} INTO v{} FROM {} WHERE id = a", what, variables_++, table)
        : table == "t0" ? fmt::format("UPDATE t0 SET {} = {} WHERE id = a", what, 4 + below(2))
                        : fmt::format("UPDATE t1 SET {0} = {0} + 1 WHERE id = a", what);
    return fmt::format("  {};\n  {};\n", first, key_change());
  }

  std::string key_change() {
    const std::string all = all_columns();
    const std::string more = more_values();
    switch (below(9)) {
      case 0:
      case 1:
        return fmt::format("UPDATE t0 SET x = {} WHERE id = {}", 1 + below(4), key());
      case 2:
        return fmt::format("UPDATE t0 SET id = {} WHERE id = {}", 1 + below(3), key());
      case 3:
        return fmt::format("INSERT INTO t0 ({0}) VALUES (3, a{1}), (4, {2}{1})", all, more,
                           3 + below(3));
      case 4:
        return fmt::format("INSERT INTO t0 ({}) SELECT id + 2, x{} FROM t1 WHERE id = {}", all,
                           more, key());
      case 5:
        return fmt::format(
            "INSERT INTO t0 ({}) SELECT 3, a{} WHERE NOT EXISTS (SELECT 1 FROM t0 WHERE x = {})",
            all, more, 1 + below(3));
      case 6:
        return fmt::format("DELETE FROM t0 WHERE id = {}", key());
      case 7:
        return fmt::format("UPDATE t1 SET x = x + {} WHERE id = {}", 1 + below(3), key());
      default:
        return fmt::format("UPDATE t1 SET {} = {} WHERE id = {}", column(columns_ - 1),
                           columns_ == 1 ? "x + 1" : "0", key());
    }
  }

  // Or nothing.
  std::string upsert(const std::string& table) {
    if (keys_ == Keys::two && below(4) != 0) return " ON CONFLICT DO NOTHING";
    if (below(6) > 1) return "";
    switch (conflicts_() % 5) {
      case 0:
        return fmt::format(" ON CONFLICT (id) DO UPDATE SET x = {}.x + 1", table);
      case 1:
        return " ON CONFLICT (id) DO UPDATE SET x = excluded.x";
      case 2:
        return " ON CONFLICT (id) DO UPDATE SET x = a";
      case 3:
        return fmt::format(" ON CONFLICT (id) DO UPDATE SET {} = {}.x + excluded.x",
                           column(columns_ - 1), table);
      default:
        return " ON CONFLICT (id) DO NOTHING";
    }
  }

  std::mt19937_64 conflicts_;  // what an INSERT does then, apart, so that the rest of a seed stays
  std::mt19937_64 raises_;     // likewise
  Borders borders_;
  Keys keys_;
  Errors errors_;
};

}  // namespace heddle::find
