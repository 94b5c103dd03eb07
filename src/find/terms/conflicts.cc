#include "find/terms/conflicts.h"

#include <algorithm>
#include <iterator>

namespace heddle::find {

namespace {

std::vector<std::string> read_columns(const RowSource& source) {
  std::vector<std::string> columns = source.predicate_columns;
  columns.insert(columns.end(), source.output_columns.begin(), source.output_columns.end());
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

std::vector<std::string> common(const std::vector<std::string>& a,
                                const std::vector<std::string>& b) {
  const auto has_all = [](const std::vector<std::string>& columns) {
    return std::ranges::find(columns, "*") != columns.end();
  };
  if (has_all(a)) return b;
  if (has_all(b)) return a;
  std::vector<std::string> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

// Whether it makes no difference to a statement that another one has deleted its row: what is
// changed blindly or deleted is gone afterwards in either order.
bool ignores_deletion(const StatementForm& reader, const StatementForm& writer) {
  return reader.is_blind && writer.kind == StatementKind::delete_;
}

bool changes_rows(const StatementForm& form) { return form.kind != StatementKind::update; }

// Appends the conflict of a reader's and a writer's use of one table, if they have any.
class ConflictFinder {
 public:
  ConflictFinder(const std::vector<FormedStatement>& from, const std::vector<FormedStatement>& to)
      : from_(from), to_(to) {}

  std::vector<Conflict> find() {
    for (std::size_t i = 0; i < from_.size(); ++i) {
      for (std::size_t j = 0; j < to_.size(); ++j) add_all(i, j);
    }
    return std::move(conflicts_);
  }

 private:
  void add_all(std::size_t i, std::size_t j) {
    const StatementForm& from = from_[i].form;
    const StatementForm& to = to_[j].form;
    for (std::size_t s = 0; s < from.sources.size(); ++s) {
      for (std::size_t t = 0; t < to.sources.size(); ++t) {
        const RowSource& a = from.sources[s];
        const RowSource& b = to.sources[t];
        if (a.name != b.name) continue;
        Conflict conflict{.from = i, .to = j, .from_source = s, .to_source = t, .columns = {}};
        if (a.is_read && b.is_written && !ignores_deletion(from, to)) {
          add(conflict, DependencyKind::rw, common(read_columns(a), b.written_columns),
              changes_rows(to));
        }
        if (a.is_written && b.is_read && !ignores_deletion(to, from)) {
          add(conflict, DependencyKind::wr, common(a.written_columns, read_columns(b)),
              changes_rows(from));
        }
        if (a.is_written && b.is_written) {
          add(conflict, DependencyKind::ww, common(a.written_columns, b.written_columns),
              changes_rows(from) || changes_rows(to));
        }
      }
    }
  }

  void add(Conflict conflict, DependencyKind kind, std::vector<std::string> columns,
           bool through_row) {
    if (columns.empty() && !through_row) return;
    conflict.kind = kind;
    conflict.columns = std::move(columns);
    conflicts_.push_back(std::move(conflict));
  }

  const std::vector<FormedStatement>& from_;
  const std::vector<FormedStatement>& to_;
  std::vector<Conflict> conflicts_;
};

}  // namespace

std::vector<Conflict> find_conflicts(const std::vector<FormedStatement>& from,
                                     const std::vector<FormedStatement>& to) {
  return ConflictFinder(from, to).find();
}

}  // namespace heddle::find
