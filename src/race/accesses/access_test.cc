#include "race/accesses/access.h"

#include <string>

#include <gtest/gtest.h>

#include "base/text.h"
#include "race/flows/race_testing.h"

namespace heddle::race {
namespace {

std::string rows_text(const std::vector<KnownRow>& rows) {
  std::string text;
  for (const KnownRow& row : rows) text += "(" + row_text(row) + ")";
  return text;
}

// One line per table: what is done, the columns, the rows.
std::string shown(const std::string& statement, const std::string& tables =
                                                    "table db seats(id, train, owner, price) "
                                                    "key(id)\n"
                                                    "table db trains(id, name) key(id)\n") {
  const Trace trace = trace_of(tables + "GET shop/x\n  db: " + statement + "\n");
  const StoreTables all(trace.catalogues.empty() ? nullptr : &trace.catalogues.front());
  const TraceStatement& unit = trace.statements.front();
  std::string text;
  for (const Access& each : read_accesses(unit, parse_text(unit.text), all)) {
    text += shown_table(each.table);
    if (each.reads) text += " reads " + join(each.columns_read, ",") + rows_text(each.there);
    if (each.inserts) text += " inserts " + rows_text(each.new_rows);
    if (each.updates) text += " updates " + join(each.columns_written, ",");
    if (each.deletes) text += " deletes";
    if (each.locking != LockingClause::none) text += " locks";
    if (!each.seen.empty()) text += " saw " + rows_text(each.seen);
    text += "\n";
  }
  return text;
}

TEST(Access, HasRowsAndColumns) {
  EXPECT_EQ(shown("SELECT owner FROM seats WHERE id = $1 FOR UPDATE [7]"),
            "seats reads id,owner(id=7) locks\n");
  EXPECT_EQ(shown("SELECT id, owner FROM seats WHERE train = 1 -> seats.id=7,seats.owner=ann"),
            "seats reads id,owner,train(train=1) saw (id=7, owner=ann)\n");
  EXPECT_EQ(shown("DELETE FROM seats WHERE id IN (1, 2)"), "seats reads id(id=1)(id=2) deletes\n");
  EXPECT_EQ(shown("INSERT INTO seats (train, owner) VALUES ($1, 'x'), (2, null) [1]"),
            "seats inserts (owner=x, train=1)(owner=null, train=2)\n");
}

TEST(Access, OfAnUpdateIncludesWhatItsConditionAndExpressionsRead) {
  EXPECT_EQ(shown("UPDATE seats SET price = price + train WHERE id = 7 AND owner = 'ann'"),
            "seats reads id,owner,price,train(id=7, owner=ann) updates price\n");
}

TEST(Access, KnowsRowsThatTheStoreHasMade) {
  EXPECT_EQ(shown("INSERT INTO seats (train) VALUES (1) RETURNING id -> seats.id=7"),
            "seats inserts (id=7, train=1)\n");
  EXPECT_EQ(shown("INSERT INTO seats SELECT id, 5 FROM trains WHERE id = 3"),
            "seats inserts (id=3, train=5)\ntrains reads id(id=3)\n");
  EXPECT_EQ(shown("WITH made AS (INSERT INTO trains (name) VALUES ('x') RETURNING name) "
                  "INSERT INTO seats (owner, price) SELECT name, 4 FROM made"),
            "seats inserts (owner=x, price=4)\ntrains inserts (name=x)\n");
}

TEST(Access, OfAnUpsertLooksAtTheRowInItsWay) {
  EXPECT_EQ(shown("INSERT INTO seats (id, owner) VALUES (7, 'ann') ON CONFLICT (id) DO UPDATE SET "
                  "owner = excluded.owner"),
            "seats reads id(id=7) inserts (id=7, owner=ann) updates id,owner\n");
  EXPECT_EQ(shown("INSERT INTO seats (id, owner) VALUES (7, 'ann') ON CONFLICT DO NOTHING"),
            "seats reads *(id=7) inserts (id=7, owner=ann)\n");
}

TEST(Access, FindsTheTableOfEachColumn) {
  EXPECT_EQ(
      shown("SELECT s.owner FROM seats s JOIN trains t ON t.id = s.train "
            "WHERE name = 'x' AND price = 3 AND s.id = 1 AND t.id = 2"),
      "seats reads id,owner,price,train(id=1, price=3)\ntrains reads id,name(id=2, name=x)\n");
  // What is missing beside a row of an outer join shows, too, whatever WHERE says.
  EXPECT_EQ(shown("SELECT 1 FROM seats s LEFT JOIN trains t ON t.id = s.train WHERE t.name = 'x'"),
            "seats reads train()\ntrains reads id,name()\n");
  EXPECT_EQ(shown("UPDATE seats SET owner = 'x' WHERE train = 1 AND id = (SELECT id FROM seats "
                  "WHERE train = 1 AND owner IS NULL LIMIT 1 FOR UPDATE SKIP LOCKED)"),
            "seats reads id,owner,train(train=1) updates owner locks\n");
}

TEST(Access, IsAnythingWhereNobodyCanTell) {
  EXPECT_EQ(shown("SELECT pay_out(7)"), "* reads *() inserts () updates * deletes\n");
  EXPECT_EQ(shown("CALL pay_out(7)"), "* reads *() inserts () updates * deletes\n");
  EXPECT_EQ(shown("SELECT owner FROM WHERE"), "* reads *() inserts () updates * deletes\n");
  EXPECT_EQ(shown("TRUNCATE seats"), "seats reads () inserts () updates * deletes\n");
}

TEST(Access, GoesThroughViews) {
  const std::string tables =
      "table db seats(id, train, owner) key(id)\n"
      "table db trains(id, name) key(id)\n"
      "view db free(number, train) SELECT seats.id AS number, seats.train FROM seats WHERE "
      "seats.owner IS NULL\n"
      "view db full_trains(name, n) SELECT trains.name, count(*) AS n FROM trains JOIN seats ON "
      "seats.train = trains.id GROUP BY trains.name\n";
  EXPECT_EQ(shown("SELECT train FROM free WHERE number = 7", tables),
            "seats reads id,owner,train(id=7)\n");
  EXPECT_EQ(shown("UPDATE free SET train = 2 WHERE number = 7", tables),
            "seats reads id,owner(id=7) updates train\n");
  EXPECT_EQ(shown("SELECT n FROM full_trains WHERE name = 'x'", tables),
            "seats reads id,train()\ntrains reads id,name()\n");
}

TEST(Access, IsWhatACalledFunctionDoes) {
  const std::string tables =
      "table db seats(id, train, owner) key(id)\n"
      "function db free_seat v sql UPDATE seats SET owner = null WHERE id = $1\n"
      "function db code i plpgsql\n"
      "function db known s plpgsql\n";
  EXPECT_EQ(shown("SELECT free_seat(7)", tables), "seats reads id() updates owner\n");
  EXPECT_EQ(shown("SELECT code(owner) FROM seats WHERE id = 7", tables),
            "seats reads id,owner(id=7)\n");
  EXPECT_EQ(shown("SELECT known(7)", tables), "* reads *()\n");
}

TEST(Access, IsNoneOfWhatOnlyDelimits) {
  for (const char* text : {"BEGIN", "COMMIT", "SET search_path = public", "SELECT 1",
                           "SELECT relname FROM pg_class", "SHOW server_version"}) {
    EXPECT_EQ(shown(text), "") << text;
  }
}

TEST(Access, ManagesWithoutACatalogue) {
  EXPECT_EQ(shown("SELECT id, owner AS o FROM seats WHERE train = 1", ""),
            "seats reads id,owner,train(train=1)\n");
}

TEST(Identity, IsToldByKeysNamesAndTheTeam) {
  const TraceTable table{.number = 1,
                         .name = "public.t",
                         .columns = {},
                         .keys = {{"email"}},
                         .foreign_keys = {{.columns = {"train"}}}};
  for (const char* name : {"id", "Id", "uid", "guid", "key", "serial", "order_id", "email"}) {
    EXPECT_TRUE(is_identity(&table, name, {})) << name;
  }
  EXPECT_TRUE(is_identity(&table, "train", {}));
  EXPECT_FALSE(is_identity(&table, "order_no", {}));
  EXPECT_TRUE(is_identity(&table, "order_no", {"*_no"}));
  EXPECT_FALSE(is_identity(nullptr, "email", {}));
}

}  // namespace
}  // namespace heddle::race
