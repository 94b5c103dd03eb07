#include "check/follow/window.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

namespace heddle {

namespace {

class WindowBuilder {
 public:
  WindowBuilder(const WindowSource& source, bool all) : source_(source), all_(all) {
    if (source.part.initial)
      window_.initial = value(*source.part.initial);
    else
      window_.initial.reset();
    window_.has_times = source.has_times;
  }

  TransactionHistory build() {
    collect_cuts();
    for (const auto& [name, read] : source_.read) early(0, name, KeyAction::read, read);
    for (const auto& [name, written] : source_.aborted) {
      early(0, name, KeyAction::write, written, TransactionOutcome::aborted);
    }
    for (const auto& [name, written] : source_.overwritten) {
      early(0, name, KeyAction::write, written);
    }
    add_states();
    for (const KeptTransaction& txn : source_.part.transactions) add(txn);
    return std::move(window_);
  }

 private:
  Value value(Value kept) {
    if (kept == kNil || kept == kUnseen || kept.is_number()) return kept;
    return window_.texts.text(source_.texts.to_string(kept));
  }

  KeyId key(Value name) { return window_.keys.of(value(name)); }

  std::uint32_t session(const KeptTransaction& txn) {
    const auto next = static_cast<std::uint32_t>(window_.sessions.size());
    const auto [entry, is_new] = sessions_.try_emplace(txn.recorded.session, next);
    if (is_new) window_.sessions.push_back(txn.session_name);
    return entry->second;
  }

  std::uint32_t early_session() {
    if (!early_session_) {
      early_session_ = static_cast<std::uint32_t>(window_.sessions.size());
      window_.sessions.emplace_back("earlier");
    }
    return *early_session_;
  }

  void end_early(TransactionBuilder& txn, TransactionOutcome outcome) {
    const Moment moment =
        source_.has_times ? std::numeric_limits<Moment>::min() + 1 + early_count_++ * 2 : 0;
    txn.end(outcome, moment, source_.has_times ? moment + 1 : kNever);
    window_.transactions.back().began = moment;
  }

  void early(std::uint32_t line, Value name, KeyAction action, Value what,
             TransactionOutcome outcome = TransactionOutcome::committed) {
    TransactionBuilder txn(window_, early_session(), line);
    action == KeyAction::read ? txn.read(key(name), value(what))
                              : txn.write(key(name), value(what));
    end_early(txn, outcome);
  }

  // Reads of what a list was while it was shorter need a version of that length.
  void collect_cuts() {
    for (const KeptTransaction& txn : source_.part.transactions) {
      if (txn.is_aborted()) continue;
      for (const KeptOperation& operation : txn.operations) {
        const KeyState* const state = source_.part.state_of(operation.key);
        if (state == nullptr) continue;
        std::set<std::size_t>& cuts = cuts_[operation.key.code];
        const std::size_t length = operation.list.size();
        const bool is_shown = is_seen(operation) && operation.action == KeyAction::read_list &&
                              (all_ || txn.is_settled);
        if (is_shown && length > 0 && length < state->list.size()) cuts.insert(length);
      }
    }
  }

  // The first transaction has the first piece of each list, and so on; the last has all the rest.
  void add_states() {
    std::size_t pieces = cuts_.empty() ? 0 : 1;
    for (const auto& [name, cuts] : cuts_) pieces = std::max(pieces, cuts.size() + 1);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      TransactionBuilder txn(window_, early_session());
      for (const auto& [code, cuts] : cuts_) {
        const KeyState& state = *source_.part.state_of(Value{code});
        if (!state.is_list) {
          if (piece + 1 == pieces) txn.write(key(Value{code}), value(state.value));
          continue;
        }
        const bool is_last = piece + 1 == pieces;
        const std::size_t begin = piece == 0 ? 0 : cut(cuts, piece - 1, state.list.size());
        const std::size_t end = is_last ? state.list.size() : cut(cuts, piece, state.list.size());
        for (std::size_t i = begin; i < end; ++i)
          txn.append(key(Value{code}), value(state.list[i]));
      }
      end_early(txn, TransactionOutcome::committed);
    }
  }

  static std::size_t cut(const std::set<std::size_t>& cuts, std::size_t index, std::size_t size) {
    if (index >= cuts.size()) return size;
    return *std::next(cuts.begin(), static_cast<std::ptrdiff_t>(index));
  }

  void add(const KeptTransaction& txn) {
    const bool shown = all_ || txn.is_settled || txn.is_aborted();
    TransactionBuilder builder(window_, session(txn), txn.recorded.line);
    for (const KeptOperation& operation : txn.operations) {
      const KeyId id = key(operation.key);
      const bool is_hidden = !is_write(operation.action) && !shown;
      switch (operation.action) {
        case KeyAction::read:
          builder.read(id, is_hidden ? kUnseen : value(operation.value));
          break;
        case KeyAction::write:
          builder.write(id, value(operation.value));
          break;
        case KeyAction::append:
          builder.append(id, value(operation.value));
          break;
        case KeyAction::read_list:
          add_list_read(builder, id, operation, is_hidden);
          break;
      }
    }
    builder.end(txn.recorded.outcome, txn.recorded.began, txn.recorded.ended);
  }

  void add_list_read(TransactionBuilder& builder, KeyId id, const KeptOperation& operation,
                     bool is_hidden) {
    if (is_hidden || operation.value == kUnseen) {
      builder.read_list_unseen(id);
      return;
    }
    elements_.clear();
    for (const Value element : operation.list) elements_.push_back(value(element));
    builder.read_list(id, elements_);
  }

  const WindowSource& source_;
  bool all_;
  TransactionHistory window_;
  std::unordered_map<std::uint32_t, std::uint32_t> sessions_;
  std::optional<std::uint32_t> early_session_;
  Moment early_count_ = 0;
  std::map<std::int64_t, std::set<std::size_t>> cuts_;  // by key, of keys that have a state
  std::vector<Value> elements_;
};

}  // namespace

TransactionHistory make_window(const WindowSource& source, bool all) {
  return WindowBuilder(source, all).build();
}

}  // namespace heddle
