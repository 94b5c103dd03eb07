#include "replay/generated.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "compare/outcome.h"
#include "replay/feeding.h"

namespace heddle {
namespace {

CatalogueColumn column(const std::string& name, const std::string& type = "integer",
                       const std::string& default_expression = "") {
  return {name, type, default_expression, false, false};
}

CatalogueColumn serial(const std::string& table) {
  return column("id", "integer", "nextval('" + table + "_id_seq'::regclass)");
}

CatalogueTable table(const std::string& name, std::vector<CatalogueColumn> columns,
                     std::vector<ForeignKey> foreign_keys = {}) {
  CatalogueTable result;
  result.name = name;
  result.quoted = name;
  result.columns = std::move(columns);
  result.foreign_keys = std::move(foreign_keys);
  return result;
}

// orders(id serial, customer, at timestamp default now()), item(order_id -> orders, what).
std::vector<CatalogueTable> shop() {
  return {table("item", {column("order_id"), column("what", "text")},
                {{{"order_id"}, "orders", {"id"}}}),
          table("orders", {serial("orders"), column("customer", "text"),
                           column("at", "timestamp", "CURRENT_TIMESTAMP")})};
}

// "customer='ann'": a column and its expression; the words in the expression are what it mentions.
WrittenValue written(const std::string& table, const std::string& assignment,
                     std::size_t position) {
  WrittenValue value;
  value.table = table;
  value.position = position;
  const std::size_t equals = assignment.find('=');
  value.column = assignment.substr(0, equals);
  value.expression = assignment.substr(equals + 1);
  const FeedingParts parts = feeding_parts(value.expression);
  value.columns_read.assign(parts.columns.begin(), parts.columns.end());
  value.generated = parts.mentions_generator;
  return value;
}

Statement insert(const std::string& table, const std::vector<std::string>& assignments) {
  Statement statement;
  statement.kind = StatementKind::insert;
  statement.text = "INSERT INTO " + table + " " + join(assignments, ",");
  TableUse use;
  use.table = table;
  use.written = true;
  for (const std::string& assignment : assignments) {
    statement.values.push_back(written(table, assignment, statement.values.size()));
    const bool is_named = assignment.front() != '=';
    use.columns_written.push_back(is_named ? statement.values.back().column : "*");
  }
  statement.tables = {use};
  return statement;
}

Statement update(const std::string& table, const std::vector<std::string>& assignments) {
  Statement statement = insert(table, assignments);
  statement.kind = StatementKind::update;
  statement.text = "UPDATE " + table + " SET " + join(assignments, ",");
  statement.tables[0].read = true;
  return statement;
}

void read_from(Statement& statement, const std::string& table) {
  TableUse use;
  use.table = table;
  use.read = true;
  statement.tables.push_back(use);
}

// "total=max(id)": an output column and its expression.
OutputColumn output(const std::string& text) {
  const WrittenValue value = written("", text, 0);
  OutputColumn result;
  result.name = value.column;
  result.expression = value.expression;
  result.columns_read = value.columns_read;
  result.generated = value.generated;
  result.is_count = value.expression.starts_with("count(");
  return result;
}

Statement select(const std::string& table, const std::vector<std::string>& outputs) {
  Statement statement;
  statement.kind = StatementKind::select;
  statement.text = "SELECT " + join(outputs, ", ") + " FROM " + table;
  read_from(statement, table);
  for (const std::string& text : outputs) statement.output.push_back(output(text));
  return statement;
}

Statement returning(Statement statement, const std::string& text) {
  statement.output.push_back(output(text));
  return statement;
}

// One session whose steps hold these statements, each step one query.
Scenario make_scenario(const std::vector<std::vector<Statement>>& steps) {
  Scenario scenario;
  scenario.sessions.resize(1);
  for (const std::vector<Statement>& statements : steps) {
    Step& step = scenario.steps.emplace_back();
    step.name = "step" + std::to_string(scenario.steps.size());
    for (const Statement& statement : statements) {
      Instruction& instruction = step.instructions.emplace_back();
      instruction.text = statement.text;
    }
    scenario.sessions[0].steps.emplace_back(scenario.steps.size() - 1);
  }
  return scenario;
}

// "item.order_id:orders.id": generated columns and their domains, sorted.
std::string print_columns(const GeneratedColumns& generated) {
  std::vector<std::string> words;
  for (const auto& [name, columns] : generated.columns_of) {
    for (const std::string& each : columns) {
      const auto domain = domain_of(generated, name, each);
      if (domain) words.push_back(name + "." + each + ":" + *domain);
    }
  }
  return join(words, " ");
}

std::string find(const std::vector<CatalogueTable>& catalogue,
                 const std::vector<Statement>& statements) {
  const std::vector<std::vector<Statement>> steps = {statements};
  return print_columns(find_generated_columns(catalogue, make_scenario(steps), steps));
}

TEST(GeneratedColumns, follow_defaults_and_references) {
  EXPECT_EQ(find(shop(), {insert("orders", {"customer='ann'"})}),
            "item.order_id:item.order_id orders.id:item.order_id orders.at:clock");
}

TEST(GeneratedColumns, include_identity_and_uuid_columns) {
  CatalogueTable account =
      table("account", {column("id"), column("token", "uuid", "gen_random_uuid()")});
  account.columns[0].identity = true;
  EXPECT_EQ(find({account}, {}), "account.id:account.id account.token:account.token");
}

TEST(GeneratedColumns, ignore_literal_defaults) {
  EXPECT_EQ(find({table("t", {column("a", "text", "'now()'::text"), column("b", "integer", "7"),
                              column("c", "boolean", "(random() < 0.5)")})},
                 {}),
            "");
}

TEST(GeneratedColumns, never_include_keys_the_program_computes) {
  const std::vector<CatalogueTable> catalogue = {table("t", {serial("t"), column("x")})};
  EXPECT_EQ(find(catalogue, {insert("t", {"id=7", "x=1"})}), "");
  EXPECT_EQ(find(catalogue, {insert("t", {"=7", "=1"})}), "");
  EXPECT_EQ(find(catalogue, {insert("t", {"id=(SELECT max(id) + 1 FROM t)"})}), "");
  EXPECT_EQ(find(catalogue, {insert("t", {"id=7"}), insert("t", {"x=1"})}),
            "t.id:sequence t_id_seq");
  EXPECT_EQ(find(catalogue, {insert("t", {"id=DEFAULT", "x=1"})}), "t.id:sequence t_id_seq");
  EXPECT_EQ(find({table("t", {column("x"), serial("t")})}, {insert("t", {"=7"})}),
            "t.id:sequence t_id_seq");
}

TEST(GeneratedColumns, follow_what_statements_write) {
  const std::vector<CatalogueTable> catalogue = {
      table("log", {column("entry", "text"), column("done", "boolean"), column("number")})};
  EXPECT_EQ(find(catalogue, {update("log", {"entry=now()", "number=number + 1"})}),
            "log.entry:clock");
  EXPECT_EQ(find(catalogue, {update("log", {"done=now() > entry"})}), "");
  EXPECT_EQ(find(catalogue, {update("log", {"number=entry", "entry=now()"})}),
            "log.entry:clock log.number:clock");
}

TEST(GeneratedColumns, share_a_domain_with_currval) {
  const std::vector<CatalogueTable> catalogue = {
      table("item", {column("order_id")}),
      table("orders", {serial("orders"), column("customer", "text")})};
  EXPECT_EQ(find(catalogue, {insert("orders", {"customer='ann'"}),
                             insert("item", {"order_id=currval('orders_id_seq')"})}),
            "item.order_id:item.order_id orders.id:item.order_id");
}

TEST(GeneratedColumns, keep_the_domains_of_unrelated_sequences_apart) {
  EXPECT_EQ(find({table("a", {serial("a")}), table("b", {serial("b")})}, {}),
            "a.id:a.id b.id:b.id");
}

TEST(GeneratedColumns, follow_insert_select) {
  const std::vector<CatalogueTable> catalogue = {table("archive", {column("key"), column("who")}),
                                                 table("t", {serial("t"), column("x")})};
  Statement named = insert("archive", {"key=id", "who=x"});
  read_from(named, "t");
  EXPECT_EQ(find(catalogue, {named}), "archive.key:archive.key t.id:archive.key");
  Statement all = insert("archive", {"=*"});
  read_from(all, "t");
  EXPECT_EQ(find(catalogue, {all}), "archive.key:archive.key t.id:archive.key");
  Statement other = insert("archive", {"key=x"});
  read_from(other, "t");
  EXPECT_EQ(find(catalogue, {other}), "t.id:sequence t_id_seq");
}

TEST(GeneratedColumns, ignore_columns_that_only_select_rows) {
  const std::vector<CatalogueTable> catalogue = {table("t", {serial("t"), column("x")}),
                                                 table("u", {column("y")})};
  Statement statement =
      update("u", {"y=(SELECT x FROM t WHERE id = 5) + (SELECT count(id) FROM t)"});
  statement.values[0].columns_read = {"id", "x"};
  read_from(statement, "t");
  EXPECT_EQ(find(catalogue, {statement}), "t.id:sequence t_id_seq");
}

TEST(GeneratedColumns, follow_computed_columns) {
  CatalogueTable orders =
      table("orders", {serial("orders"), column("label", "text", "('#' || id)")});
  orders.columns[1].computed = true;
  EXPECT_EQ(find({orders}, {}), "orders.id:orders.id orders.label:orders.id");
}

TEST(GeneratedColumns, follow_client_variables_of_the_same_session) {
  std::vector<CatalogueTable> catalogue = shop();
  catalogue[0].foreign_keys.clear();
  const std::vector<std::vector<Statement>> steps = {
      {returning(insert("orders", {"customer='ann'"}), "id=id")},
      {insert("item", {"order_id=heddle_variable_new_id"})}};
  Scenario scenario = make_scenario(steps);
  EXPECT_EQ(print_columns(find_generated_columns(catalogue, scenario, steps)),
            "orders.id:orders.id orders.at:clock");
  scenario.steps[0].instructions[0].gset = true;
  scenario.steps[0].instructions[0].gset_prefix = "new_";
  EXPECT_EQ(print_columns(find_generated_columns(catalogue, scenario, steps)),
            "item.order_id::0 new_id orders.id::0 new_id orders.at:clock");
  scenario.sessions.resize(2);
  scenario.steps[1].session = SessionId(1);
  EXPECT_EQ(print_columns(find_generated_columns(catalogue, scenario, steps)),
            "orders.id::0 new_id orders.at:clock");
}

TEST(GeneratedColumns, never_take_a_variable_filled_by_a_count) {
  std::vector<CatalogueTable> catalogue = shop();
  catalogue[0].foreign_keys.clear();
  const std::vector<std::vector<Statement>> steps = {
      {insert("orders", {"customer='ann'"}), select("orders", {"n=count(id)"})},
      {insert("item", {"order_id=heddle_variable_n"})}};
  Scenario scenario = make_scenario(steps);
  scenario.steps[0].instructions[1].gset = true;
  EXPECT_EQ(print_columns(find_generated_columns(catalogue, scenario, steps)),
            "orders.id:orders.id orders.at:clock");
}

TEST(GeneratedColumns, find_tables_of_other_schemas) {
  const std::vector<CatalogueTable> catalogue = {table("app.log", {column("at", "timestamp")})};
  EXPECT_EQ(find(catalogue, {update("log", {"at=now()"})}), "app.log.at:app.log.at");
  Statement qualified = update("log", {"at=now()"});
  qualified.values[0].table = "other.log";
  EXPECT_EQ(find(catalogue, {qualified}), "");
}

// "name", or "name<table.source" for a column that comes from a table.
Reply rows(const std::vector<std::string>& columns, const std::vector<Row>& content) {
  ResultSet result;
  result.has_rows = true;
  result.rows = content;
  for (const std::string& text : columns) {
    Column& each = result.columns.emplace_back();
    const std::size_t origin = text.find('<');
    each.name = text.substr(0, origin);
    if (origin == std::string::npos) continue;
    const std::size_t dot = text.rfind('.');
    each.table = text.substr(origin + 1, dot - origin - 1);
    each.source = text.substr(dot + 1);
  }
  return {result, std::nullopt};
}

// "id* n x": the columns of all results of the only step after marking.
std::string mark(const std::vector<CatalogueTable>& catalogue,
                 const std::vector<Statement>& statements, std::vector<Reply> replies) {
  const std::vector<std::vector<Statement>> steps = {statements};
  const GeneratedColumns generated = find_generated_columns(catalogue, make_scenario(steps), steps);
  heddle::Run run;
  run.records.emplace_back().replies = std::move(replies);
  mark_generated(run, generated, steps);
  std::vector<std::string> words;
  for (const Reply& reply : run.records[0].replies) {
    if (!reply.result) continue;
    for (const Column& each : reply.result->columns) {
      words.push_back(each.name + (each.generated ? "*" + each.domain : ""));
    }
  }
  return join(words, " ");
}

std::vector<CatalogueTable> one_table() { return {table("t", {serial("t"), column("x")})}; }

TEST(MarkGenerated, marks_columns_of_tables) {
  EXPECT_EQ(mark(one_table(), {select("t", {"id=id", "x=x"})},
                 {rows({"key<public.t.id", "x<public.t.x"}, {{"1", "2"}})}),
            "key*sequence t_id_seq x");
  EXPECT_EQ(mark(one_table(), {select("v", {"id=id"})}, {rows({"id<v.id"}, {{"1"}})}),
            "id*sequence t_id_seq");
}

TEST(MarkGenerated, marks_expressions_by_position) {
  EXPECT_EQ(mark(one_table(), {select("t", {"=max(id)", "n=count(id)", "at=now()", "y=x + 1"})},
                 {rows({"max", "n", "at", "y"}, {{"1", "2", "3", "4"}})}),
            "max*sequence t_id_seq n at*clock y");
}

TEST(MarkGenerated, expands_a_star) {
  EXPECT_EQ(mark(one_table(), {select("t", {"a=now()", "=*", "b=max(id)", "c=x"})},
                 {rows({"a", "id<t.id", "x<t.x", "b", "c"}, {{"1", "2", "3", "4", "5"}})}),
            "a*clock id*sequence t_id_seq x b*sequence t_id_seq c");
  EXPECT_EQ(mark(one_table(), {select("t", {"=t.*", "=u.*", "b=max(id)"})},
                 {rows({"id<t.id", "x<t.x", "y", "b"}, {{"1", "2", "3", "4"}})}),
            "id*sequence t_id_seq x y b*sequence t_id_seq");
}

TEST(MarkGenerated, keeps_truths) {
  EXPECT_EQ(mark(one_table(), {select("t", {"later=id > 5"})}, {rows({"later"}, {{"t"}, {"f"}})}),
            "later");
}

TEST(MarkGenerated, aligns_replies_with_statements) {
  const std::vector<Statement> statements = {select("t", {"a=x"}), select("t", {"b=max(id)"})};
  const Reply a = rows({"a"}, {{"1"}});
  const Reply b = rows({"b"}, {{"1"}});
  const Reply error = {std::nullopt, StepError{}};
  EXPECT_EQ(mark(one_table(), statements, {a, b}), "a b*sequence t_id_seq");
  EXPECT_EQ(mark(one_table(), statements, {a, error}), "a");
  // \if left the first one out.
  EXPECT_EQ(mark(one_table(), statements, {b}), "b*sequence t_id_seq");
  EXPECT_EQ(mark(one_table(), {}, {b}), "b");
}

TEST(MarkGenerated, lets_compare_rename) {
  const std::vector<std::vector<Statement>> steps = {{insert("orders", {"customer='ann'"})}};
  const Scenario scenario = make_scenario(steps);
  const GeneratedColumns generated = find_generated_columns(shop(), scenario, steps);
  const auto outcome = [&](const std::vector<Row>& orders, const std::vector<Row>& items) {
    heddle::Run run;
    run.tables = {
        {"item", {{"order_id", "item", "order_id"}, {"what", "item", "what"}}, items},
        {"orders",
         {{"id", "orders", "id"}, {"customer", "orders", "customer"}, {"at", "orders", "at"}},
         orders}};
    mark_generated(run, generated, steps);
    return outcome_of(run, scenario, {});
  };
  const Outcome run = outcome({{"1", "ann", "10:00"}, {"2", "bob", "10:01"}}, {{"2", "milk"}});
  EXPECT_TRUE(
      compare(run, outcome({{"5", "bob", "9:00"}, {"6", "ann", "8:00"}}, {{"5", "milk"}}), scenario)
          .equal());
  EXPECT_FALSE(
      compare(run, outcome({{"5", "bob", "9:00"}, {"6", "ann", "8:00"}}, {{"6", "milk"}}), scenario)
          .equal());
  std::vector<TableState> initial = {{"orders", {{"id", "orders", "id"}}, {{"1"}}}};
  mark_generated(initial, generated);
  EXPECT_EQ(fixed_values(initial), (FixedValues{{"item.order_id", "1"}}));
}

}  // namespace
}  // namespace heddle
