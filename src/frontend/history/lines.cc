// heddle's own format. The first line says what the file holds, each other line is one transaction
// or one call. Nothing is built in memory but the history itself.

#include "frontend/history/lines.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/history/lines_json.h"

namespace heddle {

namespace {

constexpr std::int64_t kMostSessions = 1'000'000;
constexpr std::int64_t kMostNumber = std::numeric_limits<std::uint32_t>::max();

struct Header {
  std::string shape;
  std::string model;
  std::optional<Value> initial;
  bool has_times = false;
  std::vector<std::string> sessions;
  std::int64_t permits = 1;
  SourcePosition position;
};

// An element of a list of texts: as the texts of values, but no number and no null.
std::string read_text(JsonCursor& json) {
  ValueTexts texts;
  const SourcePosition position = json.position();
  const Value value = json.value(texts);
  if (!json.trouble() && (value == kNil || value == kUnseen || value.is_number())) {
    json.fail_at(position, "expected a text");
  }
  return json.trouble() ? "" : texts.to_string(value);
}

template <class Choice, class Name>
Choice read_choice(JsonCursor& json, std::size_t count, const Name& name, const char* what) {
  const SourcePosition position = json.position();
  const std::string word(json.text());
  std::vector<std::string> words;
  for (std::size_t i = 0; i < count; ++i) {
    const auto choice = static_cast<Choice>(i);
    if (name(choice) == word) return choice;
    words.emplace_back(name(choice));
  }
  json.fail_at(position, fmt::format("unknown {} \"{}\"", what, word),
               "use one of: " + join(words, ", "));
  return Choice();
}

std::uint32_t read_number(JsonCursor& json, std::int64_t end, const char* what) {
  const SourcePosition position = json.position();
  const std::int64_t number = json.integer();
  if (number >= 0 && number < end) return static_cast<std::uint32_t>(number);
  json.fail_at(position, fmt::format("the number of a {} is between 0 and {}", what, end - 1));
  return 0;
}

Header read_header(JsonCursor& json, ValueTexts& texts) {
  Header header;
  header.position = json.position();
  std::string kind;
  json.each_member([&](std::string_view key) {
    if (key == "heddle") {
      kind = json.text();
    } else if (key == "shape") {
      header.shape = json.text();
    } else if (key == "model") {
      header.model = json.text();
    } else if (key == "initial") {
      header.initial = json.value(texts);
    } else if (key == "times") {
      header.has_times = json.boolean();
    } else if (key == "permits") {
      header.permits = read_number(json, kMostNumber, "permit");
    } else if (key == "sessions") {
      json.each_element([&] { header.sessions.push_back(read_text(json)); });
    } else {
      json.skip_value();
    }
  });
  if (kind != "history/1") {
    json.fail_at(header.position, "no history of heddle",
                 "the first line looks like {\"heddle\": \"history/1\", \"shape\": ...}");
  }
  if (header.sessions.size() > kMostSessions) {
    json.fail_at(header.position, "more than 1000000 sessions");
  }
  return header;
}

class TransactionLines {
 public:
  TransactionLines(JsonCursor& json, Header&& header, ValueTexts&& texts,
                   std::vector<HistoryWatermark>& watermarks)
      : json_(json),
        watermarks_(watermarks),
        names_are_fixed_(!header.sessions.empty()),
        key_table_(history_.keys) {
    history_.texts = std::move(texts);
    history_.initial = header.initial;
    history_.has_times = header.has_times;
    history_.sessions = std::move(header.sessions);
    for (std::size_t i = 0; i < history_.sessions.size(); ++i) {
      sessions_.try_emplace(history_.sessions[i], static_cast<std::uint32_t>(i));
    }
  }

  Result<RecordedHistory> read() {
    while (!json_.at_end()) read_transaction();
    if (json_.trouble()) return *json_.trouble();
    return RecordedHistory(std::move(history_));
  }

 private:
  void read_transaction() {
    const SourcePosition position = json_.position();
    RecordedTransaction txn;
    txn.first = static_cast<std::uint32_t>(history_.operations.size());
    txn.line = position.line;
    bool has_session = false;
    bool is_watermark = false;
    json_.each_member([&](std::string_view key) {
      if (key == "session") {
        txn.session = read_session();
        has_session = true;
      } else if (key == "outcome") {
        txn.outcome = read_choice<TransactionOutcome>(
            json_, 3, [](TransactionOutcome outcome) { return to_string(outcome); }, "outcome");
      } else if (key == "began") {
        txn.began = json_.integer();
      } else if (key == "ended") {
        txn.ended = json_.integer();
      } else if (key == "watermark") {
        is_watermark = true;
        watermarks_.push_back({txn.line, json_.integer()});
      } else if (key == "ops") {
        json_.each_element([&] { read_operation(); });
      } else {
        json_.skip_value();
      }
    });
    if (is_watermark) return;
    if (!has_session) json_.fail_at(position, "a transaction without a session");
    if (history_.has_times && txn.began > txn.ended) {
      json_.fail_at(position, "the transaction ends before it begins");
    }
    if (!history_.has_times) {
      txn.began = 0;
      txn.ended = kNever;
    }
    txn.count = static_cast<std::uint32_t>(history_.operations.size() - txn.first);
    history_.transactions.push_back(txn);
  }

  // A number, or a name from the header; where the header names none, any name.
  std::uint32_t read_session() {
    if (json_.peek() != '"' && json_.peek() != '{') {
      const bool by_name = !names_are_fixed_ && !history_.sessions.empty();
      if (by_name) json_.fail("expected the name of a session, as in the lines above");
      uses_numbers_ = true;
      const auto named = static_cast<std::int64_t>(history_.sessions.size());
      return read_number(json_, names_are_fixed_ ? named : kMostSessions, "session");
    }
    const SourcePosition position = json_.position();
    const std::string name = read_text(json_);
    const auto next = static_cast<std::uint32_t>(history_.sessions.size());
    const auto [place, is_new] = sessions_.try_emplace(name, next);
    if (is_new && (names_are_fixed_ || uses_numbers_)) {
      json_.fail_at(position, fmt::format("unknown session \"{}\"", name));
    }
    if (is_new) history_.sessions.push_back(name);
    if (history_.sessions.size() > kMostSessions) json_.fail("more than 1000000 sessions");
    return place->second;
  }

  void read_operation() {
    if (history_.operations.size() >= kMostOperations) {
      return json_.fail("more operations than 2^32 - 16");
    }
    const SourcePosition position = json_.position();
    KeyOperation operation{KeyId(), KeyAction::read, kUnseen};
    std::size_t place = 0;
    json_.each_element([&] {
      switch (place++) {
        case 0:
          operation.action = read_action();
          break;
        case 1:
          operation.key = key_table_.of(json_.value(history_.texts));
          break;
        case 2:
          read_result(operation);
          break;
        default:
          json_.fail("an operation has at most three parts: action, key, value");
      }
    });
    const bool is_read =
        operation.action == KeyAction::read || operation.action == KeyAction::read_list;
    if (place < 2 || (place < 3 && !is_read)) {
      json_.fail_at(position, "an operation looks like [\"r\", \"x\", 1] or [\"w\", \"x\", 2]");
    }
    history_.operations.push_back(operation);
  }

  KeyAction read_action() {
    const SourcePosition position = json_.position();
    const std::string_view word = json_.text();
    if (word == "r") return KeyAction::read;
    if (word == "w") return KeyAction::write;
    if (word == "append") return KeyAction::append;
    if (word == "r-list") return KeyAction::read_list;
    json_.fail_at(position, fmt::format("unknown action \"{}\"", word),
                  "use one of: r, w, append, r-list");
    return KeyAction::read;
  }

  void read_result(KeyOperation& operation) {
    const bool is_read =
        operation.action == KeyAction::read || operation.action == KeyAction::read_list;
    if (json_.peek() == '[' && is_read) {
      elements_.clear();
      json_.each_element([&] { elements_.push_back(json_.value(history_.texts)); });
      operation.action = KeyAction::read_list;
      operation.value.code = static_cast<std::int64_t>(history_.lists.add(elements_).index());
      return;
    }
    if (operation.action == KeyAction::read_list) json_.fail("expected a list");
    operation.value = json_.value(history_.texts);
  }

  JsonCursor& json_;
  std::vector<HistoryWatermark>& watermarks_;
  TransactionHistory history_;
  bool names_are_fixed_;
  bool uses_numbers_ = false;
  KeyTable key_table_;
  std::unordered_map<std::string, std::uint32_t> sessions_;
  std::vector<Value> elements_;
};

class CallLines {
 public:
  CallLines(JsonCursor& json, const Header& header, ValueTexts&& texts,
            std::vector<HistoryWatermark>& watermarks)
      : json_(json), watermarks_(watermarks) {
    history_.texts = std::move(texts);
    history_.initial = header.initial.value_or(kNil);
    history_.permits = static_cast<std::uint32_t>(header.permits);
    if (const std::optional<ObjectModel> model = find_object_model(header.model)) {
      history_.model = *model;
    } else {
      json_.fail_at(header.position, fmt::format("unknown model \"{}\"", header.model));
    }
  }

  Result<RecordedHistory> read() {
    while (!json_.at_end()) read_call();
    if (json_.trouble()) return *json_.trouble();
    if (!std::ranges::is_sorted(history_.calls, {}, &ObjectCall::called)) sort_calls();
    return RecordedHistory(std::move(history_));
  }

 private:
  // By moment; calls of one moment stay in the order of their lines.
  void sort_calls() {
    std::vector<std::size_t> order(history_.calls.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {},
                      [&](std::size_t i) { return std::pair(history_.calls[i].called, i); });
    std::vector<ObjectCall> calls;
    calls.reserve(order.size());
    for (const std::size_t place : order) calls.push_back(history_.calls[place]);
    history_.calls = std::move(calls);
  }

  void read_call() {
    const SourcePosition position = json_.position();
    ObjectCall call;
    call.line = position.line;
    Value object = kNil;
    bool has_function = false;
    bool is_watermark = false;
    json_.each_member([&](std::string_view key) {
      if (key == "process") {
        call.process = read_number(json_, kMostNumber, "process");
      } else if (key == "function") {
        call.function = read_choice<ObjectFunction>(
            json_, static_cast<std::size_t>(ObjectFunction::transfer) + 1,
            [](ObjectFunction function) { return to_string(function); }, "function");
        has_function = true;
      } else if (key == "watermark") {
        is_watermark = true;
        watermarks_.push_back({call.line, json_.integer()});
      } else if (key == "object") {
        object = json_.value(history_.texts);
      } else {
        read_detail(key, call);
      }
    });
    if (is_watermark) return;
    if (!has_function) json_.fail_at(position, "a call without a function");
    if (call.called > call.returned) json_.fail_at(position, "the call returns before it begins");
    call.object = history_.objects.of(object);
    history_.calls.push_back(call);
  }

  void read_detail(std::string_view key, ObjectCall& call) {
    if (key == "outcome") {
      call.outcome = read_choice<CallOutcome>(
          json_, kCallOutcomes.size(),
          [](CallOutcome outcome) { return kCallOutcomes[static_cast<std::size_t>(outcome)]; },
          "outcome");
    } else if (key == "argument") {
      call.argument = json_.value(history_.texts);
    } else if (key == "second") {
      call.second = json_.value(history_.texts);
    } else if (key == "result") {
      read_result(call);
    } else if (key == "called") {
      call.called = json_.integer();
    } else if (key == "returned") {
      call.returned = json_.integer();
    } else {
      json_.skip_value();
    }
  }

  void read_result(ObjectCall& call) {
    call.result_is_list = json_.peek() == '[';
    if (!call.result_is_list) {
      call.result = json_.value(history_.texts);
      return;
    }
    elements_.clear();
    json_.each_element([&] { elements_.push_back(json_.value(history_.texts)); });
    call.result.code = static_cast<std::int64_t>(history_.lists.add(elements_).index());
  }

  JsonCursor& json_;
  std::vector<HistoryWatermark>& watermarks_;
  ObjectHistory history_;
  std::vector<Value> elements_;
};

}  // namespace

Result<RecordedHistory> read_heddle_lines(std::string_view bytes, const std::string& name,
                                          std::vector<HistoryWatermark>* watermarks) {
  std::vector<HistoryWatermark> ignored;
  if (watermarks == nullptr) watermarks = &ignored;
  JsonCursor json(bytes, name);
  ValueTexts texts;
  Header header = read_header(json, texts);
  const std::string shape = header.shape;
  if (shape == "transactions") {
    return TransactionLines(json, std::move(header), std::move(texts), *watermarks).read();
  }
  if (shape == "calls") return CallLines(json, header, std::move(texts), *watermarks).read();
  json.fail_at(header.position, fmt::format("unknown shape \"{}\"", shape),
               "use one of: transactions, calls");
  return *json.trouble();
}

}  // namespace heddle
