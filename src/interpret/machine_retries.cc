// Attempts that came to nothing (program/retries.h): the runner is told of them when the next one
// reaches the store.
#include <algorithm>
#include <array>
#include <utility>

#include "interpret/machine.h"

namespace heddle::interpreter {

namespace {

bool changes_rows(StatementKind kind) {
  return kind == StatementKind::insert || kind == StatementKind::update ||
         kind == StatementKind::delete_ || kind == StatementKind::merge;
}

bool changes_nothing(StatementKind kind) {
  using enum StatementKind;
  static constexpr std::array<StatementKind, 6> kKinds = {
      select, savepoint, lock_table, set_transaction, rollback_to_savepoint, release_savepoint};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

bool has_old_value(const Value& a, const Value& b) {
  if (!(a.type == b.type) || a.is_null() != b.is_null()) return false;
  if (a.is_null()) return true;
  using Row = std::shared_ptr<const Fields>;
  const bool is_row = std::holds_alternative<Row>(a.content);
  if (is_row != std::holds_alternative<Row>(b.content)) return false;
  if (!is_row) return output_text(a) == output_text(b);
  const Fields& one = a.fields();
  const Fields& other = b.fields();
  return one.names == other.names && one.values.size() == other.values.size() &&
         std::equal(one.values.begin(), one.values.end(), other.values.begin(), has_old_value);
}

}  // namespace

const program::Retry* Machine::retry_of(const Block& body) {
  if (!retries_) retries_ = program::retries(functionality_);
  const auto known = retries_->find(&body);
  return known == retries_->end() ? nullptr : &known->second;
}

Machine::Round Machine::begin_round(const program::Retry& retry) const {
  Round round{.calls = calls_, .kept = kept_, .lines = lines_};
  for (const std::string& name : retry.kept) {
    const auto known = variables_.find(name);
    if (known != variables_.end()) round.values.emplace(name, known->second);
  }
  return round;
}

// What was written stays, or what was begun before has ended.
bool Machine::has_left_something(const Line& before, const Line& now) {
  const bool has_ended = now.ended != before.ended;
  return now.pending != (has_ended ? 0 : before.pending) || (has_ended && before.is_begun);
}

// Whether store and client are as they were before the round.
bool Machine::came_to_nothing(const Round& round) const {
  if (kept_ != round.kept) return false;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (has_left_something(round.lines[i], lines_[i])) return false;
  }
  return std::ranges::all_of(round.values, [&](const auto& one) {
    const auto now = variables_.find(one.first);
    return now != variables_.end() && has_old_value(one.second.value, now->second.value);
  });
}

void Machine::go_around(const program::Retry* retry, std::optional<Round>& round) {
  if (retry == nullptr) return;
  nothing_.reset();
  if (round && calls_ > round->calls && came_to_nothing(*round)) nothing_ = round->calls;
  round = begin_round(*retry);
}

void Machine::count_call() {
  if (const auto first = std::exchange(nothing_, std::nullopt)) runner_.leave_out(*first);
  ++calls_;
}

void Machine::note_effect(const ProgramStatement& statement, const StatementResult& result) {
  Line& line = lines_[statement.connection];
  if (line.is_open) line.is_begun = true;
  const StatementKind kind = statement.statement.kind;
  const bool is_plain = statement.approximated.empty();
  const bool changed = !changes_rows(kind) || result.affected > 0;
  if (is_plain && (changes_nothing(kind) || !changed)) return;
  ++(line.is_open ? line.pending : kept_);
}

// A COMMIT that is refused has rolled back.
void Machine::note_boundary(Boundary boundary, bool is_refused, Line& line) {
  const bool commits = boundary == Boundary::commit;
  if (!commits && boundary != Boundary::rollback) return;
  if (commits && !is_refused) kept_ += line.pending;
  line.pending = 0;
  line.is_begun = false;
  ++line.ended;
}

}  // namespace heddle::interpreter
