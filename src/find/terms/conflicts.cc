#include "find/terms/conflicts.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "find/terms/sight.h"

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
bool ignores_deletion(const StatementForm& reader, const RowSource& of, const StatementForm& writer,
                      std::size_t written) {
  return reader.is_blind && of.is_named() && writer.kind_at(written) == StatementKind::delete_;
}

bool changes_rows(const StatementForm& form, std::size_t source) {
  return !form.updates_rows(source);
}

// Whether it looks there for a row that is in its way, and for nothing else.
bool is_check(const StatementForm& form, const RowSource& source) {
  return form.checks_keys && source.is_written && !source.is_read;
}

// What conflicts ask of the tables of a statement.
struct SourceIndex {
  explicit SourceIndex(const RowSources& sources) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      read.push_back(read_columns(sources[i]));
      places[sources[i].name].push_back(i);
    }
  }

  std::vector<std::vector<std::string>> read;              // by source
  std::map<std::string, std::vector<std::size_t>> places;  // sources by table
};

// Of each statement; those with the same tables by being shared have one.
std::vector<std::shared_ptr<const SourceIndex>> index_sources(
    const std::vector<FormedStatement>& statements) {
  std::vector<std::shared_ptr<const SourceIndex>> all;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const RowSources& sources = statements[i].form.sources;
    const auto shared = std::find_if(statements.begin(), statements.begin() + i,
                                     [&](const FormedStatement& earlier) {
                                       return earlier.form.sources.is_shared_with(sources);
                                     });
    const auto place = static_cast<std::size_t>(shared - statements.begin());
    all.push_back(place < i ? all[place] : std::make_shared<const SourceIndex>(sources));
  }
  return all;
}

// Appends the conflict of a reader's and a writer's use of one table, if they have any.
class ConflictFinder {
 public:
  ConflictFinder(const std::vector<FormedStatement>& from, const std::vector<FormedStatement>& to,
                 const ConflictSearch& search, std::vector<Conflict>& conflicts)
      : from_(from),
        to_(to),
        from_index_(index_sources(from)),
        to_index_(index_sources(to)),
        search_(search),
        conflicts_(conflicts) {}

  bool find() {
    for (std::size_t i = 0; i < from_.size(); ++i) {
      for (std::size_t j = 0; j < to_.size(); ++j) {
        if (search_.goes_on && !search_.goes_on(conflicts_.size())) return false;
        if (is_one_enough(from_[i].form, to_[j].form)) {
          add_first(i, j);
        } else {
          add_all(i, j);
        }
      }
    }
    return true;
  }

 private:
  bool is_one_enough(const StatementForm& from, const StatementForm& to) const {
    return search_.among_unknown == AmongUnknown::first_table && from.is_unknown && to.is_unknown;
  }

  // Of each kind.
  void add_first(std::size_t i, std::size_t j) {
    const std::size_t before = conflicts_.size();
    add_all(i, j);
    std::set<DependencyKind> kinds;
    const auto is_further = [&](const Conflict& one) { return !kinds.insert(one.kind).second; };
    const auto first = conflicts_.begin() + static_cast<std::ptrdiff_t>(before);
    conflicts_.erase(std::remove_if(first, conflicts_.end(), is_further), conflicts_.end());
  }

  void add_all(std::size_t i, std::size_t j) {
    const StatementForm& from = from_[i].form;
    const StatementForm& to = to_[j].form;
    for (std::size_t s = 0; s < from.sources.size(); ++s) {
      const auto same = to_index_[j]->places.find(from.sources[s].name);
      if (same == to_index_[j]->places.end()) continue;
      for (const std::size_t t : same->second) {
        const RowSource& a = from.sources[s];
        const RowSource& b = to.sources[t];
        Conflict conflict{.from = i, .to = j, .from_source = s, .to_source = t, .columns = {}};
        const auto reads_inside = [](const StatementForm& form, const RowSource& source) {
          return source.is_inner && form.writes();
        };
        // Nobody makes a row that has a key which another one has got.
        const bool is_kept = a.role == SourceRole::taken && to.makes(t);
        if (a.is_read && !from.reads_idly && b.is_written && !is_kept &&
            !ignores_deletion(from, a, to, t)) {
          conflict.reads_inside = reads_inside(from, a);
          add(conflict, DependencyKind::rw, common(from_index_[i]->read[s], b.written_columns),
              changes_rows(to, t));
        }
        // Who is not refused has read nothing: as for an INSERT, that a key has become free is not
        // looked at by itself.
        const bool frees = b.role == SourceRole::taken && from.removes(s);
        const bool is_taken_twice = from.takes_what_was_read && to.takes_what_was_read;
        if (a.is_written && b.is_read && !to.reads_idly && !frees &&
            (is_taken_twice || !ignores_deletion(to, b, from, s))) {
          conflict.reads_inside = reads_inside(to, b);
          add(conflict, DependencyKind::wr, common(a.written_columns, to_index_[j]->read[t]),
              changes_rows(from, s));
        }
        conflict.reads_inside = false;
        add_passing_over(conflict, from, to);
        // What the store refuses has read the row in its way.
        if (is_check(to, b) && a.is_written && from.kind_at(s) != StatementKind::delete_) {
          add(conflict, DependencyKind::wr, common(a.written_columns, b.predicate_columns),
              from.makes(s));
        }
        if (is_check(from, a) && b.is_written && !to.makes(t)) {
          add(conflict, DependencyKind::rw, common(a.predicate_columns, b.written_columns),
              changes_rows(to, t));
        }
        // Of two that delete a row the order shows to nobody but who reads, and nobody has written
        // a row before it is made.
        const bool is_new = to.makes_numbered_rows(t);
        if (a.is_written && b.is_written && !is_new && !(from.removes(s) && to.removes(t))) {
          add(conflict, DependencyKind::ww, common(a.written_columns, b.written_columns),
              changes_rows(from, s) || changes_rows(to, t));
        }
      }
    }
  }

  // Who passes over a row knows of the one that has locked it, and would have taken the row if that
  // one had come later.
  void add_passing_over(Conflict conflict, const StatementForm& from, const StatementForm& to) {
    conflict.by_lock = true;
    const RowSource& a = from.sources[conflict.from_source];
    const RowSource& b = to.sources[conflict.to_source];
    if (b.skips_locked && takes(a) && !from.makes(conflict.from_source)) {
      add(conflict, DependencyKind::wr, {}, true);
    }
    if (a.skips_locked && takes(b) && !to.makes(conflict.to_source)) {
      add(conflict, DependencyKind::rw, {}, true);
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
  std::vector<std::shared_ptr<const SourceIndex>> from_index_;
  std::vector<std::shared_ptr<const SourceIndex>> to_index_;
  const ConflictSearch& search_;
  std::vector<Conflict>& conflicts_;
};

constexpr std::size_t kBits = 64;

bool meet(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if ((a[i] & b[i]) != 0) return true;
  }
  return false;
}

void add(std::vector<std::uint64_t>& set, std::size_t number) {
  if (set.size() <= number / kBits) set.resize(number / kBits + 1);
  set[number / kBits] |= std::uint64_t{1} << (number % kBits);
}

}  // namespace

bool find_conflicts(const std::vector<FormedStatement>& from,
                    const std::vector<FormedStatement>& to, const ConflictSearch& search,
                    std::vector<Conflict>& conflicts) {
  return ConflictFinder(from, to, search, conflicts).find();
}

ConflictTable::ConflictTable(std::vector<const std::vector<FormedStatement>*> functionalities,
                             AmongUnknown among_unknown)
    : statements_(std::move(functionalities)),
      among_unknown_(among_unknown),
      used_(statements_.size()),
      written_(statements_.size()) {
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < statements_.size(); ++i) {
    const RowSources* last = nullptr;
    for (const FormedStatement& formed : *statements_[i]) {
      const RowSources& sources = formed.form.sources;
      if (last != nullptr && sources.is_shared_with(*last)) continue;
      last = &sources;
      for (const RowSource& source : sources) {
        const std::size_t table = numbers.try_emplace(source.name, numbers.size()).first->second;
        add(used_[i], table);
        if (takes(source)) add(written_[i], table);
      }
    }
  }
}

bool ConflictTable::may_conflict(std::size_t from, std::size_t to) const {
  return meet(used_[from], written_[to]) || meet(written_[from], used_[to]);
}

std::string ConflictTable::table_of(const StatementForm& from, const StatementForm& to,
                                    const Conflict& conflict) const {
  if (stands_for_all(from, to)) return std::string(kAnyTable);
  return from.sources[conflict.from_source].name;
}

std::vector<std::string> ConflictTable::columns_of(const StatementForm& from,
                                                   const StatementForm& to,
                                                   const Conflict& conflict) const {
  return stands_for_all(from, to) ? std::vector<std::string>() : conflict.columns;
}

std::shared_ptr<const ConflictList> ConflictTable::between(
    std::size_t from, std::size_t to, const std::function<bool()>& is_late) const {
  if (!may_conflict(from, to)) {
    static const auto kNone = std::make_shared<const ConflictList>();
    return kNone;
  }
  {
    const std::scoped_lock lock(mutex_);
    const auto known = kept_.find({from, to});
    if (known != kept_.end()) return known->second;
  }
  auto list = std::make_shared<ConflictList>();
  bool was_late = false;
  const auto goes_on = [&](std::size_t conflicts) {
    was_late = was_late || is_late();
    return conflicts < kMostConflicts && !was_late;
  };
  list->is_complete =
      find_conflicts(*statements_[from], *statements_[to],
                     {.among_unknown = among_unknown_, .goes_on = goes_on}, list->all);
  const std::scoped_lock lock(mutex_);
  if (!was_late && kept_conflicts_ + list->all.size() <= kMostKept) {
    if (kept_.emplace(std::pair(from, to), list).second) kept_conflicts_ += list->all.size();
  }
  return list;
}

}  // namespace heddle::find
