#include "race/accesses/effects.h"

#include <string>

#include <gtest/gtest.h>

#include "base/text.h"
#include "race/flows/race_testing.h"

namespace heddle::race {
namespace {

std::string rows_in_words(const std::vector<KnownRow>& rows) {
  std::string text;
  for (const KnownRow& row : rows) text += "(" + row_text(row) + ")";
  return text;
}

// What a statement does by something else than its text, one access a line.
std::string effects_of(const std::string& tables, const std::string& statement) {
  const Trace trace = trace_of(tables + "GET shop/x\n  db: " + statement + "\n");
  const StoreTables all(&trace.catalogues.front());
  const TraceStatement& unit = trace.statements.front();
  std::string text;
  for (const Access& each : read_accesses(unit, parse_text(unit.text), all)) {
    if (each.through.empty()) continue;
    text += each.through + ": " + shown_table(each.table);
    if (each.reads) text += " reads" + rows_in_words(each.there);
    if (each.inserts) text += " inserts" + rows_in_words(each.new_rows);
    if (each.updates) text += " updates " + join(each.columns_written, ",");
    if (each.deletes) text += " deletes";
    text += "\n";
  }
  return text;
}

constexpr const char* kOrders =
    "table db orders(id, code, total, note) key(id) key(code)\n"
    "table db items(id, order_id, amount) key(id) refers(order_id) to(orders.id) delete(cascade) "
    "update(cascade)\n"
    "table db notes(id, item_id) key(id) refers(item_id) to(items.id) delete(cascade)\n"
    "table db labels(code, text) refers(code) to(orders.code) delete(set null)\n"
    "table db kept(order_id) refers(order_id) to(orders.id)\n";

TEST(Cascades, GoWithTheRowsThatTheyReferTo) {
  EXPECT_EQ(effects_of(kOrders, "DELETE FROM orders WHERE id = 7"),
            "ON DELETE CASCADE of items(order_id): items reads(order_id=7) deletes\n"
            "ON DELETE CASCADE of notes(item_id): notes reads() deletes\n"
            "ON DELETE SET NULL of labels(code): labels reads() updates code\n");
  EXPECT_EQ(effects_of(kOrders,
                       "DELETE FROM orders WHERE code = 'x' RETURNING id, code -> "
                       "orders.id=8,orders.code=x"),
            "ON DELETE CASCADE of items(order_id): items reads(order_id=8) deletes\n"
            "ON DELETE CASCADE of notes(item_id): notes reads() deletes\n"
            "ON DELETE SET NULL of labels(code): labels reads(code=x) updates code\n");
}

TEST(Cascades, FollowAKeyThatChanges) {
  EXPECT_EQ(effects_of(kOrders, "UPDATE orders SET id = 9 WHERE id = 7"),
            "ON UPDATE CASCADE of items(order_id): items reads(order_id=7) updates order_id\n");
  EXPECT_EQ(effects_of(kOrders, "UPDATE orders SET total = 9 WHERE id = 7"), "");
  EXPECT_EQ(effects_of(kOrders, "INSERT INTO orders (id) VALUES (1)"), "");
}

TEST(Cascades, OfTruncateLeaveNothing) {
  const std::string text = effects_of(kOrders, "TRUNCATE orders CASCADE");
  EXPECT_NE(text.find("kept reads() deletes"), text.npos) << text;
  EXPECT_NE(text.find("notes reads() deletes"), text.npos) << text;
}

TEST(Cascades, EndInACircle) {
  EXPECT_EQ(effects_of("table db nodes(id, parent) key(id) refers(parent) to(nodes.id)\n",
                       "DELETE FROM nodes WHERE id = 1"),
            "");
  EXPECT_NE(effects_of("table db a(id, b) key(id)\n"
                       "table db b(id, a) key(id) refers(a) to(a.id) delete(cascade)\n",
                       "DELETE FROM a WHERE id = 1")
                .find("b reads(a=1) deletes"),
            std::string::npos);
}

constexpr const char* kTotals =
    "table db orders(id, total, version) key(id)\n"
    "table db items(id, order_id, amount) key(id)\n"
    "table db log(id, text)\n"
    "function db add_item v plpgsql BEGIN UPDATE orders SET total = total + NEW.amount WHERE id = "
    "NEW.order_id; RETURN NEW; END\n"
    "function db drop_item v plpgsql BEGIN UPDATE orders SET total = total - OLD.amount WHERE id = "
    "OLD.order_id; RETURN OLD; END\n"
    "function db touch v plpgsql BEGIN NEW.version := OLD.version + 1; RETURN NEW; END\n"
    "function db note_it v plpgsql BEGIN INSERT INTO log (text) VALUES (TG_OP); RETURN NULL; END\n"
    "trigger db items insert add_item\n"
    "trigger db items delete drop_item\n"
    "trigger db orders update touch\n"
    "trigger db orders insert,update note_it\n";

TEST(Triggers, KnowTheRowForWhichTheyFire) {
  EXPECT_EQ(effects_of(kTotals, "INSERT INTO items (order_id, amount) VALUES ($1, 5) [7]"),
            "trigger add_item: orders reads(id=7) updates total,version\n"
            "trigger note_it: log inserts()\n");
  EXPECT_EQ(effects_of(kTotals, "DELETE FROM items WHERE id = 3"),
            "trigger drop_item: orders reads() updates total,version\n"
            "trigger note_it: log inserts()\n");
  EXPECT_EQ(effects_of(kTotals, "DELETE FROM items WHERE order_id = 3 AND id = 1"),
            "trigger drop_item: orders reads(id=3) updates total,version\n"
            "trigger note_it: log inserts()\n");
}

TEST(Triggers, FireForTheirEventsOnly) {
  EXPECT_EQ(effects_of(kTotals, "UPDATE items SET amount = 1 WHERE id = 3"), "");
  EXPECT_EQ(effects_of(kTotals, "SELECT * FROM items WHERE id = 3"), "");
  EXPECT_EQ(effects_of(kTotals, "UPDATE orders SET total = 0 WHERE id = 3"),
            "trigger note_it: log inserts()\n");
}

TEST(Triggers, ChangeColumnsOfTheRowThatIsWritten) {
  const Trace trace = trace_of(std::string(kTotals) +
                               "GET shop/x\n  db: UPDATE orders SET total = 0 WHERE id = 3\n");
  const StoreTables all(&trace.catalogues.front());
  const TraceStatement& unit = trace.statements.front();
  const std::vector<Access> accesses = read_accesses(unit, parse_text(unit.text), all);
  EXPECT_EQ(join(accesses.front().columns_written, ","), "total,version");
  EXPECT_EQ(join(accesses.front().columns_read, ","), "id,version");
}

TEST(Triggers, MayDoAnythingWhereTheirTextIsNotKnown) {
  const std::string tables = "table db a(id) key(id)\nfunction db code v c\n";
  EXPECT_EQ(effects_of(tables + "trigger db a insert code\n", "INSERT INTO a VALUES (1)"),
            "trigger code: * reads() inserts() updates * deletes\n");
  EXPECT_EQ(effects_of(tables + "trigger db a insert gone\n", "INSERT INTO a VALUES (1)"),
            "trigger gone: * reads() inserts() updates * deletes\n");
  EXPECT_EQ(effects_of(tables + "trigger db a insert moddatetime\n", "INSERT INTO a VALUES (1)"),
            "");
}

TEST(Triggers, OfViewsFire) {
  EXPECT_EQ(effects_of("table db a(id, n) key(id)\ntable db other(n)\n"
                       "view db shown(id, n) SELECT a.id, a.n FROM a\n"
                       "function db instead v plpgsql BEGIN INSERT INTO other (n) VALUES (NEW.n); "
                       "RETURN NEW; END\n"
                       "trigger db shown insert instead\n",
                       "INSERT INTO shown (id, n) VALUES (1, 5)"),
            "trigger instead: other inserts(n=5)\n");
}

TEST(Triggers, FireForEachColumnThatAnotherChanges) {
  // The first update within the trigger changes n, the second one m, to which rows of c refer.
  const std::string text = effects_of(
      "table db a(id) key(id)\ntable db b(id, n, m) key(id)\ntable db c(b, m) refers(b) to(b.m) "
      "update(cascade)\n"
      "function db first v plpgsql BEGIN UPDATE b SET n = 1; UPDATE b SET m = 2; RETURN NEW; END\n"
      "trigger db a insert first\n",
      "INSERT INTO a VALUES (1)");
  EXPECT_NE(text.find("ON UPDATE CASCADE of c(b)"), text.npos) << text;
}

TEST(Triggers, EndWhereTheyFireThemselves) {
  EXPECT_EQ(effects_of("table db a(id, n) key(id)\n"
                       "function db again v plpgsql BEGIN UPDATE a SET n = 1 WHERE id = NEW.n; "
                       "RETURN NEW; END\n"
                       "trigger db a update again\n",
                       "UPDATE a SET n = 2 WHERE id = 1"),
            "trigger again: a reads(id=2) updates n\ntrigger again: a reads() updates n\n");
}

TEST(EffectFunctions, InPlpgsqlAreFollowed) {
  const std::string tables =
      "table db seats(id, owner) key(id)\n"
      "function db inner_one v plpgsql BEGIN DELETE FROM seats; PERFORM outer_one(); END\n"
      "function db outer_one v plpgsql BEGIN PERFORM inner_one(); UPDATE seats SET owner = 1; END\n"
      "function db made v plpgsql BEGIN EXECUTE 'x'; END\n";
  EXPECT_EQ(effects_of(tables, "SELECT outer_one()"),
            "function inner_one: seats reads() deletes\n"
            "function outer_one: seats reads() updates owner\n");
  EXPECT_EQ(effects_of(tables, "CALL public.outer_one()"),
            "function inner_one: seats reads() deletes\n"
            "function outer_one: seats reads() updates owner\n");
  EXPECT_EQ(effects_of(tables, "SELECT made()"), "");  // anything, which is no function's text
}

}  // namespace
}  // namespace heddle::race
