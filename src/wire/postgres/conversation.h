// What passes between one client and one server of PostgreSQL, as units: what the client asked for
// at once and the server answers as one, with what it was asked with and what came back.
//
// It only listens: it is given the messages of both directions in the order in which they passed,
// and needs each only while it is given it. What the client sends is understood at once, since the
// server will understand it in the same order; whatever the server then skips after an error is
// told by its answers.
//
// A unit is an execution of a statement (with whatever the client sent before it: Parse, Bind,
// Describe), a Query with all its statements, a call by number, or a Sync behind no execution,
// which closes what was only prepared. Source: PostgreSQL's manual, "Message Flow".
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/running_hash.h"
#include "heddle/result.h"
#include "wire/postgres/message_cutter.h"
#include "wire/postgres/messages.h"

namespace heddle::postgres {

enum class WireUnitKind : std::uint8_t {
  query,      // a simple Query: one statement, several, or none
  execution,  // of a statement that was bound
  more_rows,  // of one that was executed before, with a limit
  call,       // of a function by its number
  prepare,    // nothing was executed up to the Sync
};

// As the client sent it; text or binary, see value_text().
struct WireParameter {
  std::optional<std::string> value;  // none: NULL
  std::uint32_t type = 0;            // 0: nobody said
  std::uint16_t format = 0;
};

// What a statement returned.
struct WireResult {
  std::vector<FieldDescription> columns;  // `format` is that of the rows
  bool is_described = false;              // false: it is not known what its columns are
  std::vector<std::string> rows;          // the first ones; read_data_row() reads them
  std::size_t kept_bytes = 0;             // of these
  std::uint64_t row_count = 0;
  RunningHash hash;             // of all rows, or of all that was copied
  std::uint64_t copied = 0;     // messages of COPY, whose lines they mostly are
  std::uint64_t copy_size = 0;  // bytes
  std::string tag;              // "UPDATE 1"; empty: an empty query, or it was not completed
  bool is_copied_out = false;   // the server sent what was copied
  bool is_suspended = false;    // the client's limit was reached
};

struct WireUnit {
  std::uint64_t ordinal = 0;  // from 1, of the connection
  WireUnitKind kind = WireUnitKind::prepare;
  std::shared_ptr<const std::string> text;  // never null
  std::uint64_t text_size = 0;              // larger than the text, where that is cut off
  std::vector<WireParameter> parameters = {};
  bool has_all_parameters = true;  // false: they were too long
  std::vector<WireResult> results = {};
  std::map<char, std::string> error = {};  // its fields; empty: none
  std::size_t notices = 0;
  bool is_skipped = false;   // after an error of one before it
  char status_before = '?';  // I idle, T in a transaction, E in one that has failed
  char status_after = '?';   // '?': not known, the client asked for more before the server said so
  std::uint64_t group = 0;   // of units under one Sync
};

struct ConversationLimits {
  std::size_t rows = 1000;           // kept of a result
  std::size_t row_bytes = 1U << 20;  // of all rows of a unit together
};

class Conversation {
 public:
  explicit Conversation(ConversationLimits limits = {}) : limits_(limits) {}

  // Of the client, once it was let in. The ordinal of the unit that the message ends, if it ends
  // one. Error: the message is not well-formed.
  Result<std::optional<std::uint64_t>> client_message(const CutMessage& message);
  // Whether the message is a part of what was asked for before: data of a COPY, a password.
  static bool is_continuation(char type);

  // Of the server, from its first message on.
  void server_message(const CutMessage& message);

  // A unit that is not answered yet. REQUIRES: there is one.
  const WireUnit& open_unit(std::uint64_t ordinal) const;
  bool is_open(std::uint64_t ordinal) const;
  bool has_open_units() const { return !units_.empty(); }
  // The ordinal of the first that is not answered; 0: there is none.
  std::uint64_t first_open() const { return units_.empty() ? 0 : units_.front().ordinal; }
  // Units in the order in which they were answered, each as soon as it is known what the state of
  // the transaction is behind it, or a few hundred others wait for that.
  std::vector<WireUnit> take_answered() { return std::exchange(answered_, {}); }
  // What will not be answered any more, since the connection has ended.
  std::vector<WireUnit> take_unanswered();

  // As the server says: I, T, E; '?' before it has let the client in.
  char status() const { return status_; }
  // The same, also within what was sent at once, as far as it can be told.
  char running_status() const { return running_status_; }
  // Whether the server has let the client in.
  bool is_ready() const { return status_ != '?'; }
  // How many of the answers are complete, for who notes times: it grows when a unit is answered.
  std::uint64_t completed() const { return completed_; }
  // The error that came outside of any unit; empty: none.
  const std::map<char, std::string>& last_words() const { return last_words_; }
  // Whether the server has said that it will close the connection.
  bool has_said_why() const { return is_fatal_; }

 private:
  struct Prepared {
    std::shared_ptr<const std::string> text;
    std::uint64_t text_size = 0;
    std::vector<std::uint32_t> types;
    std::vector<FieldDescription> columns;
    bool is_described = false;
  };
  struct Portal {
    std::shared_ptr<Prepared> statement;
    std::vector<WireParameter> parameters;
    bool has_all_parameters = true;
    std::vector<std::uint16_t> result_formats;
    std::uint64_t group = 0;
    bool is_executed = false;
  };
  enum class StepKind : std::uint8_t {
    parse,
    bind,
    describe_statement,
    describe_portal,
    execute,
    close,
    sync,
    query,
    call,
    ignored,  // a Sync that came while the server copied
  };
  // What the server will answer.
  struct Step {
    StepKind kind;
    std::uint64_t unit = 0;  // to which it belongs
    std::shared_ptr<Prepared> statement = {};
    std::shared_ptr<Portal> portal = {};
    // What the name meant before, which it means again where this is skipped.
    std::string name = {};
    std::shared_ptr<Prepared> before = {};
    std::uint64_t group = 0;
  };

  // conversation.cc: the client
  Result<void> parse(const CutMessage& message);
  Result<void> bind(const CutMessage& message);
  Result<void> describe(const CutMessage& message);
  Result<void> close(const CutMessage& message);
  std::uint64_t execute(const CutMessage& message);
  std::uint64_t query(const CutMessage& message);
  std::uint64_t call();
  std::optional<std::uint64_t> sync();
  std::uint64_t end_unit(WireUnitKind kind, StepKind step);
  void add_step(Step step);
  void skip_unit();
  void copy_ended();
  void note_meaning(const Step& step);
  std::shared_ptr<Prepared> statement_named(const std::string& name);
  static std::shared_ptr<Prepared> unknown_statement(const std::string& name);

  // conversation_answers.cc: the server
  void pop_step(StepKind kind);
  void forget_statements(std::string_view tag, std::string_view text);
  void mean_again(const Step& step);
  void skip(const Step& step);
  void drop_ignored();
  WireUnit* running_unit();
  void described(const CutMessage& message);
  void parameters_described(const CutMessage& message);
  void row(const CutMessage& message);
  void complete(std::string tag, bool is_suspended);
  static void name_types(const Portal& portal, WireUnit& unit);
  void fail(const CutMessage& message);
  void fail_without_unit(std::map<char, std::string> error);
  void skip_to_sync();
  void copy_begins();
  void copied(const CutMessage& message);
  void client_copied(const CutMessage& message);
  void ready(char status);
  void answer_group();
  const WireUnit* unit_at(std::uint64_t ordinal) const;
  WireUnit* unit_at(std::uint64_t ordinal);
  WireUnit* front_unit();
  WireResult& current_result(WireUnit& unit);
  void finish(std::uint64_t ordinal);
  void emit_finished(char status);

  ConversationLimits limits_;
  std::map<std::string, std::shared_ptr<Prepared>> statements_;
  std::map<std::string, std::shared_ptr<Portal>> portals_;
  std::deque<Step> steps_;
  std::deque<WireUnit> units_;     // that are not answered, by ordinal, with none missing between
  std::deque<WireUnit> finished_;  // that wait for the state behind them
  std::vector<WireUnit> answered_;
  std::uint64_t next_ordinal_ = 1;  // of the unit that begins
  std::uint64_t next_group_ = 1;
  std::uint64_t answered_group_ = 0;  // the latest
  std::size_t kept_bytes_ = 0;        // of the rows of the unit that is answered now
  std::size_t finished_bytes_ = 0;    // of the rows of those that are finished
  std::uint64_t completed_ = 0;
  bool is_within_unit_ = false;  // something was sent of the next unit
  bool is_executed_ = false;     // since the last Sync
  bool is_result_open_ = false;  // of the unit that is answered now
  bool is_skipping_ = false;     // the server does, up to a Sync that the client has not sent
  // An error of a unit that the client has not ended.
  struct EarlyError {
    std::uint64_t unit = 0;
    std::map<char, std::string> fields;
    char status_before = '?';
  };
  EarlyError early_error_;
  bool is_copied_in_ = false;      // the client sends data, and Syncs count for nothing
  WireResult early_copy_;          // what the client sent before it was asked for it
  bool has_copied_early_ = false;  // it sent all of its data before it was asked for them
  // What names meant to the server that are used by what it skips, while it does.
  std::map<std::string, std::shared_ptr<Prepared>> meant_;
  char status_ = '?';
  char running_status_ = '?';  // within a group, as far as it can be told
  bool is_fatal_ = false;
  std::map<char, std::string> last_words_;
};

}  // namespace heddle::postgres
