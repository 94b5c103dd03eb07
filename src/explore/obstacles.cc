#include "explore/obstacles.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

class ObstacleSearch {
 public:
  explicit ObstacleSearch(const Finding& finding)
      : finding_(finding), run_(finding.run), history_(finding.history) {}

  std::vector<Obstacle> run() {
    for (std::size_t i = 0; i < run_.records.size(); ++i) {
      note_wait(i);
      note_error(i);
      note_reads(i);
    }
    return std::move(found_);
  }

 private:
  const Step& step_of(std::size_t record) const {
    return finding_.scenario.steps[run_.records[record].step.index()];
  }
  const std::string& session_name(SessionId session) const {
    return finding_.scenario.sessions[session.index()].name;
  }
  std::string session_of(std::size_t record) const { return session_name(step_of(record).session); }

  RowId row_of(const Operation& operation) const {
    return history_.versions[operation.version.index()].row;
  }

  // The rows that operations of a record use.
  std::set<RowId> rows_of(std::size_t record) const {
    std::set<RowId> rows;
    for (const Operation& operation : history_.operations) {
      if (operation.step != record || operation.kind == OperationKind::predicate_read) continue;
      rows.insert(row_of(operation));
    }
    return rows;
  }

  // Of those that the record uses, the ones that earlier steps of the others had used.
  std::vector<std::string> contested_rows(std::size_t record,
                                          const std::vector<SessionId>& others) const {
    const std::set<RowId> own = rows_of(record);
    std::set<std::string> names;
    for (std::size_t i = 0; i < record; ++i) {
      if (std::ranges::find(others, step_of(i).session) == others.end()) continue;
      for (const RowId row : rows_of(i)) {
        if (own.contains(row)) names.insert(to_string(history_.rows[row.index()]));
      }
    }
    return {names.begin(), names.end()};
  }

  void add(ObstacleKind kind, std::size_t record, std::vector<SessionId> sessions,
           std::vector<std::string> rows, std::string sentence) {
    found_.push_back({kind, run_.records[record].step, std::move(sessions), std::move(rows),
                      std::move(sentence)});
  }

  void note_wait(std::size_t i) {
    const StepRecord& record = run_.records[i];
    if (!record.waited) return;
    std::vector<std::string> names;
    for (const SessionId session : record.blocked_by) names.push_back(session_name(session));
    std::vector<std::string> rows = contested_rows(i, record.blocked_by);
    const std::string whom = names.empty() ? "another session" : join(names, " and ");
    const std::string until = names.size() > 1 ? "their transactions end" : "its transaction ends";
    add(ObstacleKind::waits, i, record.blocked_by, rows,
        rows.empty() ? fmt::format("{} has to wait for {}, until {}", step_of(i).name, whom, until)
                     : fmt::format("{} has to wait for {}, which has {} locked until {}",
                                   step_of(i).name, whom, join(rows, ", "), until));
  }

  void note_error(std::size_t i) {
    for (const Reply& reply : run_.records[i].replies) {
      if (!reply.error) continue;
      const StepError& error = *reply.error;
      const std::string& message = error.message.empty() ? error.text : error.message;
      if (!ends_session(error.error_class)) {
        add(ObstacleKind::fails, i, {}, {}, fmt::format("{} fails: {}", step_of(i).name, message));
        continue;
      }
      add(ObstacleKind::ends, i, run_.records[i].blocked_by, {},
          fmt::format("The store ends {} at {}, {}: {}", session_of(i), step_of(i).name,
                      why_ended(error.error_class), message));
    }
  }

  static std::string_view why_ended(ErrorClass error_class) {
    switch (error_class) {
      case ErrorClass::deadlock:
        return "because sessions would wait for each other for ever";
      case ErrorClass::serialization_failure:
        return "because another session has changed meanwhile what this one relies on";
      case ErrorClass::lock_timeout:
        return "because it has waited too long";
      case ErrorClass::refused:
        return "because the program gives up what has to be tried again";
      default:
        return "because the connection is lost";
    }
  }

  // The record in which the version was written; none: there before the run.
  std::optional<std::size_t> writing_record(VersionId version) const {
    for (const Operation& operation : history_.operations) {
      if (operation.kind == OperationKind::write && operation.version == version) {
        return operation.step;
      }
    }
    return std::nullopt;
  }

  // What a refused step read nobody saw.
  void note_reads(std::size_t i) {
    if (std::ranges::any_of(run_.records[i].replies,
                            [](const Reply& r) { return r.error.has_value(); }))
      return;
    for (const Operation& operation : history_.operations) {
      if (operation.kind != OperationKind::read || operation.step != i) continue;
      note_read(i, operation);
    }
  }

  // The newest version that had been written when the read began, and was not seen.
  void note_read(std::size_t i, const Operation& read) {
    const std::vector<VersionId>& versions = history_.versions_of[row_of(read).index()];
    const auto seen = std::ranges::find(versions, read.version);
    if (seen == versions.end()) return;
    std::optional<std::size_t> missed;
    for (auto later = seen + 1; later != versions.end(); ++later) {
      const RowVersion& version = history_.versions[later->index()];
      const auto writer = writing_record(*later);
      const bool is_own = version.writer == read.transaction;
      if (writer && !is_own && *writer < i) missed = writer;
    }
    if (!missed) return;
    const SessionId other = step_of(*missed).session;
    const std::string row = to_string(history_.rows[row_of(read).index()]);
    const bool had_ended = ended_before(*missed, i);
    add(ObstacleKind::reads_earlier, i, {other}, {row},
        fmt::format("{} reads {} as it was before {}: {} {}", step_of(i).name, row,
                    step_of(*missed).name, session_name(other),
                    had_ended ? fmt::format("had committed, but after the snapshot of {} was taken",
                                            session_of(i))
                              : "had not committed yet"));
  }

  // Whether the transaction of a record had ended when another record was launched.
  bool ended_before(std::size_t writer, std::size_t reader) const {
    for (std::size_t i = writer; i < run_.records.size(); ++i) {
      const StepRecord& record = run_.records[i];
      const bool ends = step_of(i).session == step_of(writer).session && record.completed != 0 &&
                        record.state_after == TransactionState::idle;
      if (ends) return record.completed < run_.records[reader].launched;
    }
    return false;
  }

  const Finding& finding_;
  const Run& run_;
  const History& history_;
  std::vector<Obstacle> found_;
};

}  // namespace

std::vector<Obstacle> obstacles_of(const Finding& finding) { return ObstacleSearch(finding).run(); }

}  // namespace heddle
