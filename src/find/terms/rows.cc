#include "find/terms/rows.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace heddle::find {

void Changes::add(const StatementForm& form) {
  for (std::size_t i = 0; i < form.sources.size(); ++i) {
    const RowSource& source = form.sources[i];
    if (!source.is_written) continue;
    const bool updates = form.updates_rows(i);
    if (!updates) rows_.insert(source.name);
    // A row that is inserted in the place of another one is that row with other values.
    const bool sets_cells = form.kind_at(i) != StatementKind::delete_;
    if (!sets_cells) continue;
    for (const std::string& column : source.written_columns) {
      columns_.emplace(source.name, column);
      if (updates) updated_.emplace(source.name, column);
    }
  }
}

void Changes::add(const Changes& other) {
  columns_.insert(other.columns_.begin(), other.columns_.end());
  updated_.insert(other.updated_.begin(), other.updated_.end());
  rows_.insert(other.rows_.begin(), other.rows_.end());
}

bool Changes::changes(const std::string& table, const std::string& column) const {
  return columns_.contains({table, column}) || columns_.contains({table, "*"});
}

bool Changes::updates(const std::string& table, const std::string& column) const {
  return updated_.contains({table, column}) || updated_.contains({table, "*"});
}

bool Changes::changes_rows(const std::string& table) const { return rows_.contains(table); }

std::vector<std::string> Rows::key_columns(const RowSource& source) const {
  if (source.table == nullptr) return {};
  const std::vector<std::string>& key = source.table->primary_key;
  const bool changes = std::ranges::any_of(
      key, [&](const std::string& column) { return always_.updates(source.name, column); });
  return changes ? std::vector<std::string>{} : key;
}

Sort Rows::sort_of_column(const RowSource& source, const std::string& column) const {
  if (source.table == nullptr) return Sort::integer;
  const TableColumn* found = find_column(*source.table, column, dialect_);
  return found == nullptr ? Sort::integer : sort_of(found->type.type);
}

RowKey Rows::fresh_key(const RowSource& source, std::string_view stem) {
  RowKey key;
  const std::vector<std::string> columns = key_columns(source);
  for (const std::string& column : columns) {
    key.push_back(
        evaluator_.unknown(std::string(stem) + "." + column, sort_of_column(source, column), true));
  }
  if (columns.empty()) key.push_back(evaluator_.unknown(stem, Sort::integer, true));
  return key;
}

Term Rows::same_key(const RowKey& a, const RowKey& b) {
  Terms& terms = evaluator_.terms();
  std::vector<Term> equal;
  for (std::size_t i = 0; i < a.size(); ++i) {
    equal.push_back(evaluator_.compare("=", a[i], b[i]).holds);
  }
  return terms.all(equal);
}

std::vector<Term> Rows::key_terms(const RowKey& key) const {
  std::vector<Term> values;
  values.reserve(key.size());
  for (const SqlValue& part : key) values.push_back(part.value);
  return values;
}

SqlValue Rows::cell(std::string_view viewer, const RowSource& source, const std::string& column,
                    const RowKey& key) {
  const std::vector<std::string> columns = key_columns(source);
  const auto at = std::ranges::find(columns, column);
  if (at != columns.end()) return key[static_cast<std::size_t>(at - columns.begin())];
  if (uses_ != nullptr) uses_->push_back({std::string(viewer), &source, column, key});
  Terms& terms = evaluator_.terms();
  std::string name = source.name + "." + column;
  if (now_.changes(source.name, column)) name = std::string(viewer) + " " + name;
  const TableColumn* found =
      source.table == nullptr ? nullptr : find_column(*source.table, column, dialect_);
  const bool never_null = found != nullptr && found->not_null;
  const Term is_null =
      never_null ? terms.truth(false) : terms.apply(name + "?", Sort::truth, key_terms(key));
  return {terms.apply(name, sort_of_column(source, column), key_terms(key)), is_null};
}

Term Rows::exists(std::string_view viewer, const RowSource& source, const RowKey& key) {
  if (uses_ != nullptr) uses_->push_back({std::string(viewer), &source, "", key});
  std::string name = source.name + " exists";
  if (now_.changes_rows(source.name)) name = std::string(viewer) + " " + name;
  return evaluator_.terms().apply(std::move(name), Sort::truth, key_terms(key));
}

namespace {

constexpr std::string_view kSource = "source ";

}  // namespace

std::string source_variable(std::size_t source) {
  return std::string(kSource) + std::to_string(source);
}

std::optional<std::size_t> source_of(const Expression& leaf) {
  if (leaf.kind != ExpressionKind::field || leaf.operands.size() != 1) return std::nullopt;
  const std::string& row = leaf.operands[0].text;
  if (!row.starts_with(kSource)) return std::nullopt;
  std::size_t source = 0;
  std::from_chars(row.data() + kSource.size(), row.data() + row.size(), source);
  return source;
}

}  // namespace heddle::find
