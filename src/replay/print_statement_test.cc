// What print_statement says is executed on the stores themselves: a statement of one store and its
// translations must answer with the same rows and leave the same tables.
#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "replay/replay_testing.h"
#include "store/open/open.h"
#include "store/store.h"

namespace heddle {
namespace {

constexpr std::uint32_t kStatementTimeoutMs = 60'000;
constexpr Dialect kPrintedDialects[] = {Dialect::postgres, Dialect::mysql, Dialect::sqlite};

constexpr std::string_view kRows =
    "INSERT INTO account VALUES (1, 'ann', 100, 7, NULL), (2, 'Bob', 50, NULL, 'x%y'), "
    "(3, 'cy_d', 0, -3, 'a''b'), (4, NULL, -20, 2, 'Ab'), (5, 'eve', 75, 9, 'ab');"
    "INSERT INTO entry VALUES (10, 1, 5), (11, 1, 7), (12, 2, 0), (13, 4, -1), (14, NULL, 3)";

std::string tables_of(Dialect dialect) {
  const std::string text = dialect == Dialect::mysql ? "varchar(40)" : "text";
  return fmt::format(
      "CREATE TABLE account (id integer PRIMARY KEY, name {0}, balance integer NOT NULL DEFAULT 1, "
      "bonus integer, note {0});"
      "CREATE TABLE entry (id integer PRIMARY KEY, account_id integer, amount integer NOT "
      "NULL);{1}",
      text, kRows);
}

// Numbers are compared by value, truth is 1, and what follows an ORDER BY stays in its order.
std::string plain(const Cell& cell) {
  if (!cell) return "NULL";
  if (*cell == "t" || *cell == "true") return "1.000";
  if (*cell == "f" || *cell == "false") return "0.000";
  char* end = nullptr;
  const double number = std::strtod(cell->c_str(), &end);
  const bool is_number = !cell->empty() && end == cell->c_str() + cell->size();
  return is_number ? fmt::format("{:.3f}", number + 0.0) : *cell;
}

std::string plain_rows(const std::vector<Row>& rows, bool sorted) {
  std::vector<std::string> texts;
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(plain(cell));
    texts.push_back("(" + join(cells, ", ") + ")");
  }
  if (!sorted) std::sort(texts.begin(), texts.end());
  return join(texts, " ");
}

class Stores {
 public:
  Stores() {
    for (const char* address : {"postgres", "mariadb", "sqlite"}) {
      servers_.push_back(must(open_server(address)));
      databases_.push_back(must(servers_.back()->create_database("")));
    }
  }

  // What a statement answers, and the tables after it.
  std::string outcome(const std::string& text, Dialect dialect, bool sorted) {
    StoreDatabase& database = *databases_[static_cast<std::size_t>(dialect)];
    must(database.wipe());
    run(database, tables_of(dialect));
    std::string answer = run(database, text, sorted);
    for (const char* table : {"account", "entry"}) {
      answer += "\n" + run(database, fmt::format("SELECT * FROM {} ORDER BY id", table), true);
    }
    return answer;
  }

 private:
  static std::string run(StoreDatabase& database, const std::string& text, bool sorted = true) {
    std::string answer;
    for (const Reply& reply : must(database.execute(text, kStatementTimeoutMs))) {
      if (reply.error) return "error: " + reply.error->message;
      if (reply.result->has_rows) answer += plain_rows(reply.result->rows, sorted);
    }
    return answer;
  }

  std::vector<std::shared_ptr<StoreServer>> servers_;
  std::vector<std::unique_ptr<StoreDatabase>> databases_;
};

Stores& statement_stores() {
  static Stores shared;
  return shared;
}

struct Count {
  std::size_t pairs = 0;
  std::size_t refused = 0;
};

void expect_same(const std::string& text, Dialect from, Count& count) {
  const bool sorted = text.find("ORDER BY") != std::string::npos;
  const std::string expected = statement_stores().outcome(text, from, sorted);
  EXPECT_FALSE(expected.starts_with("error")) << text << "\n" << expected;
  for (const Dialect to : kPrintedDialects) {
    const auto printed = print_statement(text, from, to);
    if (!printed) {
      ++count.refused;
      EXPECT_NE(from, to) << text << "\n" << to_string(printed.error());
      continue;
    }
    ++count.pairs;
    EXPECT_EQ(statement_stores().outcome(printed->text, to, sorted), expected) << text << "\n"
                                                                               << printed->text;
  }
}

// Statements that mean the same in all three, so that each is a source of its own.
const std::vector<std::string> kCommon = {
    "SELECT id, balance FROM account WHERE balance > 10 ORDER BY id",
    "SELECT id + 1, id * 2 - 1, -id, id % 2, -(-id), 2 - -1, - (id + 1) FROM account",
    "SELECT (id + 1) * 2, id - (1 - 2), 10 - (3 - id) FROM account",
    "SELECT id FROM account WHERE (bonus > 1 OR balance = 0) AND NOT id = 5",
    "SELECT id FROM account WHERE NOT (bonus > 1 OR balance = 0) OR id IN (1, 2)",
    "SELECT id FROM account WHERE bonus IS NULL OR note IS NOT NULL AND id <> 2",
    "SELECT id FROM account WHERE id BETWEEN 2 AND 4 AND id NOT BETWEEN 3 AND 3",
    "SELECT id, name FROM account ORDER BY lower(name) DESC, id",
    "SELECT id, bonus FROM account ORDER BY bonus, id",
    "SELECT id, bonus FROM account ORDER BY bonus DESC, id",
    "SELECT id, bonus AS b FROM account ORDER BY 2 DESC, 1",
    "SELECT id FROM account ORDER BY id LIMIT 2",
    "SELECT id FROM account ORDER BY id LIMIT 2 OFFSET 1",
    "SELECT DISTINCT account_id FROM entry",
    R"(SELECT account_id, count(*), sum(amount), min(amount), max(amount) FROM entry GROUP BY
      account_id HAVING count(*) >= 1)",
    "SELECT count(DISTINCT account_id), count(account_id) FROM entry",
    "SELECT a.id, e.amount FROM account AS a JOIN entry AS e ON e.account_id = a.id",
    R"(SELECT a.id, e.amount FROM account a LEFT JOIN entry e ON e.account_id = a.id AND
      e.amount > 0)",
    "SELECT a.id, e.amount FROM entry e RIGHT JOIN account a ON e.account_id = a.id",
    "SELECT a.id, b.id FROM account a CROSS JOIN account b WHERE a.id < b.id",
    "SELECT a.id, e.id FROM account a, entry e WHERE a.id = e.account_id",
    "SELECT id, a.name, e.amount FROM account a JOIN entry e USING (id)",
    R"(SELECT a.id FROM account a LEFT JOIN (entry e JOIN account b ON b.id = e.account_id) ON
      e.account_id = a.id)",
    "SELECT id FROM account WHERE EXISTS (SELECT 1 FROM entry WHERE account_id = account.id)",
    "SELECT id FROM account WHERE id IN (SELECT account_id FROM entry)",
    "SELECT id FROM account WHERE id NOT IN (SELECT account_id FROM entry WHERE account_id > 0)",
    "SELECT id, (SELECT max(amount) FROM entry WHERE account_id = a.id) AS most FROM account a",
    "SELECT x.n FROM (SELECT account_id, count(*) AS n FROM entry GROUP BY account_id) AS x",
    "WITH rich AS (SELECT id FROM account WHERE balance > 60) SELECT id FROM rich",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n",
    "SELECT id FROM account UNION SELECT account_id FROM entry",
    "SELECT id FROM account UNION ALL SELECT account_id FROM entry",
    "SELECT id FROM account INTERSECT SELECT account_id FROM entry",
    "SELECT id FROM account EXCEPT SELECT account_id FROM entry",
    "SELECT id FROM account UNION SELECT account_id FROM entry ORDER BY id",
    "SELECT 1 UNION SELECT 2 UNION ALL SELECT 2",
    "VALUES (1, 'a'), (2, 'b')",
    R"(SELECT CASE WHEN balance > 60 THEN 'rich' WHEN balance < 0 THEN 'debt' ELSE 'poor' END
      FROM account)",
    "SELECT CASE id WHEN 1 THEN 10 ELSE 20 END FROM account",
    "SELECT coalesce(bonus, balance, 0), nullif(balance, 0) FROM account",
    "SELECT lower(name), upper(name), abs(balance), length(name) FROM account WHERE id <> 4",
    "SELECT replace(name, 'n', 'm'), trim(note), ltrim(note), rtrim(note) FROM account",
    "SELECT substr(name, 2, 2), substr(name, 2) FROM account",
    "SELECT round(2.5), round(-1.25, 1), 7.0 / 2",
    "SELECT id FROM account WHERE note = 'a''b'",
    "SELECT 'it''s', 'line\nbreak', 'per%cent', '\"', '`'",
    "SELECT id FROM account WHERE (id, balance) = (1, 100)",
    "SELECT id FROM account WHERE (balance > 60) = (bonus > 1)",
    "SELECT balance > 60, bonus IS NULL, TRUE, FALSE, NULL FROM account",
    "SELECT id FROM account WHERE (bonus > 1) IS TRUE OR (bonus > 1) IS NOT FALSE AND id = 2",
    "SELECT id FROM account WHERE id & 1 = 1",
    R"(SELECT id, row_number() OVER (ORDER BY balance, id), sum(balance) OVER (PARTITION BY
      bonus > 1 ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM account)",
    "SELECT id, lag(id) OVER w, rank() OVER w FROM account WINDOW w AS (ORDER BY id)",
    "INSERT INTO entry (id, account_id, amount) VALUES (20, 1, 1), (21, NULL, 2)",
    "INSERT INTO entry VALUES (20, 1 + 1, 1 - 2)",
    "INSERT INTO account (id, name) SELECT id + 100, 'new' FROM account WHERE id < 3",
    "INSERT INTO entry (id, amount) VALUES (30, 4) RETURNING id, amount + 1",
    "UPDATE account SET balance = balance - 10, bonus = 1 WHERE id = 2",
    "UPDATE account SET balance = (SELECT sum(amount) FROM entry) WHERE id IN (1, 3)",
    "UPDATE account SET note = NULL",
    "DELETE FROM entry WHERE amount < 1",
    R"(DELETE FROM entry WHERE account_id IN (SELECT id FROM account WHERE balance < 60)
      RETURNING id)",
    "DELETE FROM entry",
};

const std::vector<std::string> kPostgresStatements = {
    "SELECT id FROM account WHERE name LIKE 'B%' OR note LIKE '%\\%%' OR name LIKE '__\\_d'",
    "SELECT id FROM account WHERE name NOT LIKE 'b%' AND note LIKE 'A_'",
    "SELECT id FROM account WHERE name ILIKE 'b%' OR note NOT ILIKE 'AB'",
    "SELECT id FROM account WHERE name ~ '^[a-c].*' AND name !~* 'BOB'",
    "SELECT name || '!' || note, concat(name, note, '-') FROM account",
    "SELECT id FROM account WHERE bonus IS DISTINCT FROM 7 AND note IS NOT DISTINCT FROM 'x%y'",
    "SELECT greatest(balance, bonus), least(balance, bonus, 3) FROM account",
    R"(SELECT id::text, '12'::int, balance::bigint, '1.50'::numeric(5,1), 3.7::int,
      id::varchar(3) FROM account)",
    "SELECT string_agg(name, ';' ORDER BY id) FROM account",
    "SELECT string_agg(name, ',') FROM (SELECT name FROM account WHERE id = 1) q",
    "SELECT 7 / 2, 7.0 / 2, mod(7, 4), div(7, 2), power(2, 3), 2 ^ 3",
    "SELECT id FROM account ORDER BY bonus NULLS FIRST, id",
    "SELECT id FROM account ORDER BY bonus DESC NULLS LAST, id",
    "SELECT id FROM account ORDER BY id OFFSET 2",
    "SELECT id FROM account ORDER BY id LIMIT ALL",
    "SELECT bonus FROM account UNION SELECT amount FROM entry ORDER BY bonus",
    R"((SELECT id FROM account ORDER BY id LIMIT 1) UNION ALL (SELECT id FROM entry ORDER BY id
      LIMIT 1))",
    "SELECT 1 UNION ALL (SELECT 2 UNION SELECT 2)",
    "SELECT 1 UNION ALL SELECT 1 INTERSECT SELECT 1",
    "SELECT v.a, v.b FROM (VALUES (1, 'x'), (2, 'y')) AS v(a, b)",
    "SELECT s.x FROM (SELECT id, name FROM account) AS s(x, y)",
    R"(SELECT id FROM account WHERE id = ANY (ARRAY[1, 3]) AND id <> ALL (SELECT account_id
      FROM entry WHERE account_id > 1))",
    "SELECT a.id, e.id FROM account a FULL JOIN entry e ON e.account_id = a.id",
    "SELECT count(*) FILTER (WHERE amount > 0) FROM entry",
    "SELECT id FROM account WHERE id = 1 FOR UPDATE",
    "SELECT id FROM account WHERE id = 1 FOR SHARE NOWAIT",
    "SELECT id FROM account ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED",
    "SELECT \"order\".id AS \"select\" FROM entry AS \"order\" WHERE \"order\".amount > 0",
    R"(SELECT position('n' IN name), strpos(name, 'n'), char_length(name), octet_length(name)
      FROM account)",
    "SELECT EXTRACT(year FROM date '2020-03-04'), EXTRACT(month FROM date '2020-03-04')",
    "SELECT E'back\\\\slash', 'back\\slash', E'tab\\t'",
    "SELECT trim(both 'a' from 'aaba'), trim(leading from '  x')",
    "SELECT public.account.id FROM public.account",
    "SELECT DISTINCT ON (account_id) id FROM entry ORDER BY account_id, id",
    "INSERT INTO account (id, balance) VALUES (1, 5), (9, 6) ON CONFLICT (id) DO NOTHING",
    R"(INSERT INTO account (id, balance) VALUES (1, 5), (9, 6) ON CONFLICT (id) DO UPDATE SET
      balance = account.balance + excluded.balance, bonus = excluded.balance)",
    R"(INSERT INTO account (id, balance) SELECT id, 3 FROM account ON CONFLICT (id) DO UPDATE
      SET balance = excluded.balance)",
    "INSERT INTO account (id, name, balance) VALUES (9, DEFAULT, DEFAULT)",
    "WITH x AS (SELECT 50 AS i) INSERT INTO entry (id, amount) SELECT i, 1 FROM x",
    R"(UPDATE account SET balance = e.amount FROM entry AS e WHERE e.account_id = account.id
      AND e.id > 10)",
    "UPDATE account AS a SET balance = a.balance + 1 WHERE a.id = 1",
    "UPDATE account SET balance = bonus, bonus = balance WHERE id = 1",
    "UPDATE account SET (balance, note) = (1, 'z') WHERE id = 1",
    "UPDATE account SET balance = 1 WHERE id = 1 RETURNING id, balance",
    "DELETE FROM entry USING account AS a WHERE entry.account_id = a.id AND a.balance > 60",
    "DELETE FROM entry AS e WHERE e.amount > 1",
};

const std::vector<std::string> kMysqlStatements = {
    "SELECT id FROM account WHERE name LIKE 'B%' AND note LIKE '%\\%%'",
    "SELECT id FROM account WHERE name LIKE BINARY 'B%' && id > 1 || id = 4",
    "SELECT id FROM account WHERE name REGEXP '^b' OR name NOT REGEXP 'e'",
    "SELECT id FROM account WHERE bonus <=> NULL OR NOT (note <=> 'x%y')",
    "SELECT CONCAT(name, '-', note), IFNULL(note, 'none'), IF(id > 2, 'a', 'b') FROM account",
    "SELECT GREATEST(balance, bonus), LEAST(id, 3) FROM account",
    "SELECT GROUP_CONCAT(name ORDER BY id DESC SEPARATOR '; ') FROM account",
    "SELECT GROUP_CONCAT(DISTINCT account_id) FROM entry WHERE id < 12",
    "SELECT 7 DIV 2, 7 / 2, 7 MOD 4, 7.5 / 2, balance / 2 FROM account",
    "SELECT \"double\", 'back\\\\slash', 'tab\\t', `id` FROM `account`",
    "SELECT id FROM account ORDER BY id LIMIT 1, 2",
    R"(SELECT CAST('12' AS SIGNED), CAST(id AS CHAR), CONVERT(id, CHAR), CAST(1.55 AS
      DECIMAL(4,1)) FROM account)",
    "SELECT CHAR_LENGTH(name), LENGTH(name), LOCATE('n', name), INSTR(name, 'n') FROM account",
    "SELECT id FROM account WHERE id = 1 LOCK IN SHARE MODE",
    "SELECT a.id FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 1 FOR UPDATE",
    "SELECT 1 XOR 0, !0",
    "SELECT NOW() + INTERVAL 1 DAY > NOW()",
    "INSERT IGNORE INTO account (id, balance) VALUES (1, 5), (9, 6)",
    "INSERT INTO account SET id = 9, balance = 3",
    R"(INSERT INTO account (id, balance) VALUES (1, 5), (9, 6) ON DUPLICATE KEY UPDATE balance
      = balance + VALUES(balance))",
    "REPLACE INTO account (id, balance) VALUES (1, 5), (9, 6)",
    "UPDATE account a JOIN entry e ON e.account_id = a.id SET a.balance = e.amount WHERE e.id > 10",
    "UPDATE account, entry SET account.note = 'both' WHERE entry.account_id = account.id",
    "DELETE e FROM entry e JOIN account a ON a.id = e.account_id WHERE a.balance > 60",
    "DELETE a, e FROM entry e JOIN account a ON a.id = e.account_id WHERE a.balance > 60",
    "DELETE FROM e USING entry AS e, account AS a WHERE a.id = e.account_id AND a.id = 2",
};

const std::vector<std::string> kSqliteStatements = {
    "SELECT id FROM account WHERE name LIKE 'B%' OR name LIKE 'CY!_%' ESCAPE '!'",
    "SELECT id FROM account WHERE name GLOB 'B*' OR note NOT GLOB '?b'",
    "SELECT id FROM account WHERE bonus IS NULL OR note IS 'x%y' OR bonus IS NOT 7 AND id == 3",
    "SELECT name || '-' || note, ifnull(note, 'none'), iif(id > 2, 'a', 'b') FROM account",
    "SELECT max(balance, bonus), min(id, 3) FROM account",
    "SELECT group_concat(name), group_concat(id, ';') FROM account WHERE id = 1",
    R"(SELECT 7 / 2, 7.0 / 2, CAST('12' AS INTEGER), CAST(3.7 AS INTEGER), CAST(id AS TEXT)
      FROM account)",
    "SELECT [id], \"name\", `note` FROM account",
    "SELECT id FROM account ORDER BY id LIMIT -1 OFFSET 2",
    "SELECT id FROM account ORDER BY id LIMIT 1, 2",
    "SELECT id FROM account ORDER BY bonus NULLS LAST, id",
    "SELECT id FROM account WHERE id IN (1, 2) AND instr(name, 'n') > 0",
    "INSERT OR IGNORE INTO account (id, balance) VALUES (1, 5), (9, 6)",
    "INSERT OR REPLACE INTO account (id, balance) VALUES (1, 5), (9, 6)",
    "REPLACE INTO account (id, balance) VALUES (1, 5)",
    R"(INSERT INTO account (id, balance) VALUES (1, 5) ON CONFLICT (id) DO UPDATE SET balance =
      balance + excluded.balance)",
    R"(UPDATE account SET balance = e.amount FROM entry AS e WHERE e.account_id = account.id
      AND e.id > 10)",
    "UPDATE account SET balance = bonus, bonus = balance WHERE id = 1",
    "DELETE FROM main.entry WHERE amount > 3",
};

TEST(PrintStatement, common_statements_do_the_same_in_all_stores) {
  Count count;
  for (const std::string& text : kCommon) {
    for (const Dialect from : kPrintedDialects) expect_same(text, from, count);
  }
  EXPECT_GT(count.pairs, 450U);
}

TEST(PrintStatement, statements_of_postgres_do_the_same_in_all_stores) {
  Count count;
  for (const std::string& text : kPostgresStatements) expect_same(text, Dialect::postgres, count);
  EXPECT_GT(count.pairs, 110U);
}

TEST(PrintStatement, statements_of_mysql_do_the_same_in_all_stores) {
  Count count;
  for (const std::string& text : kMysqlStatements) expect_same(text, Dialect::mysql, count);
  EXPECT_GT(count.pairs, 55U);
}

TEST(PrintStatement, statements_of_sqlite_do_the_same_in_all_stores) {
  Count count;
  for (const std::string& text : kSqliteStatements) expect_same(text, Dialect::sqlite, count);
  EXPECT_GT(count.pairs, 50U);
}

}  // namespace
}  // namespace heddle
