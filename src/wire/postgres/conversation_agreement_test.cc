// A tiny server that executes random messages of a client knows what it answers each with. What
// the conversation says that only listens has to be the same.
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "wire/postgres/conversation.h"
#include "wire/postgres/conversation_testing.h"

namespace heddle::postgres {
namespace {

using Random = std::mt19937_64;

// A message in the notation of conversation_testing.h.
struct Asked {
  std::string text;
  std::uint64_t unit = 0;  // to which it belongs
  bool ends_unit = false;
};

struct Answered {
  std::uint64_t unit = 0;
  char before = '?';
  char after = '?';
  std::string outcome;

  std::string line() const { return fmt::format("{} {}>{} {}", unit, before, after, outcome); }
};

class ModelServer {
 public:
  explicit ModelServer(Random& random) : random_(random) {}

  // What it sends upon the message.
  std::vector<std::string> take(const Asked& asked) {
    sent_.clear();
    answer(asked);
    return std::exchange(sent_, {});
  }

  bool is_copying() const { return copied_ >= 0; }
  const std::vector<Answered>& answered() {
    tell('?');
    return told_;
  }

 private:
  void answer(const Asked& asked) {
    const std::vector<std::string> fields = split(asked.text, '|');
    const char type = fields[0].front();
    if (is_copying()) return copy(type, asked);
    if (type == 'S') return sync(asked);
    if (is_skipping_) {
      if (asked.ends_unit) end(asked, asked.unit == failed_unit_ ? failure_ : "skipped");
      return;
    }
    switch (type) {
      case 'P':
        return parse(asked, fields[1], fields[2]);
      case 'B':
        if (is_failed() || !statements_.contains(fields[2])) return fail(asked, "26000");
        portals_[fields[1]] = statements_[fields[2]];
        // The client knows when to send data, since it executes each COPY once.
        if (statements_[fields[2]] == "COPY") statements_.erase(fields[2]);
        return send("2");
      case 'C':
        if (fields[1] == "S") statements_.erase(fields[2]);
        if (fields[1] == "P") portals_.erase(fields[2]);
        return send("3");
      case 'E':
        if (is_failed() && !portals_.contains(fields[1])) return fail(asked, "25P02");
        if (!portals_.contains(fields[1])) return fail(asked, "34000");
        is_simple_ = false;
        return run(asked, std::exchange(portals_[fields[1]], "FAIL again"));
      case 'Q':
        is_simple_ = true;
        return run(asked, fields[1]);
      case 'F':
        is_simple_ = true;
        send("V");
        end(asked, "-");
        return ready();
      default:
        return;
    }
  }

  bool is_failed() const { return status_ == 'E'; }

  void parse(const Asked& asked, const std::string& name, const std::string& text) {
    const bool is_end = text == "COMMIT" || text == "ROLLBACK";
    if (is_failed() && !is_end) return fail(asked, "25P02");
    if (text.starts_with("BAD")) return fail(asked, "42601");
    if (!name.empty() && statements_.contains(name)) return fail(asked, "42P05");
    statements_[name] = text;
    send("1");
  }

  void run(const Asked& asked, const std::string& text) {
    is_executed_ = true;
    before_ = status_;
    const bool is_end = text == "COMMIT" || text == "ROLLBACK";
    if (is_failed() && !is_end) return fail(asked, "25P02");
    if (text.starts_with("FAIL") || text.starts_with("BAD")) return fail(asked, "23505");
    if (text.starts_with("COPY")) {
      copying_ = asked;
      copied_ = 0;
      return send("G");
    }
    std::string tag = text;
    if (text == "BEGIN") status_ = 'T';
    if (text == "COMMIT" && is_failed()) tag = "ROLLBACK";
    if (is_end) status_ = 'I';
    if (text == "DEALLOCATE ALL") statements_.clear();
    std::size_t rows = 0;
    for (; text.starts_with("SELECT") && random_() % 3 != 0; ++rows) send("D|x");
    complete(asked, tag, fmt::format("{} {} rows {} copied 0", text, tag, rows));
  }

  void complete(const Asked& asked, const std::string& tag, const std::string& outcome) {
    send("C|" + tag);
    end(asked, outcome, before_);
    if (is_simple_) ready();
  }

  void copy(char type, const Asked& asked) {
    const bool fails = type == 'f' || (type == 'd' && random_() % 6 == 0);
    if (type == 'd') ++copied_;
    if (type == 'S' && asked.ends_unit) ignored_.push_back(asked);
    if (!fails && type != 'c') return;
    const auto count = std::exchange(copied_, -1);
    if (fails) {
      fail(copying_, "57014");
    } else {
      complete(copying_, "COPY", fmt::format("COPY COPY rows 0 copied {}", count));
    }
    for (const Asked& each : std::exchange(ignored_, {})) end(each, "skipped");
  }

  void sync(const Asked& asked) {
    const bool was_failed = std::exchange(is_skipping_, false);
    std::string outcome = asked.unit == failed_unit_ ? failure_ : "-";
    // What is checked when the transaction ends fails sometimes.
    if (status_ == 'I' && is_executed_ && !was_failed && !pending_.empty() && random_() % 4 == 0) {
      send("E|23503");
      outcome = "error 23503";
      if (!asked.ends_unit) pending_.back().outcome = outcome;
    }
    if (asked.ends_unit) end(asked, outcome);
    ready();
  }

  void ready() {
    send(std::string("Z|") + status_);
    is_executed_ = false;
    if (status_ == 'I') portals_.clear();
    tell(status_);
  }

  void fail(const Asked& asked, const std::string& code) {
    send("E|" + code);
    failure_ = "error " + code;
    failed_unit_ = asked.unit;
    failed_before_ = status_;
    if (status_ == 'T') status_ = 'E';
    portals_.clear();  // none of a transaction that has failed can be executed
    const bool is_query = asked.text.front() == 'Q';
    is_skipping_ = !is_query;
    if (asked.ends_unit) end(asked, failure_);
    if (is_query) ready();
  }

  void end(const Asked& asked, const std::string& outcome) {
    const bool is_failed = asked.unit == failed_unit_ && outcome == failure_;
    end(asked, outcome, is_failed ? failed_before_ : status_);
  }
  void end(const Asked& asked, const std::string& outcome, char before) {
    pending_.push_back({.unit = asked.unit, .before = before, .outcome = outcome});
  }

  void tell(char status) {
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      pending_[i].after = i + 1 < pending_.size() ? pending_[i + 1].before : status;
      told_.push_back(pending_[i]);
    }
    pending_.clear();
  }

  void send(const std::string& message) {
    constexpr const char* kNoise[] = {"N|00000", "A", "S|TimeZone|UTC"};
    if (random_() % 5 == 0) sent_.push_back(kNoise[random_() % 3]);
    sent_.push_back(message);
  }

  Random& random_;
  std::map<std::string, std::string> statements_;
  std::map<std::string, std::string> portals_;
  std::vector<std::string> sent_;
  std::vector<Answered> pending_;  // behind the last "ready"
  std::vector<Answered> told_;
  std::vector<Asked> ignored_;
  Asked copying_;
  std::int64_t copied_ = -1;
  std::string failure_;
  std::uint64_t failed_unit_ = 0;
  char failed_before_ = '?';
  char before_ = '?';
  char status_ = 'I';
  bool is_skipping_ = false;
  bool is_simple_ = false;
  bool is_executed_ = false;
};

// A random client, its server, and the one who listens.
class Round {
 public:
  // `lies`: who listens is told of no Sync.
  Round(std::uint64_t seed, bool lies) : random_(seed), server_(random_), lies_(lies) {
    told_to({.is_client = false, .message = {'Z', "I"}});
  }

  void run() {
    for (std::size_t left = 20 + random_() % 60; left > 0; --left) {
      ask_something();
      while (!waiting_.empty() && random_() % 3 != 0) serve();
    }
    serve_all();
  }

  std::vector<std::string> expected() {
    std::vector<std::string> lines;
    for (const Answered& each : server_.answered()) lines.push_back(each.line());
    return lines;
  }
  std::vector<std::string> heard() {
    for (const WireUnit& unit : conversation_.take_unanswered()) {
      lines_.push_back(fmt::format("{} unanswered", unit.ordinal));
    }
    note();
    return lines_;
  }
  const std::string& script() const { return script_; }

 private:
  std::string any(std::initializer_list<const char*> words) {
    return *(words.begin() + random_() % words.size());
  }
  std::string any_text() {
    const std::string text = any({"UPDATE", "SELECT", "UPDATE", "SELECT", "FAIL", "BAD", "BEGIN",
                                  "COMMIT", "ROLLBACK", "DEALLOCATE ALL", "BEGIN"});
    const bool is_numbered = text == "UPDATE" || text == "SELECT" || text == "FAIL";
    return is_numbered ? fmt::format("{} {}", text, ++texts_) : text;
  }

  void ask_something() {
    const std::uint64_t choice = random_() % 16;
    const std::string name = any({"", "", "a", "b"});
    if (choice < 6) {
      execute(any_text());
    } else if (choice < 9) {
      ask("S");
    } else if (choice == 9) {
      ask("Q|" + any_text());
    } else if (choice == 10) {
      ask("P|" + name + "|" + any_text());
    } else if (choice == 11) {
      ask("B||" + name);
    } else if (choice == 12) {
      ask(any({"H", "F", "E|", "E|p"}));
    } else if (choice == 13) {
      ask("C|S|" + name);
    } else {
      copy();
    }
  }

  void execute(const std::string& text) {
    const std::string name = text == "COPY" ? "" : any({"", "", "a", "b"});
    const std::string portal = any({"", "", "p"});
    ask("P|" + name + "|" + text);
    ask("B|" + portal + "|" + name);
    ask("E|" + portal);
  }

  void copy() {
    const bool is_simple = random_() % 2 == 0;
    if (is_simple) ask("Q|COPY");
    if (!is_simple) execute("COPY");
    for (std::uint64_t left = is_simple ? 0 : random_() % 3; left > 0; --left) ask("S");
    serve_all();
    if (!server_.is_copying()) return;
    is_executed_ = true;
    for (std::uint64_t left = random_() % 4; left > 0; --left) {
      ask("d|data");
      if (random_() % 2 == 0) serve();
    }
    ask(random_() % 3 == 0 ? "f|no" : "c");
    if (!is_simple) ask("S");
  }

  void ask(const std::string& text) {
    const char type = text.front();
    const bool is_part = type == 'P' || type == 'B' || type == 'C';
    const bool is_whole = type == 'E' || type == 'Q' || type == 'F';
    Asked asked{.text = text, .unit = next_unit_};
    asked.ends_unit = is_whole || (type == 'S' && (is_within_ || !is_executed_));
    if (asked.ends_unit) ++next_unit_;
    if (is_whole || type == 'S') is_within_ = false;
    if (is_part) is_within_ = true;
    if (type == 'E') is_executed_ = true;
    if (type == 'Q' || type == 'S' || type == 'F') is_executed_ = false;
    script_ += "> " + text + "\n";
    waiting_.push_back(asked);
    if (!lies_ || type != 'S') told_to(sent_message(true, text));
  }

  void serve() {
    if (waiting_.empty()) return;
    const Asked asked = waiting_.front();
    waiting_.pop_front();
    for (const std::string& text : server_.take(asked)) {
      script_ += "< " + text + "\n";
      told_to(sent_message(false, text));
    }
  }
  void serve_all() {
    while (!waiting_.empty()) serve();
  }

  void told_to(const SentMessage& sent) {
    const CutMessage message = cut_at(sent.message, 1000);
    if (sent.is_client) {
      EXPECT_TRUE(conversation_.client_message(message));
    } else {
      conversation_.server_message(message);
    }
    note();
  }

  void note() {
    for (const WireUnit& unit : conversation_.take_answered()) {
      const Answered answered{.unit = unit.ordinal,
                              .before = unit.status_before,
                              .after = unit.status_after,
                              .outcome = outcome(unit)};
      lines_.push_back(answered.line());
    }
  }

  static std::string outcome(const WireUnit& unit) {
    if (!unit.error.empty()) return "error " + unit.error.at('C');
    if (unit.is_skipped) return "skipped";
    if (unit.results.empty()) return "-";
    const WireResult& result = unit.results.back();
    return fmt::format("{} {} rows {} copied {}", *unit.text, result.tag, result.row_count,
                       result.copied);
  }

  Random random_;
  ModelServer server_;
  bool lies_;
  Conversation conversation_;
  std::deque<Asked> waiting_;  // for the server
  std::vector<std::string> lines_;
  std::string script_;
  std::uint64_t next_unit_ = 1;
  std::size_t texts_ = 0;
  bool is_within_ = false;
  bool is_executed_ = false;
};

TEST(ConversationAgreement, says_what_the_server_answered_with) {
  std::size_t units = 0;
  for (std::size_t seed = 1; seed <= test_rounds(1000); ++seed) {
    Round round(seed, false);
    round.run();
    const std::vector<std::string> expected = round.expected();
    units += expected.size();
    ASSERT_EQ(join(round.heard(), "\n"), join(expected, "\n")) << "seed " << seed << "\n"
                                                               << round.script();
  }
  EXPECT_GT(units, 5000U);
}

TEST(ConversationAgreement, notices_one_who_listens_badly) {
  for (std::size_t seed = 1; seed <= 10; ++seed) {
    Round round(seed, true);
    round.run();
    if (round.heard() != round.expected()) return;
  }
  FAIL() << "nobody noticed that the Syncs were not told";
}

}  // namespace
}  // namespace heddle::postgres
