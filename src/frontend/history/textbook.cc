// Steps in the order of the text, so the places of the first and the last step of a transaction are
// its times. Transactions are put together afterwards, in the order of their first steps, except
// that the transactions of a `session` line take their turns in the order of that line.

#include "frontend/history/textbook.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "frontend/history/plume_zero.h"
#include "frontend/history/textbook_token.h"

namespace heddle {

namespace {

struct TextbookTransaction {
  std::uint64_t number = 0;
  std::vector<KeyOperation> operations;
  TransactionOutcome outcome = TransactionOutcome::unknown;
  bool has_ended = false;
  Moment began = 0;
  Moment ended = kNever;
  std::uint32_t line = 0;
};

struct TextbookSession {
  std::string name;
  std::vector<std::uint64_t> numbers;
  std::vector<SourcePosition> positions;
};

class TextbookReader {
 public:
  TextbookReader(std::string_view bytes, const std::string& name)
      : file_(name), scanner_(bytes, name, history_.texts) {
    history_.has_times = true;
  }

  Result<TransactionHistory> read() {
    while (!scanner_.at_end() && !interrupted()) {
      if (!read_item()) return *scanner_.trouble();
    }
    if (const auto trouble = assign_sessions()) return *trouble;
    store();
    if (!has_initial_) guess_initial();
    return std::move(history_);
  }

 private:
  bool read_item() {
    const std::string_view directive = scanner_.take_directive();
    if (directive.empty()) return read_step();
    const bool good = directive == "session"   ? read_session()
                      : directive == "initial" ? read_initial()
                                               : read_times();
    if (!good) return false;
    return scanner_.at_end_of_line() || scanner_.fail("expected the end of the line");
  }

  bool read_session() {
    TextbookSession session;
    if (!scanner_.name(session.name) || !scanner_.take_colon()) return false;
    while (!scanner_.at_end_of_line()) {
      session.positions.push_back(scanner_.position());
      if (!scanner_.number(session.numbers.emplace_back())) return false;
    }
    sessions_.push_back(std::move(session));
    return true;
  }

  bool read_initial() {
    if (!scanner_.take_colon() || scanner_.at_end_of_line()) {
      return scanner_.fail("expected the initial value", "it looks like initial: 0");
    }
    if (has_initial_) return scanner_.fail("a second initial value");
    has_initial_ = true;
    if (scanner_.take_none()) {
      history_.initial.reset();
      return true;
    }
    return scanner_.value(history_.initial.emplace());
  }

  // Nil where nil is read, else 0, unless it is written wherever it is read.
  void guess_initial() {
    const bool reads_nil =
        std::ranges::any_of(history_.operations, [](const KeyOperation& operation) {
          return operation.action == KeyAction::read && operation.value == kNil;
        });
    if (reads_nil) {
      history_.initial = kNil;
    } else if (zeros_are_written(history_)) {
      history_.initial.reset();
    } else {
      history_.initial = Value::number(0);
    }
  }

  bool read_times() {
    if (!scanner_.take_colon()) return false;
    if (!scanner_.take_none()) return scanner_.fail("expected none", "it looks like times: none");
    history_.has_times = false;
    return true;
  }

  bool read_step() {
    TextbookStep step;
    if (!scanner_.step(step)) return false;
    ++now_;
    const auto [place, is_new] = places_.try_emplace(step.transaction, transactions_.size());
    if (is_new) {
      TextbookTransaction txn;
      txn.number = step.transaction;
      txn.began = now_;
      txn.line = step.position.line;
      transactions_.push_back(std::move(txn));
    }
    TextbookTransaction& txn = transactions_[place->second];
    if (txn.has_ended) {
      return scanner_.fail(fmt::format("transaction {} has ended before", step.transaction));
    }
    switch (step.kind) {
      case TextbookStep::Kind::begin:
        return is_new ||
               scanner_.fail(fmt::format("transaction {} has begun before", step.transaction));
      case TextbookStep::Kind::commit:
      case TextbookStep::Kind::abort:
        end(txn, step.kind == TextbookStep::Kind::commit);
        return true;
      default:
        txn.operations.push_back(operation(step));
        return true;
    }
  }

  void end(TextbookTransaction& txn, bool committed) const {
    txn.has_ended = true;
    txn.outcome = committed ? TransactionOutcome::committed : TransactionOutcome::aborted;
    txn.ended = now_;
  }

  KeyOperation operation(const TextbookStep& step) {
    KeyOperation operation;
    operation.key = history_.keys.of(step.key);
    operation.value = step.value.value_or(kUnseen);
    if (step.kind == TextbookStep::Kind::write) operation.action = KeyAction::write;
    if (step.kind == TextbookStep::Kind::append) operation.action = KeyAction::append;
    if (step.list_is_unseen || step.elements) operation.action = KeyAction::read_list;
    if (step.elements) {
      operation.value.code = static_cast<std::int64_t>(history_.lists.add(*step.elements).index());
    }
    return operation;
  }

  // Gives every transaction its session, and those of one session their order.
  std::optional<Diagnostic> assign_sessions() {
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    session_of_.assign(transactions_.size(), kNone);
    order_.resize(transactions_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    for (std::size_t s = 0; s < sessions_.size(); ++s) {
      const TextbookSession& session = sessions_[s];
      std::vector<std::size_t> members;
      for (std::size_t i = 0; i < session.numbers.size(); ++i) {
        const auto found = places_.find(session.numbers[i]);
        const bool exists = found != places_.end();
        if (!exists || session_of_[found->second] != kNone) {
          const std::string what = exists ? "has a session already" : "has no steps";
          return Diagnostic{fmt::format("transaction {} {}", session.numbers[i], what), "", file_,
                            session.positions[i]};
        }
        session_of_[found->second] = static_cast<std::uint32_t>(s);
        members.push_back(found->second);
      }
      std::vector<std::size_t> turns = members;
      std::ranges::sort(turns);
      for (std::size_t i = 0; i < turns.size(); ++i) order_[turns[i]] = members[i];
      history_.sessions.push_back(session.name);
    }
    auto next = static_cast<std::uint32_t>(sessions_.size());
    for (std::size_t i = 0; i < transactions_.size(); ++i) {
      if (session_of_[i] != kNone) continue;
      session_of_[i] = next++;
      if (!sessions_.empty())
        history_.sessions.push_back(fmt::format("T{}", transactions_[i].number));
    }
    return std::nullopt;
  }

  void store() {
    for (const std::size_t place : order_) {
      const TextbookTransaction& txn = transactions_[place];
      RecordedTransaction recorded;
      recorded.session = session_of_[place];
      recorded.outcome = txn.outcome;
      recorded.first = static_cast<std::uint32_t>(history_.operations.size());
      recorded.count = static_cast<std::uint32_t>(txn.operations.size());
      recorded.line = txn.line;
      if (history_.has_times) {
        recorded.began = txn.began;
        recorded.ended = txn.ended;
      }
      history_.operations.insert(history_.operations.end(), txn.operations.begin(),
                                 txn.operations.end());
      history_.transactions.push_back(recorded);
    }
  }

  const std::string& file_;
  TransactionHistory history_;
  TextbookScanner scanner_;
  bool has_initial_ = false;
  Moment now_ = 0;
  std::vector<TextbookTransaction> transactions_;  // by first step
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::vector<TextbookSession> sessions_;
  std::vector<std::uint32_t> session_of_;  // per transaction
  std::vector<std::size_t> order_;         // places of transactions_ in the order of the history
};

}  // namespace

Result<TransactionHistory> read_textbook(std::string_view bytes, const std::string& name) {
  return TextbookReader(bytes, name).read();
}

}  // namespace heddle
