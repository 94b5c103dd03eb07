// A random session takes the next step of its transaction, over and over: begin, one step per
// operation, commit, return. So transactions overlap, and the order in which they commit is neither
// that of the file nor that of the sessions. What they read is decided by the rule of the level:
//
//   every operation   sees what is committed when it is done: read committed
//   at the begin      sees one state of the session's replica: snapshots
//   at the commit     sees what is committed at the commit: serializable, in real time
//
// Where two transactions that run side by side may not both write a key, the one that commits
// later reads again at its commit, as if it had run only then. Anomalies are planted while the
// sessions that they need are between two transactions, so that nothing else links them.

#include "check/generate/generate.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/assert.h"
#include "check/generate/anomalies.h"
#include "check/generate/plan.h"
#include "check/generate/store.h"

namespace heddle {

namespace {

enum class ReadsAre : std::uint8_t { at_each_operation, at_begin, at_commit };

struct StoreRule {
  IsolationLevel keeps;
  ReadsAre reads;
  bool no_conflicts;  // no two transactions side by side write one key
  std::uint32_t replicas;
  Delivery delivery;
};

// From the weakest: the first that implies the wanted level is taken.
constexpr StoreRule kRules[] = {
    {IsolationLevel::read_committed_biswas_enea, ReadsAre::at_each_operation, false, 1,
     Delivery::causal},
    {IsolationLevel::read_atomic, ReadsAre::at_begin, false, 4, Delivery::any_order},
    {IsolationLevel::transactional_causal, ReadsAre::at_begin, false, 4, Delivery::causal},
    {IsolationLevel::parallel_snapshot, ReadsAre::at_begin, true, 4, Delivery::causal},
    {IsolationLevel::prefix, ReadsAre::at_begin, false, 1, Delivery::causal},
    {IsolationLevel::strong_session_snapshot, ReadsAre::at_begin, true, 1, Delivery::causal},
    {IsolationLevel::strict_serializable, ReadsAre::at_commit, true, 1, Delivery::causal},
};

const StoreRule* find_rule(IsolationLevel level) {
  for (const StoreRule& rule : kRules) {
    if (implies(rule.keeps, level)) return &rule;
  }
  return nullptr;
}

bool is_share(double share) { return share >= 0 && share <= 1; }

// Anomalies to plant, each before the commit of that number.
struct DuePattern {
  std::uint32_t commit = 0;
  AnomalyPattern pattern;
};

class Simulation {
 public:
  Simulation(const GenerateOptions& options, std::vector<TransactionId>* commit_order)
      : options_(options),
        commit_order_(commit_order),
        rule_(*find_rule(options.level)),
        lists_(options.kind == GeneratedKind::list),
        choices_(options.seed),
        planner_(options_, choices_),
        store_(rule_.replicas, rule_.delivery, lists_ ? 0 : options.initial.code) {
    history_.initial = options.initial;
    history_.has_times = options.times;
    plan_anomalies();
    make_sessions();
    make_keys();
  }

  TransactionHistory run() {
    while (!unfinished_.empty()) {
      plant_what_is_due();
      const std::uint32_t place = choices_.below(static_cast<std::uint32_t>(unfinished_.size()));
      const std::uint32_t session = unfinished_[place];
      step(session);
      if (sessions_[session].left > 0) continue;
      unfinished_[place] = unfinished_.back();
      unfinished_.pop_back();
    }
    commits_ = options_.transactions;
    plant_what_is_due();
    HEDDLE_ASSERT(due_.empty());
    return std::move(history_);
  }

 private:
  static constexpr std::uint32_t kIdle = 0xFFFFFFFF;

  struct Session {
    std::uint32_t transaction = kIdle;
    std::uint32_t done = 0;  // steps of it: operations, then its commit
    std::uint32_t left = 0;  // transactions
    std::uint64_t began = 0;
    Moment committed = 0;
  };

  void plan_anomalies() {
    for (const PlantedAnomaly& planted : options_.planted) {
      for (std::uint32_t i = 0; i < planted.count; ++i) {
        const std::uint32_t commit = choices_.below(options_.transactions + 1);
        due_.push_back({commit, *anomaly_pattern(planted.kind)});
      }
    }
    // The last one is the next one due.
    std::ranges::stable_sort(due_, std::greater<>(), &DuePattern::commit);
  }

  void make_sessions() {
    std::uint32_t count = options_.sessions;
    for (const DuePattern& due : due_) count = std::max(count, due.pattern.sessions);
    sessions_.resize(count);
    for (std::uint32_t session = 0; session < options_.sessions; ++session) {
      const bool one_more = session < options_.transactions % options_.sessions;
      sessions_[session].left = options_.transactions / options_.sessions + (one_more ? 1 : 0);
      if (sessions_[session].left > 0) unfinished_.push_back(session);
    }
    idle_ = count;
  }

  void make_keys() {
    for (auto key = static_cast<std::uint32_t>(history_.keys.size()); key < planner_.key_count();
         ++key) {
      (void)history_.keys.of(Value::number(key));
    }
    store_.grow(planner_.key_count());
    elements_.resize(lists_ ? planner_.key_count() : 0);
    own_.resize(planner_.key_count());
  }

  void step(std::uint32_t session) {
    Session& current = sessions_[session];
    ++now_;
    if (current.transaction == kIdle) {
      const bool waits = !due_.empty() && due_.back().commit <= commits_;
      if (!waits) begin(session);
      return;
    }
    const RecordedTransaction& txn = history_.transactions[current.transaction];
    if (current.done < txn.count) {
      if (rule_.reads == ReadsAre::at_each_operation) see(session, txn.first + current.done);
    } else if (current.done == txn.count) {
      commit(session);
    } else {
      end(session);
    }
    ++current.done;
  }

  void begin(std::uint32_t session) {
    --idle_;
    planner_.plan(plan_);
    make_keys();
    RecordedTransaction txn;
    txn.session = session;
    txn.first = static_cast<std::uint32_t>(history_.operations.size());
    txn.outcome = choose_outcome();
    if (options_.times) txn.began = static_cast<Moment>(now_);
    for (const PlannedOperation& planned : plan_) add_operation(planned, txn.first);
    txn.count = static_cast<std::uint32_t>(history_.operations.size()) - txn.first;
    sessions_[session].transaction = static_cast<std::uint32_t>(history_.transactions.size());
    sessions_[session].done = 0;
    sessions_[session].began = now_;
    history_.transactions.push_back(txn);
    if (rule_.reads == ReadsAre::at_begin) see_all(session);
  }

  TransactionOutcome choose_outcome() {
    if (options_.aborted_share > 0 && choices_.chance(options_.aborted_share)) {
      return TransactionOutcome::aborted;
    }
    return options_.unknown_share > 0 && choices_.chance(options_.unknown_share)
               ? TransactionOutcome::unknown
               : TransactionOutcome::committed;
  }

  void add_operation(const PlannedOperation& planned, std::uint32_t first) {
    const KeyId key(planned.key);
    bool writes = planned.writes;
    // Whose append another one may come before cannot read it back before the commit.
    if (lists_ && !writes && !rule_.no_conflicts) {
      for (std::size_t i = first; i < history_.operations.size(); ++i) {
        const KeyOperation& before = history_.operations[i];
        writes = writes || (before.key == key && before.action == KeyAction::append);
      }
    }
    const KeyAction action = lists_ ? (writes ? KeyAction::append : KeyAction::read_list)
                                    : (writes ? KeyAction::write : KeyAction::read);
    history_.operations.push_back({key, action, writes ? new_value() : kNil});
  }

  Value new_value() {
    if (options_.kind == GeneratedKind::register_) {
      return Value::number(1 + choices_.below(options_.distinct_values));
    }
    return Value::number(++last_value_);
  }

  static bool is_write(const KeyOperation& operation) {
    return operation.action == KeyAction::write || operation.action == KeyAction::append;
  }

  // Until the commit a read holds the payload it saw.
  void see(std::uint32_t session, std::uint32_t index) {
    KeyOperation& operation = history_.operations[index];
    if (is_write(operation)) return;
    operation.value = {store_.read(store_.replica_of(session), operation.key.value)};
  }

  void see_all(std::uint32_t session) {
    const RecordedTransaction& txn = history_.transactions[sessions_[session].transaction];
    for (std::uint32_t i = txn.first; i < txn.first + txn.count; ++i) see(session, i);
  }

  void commit(std::uint32_t session) {
    const RecordedTransaction& txn = history_.transactions[sessions_[session].transaction];
    const bool happens = txn.outcome == TransactionOutcome::committed ||
                         (txn.outcome == TransactionOutcome::unknown && choices_.chance(0.5));
    const bool again = rule_.no_conflicts && happens && has_conflict(session, txn);
    if (again) store_.catch_up(store_.replica_of(session), now_);
    if (again || rule_.reads == ReadsAre::at_commit) see_all(session);
    finish_reads(txn);
    if (happens) apply(session, txn);
    if (happens && commit_order_ != nullptr) {
      commit_order_->push_back(TransactionId(sessions_[session].transaction));
    }
    store_.deliver_some(choices_, now_);
    ++commits_;
  }

  bool has_conflict(std::uint32_t session, const RecordedTransaction& txn) const {
    const std::uint32_t replica = store_.replica_of(session);
    for (std::uint32_t i = txn.first; i < txn.first + txn.count; ++i) {
      const KeyOperation& operation = history_.operations[i];
      if (!is_write(operation)) continue;
      if (!store_.has_newest(replica, operation.key.value, sessions_[session].began)) return true;
    }
    return false;
  }

  // From payloads to what the client is told, its own writes included.
  void finish_reads(const RecordedTransaction& txn) {
    const bool told = txn.outcome != TransactionOutcome::unknown;
    ++finished_;
    for (std::uint32_t i = txn.first; i < txn.first + txn.count; ++i) {
      KeyOperation& operation = history_.operations[i];
      OwnWrites& own = own_[operation.key.index()];
      if (own.transaction != finished_) own = {finished_, 0, i, kNil};
      if (is_write(operation)) {
        ++own.count;
        own.last = operation.value;
      } else if (!told) {
        operation.value = kUnseen;
      } else if (lists_) {
        operation.value = read_list(operation, own, i);
      } else if (own.count > 0) {
        operation.value = own.last;
      }
    }
  }

  struct OwnWrites {
    std::uint64_t transaction = 0;
    std::uint32_t count = 0;
    std::uint32_t first = 0;  // no operation before it is on the key
    Value last = kNil;
  };

  Value read_list(const KeyOperation& read, const OwnWrites& own, std::uint32_t index) {
    const std::vector<Value>& all = elements_[read.key.index()];
    list_.assign(all.begin(), all.begin() + read.value.code);
    if (own.count > 0) {
      for (std::uint32_t i = own.first; i < index; ++i) {
        const KeyOperation& before = history_.operations[i];
        if (is_write(before) && before.key == read.key) list_.push_back(before.value);
      }
    }
    return {static_cast<std::int64_t>(history_.lists.add(list_).index())};
  }

  void apply(std::uint32_t session, const RecordedTransaction& txn) {
    writes_.clear();
    for (std::uint32_t i = txn.first; i < txn.first + txn.count; ++i) {
      const KeyOperation& operation = history_.operations[i];
      if (!is_write(operation)) continue;
      Payload payload = operation.value.code;
      if (lists_) {
        elements_[operation.key.index()].push_back(operation.value);
        payload = static_cast<Payload>(elements_[operation.key.index()].size());
      }
      writes_.push_back({operation.key.value, payload});
    }
    if (!writes_.empty()) store_.commit(store_.replica_of(session), writes_, now_);
  }

  void end(std::uint32_t session) {
    RecordedTransaction& txn = history_.transactions[sessions_[session].transaction];
    if (options_.times && txn.outcome != TransactionOutcome::unknown) {
      txn.ended = static_cast<Moment>(now_);
    }
    sessions_[session].transaction = kIdle;
    --sessions_[session].left;
    ++idle_;
  }

  void plant_what_is_due() {
    while (!due_.empty() && due_.back().commit <= commits_ &&
           idle_ >= due_.back().pattern.sessions) {
      plant(due_.back().pattern);
      due_.pop_back();
    }
  }

  // Sessions that have no transaction open, chosen at random.
  std::vector<std::uint32_t> choose_idle(std::uint32_t count) {
    std::vector<std::uint32_t> idle;
    for (std::uint32_t session = 0; session < sessions_.size(); ++session) {
      if (sessions_[session].transaction == kIdle) idle.push_back(session);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto rest = static_cast<std::uint32_t>(idle.size()) - i;
      std::swap(idle[i], idle[i + choices_.below(rest)]);
    }
    idle.resize(count);
    return idle;
  }

  void plant(const AnomalyPattern& pattern) {
    const std::vector<std::uint32_t> sessions = choose_idle(pattern.sessions);
    const std::uint32_t x = planner_.fresh_key();
    (void)planner_.fresh_key();
    make_keys();
    const auto count = static_cast<std::uint32_t>(pattern.transactions.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      const PatternTransaction& planned = pattern.transactions[i];
      TransactionBuilder txn(history_, sessions[planned.session]);
      for (const PatternOperation& operation : planned.operations) {
        const KeyId key(x + static_cast<std::uint32_t>(operation.key - 'x'));
        operation.writes ? plant_write(txn, key, operation.digits)
                         : plant_read(txn, key, operation.digits);
      }
      const auto [began, ended] = planted_times(pattern, i);
      (void)txn.end(planned.aborted ? TransactionOutcome::aborted : TransactionOutcome::committed,
                    began, ended);
    }
    last_value_ += kDigits;
    now_ += 2 * std::uint64_t{count} + 2;
  }

  void plant_write(TransactionBuilder& txn, KeyId key, std::uint32_t digits) {
    const Value value = Value::number(last_value_ + digits);
    lists_ ? txn.append(key, value) : txn.write(key, value);
  }

  void plant_read(TransactionBuilder& txn, KeyId key, std::uint32_t digits) {
    list_.clear();
    for (std::uint32_t rest = digits; rest > 0; rest /= kDigits) {
      list_.push_back(Value::number(last_value_ + rest % kDigits));
    }
    std::ranges::reverse(list_);
    if (lists_) {
      txn.read_list(key, list_);
    } else {
      txn.read(key, list_.empty() ? options_.initial : list_.back());
    }
  }

  // All overlap, but for those of one session; of a pattern in turn none do.
  std::pair<Moment, Moment> planted_times(const AnomalyPattern& pattern,
                                          std::uint32_t index) const {
    if (!options_.times) return {0, kNever};
    const auto base = static_cast<Moment>(now_ + 1);
    const auto is_same = [&](std::uint32_t other) {
      return pattern.in_turn ||
             pattern.transactions[other].session == pattern.transactions[index].session;
    };
    const auto count = static_cast<std::uint32_t>(pattern.transactions.size());
    Moment earlier = 0;
    Moment later = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i != index && is_same(i)) ++(i < index ? earlier : later);
    }
    return {base + 2 * earlier, later == 0 ? base + 2 * Moment{count} : base + 2 * earlier + 1};
  }

  static constexpr std::uint32_t kDigits = 10;

  const GenerateOptions& options_;
  std::vector<TransactionId>* commit_order_;
  const StoreRule& rule_;
  const bool lists_;
  Choices choices_;
  TransactionPlanner planner_;
  VersionStore store_;
  TransactionHistory history_;
  std::vector<Session> sessions_;
  std::vector<std::uint32_t> unfinished_;
  std::uint32_t idle_ = 0;
  std::vector<DuePattern> due_;  // the next one last
  std::uint64_t now_ = 0;
  std::uint32_t commits_ = 0;
  std::int64_t last_value_ = 0;
  std::uint64_t finished_ = 0;
  std::vector<std::vector<Value>> elements_;  // per list: all that was ever appended
  std::vector<OwnWrites> own_;                // per key, of the transaction that commits
  std::vector<PlannedOperation> plan_;
  std::vector<KeyWrite> writes_;
  std::vector<Value> list_;
};

std::optional<std::string> find_flaw_in_shape(const GenerateOptions& options) {
  constexpr std::uint32_t kMostKeys = 100'000'000;
  constexpr std::uint64_t kMostOperations = 1'000'000'000;
  if (options.sessions == 0) return "no sessions";
  if (options.keys == 0 || options.keys > kMostKeys) return "keys are from 1 to 100000000";
  if (options.distinct_values == 0) return "no values";
  if (options.fewest_operations > options.most_operations) {
    return "transactions would have more operations at least than at most";
  }
  constexpr std::uint64_t kLargestTransaction = 64;  // of a workload
  const std::uint64_t each = std::max<std::uint64_t>(options.most_operations, kLargestTransaction);
  if (options.transactions * each > kMostOperations || options.sessions > kMostOperations) {
    return "more operations than a thousand million";
  }
  std::uint64_t planted = 0;
  for (const PlantedAnomaly& anomaly : options.planted) planted += anomaly.count;
  if (planted > kMostOperations / kLargestTransaction) return "too many planted anomalies";
  return std::nullopt;
}

}  // namespace

bool can_generate(IsolationLevel level) { return find_rule(level) != nullptr; }

bool can_plant(AnomalyKind kind, const GenerateOptions& options) {
  const std::optional<AnomalyPattern> pattern = anomaly_pattern(kind);
  if (!pattern) return false;
  if (pattern->lists_only && options.kind != GeneratedKind::list) return false;
  return !pattern->in_turn || options.times;
}

std::optional<std::string> find_flaw(const GenerateOptions& options) {
  if (auto flaw = find_flaw_in_shape(options)) return flaw;
  for (const double share : {options.read_share, options.update_share, options.hot_keys,
                             options.hot_share, options.aborted_share, options.unknown_share}) {
    if (!is_share(share)) return "shares are from 0 to 1";
  }
  if (!(options.exponent >= 0 && options.exponent <= 10)) return "exponents are from 0 to 10";
  if (!can_generate(options.level)) {
    return fmt::format("no history can be generated for {}", definition(options.level).name);
  }
  for (const PlantedAnomaly& planted : options.planted) {
    if (can_plant(planted.kind, options)) continue;
    return fmt::format("no {} can be planted in such a history", definition(planted.kind).name);
  }
  return std::nullopt;
}

TransactionHistory generate_history(const GenerateOptions& options,
                                    std::vector<TransactionId>* commit_order) {
  HEDDLE_ASSERT(!find_flaw(options));
  return Simulation(options, commit_order).run();
}

}  // namespace heddle
