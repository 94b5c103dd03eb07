#include "check/levels/sample_recorded.h"

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace heddle {

namespace {

// Whom a read sees, weakest last.
enum class Rule : std::uint8_t {
  serial,       // transactions run one after the other
  snapshot,     // all reads of a transaction see what was committed when it began
  prefix,       // the same, from an earlier moment, which grows session by session
  causal,       // commits arrive at each session after what their writers had seen
  latest,       // each read sees what is committed then
  stale,        // each read sees the state of some moment
  uncommitted,  // each read sees the last write
  anything,     // each read sees some value that was written, or none
};
// How often each is drawn: so that about a third of the histories are serializable, and a third
// legal at no level.
constexpr std::array kDrawnRules = {
    Rule::serial,   Rule::snapshot, Rule::prefix,   Rule::causal,      Rule::causal,
    Rule::latest,   Rule::stale,    Rule::stale,    Rule::uncommitted, Rule::uncommitted,
    Rule::anything, Rule::anything, Rule::anything, Rule::anything,    Rule::anything};

class RecordedStore {
 public:
  RecordedStore(const Choose& choose, const RecordedShape& shape) : choose_(choose) {
    lists_ = shape.lists && choose_(3) == 0;
    duplicates_ = shape.duplicates && !lists_ && choose_(3) == 0;
    rule_ = kDrawnRules[choose_(kDrawnRules.size())];
    // A list that lacks elements in the middle is illegal at every level.
    if (lists_ && rule_ == Rule::causal) rule_ = Rule::prefix;
    if (duplicates_ && choose_(2) == 0) history_.initial = Value::number(0);
    history_.has_times = choose_(2) == 0;
    faults_ = choose_(3) == 0;
    const std::uint32_t keys = 1 + choose_(3);
    for (std::uint32_t key = 0; key < keys; ++key) {
      history_.keys.of(history_.texts.text(std::string(1, static_cast<char>('x' + key))));
    }
    writes_.resize(keys);
    written_.resize(keys);
    open_.resize(1 + std::max(choose_(shape.sessions), choose_(shape.sessions)));
    clocks_.assign(open_.size(), Clock(open_.size(), 0));
    horizons_.assign(open_.size(), 0);
    left_ = 1 + std::max({choose_(shape.transactions), choose_(shape.transactions),
                          choose_(shape.transactions)});
    // Every choice between writers of the same value multiplies what an oracle has to try.
    if (duplicates_) left_ = std::min(left_, 4U);
  }

  TransactionHistory run() {
    while (left_ > 0 || std::ranges::any_of(open_, [](const auto& open) { return !!open; })) {
      const std::uint32_t session = choose_(static_cast<std::uint32_t>(open_.size()));
      if (!open_[session]) {
        if (left_ > 0) begin(session);
        continue;
      }
      do {
        step(session);
      } while (rule_ == Rule::serial && open_[session]);
    }
    return std::move(history_);
  }

 private:
  using Clock = std::vector<std::uint32_t>;  // per session: how many of its commits are seen

  struct Write {
    std::uint32_t commit = 0;  // 0: not committed yet, where that can be seen
    std::uint32_t session = 0;
    std::uint32_t number = 0;  // among its session's commits
    Value value;
  };

  struct Open {
    std::vector<KeyOperation> operations;
    std::vector<std::vector<Value>> own;  // per key
    std::uint32_t operations_left = 0;
    std::uint32_t horizon = 0;
    Moment began = 0;
  };

  void begin(std::uint32_t session) {
    --left_;
    Open open;
    open.own.resize(writes_.size());
    open.operations_left = 1 + std::max({choose_(4), choose_(4), choose_(4)});
    open.began = ++now_;
    std::uint32_t& horizon = horizons_[session];
    if (rule_ == Rule::prefix) horizon += choose_(commits_ - horizon + 1);
    open.horizon = rule_ == Rule::prefix ? horizon : commits_;
    if (rule_ == Rule::causal) receive(session);
    open_[session] = std::move(open);
  }

  // Some commits of one other session arrive, with all that they depend on.
  void receive(std::uint32_t session) {
    const std::uint32_t from = choose_(static_cast<std::uint32_t>(open_.size()));
    const auto sent = std::ranges::count(commit_sessions_, from);
    std::uint32_t number = choose_(static_cast<std::uint32_t>(sent) + 1);
    for (std::size_t i = 0; i < commit_sessions_.size() && number > 0; ++i) {
      if (commit_sessions_[i] != from) continue;
      --number;
      merge(clocks_[session], commit_clocks_[i]);
    }
  }

  static void merge(Clock& into, const Clock& other) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], other[i]);
  }

  void step(std::uint32_t session) {
    Open& open = *open_[session];
    ++now_;
    if (open.operations_left-- == 0) {
      end(session);
      return;
    }
    const KeyId key(choose_(static_cast<std::uint32_t>(writes_.size())));
    if (choose_(2) == 0) {
      write(session, key);
    } else if (lists_) {
      read_list(session, key);
    } else {
      open.operations.push_back({key, KeyAction::read, visible(session, key)});
    }
  }

  void write(std::uint32_t session, KeyId key) {
    const Value value = duplicates_ ? Value::number(choose_(3)) : Value::number(++last_value_);
    Open& open = *open_[session];
    open.operations.push_back({key, lists_ ? KeyAction::append : KeyAction::write, value});
    open.own[key.index()].push_back(value);
    written_[key.index()].push_back(value);
    if (rule_ == Rule::uncommitted) writes_[key.index()].push_back({0, session, 0, value});
  }

  bool sees(std::uint32_t session, const Write& write, std::uint32_t horizon) const {
    if (rule_ == Rule::causal) return write.number <= clocks_[session][write.session];
    return write.commit <= horizon;
  }

  std::uint32_t horizon_of(const Open& open) {
    if (rule_ == Rule::snapshot || rule_ == Rule::prefix) return open.horizon;
    if (rule_ == Rule::stale || rule_ == Rule::anything) return choose_(commits_ + 1);
    return commits_;
  }

  Value visible(std::uint32_t session, KeyId key) {
    const Open& open = *open_[session];
    if (choose_(16) == 0) return kUnseen;
    if (rule_ == Rule::anything && choose_(3) == 0) {
      const std::vector<Value>& written = written_[key.index()];
      const std::uint32_t place = choose_(static_cast<std::uint32_t>(written.size()) + 1);
      return place < written.size() ? written[place] : *history_.initial;
    }
    if (!open.own[key.index()].empty()) return open.own[key.index()].back();
    const std::uint32_t horizon = horizon_of(open);
    Value value = *history_.initial;
    for (const Write& write : writes_[key.index()]) {
      if (sees(session, write, horizon)) value = write.value;
    }
    return value;
  }

  void read_list(std::uint32_t session, KeyId key) {
    Open& open = *open_[session];
    const std::uint32_t horizon = horizon_of(open);
    std::vector<Value> list;
    for (const Write& write : writes_[key.index()]) {
      if (sees(session, write, horizon)) list.push_back(write.value);
    }
    if (rule_ == Rule::anything && list.size() > 1 && choose_(8) == 0) {
      std::swap(list[0], list[1]);
    }
    if (rule_ != Rule::uncommitted) {
      list.insert(list.end(), open.own[key.index()].begin(), open.own[key.index()].end());
    }
    const auto code = static_cast<std::int64_t>(history_.lists.add(list).index());
    const Value value = choose_(16) == 0 ? kUnseen : Value{code};
    open.operations.push_back({key, KeyAction::read_list, value});
  }

  void end(std::uint32_t session) {
    const Open open = *open_[session];
    open_[session].reset();
    const std::uint32_t luck = faults_ ? choose_(8) : 7;
    const bool applied = luck > 1;
    TransactionOutcome outcome = TransactionOutcome::committed;
    if (luck == 0) outcome = TransactionOutcome::aborted;
    if (luck == 1 || luck == 2) outcome = TransactionOutcome::unknown;
    add_to_history(session, open, outcome);
    if (!applied) return;
    ++commits_;
    ++clocks_[session][session];
    commit_sessions_.push_back(session);
    commit_clocks_.push_back(clocks_[session]);
    if (rule_ == Rule::uncommitted) return;  // its writes are there already
    for (std::size_t key = 0; key < writes_.size(); ++key) {
      for (const Value value : open.own[key]) {
        if (!lists_ && value != open.own[key].back()) continue;
        writes_[key].push_back({commits_, session, clocks_[session][session], value});
      }
    }
  }

  void add_to_history(std::uint32_t session, const Open& open, TransactionOutcome outcome) {
    RecordedTransaction txn;
    txn.session = session;
    txn.outcome = outcome;
    txn.first = static_cast<std::uint32_t>(history_.operations.size());
    txn.count = static_cast<std::uint32_t>(open.operations.size());
    if (history_.has_times) {
      txn.began = open.began;
      txn.ended = outcome == TransactionOutcome::unknown ? kNever : now_;
    }
    history_.transactions.push_back(txn);
    history_.operations.insert(history_.operations.end(), open.operations.begin(),
                               open.operations.end());
  }

  const Choose& choose_;
  bool lists_ = false;
  bool duplicates_ = false;
  bool faults_ = false;  // whether transactions may fail
  Rule rule_ = Rule::serial;
  TransactionHistory history_;
  std::vector<std::vector<Write>> writes_;   // per key, as they took effect
  std::vector<std::vector<Value>> written_;  // per key, by anyone at all
  std::vector<std::optional<Open>> open_;    // per session
  std::vector<Clock> clocks_;                // per session
  std::vector<std::uint32_t> horizons_;      // per session
  std::vector<std::uint32_t> commit_sessions_;
  std::vector<Clock> commit_clocks_;
  std::uint32_t commits_ = 0;
  std::uint32_t left_ = 0;  // transactions to begin
  std::int64_t last_value_ = 0;
  Moment now_ = 0;
};

// Operations of the small histories: 0 and 1 write x and y, 2 and 3 read them.
constexpr std::uint32_t kOperations = 4;
constexpr std::uint32_t kShapes = kOperations + kOperations * kOperations;

std::vector<std::uint32_t> operations_of_shape(std::uint32_t shape) {
  if (shape < kOperations) return {shape};
  shape -= kOperations;
  return {shape / kOperations, shape % kOperations};
}

// Up to three transactions by their shapes, and session after session how many are in each.
struct SmallFrame {
  std::vector<std::uint32_t> shapes;
  std::vector<std::uint32_t> sessions;
};

// Calls back with every combination of values that the reads may return.
class SmallHistories {
 public:
  SmallHistories(const SmallFrame& frame,
                 const std::function<void(const TransactionHistory&)>& callback)
      : frame_(frame), callback_(callback) {
    std::array<std::int64_t, 2> last_value = {0, 10};
    for (const std::uint32_t shape : frame.shapes) {
      for (const std::uint32_t operation : operations_of_shape(shape)) {
        if (operation < 2) written_[operation].push_back(Value::number(++last_value[operation]));
      }
    }
  }

  void run() {
    std::vector<std::size_t> limits;
    for (const std::uint32_t shape : frame_.shapes) {
      for (const std::uint32_t operation : operations_of_shape(shape)) {
        if (operation >= 2) limits.push_back(written_[operation - 2].size() + 1);
      }
    }
    std::vector<std::size_t> read(limits.size(), 0);
    for (bool more = true; more;) {
      callback_(history(read));
      more = false;
      for (std::size_t i = 0; i < read.size() && !more; ++i) {
        more = ++read[i] < limits[i];
        if (!more) read[i] = 0;
      }
    }
  }

 private:
  TransactionHistory history(const std::vector<std::size_t>& read) const {
    TransactionHistory history;
    const std::array keys = {history.keys.of(history.texts.text("x")),
                             history.keys.of(history.texts.text("y"))};
    std::array<std::size_t, 2> writes = {0, 0};
    std::size_t reads = 0;
    std::size_t txn = 0;
    for (std::uint32_t session = 0; session < frame_.sessions.size(); ++session) {
      for (std::uint32_t i = 0; i < frame_.sessions[session]; ++i) {
        TransactionBuilder builder(history, session);
        for (const std::uint32_t operation : operations_of_shape(frame_.shapes[txn++])) {
          const std::size_t key = operation % 2;
          if (operation < 2) {
            builder.write(keys[key], written_[key][writes[key]++]);
          } else {
            const std::size_t place = read[reads++];
            builder.read(keys[key], place == 0 ? kNil : written_[key][place - 1]);
          }
        }
        builder.end();
      }
    }
    return history;
  }

  const SmallFrame& frame_;
  const std::function<void(const TransactionHistory&)>& callback_;
  std::array<std::vector<Value>, 2> written_;  // per key
};

// Keys are interchangeable, and so are sessions of one transaction each.
bool is_smallest_of_its_kind(const SmallFrame& frame) {
  if (operations_of_shape(frame.shapes[0])[0] % 2 != 0) return false;
  return frame.sessions.size() < frame.shapes.size() || std::ranges::is_sorted(frame.shapes);
}

Value value_of(const std::string& text) {
  if (text == "nil") return kNil;
  return text == "?" ? kUnseen : Value::number(std::stoll(text));
}

std::vector<Value> list_of(std::string text) {
  std::ranges::replace(text, ',', ' ');
  std::istringstream words(text.substr(1, text.size() - 2));
  std::vector<Value> list;
  for (std::string word; words >> word;) list.push_back(value_of(word));
  return list;
}

// "r(x,1)".
void add_operation(TransactionHistory& history, TransactionBuilder& txn, const std::string& text) {
  const std::size_t comma = text.find(',');
  const KeyId key = history.keys.of(history.texts.text(text.substr(2, comma - 2)));
  const std::string value = text.substr(comma + 1, text.size() - comma - 2);
  if (text[0] == 'w') {
    txn.write(key, value_of(value));
  } else if (text[0] == 'a') {
    txn.append(key, value_of(value));
  } else if (value[0] == '[') {
    txn.read_list(key, list_of(value));
  } else {
    txn.read(key, value_of(value));
  }
}

TransactionOutcome outcome_of(char letter) {
  if (letter == 'c') return TransactionOutcome::committed;
  return letter == 'a' ? TransactionOutcome::aborted : TransactionOutcome::unknown;
}

}  // namespace

TransactionHistory recorded_sample(const std::string& text) {
  TransactionHistory history;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::uint32_t session = 0;
    words >> session;
    TransactionBuilder txn(history, session);
    std::string word;
    while (words >> word && word.size() > 1) add_operation(history, txn, word);
    Moment began = 0;
    Moment ended = kNever;
    if (words >> began >> ended) history.has_times = true;
    txn.end(outcome_of(word[0]), began, history.has_times ? ended : kNever);
  }
  return history;
}

TransactionHistory sample_recorded(const Choose& choose, const RecordedShape& shape) {
  return RecordedStore(choose, shape).run();
}

void for_each_small_history(const std::function<void(const TransactionHistory&)>& callback) {
  const std::vector<std::vector<std::uint32_t>> partitions = {{1},       {1, 1}, {2},
                                                              {1, 1, 1}, {2, 1}, {3}};
  for (const std::vector<std::uint32_t>& sessions : partitions) {
    std::uint32_t transactions = 0;
    for (const std::uint32_t count : sessions) transactions += count;
    SmallFrame frame{std::vector<std::uint32_t>(transactions, 0), sessions};
    for (bool more = true; more;) {
      if (is_smallest_of_its_kind(frame)) SmallHistories(frame, callback).run();
      more = false;
      for (std::size_t i = 0; i < frame.shapes.size() && !more; ++i) {
        more = ++frame.shapes[i] < kShapes;
        if (!more) frame.shapes[i] = 0;
      }
    }
  }
}

std::string text_of(const TransactionHistory& history) {
  std::string text;
  for (std::size_t txn = 0; txn < history.transactions.size(); ++txn) {
    const RecordedTransaction& recorded = history.transactions[txn];
    text += fmt::format("T{} session {} {} [{},{}]:", txn, recorded.session,
                        to_string(recorded.outcome), recorded.began, recorded.ended);
    for (const KeyOperation& operation : history.operations_of(TransactionId(txn))) {
      text += fmt::format(" {}({}", to_string(operation.action), operation.key.value);
      if (operation.action == KeyAction::read_list && operation.value != kUnseen) {
        for (const Value element : history.lists[operation.list()]) {
          text += " " + history.texts.to_string(element);
        }
        text += ")";
      } else {
        text += " " + history.texts.to_string(operation.value) + ")";
      }
    }
    text += "\n";
  }
  return text;
}

TransactionHistory sample_of_seed(std::uint64_t seed, const RecordedShape& shape) {
  std::mt19937_64 random(seed);
  return sample_recorded(
      [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); }, shape);
}

}  // namespace heddle
