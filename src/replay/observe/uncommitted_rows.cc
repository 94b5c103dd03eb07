#include "replay/observe/uncommitted_rows.h"

#include <algorithm>

#include "base/assert.h"

namespace heddle {

void UncommittedRows::add(std::map<RowId, Row> rows, std::vector<Doing> since) {
  rows_.push_back(std::move(rows));
  since_.push_back(std::move(since));
}

class UncommittedRows::Finder {
 public:
  Finder(const UncommittedRows& seen, const std::vector<State>& committed, History& history,
         std::vector<std::string>& texts)
      : seen_(seen), committed_(committed), history_(history), texts_(texts) {}

  std::vector<State> find() {
    std::vector<Slots> states(1);
    for (const auto& [row, version] : committed_.front()) states.front()[row] = {version, {}};
    for (std::size_t i = 1; i < committed_.size(); ++i) {
      Slots next = states.back();
      for (const RowId row : rows_of(i)) advance(row, i, next);
      states.push_back(std::move(next));
    }
    for (Writing& writing : writings_) {
      if (!writing.became) writing.became = add(writing);
    }
    std::vector<State> found;
    for (const Slots& slots : states) {
      State& state = found.emplace_back();
      for (const auto& [row, slot] : slots) {
        state[row] = slot.writing ? *writings_[*slot.writing].became : slot.version;
      }
    }
    return found;
  }

 private:
  // What a transaction made of a row; what it became when that was committed.
  struct Writing {
    RowId row;
    const Doing* by = nullptr;
    std::optional<Row> now = {};  // none: it deleted the row
    std::optional<VersionId> became = {};
  };
  // In force: a version that was committed, or what somebody wrote.
  struct Slot {
    VersionId version;
    std::optional<std::size_t> writing;
  };
  using Slots = std::map<RowId, Slot>;

  std::set<RowId> rows_of(std::size_t state) const {
    std::set<RowId> rows;
    for (const std::size_t i : {state - 1, state}) {
      for (const auto& [row, seen] : seen_.rows_[i]) rows.insert(row);
    }
    return rows;
  }

  const Row* row_at(std::size_t state, RowId row) const {
    const auto found = seen_.rows_[state].find(row);
    return found == seen_.rows_[state].end() ? nullptr : &found->second;
  }

  std::optional<VersionId> committed_at(std::size_t state, RowId row) const {
    const auto found = committed_[state].find(row);
    const bool exists = found != committed_[state].end() &&
                        history_.versions[found->second.index()].value.has_value();
    return exists ? std::optional(found->second) : std::nullopt;
  }

  // The version that was committed between two states.
  std::optional<VersionId> committed_between(std::size_t state, RowId row) const {
    const std::optional<VersionId> before = committed_at(state - 1, row);
    const std::optional<VersionId> after = committed_at(state, row);
    if (after == before) return std::nullopt;
    if (after) return after;
    const std::vector<VersionId>& versions = history_.versions_of[row.index()];
    const auto deletion = std::find(versions.begin(), versions.end(), *before) + 1;
    return deletion == versions.end() ? std::nullopt : std::optional(*deletion);
  }

  void advance(RowId row, std::size_t state, Slots& slots) {
    const Row* const now = row_at(state, row);
    const Row* const before = row_at(state - 1, row);
    const std::optional<VersionId> committed = committed_at(state, row);
    const bool is_committed = now == nullptr ? !committed.has_value()
                                             : committed && texts_[committed->index()] == now->text;
    const auto slot = slots.find(row);
    if (const auto made = committed_between(state, row);
        made && slot != slots.end() && slot->second.writing) {
      Writing& writing = writings_[*slot->second.writing];
      if (is_as_written(writing, *made)) writing.became = *made;
    }
    if (is_committed) return put_committed(row, state, slots);
    const bool is_same =
        (now == nullptr) == (before == nullptr) && (now == nullptr || now->text == before->text);
    if (is_same) return;
    const Doing* const by = writer(state, history_.rows[row.index()].table);
    if (by == nullptr) return;
    Writing writing{.row = row, .by = by};
    if (now != nullptr) writing.now = *now;
    slots[row] = {{}, writings_.size()};
    writings_.push_back(std::move(writing));
  }

  // Its writer may have changed the row again before it committed.
  bool is_as_written(const Writing& writing, VersionId version) const {
    const bool exists = history_.versions[version.index()].value.has_value();
    return writing.now ? exists && texts_[version.index()] == writing.now->text : !exists;
  }

  // A deletion is a version, too.
  void put_committed(RowId row, std::size_t state, Slots& slots) const {
    const auto committed = committed_[state].find(row);
    if (committed != committed_[state].end()) {
      slots[row] = {committed->second, {}};
    } else {
      slots.erase(row);
    }
  }

  const Doing* writer(std::size_t state, const std::string& table) const {
    for (const Doing& doing : seen_.since_[state]) {
      if (doing.tables.contains(table)) return &doing;
    }
    // A trigger, what a foreign key does, and a procedure may write other tables.
    for (const Doing& doing : seen_.since_[state]) {
      if (doing.may_write) return &doing;
    }
    return nullptr;
  }

  VersionId add(const Writing& writing) {
    const VersionId version(history_.versions.size());
    std::optional<std::string> value;
    if (writing.now) value = writing.now->value;
    history_.versions.push_back({writing.row, writing.by->transaction, std::move(value), false});
    texts_.push_back(writing.now ? writing.now->text : "");
    const OperationId operation(history_.operations.size());
    Operation write;
    write.kind = OperationKind::write;
    write.transaction = writing.by->transaction;
    write.step = static_cast<std::uint32_t>(writing.by->record);
    write.version = version;
    history_.operations.push_back(std::move(write));
    history_.transactions[writing.by->transaction.index()].operations.push_back(operation);
    return version;
  }

  const UncommittedRows& seen_;
  const std::vector<State>& committed_;
  History& history_;
  std::vector<std::string>& texts_;
  std::vector<Writing> writings_;
};

std::vector<UncommittedRows::State> UncommittedRows::find_versions(
    const std::vector<State>& committed, History& history, std::vector<std::string>& texts) const {
  HEDDLE_ASSERT(committed.size() == rows_.size());
  return Finder(*this, committed, history, texts).find();
}

}  // namespace heddle
