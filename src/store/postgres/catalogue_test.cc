#include "store/postgres/catalogue.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/must_testing.h"
#include "base/text.h"
#include "store/postgres/ask_testing.h"
#include "store/postgres/throwaway.h"

namespace heddle {
namespace {

constexpr const char* kSchema = R"(
CREATE TABLE orders (id int PRIMARY KEY, a int, b int, UNIQUE (b, a));
CREATE TABLE items (id int PRIMARY KEY, b int, a int, note text, order_id int
    REFERENCES orders ON DELETE CASCADE ON UPDATE SET NULL,
  FOREIGN KEY (b, a) REFERENCES orders (b, a) ON DELETE SET DEFAULT ON UPDATE RESTRICT);
CREATE VIEW open_orders AS SELECT id FROM orders;
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER first BEFORE INSERT OR UPDATE OF note, a ON items FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TRIGGER off AFTER DELETE ON items EXECUTE FUNCTION touch();
ALTER TABLE items DISABLE TRIGGER off;
CREATE TRIGGER gone AFTER TRUNCATE OR DELETE ON items EXECUTE FUNCTION touch();
CREATE RULE copy AS ON UPDATE TO orders DO ALSO DELETE FROM items;
)";

const TraceTable& table_of(const TraceCatalogue& catalogue, const std::string& name) {
  for (const TraceTable& each : catalogue.tables) {
    if (each.name == "public." + name) return each;
  }
  throw std::runtime_error("no table " + name);
}

std::string shown_triggers(const TraceTable& table) {
  std::string text;
  for (const TraceTrigger& each : table.triggers) {
    text += each.name + (each.on_insert ? " i" : "") + (each.on_update ? " u" : "") +
            (each.on_delete ? " d" : "") + (each.on_truncate ? " t" : "") + " (" +
            join(each.columns, ",") + ") " + each.function + "\n";
  }
  return text;
}

TEST(PostgresCatalogue, HasWhatTheStoreDoesOnItsOwn) {
  const auto server = must(ThrowawayPostgres::start({}));
  ask(server->conninfo(), kSchema);
  const TraceCatalogue catalogue = must(read_postgres_catalogue(server->conninfo()));
  const TraceTable& items = table_of(catalogue, "items");
  const TraceTable& orders = table_of(catalogue, "orders");
  EXPECT_EQ(items.foreign_keys,
            (std::vector<TraceForeignKey>{{.columns = {"b", "a"},
                                           .referenced_table = orders.number,
                                           .referenced_columns = {"b", "a"},
                                           .on_delete = ReferentialAction::set_default,
                                           .on_update = ReferentialAction::restrict},
                                          {.columns = {"order_id"},
                                           .referenced_table = orders.number,
                                           .referenced_columns = {"id"},
                                           .on_delete = ReferentialAction::cascade,
                                           .on_update = ReferentialAction::set_null}}));
  EXPECT_EQ(shown_triggers(items), "first i u (a,note) public.touch\ngone d t () public.touch\n");
  EXPECT_EQ(shown_triggers(orders), "copy u () \n");
  EXPECT_EQ(shown_triggers(table_of(catalogue, "open_orders")), "");
  ASSERT_EQ(catalogue.functions.size(), 1U);
  EXPECT_EQ(catalogue.functions[0].body, "BEGIN RETURN NEW; END");
}

}  // namespace
}  // namespace heddle
