// What the statements of small random programs are made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>

#include <fmt/format.h>

namespace heddle::find {

class RandomValues {
 public:
  static constexpr const char* kSkips = " FOR UPDATE SKIP LOCKED";

  // How often statements are about the row that the first argument names, and write what was read.
  enum class Contention : std::uint8_t { some, much };

  RandomValues(std::uint64_t seed, Contention contention)
      : random_(seed), contention_(contention) {}

  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }

 protected:
  std::string condition() {
    return fmt::format("{} {} {}", column(below(columns_)), comparison(), client_value());
  }

  std::string predicate() {
    switch (below(5)) {
      case 0:
        return condition();
      case 1:
        return fmt::format("id = {} AND {}", key(), condition());
      default:
        return fmt::format("id = {}", key());
    }
  }

  std::string key() {
    if (contention_ == Contention::much && below(4) != 0) return "a";
    return below(3) == 0 ? client_value() : below(4) == 0 ? "b" : "a";
  }
  // Constants, parameters, and what was read before.
  std::string client_value() {
    if (contention_ == Contention::much && variables_ > 0 && below(2) == 0) {
      return fmt::format("v{}", below(variables_));
    }
    const std::size_t which = below(4 + variables_);
    if (which < 2) return std::to_string(1 + which);
    if (which < 4) return which == 2 ? "a" : "b";
    return fmt::format("v{}", which - 4);
  }
  std::string comparison() {
    static constexpr const char* kAll[] = {"=", "=", ">", "<"};
    return kAll[below(4)];
  }
  static std::string column(std::size_t number) { return number == 0 ? "x" : "y"; }

  // Columns of an INSERT, and what one of them is given besides.
  std::string all_columns() const { return columns_ == 1 ? "id, x" : "id, x, y"; }
  std::string more_values() const { return columns_ == 1 ? "" : ", 1"; }

  // Where it does not look at others.
  std::string row_change() {
    const std::string table = fmt::format("t{}", below(2));
    switch (below(4)) {
      case 0:
        return fmt::format("DELETE FROM {} WHERE id = {}", table, key());
      case 1:
        return fmt::format("INSERT INTO {} ({}) VALUES ({}, a{})", table, all_columns(),
                           3 + below(2), more_values());
      default:
        return fmt::format("UPDATE {} SET x = {} WHERE id = {}", table, 1 + below(2), key());
    }
  }

  std::string inner_change() {
    switch (below(4)) {
      case 0:
        return fmt::format("INSERT INTO t0 ({}) VALUES (b + 2, a{}) ON CONFLICT DO NOTHING",
                           all_columns(), more_values());
      case 1:
        return fmt::format("DELETE FROM t0 WHERE {}", predicate());
      case 2:
        return fmt::format("UPDATE t0 SET x = x + 1 WHERE {}", predicate());
      default:
        return fmt::format("DELETE FROM t0 WHERE id = {}", key());
    }
  }

  // What is done with the rows that are changed, or because there are none.
  std::string outer_change() {
    switch (below(7)) {
      case 0:
        return fmt::format("INSERT INTO t1 ({0}) SELECT id + 4, x{1} FROM done", all_columns(),
                           more_values());
      case 1:
        return fmt::format(
            "INSERT INTO t1 ({}) SELECT b + 2, a{} WHERE NOT EXISTS (SELECT 1 FROM done)",
            all_columns(), more_values());
      case 2:
        return fmt::format("UPDATE t1 SET x = x + 1 WHERE EXISTS (SELECT id FROM done) AND id = {}",
                           key());
      case 3:
        return "UPDATE t1 SET x = done.x FROM done WHERE t1.id = done.id";
      case 4:
        return "DELETE FROM t1 WHERE id IN (SELECT id FROM done)";
      case 5:
        return fmt::format(
            "SELECT count(*) INTO v0 FROM done;\n  IF v0 {} 1 THEN\n    {};\n  END IF",
            comparison(), row_change());
      default:
        return fmt::format(
            "SELECT x INTO v0 FROM done ORDER BY id;\n  IF {}FOUND THEN\n    {};\n  END IF",
            below(2) == 0 ? "" : "NOT ", row_change());
    }
  }

  // Mostly only where rows are there, or are not.
  std::string changes_inside() {
    const std::string inner = inner_change();
    std::string body =
        fmt::format("  WITH done AS ({} RETURNING id, x) {};\n", inner, outer_change());
    return below(6) == 0 ? body : looks_before(body);
  }

  std::string looks_before(const std::string& body) {
    const char* const where = below(2) == 0 ? "id = a" : below(2) == 0 ? "x = a" : "x > 0";
    return fmt::format(
        "  SELECT count(*) INTO v1 FROM t{} WHERE {};\n  IF v1 {} THEN\n  {}  END IF;\n", below(2),
        where, below(3) == 0 ? "= 0" : "> 0", body);
  }

  // Reads rows and deletes them, or others.
  std::string takes() {
    std::string body;
    for (std::size_t i = 0, rows = 1 + below(2); i < rows; ++i) {
      const std::size_t table = below(tables_);
      if (below(4) != 0) {
        body += fmt::format("  SELECT x INTO v{} FROM t{} WHERE id = {};\n", i, table, key());
      }
      body += fmt::format("  DELETE FROM t{} WHERE id = {};\n", table, key());
    }
    return body;
  }

  // The same within one statement.
  std::string takes_at_once(const std::string& table, const std::string& query, bool deletes) {
    const std::string change = deletes ? "DELETE FROM " + table : "UPDATE " + table + " SET x = 0";
    if (below(2) == 0) return fmt::format("  {} WHERE id = ({});\n", change, query);
    return fmt::format("  WITH first AS ({}) {} {} first WHERE {}.id = first.id;\n", query, change,
                       deletes ? "USING" : "FROM", table);
  }

  // Takes the first row of a queue out, so that nobody finds it again, and does something with it.
  std::string takes_first() {
    static constexpr const char* kLocks[] = {kSkips, kSkips, " FOR UPDATE", ""};
    const std::string table = fmt::format("t{}", below(tables_));
    const bool deletes = below(2) == 0;
    const std::string where = deletes && below(2) == 0 ? "id >= " + key() : "x > 0";
    const std::string from = fmt::format("FROM {} WHERE {} ORDER BY id{} LIMIT 1{}", table, where,
                                         below(4) == 0 ? " DESC" : "", kLocks[below(4)]);
    if (below(4) == 0) return takes_at_once(table, "SELECT id " + from, deletes);
    std::string body = fmt::format("  SELECT id INTO v0 {};\n", from);
    body += "  IF v0 IS NULL THEN\n";
    body += below(2) == 0 ? "    RETURN;\n" : fmt::format("    {};\n", row_change());
    body += "  ELSE\n";
    body += deletes ? fmt::format("    DELETE FROM {} WHERE id = v0;\n", table)
                    : fmt::format("    UPDATE {} SET x = 0 WHERE id = v0;\n", table);
    if (below(2) == 0) {
      body += fmt::format("    INSERT INTO t{} ({}) VALUES (v0 + 6, 0{}) ON CONFLICT DO NOTHING;\n",
                          below(tables_), all_columns(), more_values());
    }
    return body + "  END IF;\n";
  }

  // Reads a few cells, and changes some by what it has read.
  std::string flows() {
    static constexpr const char* kWays[] = {
        "  UPDATE t{1} SET x = {0} + b WHERE id = a;\n",
        "  IF {0} > b THEN\n    UPDATE t{1} SET x = b WHERE id = a;\n  END IF;\n",
        "  IF {0} < b THEN\n    RETURN;\n  END IF;\n  UPDATE t{1} SET x = 3 WHERE id = a;\n",
        "  UPDATE t{1} SET x = b WHERE id = a;\n  IF {0} < b THEN\n    ROLLBACK;\n  END IF;\n",
        "  v3 := 1;\n  IF {0} = b THEN\n    v3 := 2;\n  END IF;\n"
        "  UPDATE t{1} SET x = v3 WHERE id = a;\n",
        "  FOR i IN 1..{0} LOOP\n    UPDATE t{1} SET x = x + 1 WHERE id = a;\n  END LOOP;\n",
        "  UPDATE t{1} SET x = b WHERE id = a;\n  v3 := b / {0};\n",
        "  UPDATE t{1} SET x = x + b WHERE id = a;\n"};
    std::string body;
    for (std::size_t i = 0, reads = 1 + below(3); i < reads; ++i) {
      const std::string value = fmt::format("v{}", i);
      const bool is_led = i > 0 && below(4) == 0;
      body += fmt::format("  SELECT x INTO {} FROM t{} WHERE id = {};\n", value, below(tables_),
                          is_led ? fmt::format("v{}", i - 1) : "a");
      body += fmt::format(fmt::runtime(kWays[below(std::size(kWays))]), value, below(tables_));
    }
    return body;
  }

  // A query that gives one value.
  std::string inner_query(const std::string& around) {
    const std::string table = fmt::format("t{}", below(tables_));
    switch (below(7)) {
      case 0:
        return fmt::format("(SELECT count(*) FROM {} WHERE {})", table, condition());
      case 1:
        return fmt::format("(SELECT coalesce(sum(x), 0) FROM {})", table);
      case 2:
        return fmt::format("(SELECT coalesce(max(k.x), 0) + 1 FROM {} AS k WHERE k.id <> a)",
                           table);
      case 3:
        return fmt::format("(SELECT min(x) FROM {} WHERE id > {})", table, client_value());
      case 4:
        if (!around.empty()) {
          return fmt::format("(SELECT count(*) FROM {} o WHERE o.x = {}.x)", table, around);
        }
        [[fallthrough]];
      default:
        return fmt::format("(SELECT x FROM {} k WHERE k.id = {})", table, key());
    }
  }

  // Changes rows by what queries within its statements give.
  std::string guards() {
    const std::string table = fmt::format("t{}", below(tables_));
    switch (below(7)) {
      case 0:
        return fmt::format("  DELETE FROM {0} WHERE id = a AND {1} {2} 1;\n", table,
                           inner_query(table), comparison());
      case 1:
        return fmt::format("  UPDATE {0} SET x = {1} WHERE id = {2};\n", table, inner_query(table),
                           key());
      case 2:
        return fmt::format(
            "  INSERT INTO {0} ({1}) VALUES ({2} + 2, a{3}) ON CONFLICT DO NOTHING;\n", table,
            all_columns(), inner_query(""), more_values());
      case 3:
        return fmt::format("  IF {} {} {} THEN\n    {};\n  END IF;\n", inner_query(""),
                           comparison(), below(2) == 0 ? inner_query("") : client_value(),
                           row_change());
      case 4:
        variables_ = std::max<std::size_t>(variables_, 1);
        return fmt::format("  v0 := {};\n  {};\n", inner_query(""), row_change());
      default:
        return fmt::format("  UPDATE {0} SET x = {1} WHERE id = {2} AND {3} {4} {5};\n", table,
                           1 + below(2), key(), inner_query(table), comparison(), client_value());
    }
  }

  std::mt19937_64 random_;
  Contention contention_;
  std::size_t tables_ = 1;
  std::size_t columns_ = 1;
  std::size_t variables_ = 0;  // that have a value
};

}  // namespace heddle::find
