// Reads the clauses of a statement one by one. Whatever is not a plain join of tables is refused:
// a plan that is made of half of a statement would compute something else.
#include "split/join_query.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "frontend/sql/words/lexer.h"
#include "program/text.h"
#include "split/subqueries.h"

namespace heddle::chopping {

namespace {

using sql::Tokens;

// What no plain join has. GROUP BY and its like would need what the rows have in common.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kNotDivided = {{
    {"group", "GROUP BY"},
    {"having", "HAVING"},
    {"union", "UNION"},
    {"intersect", "INTERSECT"},
    {"except", "EXCEPT"},
    {"with", "WITH"},
    {"window", "a window"},
    {"over", "a window"},
    {"offset", "OFFSET"},
    {"fetch", "FETCH"},
    {"lateral", "LATERAL"},
    {"natural", "NATURAL JOIN"},
    {"right", "RIGHT JOIN"},
    {"full", "FULL JOIN"},
    {"filter", "FILTER"},
    {"tablesample", "TABLESAMPLE"},
}};

std::string upper(std::string_view text) { return program::keyword_text(text); }

// The first token of depth 0 from `begin` on with one of the words; `end`: there is none.
std::size_t find_word(const Tokens& tokens, const std::set<std::string>& words, std::size_t begin,
                      std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (tokens[i].depth > 0 || !words.contains(tokens.word(i))) continue;
    // IS DISTINCT FROM is an operator.
    if (tokens.word(i) == "from" && i > 0 && tokens.word(i - 1) == "distinct") continue;
    return i;
  }
  return end;
}

class JoinReader {
 public:
  JoinReader(const Schema& schema, const TableServices& services)
      : schema_(schema), services_(services) {}

  JoinReading read(const ProgramStatement& given, FreshNames& names) {
    query_.kind = given.statement.kind;
    if (given.made_text) return refuse("its text is made while it runs");
    if (given.statement.calls_unknown_function || !given.approximated.empty()) {
      return refuse("not all of it was read");
    }
    LiftedStatement lifted = lift_subqueries(given, schema_, services_, names);
    if (!lifted.reason.empty()) return refuse(std::move(lifted.reason));
    query_.before = std::move(lifted.before);
    query_.arguments = lifted.statement.arguments;
    if (lifted.lists.empty() && services_.of(lifted.statement.statement).size() <= 1) {
      query_.whole = statement_with(lifted.statement.statement.text, lifted.statement.arguments,
                                    lifted.statement, schema_);
      if (!query_.whole) return refuse("it is not read without its subquery");
      return {.query = std::move(query_), .reason = {}};
    }
    if (!split_insert(lifted.statement.statement)) return refuse("what it inserts is no query");
    add_sources(lifted);
    read_statement(lifted.statement.statement);
    if (reason_.empty()) check();
    if (!reason_.empty()) return refuse(reason_);
    return {.query = std::move(query_), .reason = {}};
  }

 private:
  static JoinReading refuse(std::string reason) {
    return {.query = std::nullopt, .reason = std::move(reason)};
  }
  void fail(const std::string& reason) {
    if (reason_.empty()) reason_ = reason;
  }

  // INSERT INTO t (a) SELECT ... ON CONFLICT ...: leaves the query alone.
  bool split_insert(Statement& statement) {
    if (statement.kind != StatementKind::insert) return true;
    const std::string text = statement.text;
    const Tokens tokens(text);
    const std::size_t select = find_word(tokens, {"select"}, 0, tokens.size());
    if (select == tokens.size()) return false;
    std::size_t end = tokens.size();
    for (std::size_t i = select; i < end; ++i) {
      const bool is_conflict = tokens.word(i) == "on" && tokens.word(i + 1) == "conflict";
      if (tokens[i].depth == 0 && (is_conflict || tokens.word(i) == "returning")) end = i;
    }
    if (end < tokens.size() && statement.returns_rows) return false;
    query_.insert_head = std::string(tokens.text(0, select));
    if (end < tokens.size()) query_.insert_tail = std::string(tokens.text(end, tokens.size()));
    if (query_.insert_tail.find('$') != std::string::npos) return false;
    Result<std::vector<Statement>> read =
        parse_statements(tokens.text(select, end), Dialect::postgres);
    if (!read || read->size() != 1) return false;
    statement = std::move(read->front());
    return true;
  }

  void add_sources(const LiftedStatement& lifted) {
    const Statement& statement = lifted.statement.statement;
    bare_.kind = StatementKind::select;
    bare_.tables = statement.tables;
    // Conditions are read apart, with the rows that each of them is about.
    for (TableUse& use : bare_.tables) {
      use.may_be_missing = false;
      use.join_condition.clear();
    }
    const find::StatementForm form = find::form_of(bare_, schema_);
    for (std::size_t i = 0; i < statement.tables.size(); ++i) {
      const TableUse& use = statement.tables[i];
      JoinSource source;
      source.table = form.sources[i].table;
      source.name = use.table;
      source.alias = form.sources[i].alias;
      const auto service = services_.of(use);
      if (!service || source.table == nullptr) fail("it names a table that nobody defines");
      source.service = service.value_or(0);
      if (use.locking != LockingClause::none) {
        source.locking = " " + upper(to_string(use.locking));
        if (use.wait_policy != WaitPolicy::wait) {
          source.locking += " " + upper(to_string(use.wait_policy));
        }
      }
      if (use.written) query_.written = i;
      query_.sources.push_back(std::move(source));
    }
    for (const auto& [number, list] : lifted.lists) {
      placed_[number] = source_column(query_.sources.size(), list.column);
      query_.sources.push_back({.table = nullptr,
                                .name = "listed",
                                .alias = "listed",
                                .service = list.service,
                                .locking = {},
                                .is_optional = false,
                                .on = {},
                                .subquery = list.text});
    }
  }

  void read_statement(const Statement& statement) {
    const Tokens tokens(statement.text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      for (const auto& [word, what] : kNotDivided) {
        if (tokens.word(i) == word) fail(fmt::format("it has {}", what));
      }
    }
    const bool is_delete = statement.kind == StatementKind::delete_;
    const bool is_select = statement.kind == StatementKind::select;
    const std::size_t end = tokens.size();
    const std::set<std::string> behind = {"where", "order", "limit", "for", "returning"};
    const std::size_t from = find_word(tokens, {is_delete ? "using" : "from"}, 0, end);
    const std::size_t where = find_word(tokens, {"where"}, 0, end);
    if (from < end) read_from(tokens, from + 1, find_word(tokens, behind, from, end), is_select);
    if (where < end) {
      add_conditions(tokens.text(where + 1, find_word(tokens, behind, where + 1, end)),
                     query_.conjuncts);
    }
    if (is_select && tokens.word(1) == "distinct") fail("it has DISTINCT");
    read_outputs(statement);
    if (is_select) read_order(tokens);
    if (statement.kind == StatementKind::update) {
      for (find::Assignment& one : find::form_of(statement, schema_).assignments) {
        one.value = placed(std::move(one.value));
        query_.assignments.push_back(std::move(one));
      }
    }
  }

  // a, b JOIN c ON ... LEFT JOIN d ON ...
  void read_from(const Tokens& tokens, std::size_t begin, std::size_t end, bool has_joins) {
    bool is_left = false;
    std::size_t i = begin;
    while (i < end) {
      std::size_t next = i;
      while (next < end && !ends_item(tokens, next)) ++next;
      if (next == i || tokens.is_symbol(i, '(')) return fail("its FROM is more than tables");
      JoinSource* source = source_of_item(tokens, next - 1);
      if (source == nullptr) return fail("its FROM is more than tables");
      source->is_optional = is_left;
      if (next < end && tokens.word(next) == "on") {
        std::size_t stop = next + 1;
        while (stop < end && (tokens[stop].depth > 0 || !starts_item(tokens, stop))) ++stop;
        add_conditions(tokens.text(next + 1, stop), is_left ? source->on : query_.conjuncts);
        next = stop;
      } else if (is_left) {
        return fail("its joins are nested");
      }
      is_left = next < end && tokens.word(next) == "left";
      if (next < end && tokens.word(next) == "using") return fail("it has JOIN ... USING");
      if (is_left && !has_joins) return fail("it has LEFT JOIN");
      while (next < end && starts_item(tokens, next)) ++next;
      i = next;
    }
  }

  static bool starts_item(const Tokens& tokens, std::size_t i) {
    static const std::set<std::string> kWords = {"join", "inner", "cross", "outer"};
    const std::string next = tokens.word(i + 1);
    return (tokens[i].depth == 0 && tokens.is_symbol(i, ',')) || kWords.contains(tokens.word(i)) ||
           (tokens.word(i) == "left" && (next == "join" || next == "outer"));
  }
  static bool ends_item(const Tokens& tokens, std::size_t i) {
    return starts_item(tokens, i) || tokens.word(i) == "on" || tokens.word(i) == "using";
  }

  JoinSource* source_of_item(const Tokens& tokens, std::size_t last) {
    const std::string name = fold_name(tokens.text(last), Dialect::postgres);
    const auto found = std::ranges::find(query_.sources, name, &JoinSource::alias);
    return found == query_.sources.end() ? nullptr : &*found;
  }

  void add_conditions(std::string_view text, std::vector<Expression>& to) const {
    Statement one = bare_;
    one.predicate = one.filter = std::string(text);
    for (Expression& conjunct : find::form_of(one, schema_).conjuncts) {
      to.push_back(placed(std::move(conjunct)));
    }
  }

  Expression value_of(const std::string& text) const {
    Statement one = bare_;
    one.output = {{.name = "value",
                   .expression = text,
                   .columns_read = {},
                   .generated = false,
                   .is_count = false}};
    const std::vector<Expression> outputs = find::form_of(one, schema_).outputs;
    return outputs.size() == 1
               ? placed(outputs[0])
               : Expression{.kind = ExpressionKind::unknown, .text = text, .operands = {}};
  }

  // With the columns of subqueries in place of what stands for them.
  Expression placed(Expression expression) const {
    if (const auto number = placeholder_of(expression)) {
      const auto column = placed_.find(*number);
      return column == placed_.end() ? expression : column->second;
    }
    for (Expression& operand : expression.operands) operand = placed(std::move(operand));
    return expression;
  }

  void read_outputs(const Statement& statement) {
    query_.is_aggregate = statement.aggregate;
    if (!statement.aggregate) {
      Statement one = bare_;
      one.output = statement.output;
      find::StatementForm form = find::form_of(one, schema_);
      for (Expression& output : form.outputs) query_.outputs.push_back(placed(std::move(output)));
      query_.output_names = std::move(form.output_names);
      return;
    }
    for (const OutputColumn& output : statement.output) {
      query_.outputs.push_back(value_of(without_aggregates(output.expression)));
      query_.output_names.push_back(output.name);
    }
  }

  // coalesce(sum(x), 0) -> coalesce($7, 0)
  std::string without_aggregates(const std::string& text) {
    static const std::map<std::string, AggregateKind> kKinds = {{"count", AggregateKind::values},
                                                                {"sum", AggregateKind::sum},
                                                                {"min", AggregateKind::least},
                                                                {"max", AggregateKind::greatest},
                                                                {"avg", AggregateKind::mean}};
    const Tokens tokens(text);
    std::string result;
    std::size_t done = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const auto kind = kKinds.find(tokens.word(i));
      if (kind == kKinds.end() || !tokens.is_symbol(i + 1, '(')) continue;
      std::size_t close = i + 2;
      while (close < tokens.size() && tokens[close].depth > tokens[i + 1].depth) ++close;
      if (close >= tokens.size()) break;
      result += text.substr(done, tokens[i].offset - done);
      result += add_aggregate(kind->second, tokens, i + 2, close);
      done = tokens[close].offset + 1;
      i = close;
    }
    return result + text.substr(done);
  }

  std::string add_aggregate(AggregateKind kind, const Tokens& tokens, std::size_t begin,
                            std::size_t end) {
    Aggregate aggregate{.kind = kind, .argument = {}, .placeholder = 0};
    if (end == begin + 1 && tokens.is_symbol(begin, '*')) {
      aggregate.kind = AggregateKind::rows;
    } else {
      if (tokens.word(begin) == "distinct") {
        if (kind == AggregateKind::values) aggregate.kind = AggregateKind::distinct_values;
        if (kind == AggregateKind::sum || kind == AggregateKind::mean) {
          fail("it has an aggregate with DISTINCT");
        }
        ++begin;
      }
      aggregate.argument = value_of(std::string(tokens.text(begin, end)));
    }
    query_.arguments.emplace_back();
    aggregate.placeholder = query_.arguments.size();
    query_.aggregates.push_back(aggregate);
    return fmt::format("${}", aggregate.placeholder);
  }

  void read_order(const Tokens& tokens) {
    const std::size_t end = tokens.size();
    const std::size_t limit = find_word(tokens, {"limit"}, 0, end);
    const std::size_t order = find_word(tokens, {"order"}, 0, end);
    const std::size_t stop = find_word(tokens, {"limit", "for"}, std::min(order, end), end);
    if (limit < end) {
      query_.limit = std::string(tokens.text(limit + 1));
      const bool is_clients = query_.limit->starts_with('$');
      const bool is_number = std::ranges::all_of(query_.limit->substr(is_clients ? 1 : 0),
                                                 [](char c) { return c >= '0' && c <= '9'; });
      const std::size_t next = limit + 2;
      const bool is_last = next >= end || tokens.word(next) == "for";
      if (!is_number || !is_last || *query_.limit == "0") fail(std::string(kNoPlainLimit));
    }
    std::size_t first = order + 2;
    for (std::size_t i = first; order < end && i <= stop; ++i) {
      if (i < stop && (tokens[i].depth > 0 || !tokens.is_symbol(i, ','))) continue;
      add_order(tokens, first, i);
      first = i + 1;
    }
  }

  void add_order(const Tokens& tokens, std::size_t begin, std::size_t end) {
    std::size_t last = end;
    static const std::set<std::string> kWords = {"asc", "desc", "nulls", "first", "last"};
    while (last > begin + 1 && kWords.contains(tokens.word(last - 1))) --last;
    JoinOrder key;
    if (last < end) key.direction = " " + upper(tokens.text(last, end));
    const std::string text(tokens.text(begin, last));
    const auto named = std::ranges::find(query_.output_names, text);
    std::size_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    if (named != query_.output_names.end()) {
      key.value = query_.outputs[static_cast<std::size_t>(named - query_.output_names.begin())];
    } else if (number > 0 && number <= query_.outputs.size()) {
      key.value = query_.outputs[number - 1];
    } else {
      key.value = value_of(text);
    }
    query_.order.push_back(std::move(key));
  }

  // Whether all of it is understood.
  void check() {
    const auto all = [&](const std::vector<Expression>& expressions, const char* what) {
      for (const Expression& one : expressions) {
        if (!is_known(one)) fail(fmt::format("{} has what only a store can compute", what));
      }
    };
    all(query_.conjuncts, "its predicate");
    for (const JoinSource& source : query_.sources) all(source.on, "its predicate");
    all(query_.outputs, "what it returns");
    for (const Aggregate& one : query_.aggregates) all({one.argument}, "what it returns");
    for (const JoinOrder& key : query_.order) all({key.value}, "its ORDER BY");
    for (const find::Assignment& one : query_.assignments) all({one.value}, "what it writes");
    if (query_.is_aggregate && query_.aggregates.empty()) fail("it has an unknown aggregate");
    if (query_.is_aggregate) {
      for (const Expression& output : query_.outputs) {
        if (!sources_in(output).empty()) fail("it groups rows");
      }
      query_.order.clear();
      query_.limit.reset();
    }
    check_lists();
  }

  // x = y of a row of the list is x IN (list) where it is a condition by itself.
  void check_lists() {
    for (std::size_t i = 0; i < query_.sources.size(); ++i) {
      if (query_.sources[i].table != nullptr) continue;
      std::size_t uses = 0;
      bool is_plain = true;
      const auto note = [&](const Expression& one) {
        const std::vector<std::size_t> sources = sources_in(one);
        if (std::ranges::find(sources, i) == sources.end()) return;
        ++uses;
        const bool is_equality = one.kind == ExpressionKind::call && one.text == "=" &&
                                 find::source_of(one.operands.back()) == i;
        is_plain = is_plain && is_equality;
      };
      for (const Expression& conjunct : query_.conjuncts) note(conjunct);
      if (uses != 1 || !is_plain) fail("its IN is part of another condition");
    }
  }

  const Schema& schema_;
  const TableServices& services_;
  Statement bare_;  // a query of the same tables
  JoinQuery query_;
  std::map<std::size_t, Expression> placed_;
  std::string reason_;
};

void add_sources_in(const Expression& expression, std::set<std::size_t>& sources) {
  if (const auto source = find::source_of(expression)) {
    sources.insert(*source);
    return;
  }
  for (const Expression& operand : expression.operands) add_sources_in(operand, sources);
}

}  // namespace

JoinReading read_join(const ProgramStatement& statement, const Schema& schema,
                      const TableServices& services, FreshNames& names) {
  return JoinReader(schema, services).read(statement, names);
}

std::vector<std::size_t> sources_in(const Expression& expression) {
  std::set<std::size_t> sources;
  add_sources_in(expression, sources);
  return {sources.begin(), sources.end()};
}

bool is_known(const Expression& expression) {
  return expression.kind != ExpressionKind::unknown &&
         std::ranges::all_of(expression.operands, is_known);
}

std::optional<std::size_t> placeholder_of(const Expression& expression) {
  if (expression.kind != ExpressionKind::variable || !expression.text.starts_with('$')) {
    return std::nullopt;
  }
  std::size_t number = 0;
  const char* end = expression.text.data() + expression.text.size();
  std::from_chars(expression.text.data() + 1, end, number);
  return number;
}

Expression source_column(std::size_t source, const std::string& column) {
  Expression row{
      .kind = ExpressionKind::variable, .text = find::source_variable(source), .operands = {}};
  return {.kind = ExpressionKind::field, .text = column, .operands = {std::move(row)}};
}

}  // namespace heddle::chopping
