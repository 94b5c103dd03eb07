// What print_schema says is created on the stores themselves: each store accepts the text, has the
// tables that the schema has, and makes the same of its own text as of what was printed.
#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "heddle/schema.h"
#include "replay/replay_testing.h"
#include "store/open/open.h"
#include "store/store.h"

namespace heddle {
namespace {

constexpr std::uint32_t kTimeoutMs = 60'000;
constexpr Dialect kDialects[] = {Dialect::postgres, Dialect::mysql, Dialect::sqlite};

class SchemaStores {
 public:
  SchemaStores() {
    for (const char* address : {"postgres", "mariadb", "sqlite"}) {
      servers_.push_back(must(open_server(address)));
    }
  }

  // The catalogue after a text of definitions, or what the store has against it.
  std::string created(const std::string& text, Dialect dialect) {
    const auto index = static_cast<std::size_t>(dialect);
    const auto database = must(servers_[index]->create_database(""));
    for (const Reply& reply : must(database->execute(text, kTimeoutMs))) {
      if (reply.error) return "error: " + reply.error->message;
    }
    std::vector<std::string> tables;
    for (const CatalogueTable& table : must(database->read_catalogue())) {
      tables.push_back(text_of(table));
    }
    return join(tables, "\n");
  }

 private:
  static std::string text_of(const CatalogueTable& table) {
    std::string text = table.name + " key (" + join(table.key, ", ") + ")";
    for (const CatalogueColumn& column : table.columns) {
      text += fmt::format("\n  {} {}{}{}{}", column.name, column.type,
                          column.default_expression.empty() ? "" : " default ",
                          column.default_expression, column.computed ? " computed" : "");
      if (column.identity) text += " identity";
    }
    std::vector<std::string> keys;
    for (const ForeignKey& key : table.foreign_keys) {
      keys.push_back(fmt::format("\n  ({}) -> {} ({})", join(key.columns, ", "), key.table,
                                 join(key.referenced, ", ")));
    }
    std::sort(keys.begin(), keys.end());
    return text + join(keys, "");
  }

  std::vector<std::shared_ptr<StoreServer>> servers_;
};

SchemaStores& stores() {
  static SchemaStores shared;
  return shared;
}

void expect_accepted(const std::string& text, Dialect from) {
  const SchemaReading reading = parse_schema(text, from);
  for (const Diagnostic& error : reading.errors) ADD_FAILURE() << to_string(error) << "\n" << text;
  const std::string original = stores().created(text, from);
  EXPECT_FALSE(original.starts_with("error")) << text << "\n" << original;
  for (const Dialect to : kDialects) {
    const SchemaPrinting printing = print_schema(reading.schema, to);
    const std::string created = stores().created(printing.text, to);
    EXPECT_FALSE(created.starts_with("error")) << created << "\n" << printing.text;
    if (from == to) {
      EXPECT_EQ(created, original) << printing.text;
    }
  }
}

const std::vector<std::string> kPostgres = {
    // A warehouse.
    R"(CREATE TABLE warehouse (w_id int NOT NULL, w_ytd decimal(12,2) NOT NULL DEFAULT 0,
         w_tax numeric(4,4), w_name varchar(10), w_zip char(9) DEFAULT '00000', PRIMARY KEY (w_id));
       CREATE TABLE district (d_w_id int NOT NULL REFERENCES warehouse ON DELETE CASCADE,
         d_id int NOT NULL, d_next_o_id int DEFAULT 1, PRIMARY KEY (d_w_id, d_id));
       CREATE TABLE customer (c_w_id int NOT NULL, c_d_id int NOT NULL, c_id int NOT NULL,
         c_since timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP, c_data varchar(500),
         c_credit char(2) CHECK (c_credit IN ('GC', 'BC')), PRIMARY KEY (c_w_id, c_d_id, c_id),
         FOREIGN KEY (c_w_id, c_d_id) REFERENCES district (d_w_id, d_id) ON UPDATE CASCADE);
       CREATE UNIQUE INDEX by_data ON customer (c_w_id, c_data);)",
    // Cyclic keys, keys that are checked late, generated numbers.
    R"(CREATE TABLE a (id serial PRIMARY KEY, b bigint);
       CREATE TABLE b (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
         a int NOT NULL REFERENCES a ON DELETE SET NULL, UNIQUE NULLS NOT DISTINCT (a));
       ALTER TABLE a ADD CONSTRAINT to_b FOREIGN KEY (b) REFERENCES b DEFERRABLE INITIALLY DEFERRED;
       CREATE TABLE c (id smallserial CHECK (id > 0), parent smallint, n int,
         UNIQUE (id) , FOREIGN KEY (parent) REFERENCES c (id) ON DELETE SET DEFAULT,
         UNIQUE (n) DEFERRABLE, CHECK (n <> id));)",
    // Types with a name, and sequences.
    R"(CREATE SCHEMA shop;
       CREATE TYPE shop.mood AS ENUM ('sad', 'it''s', 'back\slash');
       CREATE DOMAIN amount AS numeric(10,2) DEFAULT 1 NOT NULL CHECK (VALUE > 0 AND VALUE < 1000);
       CREATE DOMAIN code AS varchar(8) CHECK (char_length(VALUE) > 2);
       CREATE SEQUENCE shop.numbers;
       CREATE TABLE shop."Order" (id bigint DEFAULT nextval('shop.numbers') PRIMARY KEY,
         m shop.mood DEFAULT 'sad', price amount, "select" code UNIQUE, c2 amount DEFAULT 5);)",
    // Every type, and defaults.
    R"(CREATE TABLE types (a text PRIMARY KEY, b text DEFAULT 'x'::character varying,
         c timestamptz DEFAULT now(), c3 timestamp(3) with time zone DEFAULT now(),
         d int DEFAULT 1 + 2, e text DEFAULT 'a' || 'b', f numeric DEFAULT -1.5,
         g int[] DEFAULT '{}', h interval, i jsonb DEFAULT '{}', j uuid DEFAULT gen_random_uuid(),
         k time with time zone, l bytea UNIQUE, m bit varying(3), n boolean DEFAULT true,
         o real, p double precision, q date DEFAULT CURRENT_DATE, r time(2), s char,
         t varchar, u smallint DEFAULT '7', v xml, w numeric(80,40), x varchar(30000),
         y char(400), z bit(3) DEFAULT B'101',
         CHECK (length(b) > 2 AND a LIKE 'x%'), CHECK (char_length(b) > 2 AND a <> '\'),
         CHECK (a = lower(b)), CHECK (n OR NOT n IS NULL), CHECK (d BETWEEN 1 AND 9 OR d = 11),
         CHECK (coalesce(d, u) > 0 AND (CASE WHEN n THEN 1 ELSE 2 END) = 1));)",
    // What is computed, and keys of many kinds.
    R"(CREATE TABLE s (a int, g int GENERATED ALWAYS AS (a * 2) STORED, u text,
         up text GENERATED ALWAYS AS (upper(u)) STORED, UNIQUE (g), PRIMARY KEY (a, u));
       CREATE TABLE r (x bigint, y varchar(20), z int, FOREIGN KEY (x, y) REFERENCES s (a, u),
         FOREIGN KEY (z) REFERENCES s (g) ON UPDATE RESTRICT ON DELETE RESTRICT);)",
};

const std::vector<std::string> kMysql = {
    R"(CREATE TABLE `Order` (`Id` int(10) unsigned NOT NULL AUTO_INCREMENT,
         `flag` tinyint(1) NOT NULL DEFAULT '0', `state` enum('new','it''s') NOT NULL DEFAULT 'new',
         ts timestamp NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
         d datetime(3) DEFAULT CURRENT_TIMESTAMP(3), `Price` decimal(8,2) CHECK (`Price` > 0),
         b bit(1) DEFAULT b'0', big bigint unsigned, PRIMARY KEY (`Id`),
         UNIQUE KEY uk (flag, `state`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;)",
    R"(CREATE TABLE p (id int, k int, KEY (k), PRIMARY KEY (id));
       CREATE TABLE c (a int, b int,
         CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id) ON UPDATE CASCADE,
         FOREIGN KEY (b) REFERENCES p (k) ON DELETE SET NULL);
       CREATE TABLE s (id SERIAL, p bigint unsigned, FOREIGN KEY (p) REFERENCES s (id));)",
    R"(CREATE TABLE types (a tinyint unsigned, b mediumint, c year DEFAULT 2000, d float(7,3),
         e double(9,2), f char(3) CHARACTER SET latin1 DEFAULT 'x', g tinytext, h mediumblob,
         i varbinary(20) DEFAULT 'ab', j set('a','b') DEFAULT 'a', k json DEFAULT '{}', l time(3),
         m date DEFAULT '2020-01-01', n bit(7), o varchar(0), p char(0), q decimal(65,30),
         r datetime DEFAULT '2020-01-01 10:00:00', s real, t inet6, u uuid DEFAULT uuid(),
         v varchar(20) DEFAULT (concat('a', 'b')), w double DEFAULT rand(), x text DEFAULT (uuid()),
         y date DEFAULT (curdate()), z int DEFAULT (length('abc')), z2 int DEFAULT (1 + 2),
         PRIMARY KEY (i, m), CHECK (ifnull(b, 0) > 0), CHECK (b % 2 = 0 OR b > 5),
         CHECK (f LIKE 'x%' AND f <> 'back\\slash'), CHECK (json_valid(g)),
         CHECK (char_length(f) < 4 AND lower(f) = f));)",
    R"(CREATE TABLE g (a int NOT NULL, b int GENERATED ALWAYS AS (a + 1) STORED,
         c int AS (a * 2) VIRTUAL, d varchar(9) AS (concat(a, 'x')) STORED, PRIMARY KEY (a));
       CREATE TABLE t1 (a varchar(300) PRIMARY KEY, b varchar(20), c char(5), UNIQUE (b, c));
       CREATE TABLE t2 (b varchar(30), c char(5), FOREIGN KEY (b, c) REFERENCES t1 (b, c));)",
};

const std::vector<std::string> kSqlite = {
    R"(CREATE TABLE t (id INTEGER PRIMARY KEY, v, k TEXT UNIQUE, b BOOLEAN DEFAULT 1,
         d DATETIME DEFAULT CURRENT_TIMESTAMP, x VARCHAR(3) DEFAULT 'hey', CHECK (length(x) > 1));
       CREATE TABLE w (id INTEGER PRIMARY KEY,
         r REFERENCES t ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED) WITHOUT ROWID;)",
    R"(CREATE TABLE [my order] (id INT PRIMARY KEY, "a b" DECIMAL(10,2) DEFAULT 1.5, c TEXT NOT NULL,
         n INTEGER DEFAULT (1 + 2), e TEXT DEFAULT (datetime('now')), f REAL DEFAULT (abs(-1)),
         g INT AS (n + 1) STORED, h AS (n * 2), i BLOB DEFAULT x'00', j DEFAULT -3,
         UNIQUE (c, n), CHECK (c GLOB 'a*'), CHECK (ifnull(n, 0) > 0), CHECK (typeof(n) = 'integer'),
         CHECK ("a b" > 0 AND n % 2 = 1));
       CREATE TABLE later (a INT, b TEXT REFERENCES k (t), c INT);
       CREATE TABLE k (t TEXT PRIMARY KEY, l INT REFERENCES later (c));)",
    R"(CREATE TABLE a (x INTEGER PRIMARY KEY AUTOINCREMENT, y NUMERIC, z CLOB, w NVARCHAR(20) UNIQUE,
         d DATE, t TIME, j JSON, u UUID, p TIMESTAMP, f FLOAT, l BIGINT UNIQUE);
       CREATE TABLE b (x INT REFERENCES a, w TEXT REFERENCES a (w) ON UPDATE SET NULL,
         l ANY REFERENCES a (l), y TEXT REFERENCES a (x), PRIMARY KEY (x, w)) STRICT, WITHOUT ROWID;)",
};

TEST(PrintSchema, schemas_of_postgres_are_accepted_by_all_stores) {
  for (const std::string& text : kPostgres) expect_accepted(text, Dialect::postgres);
}

TEST(PrintSchema, schemas_of_mysql_are_accepted_by_all_stores) {
  for (const std::string& text : kMysql) expect_accepted(text, Dialect::mysql);
}

TEST(PrintSchema, schemas_of_sqlite_are_accepted_by_all_stores) {
  for (const std::string& text : kSqlite) expect_accepted(text, Dialect::sqlite);
}

}  // namespace
}  // namespace heddle
