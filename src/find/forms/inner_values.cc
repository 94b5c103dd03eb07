#include "find/forms/inner_values.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "find/forms/exists_query.h"
#include "find/forms/expressions.h"
#include "frontend/plpgsql/expression.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::find {

namespace {

constexpr std::string_view kInnerValue = "inner value ";

bool is_one_of(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != words.end();
}

// A parenthesis before this token, a SELECT, that opens a value.
bool opens_value(const sql::Tokens& tokens, std::size_t select) {
  static constexpr std::array<std::string_view, 6> kNoValue = {"exists", "in",  "any",
                                                               "some",   "all", "array"};
  if (select == 0 || tokens.word(select) != "select" || !tokens.is_symbol(select - 1, '(')) {
    return false;
  }
  return select == 1 || !is_one_of(tokens.word(select - 2), kNoValue);
}

// The tokens of what is selected, without the name that it is given; empty: it is more than one
// value, or what is not followed.
std::string value_of(const sql::Tokens& tokens, std::size_t select, std::size_t from) {
  static constexpr std::array<std::string_view, 4> kMore = {"distinct", "over", "filter", "case"};
  std::size_t end = from;
  for (std::size_t i = select + 1; i < from; ++i) {
    const bool is_outermost = tokens[i].depth == tokens[select].depth;
    if (is_one_of(tokens.word(i), kMore)) return "";
    if (is_outermost && (tokens.is_symbol(i, ',') || tokens.is_symbol(i, '*'))) return "";
    if (is_outermost && tokens.word(i) == "as") end = i;
  }
  return select + 1 < end ? std::string(tokens.text(select + 1, end)) : "";
}

// Whether it names nothing but the client's values and rows of the source.
bool is_about(const Expression& expression, std::size_t source) {
  if (const auto of = source_of(expression)) return *of == source;
  return expression.kind != ExpressionKind::unknown &&
         std::ranges::all_of(expression.operands,
                             [&](const Expression& operand) { return is_about(operand, source); });
}

// Whether the conditions say what a unique key of the table is.
bool name_one_row(const std::vector<Expression>& conditions, const Table& table) {
  const auto is_named = [&](const std::string& column) {
    return std::ranges::any_of(conditions, [&](const Expression& condition) {
      return pinned_value(condition, column) != nullptr;
    });
  };
  const auto is_key = [&](const std::vector<std::string>& key) {
    return !key.empty() && std::ranges::all_of(key, is_named);
  };
  return is_key(table.primary_key) ||
         std::ranges::any_of(table.unique_constraints, [&](const UniqueConstraint& unique) {
           return is_key(unique.columns);
         });
}

// The table of an inner query, behind all of the statement itself; none: it may be another one.
std::optional<std::size_t> inner_source(const std::string& alias, const SourceNames& names,
                                        const RowSources& sources) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const RowSource& source = sources[i];
    if (found && !source.is_any_row) return std::nullopt;
    if (!source.is_any_row || source.is_written || !names.same(source.alias, alias)) continue;
    if (found || source.table == nullptr || source.is_inner) return std::nullopt;
    found = i;
  }
  return found;
}

// Puts inner values in the place of aggregates, or of the column that is the whole of it.
class InnerValues {
 public:
  InnerValues(std::size_t source, std::vector<InnerValue>& values)
      : source_(source), values_(values) {}

  // Whether nothing is left of the rows.
  bool replace(Expression& part) {
    if (is_aggregate_call(part)) {
      const bool is_known = std::ranges::all_of(
          part.operands, [&](const Expression& operand) { return is_about(operand, source_); });
      add(part);
      return is_known;
    }
    if (part.kind == ExpressionKind::unknown || source_of(part)) return false;
    return std::ranges::all_of(part.operands,
                               [&](Expression& operand) { return replace(operand); });
  }

  void add(Expression& part) {
    values_.push_back({source_, part});
    part = inner_value(values_.size() - 1);
  }

 private:
  std::size_t source_;
  std::vector<InnerValue>& values_;
};

// The columns of the source that it names; false: some of it is not known.
bool add_columns(const Expression& expression, std::size_t source, std::set<std::string>& columns) {
  if (const auto of = source_of(expression)) {
    if (*of == source) columns.insert(expression.text);
    return true;
  }
  if (expression.kind == ExpressionKind::unknown && !is_aggregate_call(expression)) return false;
  return std::ranges::all_of(expression.operands, [&](const Expression& operand) {
    return add_columns(operand, source, columns);
  });
}

// All that the statement names of the source outside of inner queries; none: that is not known.
std::optional<std::set<std::string>> named_columns(const StatementForm& form, std::size_t source) {
  std::set<std::string> columns;
  const auto add = [&](const Expression& one) { return add_columns(one, source, columns); };
  const auto adds = [&](const auto& all, auto part) { return std::ranges::all_of(all, add, part); };
  bool is_known = adds(form.conjuncts, std::identity()) && adds(form.outputs, std::identity()) &&
                  adds(form.assignments, &Assignment::value) &&
                  adds(form.updates, &Assignment::value) && adds(form.order, &OrderKey::value);
  for (const std::vector<Assignment>& row : form.made) {
    is_known = is_known && adds(row, &Assignment::value);
  }
  for (const auto& [at, condition] : form.absences) is_known = is_known && add(condition);
  for (const auto& [at, condition] : form.joined_by) {
    if (!form.sources[at].is_inner) is_known = is_known && add(condition);
  }
  return is_known ? std::optional(std::move(columns)) : std::nullopt;
}

bool inner_table_has(const StatementForm& form, const std::string& column) {
  return std::ranges::any_of(form.sources, [&](const RowSource& source) {
    return source.is_inner && std::ranges::find(source.table->columns, column,
                                                &TableColumn::name) != source.table->columns.end();
  });
}

}  // namespace

void drop_columns_of_inner(StatementForm& form) {
  for (std::size_t i = 0; i < form.sources.size(); ++i) {
    if (form.sources[i].is_inner || !form.sources[i].is_named()) continue;
    const std::optional<std::set<std::string>> named = named_columns(form, i);
    if (!named) continue;
    RowSource& source = form.sources.edit(i);
    for (auto* columns : {&source.predicate_columns, &source.output_columns}) {
      std::erase_if(*columns, [&](const std::string& column) {
        return !named->contains(column) && inner_table_has(form, column);
      });
    }
  }
}

std::optional<InnerQueryForm> read_inner_query(const InnerQueryText& query,
                                               const SourceNames& names, const RowSources& sources,
                                               std::vector<InnerValue>& values) {
  const auto place = inner_source(query.alias, names, sources);
  if (!place) return std::nullopt;
  const auto read = [&](const std::string& text) {
    auto inside = plpgsql::read_value(text, [&](const std::vector<std::string>& path) {
      return names.resolve_inside(path, *place);
    });
    return inside.is_ok ? std::move(inside.value.value) : unknown_value(text);
  };
  InnerQueryForm inner{.source = *place, .conditions = {}, .result = read(query.value)};
  if (!query.condition.empty()) inner.conditions = conjuncts_of(read(query.condition));
  const bool are_about_it = std::ranges::all_of(
      inner.conditions, [&](const Expression& one) { return is_about(one, *place); });
  if (!are_about_it) return std::nullopt;
  std::vector<InnerValue> added = values;
  InnerValues of(*place, added);
  if (source_of(inner.result) == *place) {
    if (!name_one_row(inner.conditions, *sources[*place].table)) return std::nullopt;
    of.add(inner.result);
  } else if (!of.replace(inner.result)) {
    return std::nullopt;
  }
  values = std::move(added);
  return inner;
}

std::string inner_query_name(std::size_t number) { return fmt::format("heddle_inner_{}", number); }

WithoutInnerQueries without_inner_queries(std::string_view expression) {
  WithoutInnerQueries result{.rest = "", .queries = {}};
  const sql::Tokens tokens(expression);
  std::size_t from = 0;  // of what is not in the rest yet
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!opens_value(tokens, i)) continue;
    std::size_t close = i;
    while (close < tokens.size() && tokens[close].depth >= tokens[i].depth) ++close;
    const std::optional<InnerQueryWords> query =
        close < tokens.size() ? inner_query_words(tokens, i, close) : std::nullopt;
    if (!query || query->is_ordered) continue;
    const std::string value = value_of(tokens, i, query->from);
    if (value.empty()) continue;
    if (i - 1 > from) result.rest += std::string(tokens.text(from, i - 1)) + " ";
    result.rest += inner_query_name(result.queries.size()) + " ";
    result.queries.push_back({value, query->alias, query->condition});
    from = close + 1;
    i = close;
  }
  if (from < tokens.size()) result.rest += std::string(tokens.text(from, tokens.size()));
  if (result.queries.empty()) result.rest = std::string(expression);
  return result;
}

std::size_t count_inner_queries(std::string_view text) {
  const sql::Tokens tokens(text);
  std::size_t count = 0;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i].depth > 0 && tokens.word(i) == "select") ++count;
  }
  return count;
}

Expression inner_value(std::size_t number) {
  return {.kind = ExpressionKind::variable,
          .text = fmt::format("{}{}", kInnerValue, number),
          .operands = {}};
}

std::size_t number_of_inner_value(const Expression& leaf, std::size_t count) {
  if (leaf.kind != ExpressionKind::variable || !leaf.text.starts_with(kInnerValue)) return count;
  return std::stoul(leaf.text.substr(kInnerValue.size()));
}

bool mentions_inner_value(const Expression& expression) {
  const bool is_one =
      expression.kind == ExpressionKind::variable && expression.text.starts_with(kInnerValue);
  return is_one || std::ranges::any_of(expression.operands, mentions_inner_value);
}

bool is_aggregate_call(const Expression& expression) {
  static constexpr std::array<std::string_view, 4> kNames = {"count", "sum", "min", "max"};
  const bool may_be =
      expression.kind == ExpressionKind::call || expression.kind == ExpressionKind::unknown;
  return may_be && expression.operands.size() <= 1 && is_one_of(expression.text, kNames);
}

}  // namespace heddle::find
