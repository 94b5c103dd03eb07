#include "find/terms/argument_pairs.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace heddle::find {

namespace {

// A column that names rows: the last one on the way along foreign keys.
using NamingColumn = std::pair<std::string, std::string>;

bool has(const std::vector<std::string>& columns, const std::string& column) {
  return std::ranges::find(columns, column) != columns.end();
}

// None: the column names no rows.
std::optional<NamingColumn> naming_column(const Schema& schema, const Table& table,
                                          const std::string& column) {
  constexpr std::size_t kLongestWay = 8;
  const Table* at = &table;
  std::string name = column;
  bool refers = false;
  for (std::size_t step = 0; step < kLongestWay; ++step) {
    const auto foreign = std::ranges::find_if(
        at->foreign_keys, [&](const auto& key) { return has(key.columns, name); });
    if (foreign == at->foreign_keys.end()) break;
    const Table* target =
        find_table(schema, foreign->referenced_table, schema.dialect, foreign->referenced_schema);
    if (target == nullptr) break;
    const std::vector<std::string>& columns =
        foreign->referenced_columns.empty() ? target->primary_key : foreign->referenced_columns;
    const auto place = static_cast<std::size_t>(std::ranges::find(foreign->columns, name) -
                                                foreign->columns.begin());
    if (place >= columns.size()) break;
    at = target;
    name = columns[place];
    refers = true;
  }
  const bool is_key =
      has(at->primary_key, name) ||
      std::ranges::any_of(at->unique_constraints, [&](const UniqueConstraint& unique) {
        return has(unique.columns, name);
      });
  if (!is_key && !refers) return std::nullopt;
  return NamingColumn{at->name, name};
}

// Which columns a functionality's parameters are compared with, or written to, as they are.
class NamedRows {
 public:
  NamedRows(const Group& group, const Program& program, std::size_t instance)
      : schema_(program.schema), unfolding_(*group.instances()[instance].unfolding) {
    for (std::size_t i = 0; i < unfolding_.events.size(); ++i) {
      call_ = group.call_of(instance, i);
      see(unfolding_.events[i]);
    }
  }

  bool name_rows_of_one_table(const std::string& first, const std::string& second) const {
    const auto one = columns_.find(first);
    const auto other = columns_.find(second);
    if (one == columns_.end() || other == columns_.end()) return false;
    return std::ranges::any_of(
        one->second, [&](const Naming& naming) { return other->second.contains(naming); });
  }

 private:
  void see(const Event& event) {
    for (const Expression& conjunct : event.form->conjuncts) {
      const bool compares = conjunct.kind == ExpressionKind::call && conjunct.text == "=" &&
                            conjunct.operands.size() == 2;
      if (!compares) continue;
      see(event, conjunct.operands[0], conjunct.operands[1]);
      see(event, conjunct.operands[1], conjunct.operands[0]);
    }
    const auto written = std::ranges::find(event.form->sources, true, &RowSource::is_written);
    if (written == event.form->sources.end() || written->table == nullptr) return;
    for (const Assignment& assignment : event.form->assignments) {
      note(event, *written->table, assignment.column, assignment.value);
    }
  }

  void see(const Event& event, const Expression& column, const Expression& value) {
    const std::optional<std::size_t> source = source_of(column);
    if (!source || *source >= event.form->sources.size()) return;
    const Table* table = event.form->sources[*source].table;
    if (table != nullptr) note(event, *table, column.text, value);
  }

  void note(const Event& event, const Table& table, const std::string& column,
            const Expression& value) {
    if (value.kind != ExpressionKind::variable || !value.text.starts_with('$')) return;
    std::size_t number = 0;
    std::from_chars(value.text.data() + 1, value.text.data() + value.text.size(), number);
    if (number == 0 || number > event.arguments.size()) return;
    const Term given = event.arguments[number - 1].value;
    const std::optional<NamingColumn> names = naming_column(schema_, table, column);
    if (!names) return;
    for (const auto& [parameter, own] : unfolding_.parameters) {
      if (own.value == given) columns_[parameter].insert({call_, *names});
    }
  }

  const Schema& schema_;
  const Unfolding& unfolding_;
  // In which call of a session which column.
  using Naming = std::pair<std::size_t, NamingColumn>;
  std::map<std::string, std::set<Naming>> columns_;  // by parameter
  std::size_t call_ = 0;                             // under way
};

}  // namespace

std::vector<ArgumentPair> argument_pairs(Group& group, const Program& program) {
  std::vector<ArgumentPair> pairs;
  for (std::size_t i = 0; i < group.instances().size(); ++i) {
    const Instance& instance = group.instances()[i];
    const std::vector<Variable>& parameters =
        program.functionalities[instance.functionality].parameters;
    if (parameters.size() < 2) continue;
    const NamedRows rows(group, program, i);
    for (std::size_t b = 0; b < parameters.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        const std::string& first = parameters[a].name;
        const std::string& second = parameters[b].name;
        if (!rows.name_rows_of_one_table(first, second)) continue;
        const std::map<std::string, SqlValue>& values = instance.unfolding->parameters;
        pairs.push_back(
            {.instance = i,
             .first = first,
             .second = second,
             .are_equal =
                 group.evaluator().compare("=", values.at(first), values.at(second)).holds});
      }
    }
  }
  return pairs;
}

std::vector<EqualArguments> needed_equalities(const std::vector<ArgumentPair>& pairs, Terms& terms,
                                              const std::function<bool(Term)>& is_possible) {
  std::vector<Term> differ;
  for (const ArgumentPair& pair : pairs) differ.push_back(terms.negate(pair.are_equal));
  if (differ.empty() || is_possible(terms.all(differ))) return {};
  std::vector<EqualArguments> all;
  std::vector<EqualArguments> needed;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    all.push_back({pairs[i].instance, pairs[i].first, pairs[i].second});
    if (!is_possible(differ[i])) needed.push_back(all.back());
  }
  return needed.empty() ? all : needed;
}

}  // namespace heddle::find
