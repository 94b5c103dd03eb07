// Looks now and then at what is kept: which transactions are settled, that is before all that is
// still to come; whether these are legal, taking what the others read for unknown, as that may yet
// be written again by somebody (so a violation is final); and what of them can be forgotten
// (forgetting.h). The time between two looks grows with what is kept, so that all of them together
// take a time that is linear in the history as long as what is undecided does not grow.
#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "check/follow/forced_order.h"
#include "check/follow/forgetting.h"
#include "check/follow/window.h"
#include "check/follow/written_values.h"
#include "check/levels/level_graph.h"
#include "check/levels/outside.h"
#include "check/levels/strong_levels.h"
#include "check/observation/bounds.h"
#include "heddle/follow.h"

namespace heddle {

namespace {

// Transactions added between two looks, at least.
constexpr std::size_t kLookStep = 64;
// A look that was asked for is put off where more than this is kept.
constexpr std::size_t kSmall = 2000;
// Beyond so many points a relation between them takes too much memory.
constexpr std::size_t kMostPoints = 8'000;
constexpr std::size_t kAddsPerGlance = 1024;

using WrittenPair = std::pair<std::int64_t, std::int64_t>;

WrittenPair pair_of(Value key, Value value) { return {key.code, value.code}; }

}  // namespace

class TransactionFollower::Work {
 public:
  Work(const TransactionHistory& frame, const FollowOptions& options)
      : options_(options), has_times_(frame.has_times), meter_(options.bounds) {
    part_.partial = frame.partial;
    if (frame.initial) part_.initial = translated(*frame.initial, frame.texts);
    const bool is_timed = options.realtime || options.level == IsolationLevel::strict_serializable;
    can_forget_ = has_times_ && is_timed && is_strong_level(options.level);
    if (is_strong_level(options.level)) {
      shape_ = shape_of(options.level, {options.session, options.realtime});
    }
    if (options.bounds.timeout_ms != 0) {
      deadline_ =
          std::chrono::steady_clock::now() + std::chrono::milliseconds(options.bounds.timeout_ms);
    }
  }

  void add(const TransactionHistory& from, TransactionId id) {
    if (is_over()) return;
    KeptTransaction txn;
    txn.recorded = from.transactions[id.index()];
    const std::uint32_t session = txn.recorded.session;
    if (session < from.sessions.size()) txn.session_name = from.sessions[session];
    if (txn.session_name.empty()) txn.session_name = fmt::format("s{}", session + 1);
    txn.number = ++progress_.added;
    if (txn.recorded.outcome == TransactionOutcome::unknown) txn.recorded.ended = kNever;
    for (const KeyOperation& operation : from.operations_of(id)) {
      txn.operations.push_back(translated(operation, from));
    }
    if (txn.recorded.began < kLatestForgotten) can_forget_ = false;
    if (can_forget_) {
      note_session(txn);
      for (const KeptOperation& operation : txn.operations) {
        if (is_write(operation.action)) note_write(txn, operation);
      }
      count_writers(txn);
    }
    part_.transactions.push_back(std::move(txn));
    is_changed_ = true;
    progress_.kept = part_.transactions.size();
    progress_.most_kept = std::max(progress_.most_kept, progress_.kept);
    if (progress_.added % kAddsPerGlance == 0 && !meter_.may_allocate(0)) give_up(meter_.hit());
  }

  void advance(Moment watermark) {
    if (watermark > watermark_) {
      watermark_ = watermark;
      is_changed_ = true;
    }
    if (part_.transactions.size() >= next_look_) look_now(false);
  }

  void look() {
    const bool is_cheap = can_forget_ && part_.transactions.size() <= kSmall;
    if (is_changed_ && (is_cheap || part_.transactions.size() >= next_look_)) look_now(false);
  }

  void finish() {
    watermark_ = kNever;
    look_now(true);
  }

  const FollowedTransactions& answer() const { return answer_; }
  FollowProgress progress() const { return progress_; }
  const TransactionHistory& window() const { return window_; }

 private:
  bool is_over() const { return answer_.verdict != Verdict::satisfied; }

  void give_up(std::string bound) {
    answer_.verdict = Verdict::unknown;
    answer_.level_answer = {};
    answer_.level_answer.level = options_.level;
    answer_.level_answer.bound = std::move(bound);
  }

  Value translated(Value value, const ValueTexts& from) {
    if (value == kNil || value == kUnseen || value.is_number()) return value;
    return texts_.text(from.to_string(value));
  }

  KeptOperation translated(const KeyOperation& operation, const TransactionHistory& from) {
    KeptOperation kept{translated(from.keys.name(operation.key), from.texts), operation.action,
                       operation.value};
    if (operation.action != KeyAction::read_list) {
      kept.value = translated(operation.value, from.texts);
    } else if (operation.value != kUnseen) {
      kept.value = kNil;
      for (const Value element : from.lists[operation.list()]) {
        kept.list.push_back(translated(element, from.texts));
      }
    }
    return kept;
  }

  // Transactions of unknown outcome of the same session are now before something.
  void note_session(const KeptTransaction& txn) {
    for (KeptTransaction& other : part_.transactions) {
      if (!other.is_open() || other.recorded.session != txn.recorded.session) continue;
      other.is_continued = true;
      check_put_off(other);
    }
  }

  // What was put off because nobody had written its values a second time, but cannot be put off for
  // ever: see forgetting.cc. Then it is not known any more what would have been.
  void check_put_off(const KeptTransaction& open) {
    if (open.is_put_off && open.is_continued && !open.is_unique) give_up_twice_written();
  }

  void give_up_twice_written() {
    give_up("a value of a transaction with an unknown outcome was written a second time");
  }

  void note_write(KeptTransaction& txn, const KeptOperation& write) {
    const WrittenPair written = pair_of(write.key, write.value);
    if (never_seen_.contains(written)) give_up_twice_written();
    for (KeptTransaction& other : part_.transactions) {
      if (!other.is_open() && !txn.is_open()) continue;
      for (const KeptOperation& operation : other.operations) {
        if (!is_write(operation.action) || pair_of(operation.key, operation.value) != written) {
          continue;
        }
        other.is_unique = txn.is_unique = false;
        check_put_off(other);
      }
    }
    const KeyState* const state = part_.state_of(write.key);
    const bool is_first = state == nullptr && part_.initial == write.value;
    if (is_first || (state != nullptr && state->value == write.value)) txn.is_unique = false;
    if (outside_.contains(written)) take_back_outside(write);
  }

  // A value that somebody had read before it was written is no value from outside after all.
  void take_back_outside(const KeptOperation& write) {
    std::erase_if(part_.transactions, [&](const KeptTransaction& txn) {
      return txn.number == 0 && txn.operations.front().key == write.key &&
             txn.operations.front().value == write.value;
    });
    early_reads_.emplace_back(write.key, write.value);
  }

  void look_now(bool is_final) {
    if (is_over()) return;
    is_changed_ = false;
    name_kinds();
    if (can_forget_) {
      settle(is_final);
    } else if (is_final) {
      for (KeptTransaction& txn : part_.transactions) txn.is_settled = true;
    }
    judge(is_final);
    const std::size_t kept = part_.transactions.size();
    progress_.kept = kept;
    next_look_ = std::max(kept + kLookStep, 2 * kept);
  }

  // Whether a key is a list or a register may show only after somebody saw that nothing is there.
  void name_kinds() {
    std::set<std::int64_t> lists;
    std::set<std::int64_t> registers;
    for (const KeptTransaction& txn : part_.transactions) {
      for (const KeptOperation& operation : txn.operations) {
        if (operation.action == KeyAction::append) lists.insert(operation.key.code);
        if (operation.action == KeyAction::write) registers.insert(operation.key.code);
      }
    }
    for (KeptTransaction& txn : part_.transactions) {
      for (KeptOperation& operation : txn.operations) {
        const KeyState* const state = part_.state_of(operation.key);
        const bool is_list =
            lists.contains(operation.key.code) || (state != nullptr && state->is_list);
        const bool is_register =
            registers.contains(operation.key.code) || (state != nullptr && !state->is_list);
        const bool is_nothing = operation.value == kNil && operation.list.empty();
        if (is_list == is_register || is_write(operation.action) || !is_nothing) continue;
        if (part_.initial == kNil) {
          operation.action = is_list ? KeyAction::read_list : KeyAction::read;
        }
      }
    }
  }

  // Marks what is before all that is still to come, and brings `order_` up to date.
  void settle(bool is_final) {
    for (KeptTransaction& txn : part_.transactions) {
      const RecordedTransaction& times = txn.recorded;
      const Moment ended = txn.is_aborted() ? std::min(times.began, times.ended) : times.ended;
      const bool decided = txn.counts() || txn.is_aborted();
      txn.is_settled = txn.is_settled || (decided && ended < watermark_) || is_final;
    }
    add_outside();
    order_.reset();
    if (is_final) return;
    while (shape_.point_count(part_.transactions.size()) <= kMostPoints) {
      order_.emplace(part_, shape_);
      if (!settle_writers()) return;
    }
    order_.reset();
  }

  // Whose version a settled transaction read is settled, and counts whatever its client was told.
  bool settle_writers() {
    bool found = false;
    const auto settle_one = [&](Node node) {
      if (node == kBefore || part_.transactions[node].is_settled) return;
      part_.transactions[node].is_settled = found = true;
      part_.transactions[node].recorded.outcome = TransactionOutcome::committed;
    };
    for (const auto& [name, key] : order_->keys()) {
      for (const auto& [earlier, later] : key.list_order) {
        settle_one(earlier);
        settle_one(later);
      }
      for (const KeptRead& read : key.reads) {
        const KeptTransaction& reader = part_.transactions[read.reader];
        if (!reader.is_settled || !reader.counts()) continue;
        if (read.candidates.size() == 1) settle_one(read.candidates.front());
      }
    }
    return found;
  }

  // Where others may have written what was read: who wrote it, if nobody here did.
  void add_outside() {
    if (!part_.partial) return;
    std::set<WrittenPair> written;
    for (const KeptTransaction& txn : part_.transactions) {
      for (const KeptOperation& operation : txn.operations) {
        if (operation.action == KeyAction::write) {
          written.insert(pair_of(operation.key, operation.value));
        }
      }
    }
    std::vector<KeptOperation> missing;
    for (const KeptTransaction& txn : part_.transactions) {
      if (!txn.counts() || !txn.is_settled) continue;
      for (const KeptOperation& read : txn.operations) {
        const bool is_named = read.action == KeyAction::read && read.value != kUnseen &&
                              read.value != kNil && read.value != part_.initial;
        const bool is_missing =
            is_named && !is_forgotten(read) && written.insert(pair_of(read.key, read.value)).second;
        if (is_missing) missing.push_back(read);
      }
    }
    for (const KeptOperation& read : missing) add_outside_writer(read);
  }

  bool is_forgotten(const KeptOperation& read) const {
    const KeyState* const state = part_.state_of(read.key);
    return (state != nullptr && state->value == read.value) ||
           forgotten_.contains(read.key, read.value) || aborted_.contains(read.key, read.value);
  }

  void add_outside_writer(const KeptOperation& read) {
    KeptTransaction txn;
    txn.recorded.session = next_outside_--;
    txn.session_name = "outside";
    txn.recorded.outcome = TransactionOutcome::unknown;
    txn.recorded.began = kLatestForgotten;
    txn.operations.push_back({read.key, KeyAction::write, read.value});
    outside_.insert(pair_of(read.key, read.value));
    part_.transactions.push_back(std::move(txn));
  }

  void judge(bool is_final) {
    WindowSource source{part_, texts_};
    source.has_times = has_times_;
    source.read = early_reads_;
    if (can_forget_) explain_unwritten(source);
    window_ = make_window(source, is_final || !can_forget_);
    if (part_.partial && !can_forget_) {
      window_.partial = true;
      add_outside_writers(window_);
    }
    CheckOptions wanted{{options_.level}, options_.session, options_.realtime, options_.bounds};
    if (deadline_) wanted.bounds.timeout_ms = left_ms();
    const Result<CheckReport> report = check_history(window_, wanted);
    if (!report) return give_up(report.error().what);
    conclude(report->answers.front(), is_final);
  }

  std::uint64_t left_ms() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        *deadline_ - std::chrono::steady_clock::now());
    return static_cast<std::uint64_t>(std::max<std::int64_t>(left.count(), 1));
  }

  bool is_out_of_bounds() {
    if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) return true;
    return !meter_.may_allocate(0);
  }

  void conclude(const LevelAnswer& found, bool is_final) {
    if (found.verdict == Verdict::satisfied) {
      note_satisfied(is_final);
      if (can_forget_ && !is_final && order_ && order_->is_known()) forget();
      return;
    }
    const bool is_certain = found.verdict == Verdict::violated && (can_forget_ || is_final);
    const bool is_hit = found.verdict == Verdict::unknown && (is_final || is_out_of_bounds());
    if (!is_certain && !is_hit) return;
    answer_.verdict = found.verdict;
    answer_.level_answer = found;
  }

  void note_satisfied(bool is_final) {
    std::size_t satisfied = progress_.added;
    for (const KeptTransaction& txn : part_.transactions) {
      const bool is_open = txn.recorded.outcome == TransactionOutcome::unknown || txn.is_settled;
      if (can_forget_ && !is_final && !is_open && !txn.is_aborted()) {
        satisfied = std::min(satisfied, txn.number - 1);
      }
    }
    progress_.satisfied = std::max(progress_.satisfied, satisfied);
  }

  // Values that nobody has written any more: by whom they were.
  void explain_unwritten(WindowSource& source) const {
    std::set<WrittenPair> told;
    std::set<WrittenPair> written;
    for (const KeptTransaction& txn : part_.transactions) {
      for (const KeptOperation& operation : txn.operations) {
        if (is_write(operation.action)) written.insert(pair_of(operation.key, operation.value));
      }
    }
    for (const KeptTransaction& txn : part_.transactions) {
      for (const KeptOperation& read : txn.operations) {
        if (!txn.is_settled || read.action != KeyAction::read) continue;
        const KeyState* const state = part_.state_of(read.key);
        const bool is_last = state != nullptr && state->value == read.value;
        if (is_last || written.contains(pair_of(read.key, read.value))) continue;
        const bool was_written = forgotten_.contains(read.key, read.value);
        const bool was_aborted = aborted_.contains(read.key, read.value);
        if (!was_written && !was_aborted) continue;
        if (!told.insert(pair_of(read.key, read.value)).second) continue;
        (was_written ? source.overwritten : source.aborted).emplace_back(read.key, read.value);
      }
    }
  }

  void forget() {
    const Forgettable found = choose_forgettable(part_, shape_, *order_);
    for (const Node node : found.put_off) {
      part_.transactions[node].is_put_off = true;
      check_put_off(part_.transactions[node]);
    }
    if (is_over()) return;
    for (const Node node : found.never_seen) {
      for (const KeptOperation& each : part_.transactions[node].operations) {
        if (is_write(each.action) || is_seen(each)) {
          never_seen_.insert(pair_of(each.key, each.value));
        }
      }
    }
    std::vector<bool> is_gone = found.nodes;
    for (const Node node : found.never_seen) is_gone[node] = true;
    for (Node node = 0; node < is_gone.size(); ++node) {
      const KeptTransaction& txn = part_.transactions[node];
      if (txn.is_aborted() && txn.is_settled) is_gone[node] = true;
      if (is_gone[node]) note_forgotten(txn);
    }
    for (const auto& [key, writers] : found.last_writers) {
      if (!order_keys_.contains(key)) set_state(Value{key}, writers);
    }
    std::vector<KeptTransaction> left = left_over(found);
    for (Node node = 0; node < is_gone.size(); ++node) {
      if (!is_gone[node]) left.push_back(std::move(part_.transactions[node]));
    }
    part_.transactions = std::move(left);
    drop_forgotten_order();
    for (KeptTransaction& txn : part_.transactions) count_writers(txn);
    order_.reset();
  }

  // Whoever wrote what one that counts has read counts as well (docs/check.md), also where the
  // reader is forgotten and the value was written more than once.
  void count_writers(KeptTransaction& txn) const {
    if (txn.recorded.outcome != TransactionOutcome::unknown) return;
    for (const KeptOperation& write : txn.operations) {
      if (write.action == KeyAction::write && read_.contains(write.key, write.value)) {
        txn.recorded.outcome = TransactionOutcome::committed;
        txn.is_unique = false;
      }
    }
  }

  // Of those whose order on some keys is open, what they wrote there. Before all others: they come
  // first in their sessions.
  std::vector<KeptTransaction> left_over(const Forgettable& found) {
    std::vector<KeptTransaction> left;
    std::map<Node, std::set<std::int64_t>> keys;
    for (const auto& [key, writers] : found.left_over) {
      for (const Node writer : writers) keys[writer].insert(key);
    }
    std::vector<Node> nodes;
    for (const auto& entry : keys) {
      const std::set<std::int64_t>& open = entry.second;
      KeptTransaction txn = part_.transactions[entry.first];
      std::erase_if(txn.operations, [&](const KeptOperation& operation) {
        return !is_write(operation.action) || !open.contains(operation.key.code);
      });
      left.push_back(std::move(txn));
      nodes.push_back(entry.first);
    }
    keep_order(nodes, left);
    return left;
  }

  // Keys of keep_order() that are in use.
  std::set<std::int64_t> used_order_keys(KeyAction action) const {
    std::set<std::int64_t> used;
    for (const KeptTransaction& txn : part_.transactions) {
      for (const KeptOperation& operation : txn.operations) {
        const bool is_order = order_keys_.contains(operation.key.code);
        if (is_order && operation.action == action) used.insert(operation.key.code);
      }
    }
    return used;
  }

  // What is forgotten comes before all the rest anyway.
  void drop_forgotten_order() {
    if (order_keys_.empty()) return;
    const std::set<std::int64_t> written = used_order_keys(KeyAction::write);
    for (KeptTransaction& txn : part_.transactions) {
      std::erase_if(txn.operations, [&](const KeptOperation& operation) {
        return order_keys_.contains(operation.key.code) && !written.contains(operation.key.code);
      });
    }
  }

  // What is forced among those left over and does not show by their times any more is kept as a
  // read of a key that nobody else knows.
  void keep_order(const std::vector<Node>& nodes, std::vector<KeptTransaction>& left) {
    const std::set<std::int64_t> used = used_order_keys(KeyAction::write);
    std::size_t count = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (std::size_t j = 0; j < nodes.size(); ++j) {
        const bool is_forced =
            i != j && order_->before(shape_.commit(nodes[i]), shape_.commit(nodes[j]));
        if (!is_forced || left[i].recorded.ended < left[j].recorded.began) continue;
        Value key;
        do {
          key = texts_.text(fmt::format("order of unread writes {}", ++count));
        } while (used.contains(key.code));
        order_keys_.insert(key.code);
        left[i].operations.push_back({key, KeyAction::write, Value::number(1)});
        left[j].operations.push_back({key, KeyAction::read, Value::number(1)});
      }
    }
  }

  void note_forgotten(const KeptTransaction& txn) {
    for (const KeptOperation& operation : txn.operations) {
      if (order_keys_.contains(operation.key.code)) continue;
      const bool is_told = operation.action == KeyAction::read && operation.value != kUnseen;
      if (is_told && txn.counts()) read_.add(operation.key, operation.value);
      if (operation.action != KeyAction::write) continue;
      (txn.is_aborted() ? aborted_ : forgotten_).add(operation.key, operation.value);
    }
  }

  void set_state(Value key, const std::vector<Node>& writers) {
    KeyState& state = part_.states[key.code];
    for (const Node writer : writers) {
      for (const KeptOperation& operation : part_.transactions[writer].operations) {
        if (operation.key != key || !is_write(operation.action)) continue;
        state.is_list = operation.action == KeyAction::append;
        if (state.is_list) state.list.push_back(operation.value);
        state.value = state.is_list ? kNil : operation.value;
      }
    }
  }

  FollowOptions options_;
  bool has_times_;
  bool can_forget_ = false;
  LevelShape shape_;
  Meter meter_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  KeptPart part_;
  ValueTexts texts_;
  std::uint32_t next_outside_ = std::numeric_limits<std::uint32_t>::max();  // session
  std::optional<ForcedOrder> order_;  // of what is kept, between settling and forgetting
  WrittenValues forgotten_;
  WrittenValues aborted_;
  WrittenValues read_;  // by forgotten transactions
  std::set<std::int64_t> order_keys_;
  std::set<WrittenPair> outside_;     // that somebody else must have written
  std::set<WrittenPair> never_seen_;  // of forgotten transactions with an unknown outcome
  std::vector<std::pair<Value, Value>> early_reads_;
  Moment watermark_ = std::numeric_limits<Moment>::min();
  bool is_changed_ = false;
  std::size_t next_look_ = kLookStep;
  TransactionHistory window_;
  FollowedTransactions answer_;
  FollowProgress progress_;
};

TransactionFollower::TransactionFollower(const TransactionHistory& frame,
                                         const FollowOptions& options)
    : work_(std::make_unique<Work>(frame, options)) {}
TransactionFollower::TransactionFollower(TransactionFollower&&) noexcept = default;
TransactionFollower& TransactionFollower::operator=(TransactionFollower&&) noexcept = default;
TransactionFollower::~TransactionFollower() = default;

void TransactionFollower::add(const TransactionHistory& from, TransactionId id) {
  work_->add(from, id);
}
void TransactionFollower::advance(Moment watermark) { work_->advance(watermark); }
void TransactionFollower::look() { work_->look(); }
void TransactionFollower::finish() { work_->finish(); }
const FollowedTransactions& TransactionFollower::answer() const { return work_->answer(); }
FollowProgress TransactionFollower::progress() const { return work_->progress(); }
const TransactionHistory& TransactionFollower::window() const { return work_->window(); }

}  // namespace heddle
