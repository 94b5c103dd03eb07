#include "gate/gated_mariadb_session.h"

#include <poll.h>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "wire/mariadb/statement_essence.h"

namespace heddle {
namespace {

using mariadb::Command;

constexpr std::string_view kReadersSavepoint = "savepoint heddle_";

// ER_NOT_SUPPORTED_YET
constexpr std::uint16_t kNotSupported = 1235;

// Drivers give savepoints without names names of their own: PostgreSQL's, as programs are read,
// numbers, and MariaDB's a UUID.
std::string without_drivers_savepoint(const std::string& essence) {
  constexpr std::string_view kSavepoint = "savepoint ";
  constexpr std::size_t kQuotedUuid = 38;
  const std::size_t at = essence.find(kSavepoint);
  if (at == essence.npos) return essence;
  const std::string_view name = std::string_view(essence).substr(at + kSavepoint.size());
  const bool is_drivers =
      name.starts_with("jdbc_savepoint_") || (name.size() == kQuotedUuid && name.starts_with('"'));
  return is_drivers ? essence.substr(0, at + kSavepoint.size()) : essence;
}

// INSERT ... RETURNING, apart.
struct KeyedInsert {
  std::string statement;
  std::string returned;
};

std::optional<KeyedInsert> read_keyed_insert(const std::string& text) {
  constexpr std::string_view kReturning = " RETURNING ";
  const std::size_t at = text.rfind(kReturning);
  if (at == text.npos || text.find_first_of("'\"", at) != text.npos) return std::nullopt;
  return KeyedInsert{.statement = text.substr(0, at),
                     .returned = text.substr(at + kReturning.size())};
}

// Into which an INSERT puts rows, where its name needs no quotes; else empty.
std::string table_of_insert(const std::string& text) {
  constexpr std::string_view kInsert = "insert into ";
  const std::string essence = mariadb::statement_essence(text);
  if (!essence.starts_with(kInsert)) return "";
  return essence.substr(kInsert.size(), essence.find(' ', kInsert.size()) - kInsert.size());
}

mariadb::ColumnDescription described_to_driver(const MariadbColumn& column) {
  return {.database = column.database,
          .table = column.table,
          .source_table = column.source_table,
          .name = column.name,
          .source = column.source,
          .charset = static_cast<std::uint16_t>(column.charset),
          .length = static_cast<std::uint32_t>(column.length),
          .type = static_cast<std::uint8_t>(column.type),
          .flags = static_cast<std::uint16_t>(column.flags),
          .decimals = static_cast<std::uint8_t>(column.decimals)};
}

void write_answer(const MariadbAnswer& answer, const std::vector<Row>& rows, unsigned status,
                  mariadb::PacketWriter& writer) {
  const auto warnings = static_cast<std::uint16_t>(answer.warnings);
  const auto state = static_cast<std::uint16_t>(status);
  if (answer.error != 0) {
    writer.add(mariadb::error_body(static_cast<std::uint16_t>(answer.error), answer.sqlstate,
                                   answer.message));
  } else if (answer.columns.empty()) {
    writer.add(mariadb::done_body({.affected = answer.affected,
                                   .inserted = answer.inserted,
                                   .status = state,
                                   .warnings = warnings}));
  } else {
    writer.add(mariadb::count_body(answer.columns.size()));
    for (const MariadbColumn& column : answer.columns) {
      writer.add(mariadb::column_body(described_to_driver(column)));
    }
    writer.add(mariadb::end_body(warnings, state));
    for (const Row& row : rows) writer.add(mariadb::row_body(row));
    writer.add(mariadb::end_body(warnings, state));
  }
}

}  // namespace

Result<std::unique_ptr<StoreSession>> GatedMariadbSession::open(
    std::unique_ptr<StoreSession> session, std::unique_ptr<CalledProgram> program,
    MariadbWords words, std::uint32_t timeout_ms) {
  auto* const client = dynamic_cast<MariadbClient*>(session.get());
  HEDDLE_ASSERT(client != nullptr);
  client->keep_answers();
  return std::unique_ptr<StoreSession>(new GatedMariadbSession(
      std::move(session), *client, std::move(program), std::move(words), timeout_ms));
}

GatedMariadbSession::GatedMariadbSession(std::unique_ptr<StoreSession> session,
                                         MariadbClient& client,
                                         std::unique_ptr<CalledProgram> program, MariadbWords words,
                                         std::uint32_t timeout_ms)
    : HeldSession(std::move(program)),
      store_(std::move(session)),
      client_(&client),
      words_(std::move(words)),
      timeout_ms_(timeout_ms) {
  for (const int socket : client_->sockets()) {
    program_->watch({.descriptor = socket, .events = POLLIN});
  }
}

GatedMariadbSession::~GatedMariadbSession() = default;

Result<void> GatedMariadbSession::send(const std::string& text) {
  HEDDLE_ASSERT(!is_under_way_ && purpose_ == Purpose::none);
  replies_.clear();
  expected_.reset();
  is_under_way_ = true;
  purpose_ = Purpose::own;
  return store_->send(text);
}

Result<bool> GatedMariadbSession::busy() {
  if (!is_under_way_) return false;
  if (auto pumped = pump(); !pumped) return pumped.error();
  while (is_called_ && is_under_way_ && purpose_ == Purpose::none) {
    auto moved = take_packet();
    if (!moved) return moved;
    if (!*moved) break;
    if (auto pumped = pump(); !pumped) return pumped.error();
  }
  return is_under_way_;
}

// Takes whatever has arrived anywhere.
Result<void> GatedMariadbSession::pump() {
  if (purpose_ != Purpose::none) {
    const auto is_busy = store_->busy();
    if (!is_busy) return is_busy.error();
    if (!*is_busy) {
      if (auto finished = finish_release(); !finished) return finished;
    }
  }
  if (!is_called_) return {};
  from_client_.append(program_->read_client());
  while (auto packet = from_client_.next()) packets_.push_back(std::move(*packet));
  return program_->take_words();
}

// True: something was done. False: more has to arrive.
Result<bool> GatedMariadbSession::take_packet() {
  if (answer_alone()) return true;
  if (packets_.empty()) {
    if (program_->call_end()) return early_end();
    return false;
  }
  const std::optional<std::string> sent = mariadb::query_text(packets_.front());
  if (!sent) {
    refuse();
    return true;
  }
  const std::string& text = *sent;
  if (is_expected(text)) {
    if (auto released = release(Purpose::expected); !released) return released.error();
    return true;
  }
  if (const auto keyed = read_keyed_insert(expected_->text);
      keyed && is_same(text, keyed->statement)) {
    if (auto released = release(Purpose::keyed); !released) return released.error();
    return true;
  }
  if (!passes(mariadb::statement_essence(text))) {
    return divergence(shown(text));
  }
  if (auto released = release(Purpose::passing); !released) return released.error();
  return true;
}

// What a driver does not say.
bool GatedMariadbSession::answer_alone() {
  const std::string expected = mariadb::statement_essence(expected_->text);
  const bool is_begin = mariadb::is_begin(expected);
  // A driver says none where no transaction is open, or says it though the store has ended it.
  const bool is_end = mariadb::is_end(expected) && !is_transaction_open();
  // The interpreter's own, around what it may have to undo.
  const bool is_own = expected.find(kReadersSavepoint) != expected.npos;
  if (!is_begin && !is_end && !is_own) return false;
  owes_begin_ = is_begin || (owes_begin_ && !is_end);
  answer(done_reply(expected_->text));
  return true;
}

bool GatedMariadbSession::is_transaction_open() const {
  return store_->transaction_state() != TransactionState::idle;
}

// What may go to the store though heddle does not ask for it: settings, a BEGIN that heddle has
// said, and the end of a transaction that the store has ended itself.
bool GatedMariadbSession::passes(const std::string& essence) const {
  if (mariadb::is_end(essence)) return !is_transaction_open();
  if (mariadb::is_begin(essence)) return owes_begin_;
  return mariadb::is_of_driver(essence);
}

bool GatedMariadbSession::is_same(const std::string& text, const std::string& expected) const {
  const auto essence = [](const std::string& of) {
    return without_drivers_savepoint(mariadb::statement_essence(of));
  };
  if (essence(text) == essence(expected)) return true;
  return essence(words_.canonical(text)) == essence(words_.canonical(expected));
}

Result<void> GatedMariadbSession::release(Purpose purpose) {
  if (store_->socket() != server_) {
    return Diagnostic{.what = "the session has moved to another server in the middle of " +
                              program_->call().method +
                              ", and what its driver has set is not there",
                      .trouble = Trouble::bad_input};
  }
  released_ = mariadb::query_text(packets_.front()).value_or("");
  sequence_ = packets_.front().sequence;
  packets_.pop_front();
  purpose_ = purpose;
  if (purpose != Purpose::passing || mariadb::is_begin(mariadb::statement_essence(released_))) {
    owes_begin_ = false;
  }
  return store_->send(released_);
}

// What is no text: the driver asks whether we are there, or leaves. Nothing else is done for it.
void GatedMariadbSession::refuse() {
  const mariadb::Packet packet = std::move(packets_.front());
  packets_.pop_front();
  if (asks_for(packet, Command::quit)) return;
  mariadb::PacketWriter writer(static_cast<std::uint8_t>(packet.sequence + 1));
  if (asks_for(packet, Command::ping)) {
    writer.add(
        mariadb::done_body({.status = static_cast<std::uint16_t>(client_->server_status())}));
  } else {
    writer.add(mariadb::error_body(kNotSupported, "42000",
                                   "heddle does not hold what is no text of a statement"));
  }
  program_->write_client(writer.take());
}

Result<void> GatedMariadbSession::finish_release() {
  const Purpose purpose = std::exchange(purpose_, Purpose::none);
  std::vector<Reply> replies = store_->take_replies();
  std::vector<MariadbAnswer> answers;
  if (purpose == Purpose::own) {
    static_cast<void>(client_->take_answers());
  } else {
    answers = write_answers(replies);
  }
  if (purpose == Purpose::passing) return {};
  const bool has_row = purpose == Purpose::keyed && replies.size() == 1 && replies[0].result;
  if (has_row && !answers.empty()) return ask_for_row(answers.front());
  replies_ = std::move(replies);
  is_under_way_ = false;
  return {};
}

// A driver knows the key that was generated, heddle's reading the whole row. It is read with a
// lock, which the session has already, since any other read may begin a snapshot.
Result<void> GatedMariadbSession::ask_for_row(const MariadbAnswer& answer) {
  const std::string table = table_of_insert(released_);
  const std::string column = table.empty() ? "" : words_.generated_column(table);
  if (column.empty() || answer.affected != 1 || answer.inserted == 0) {
    return divergence(shown(released_) + ", which generates no key,");
  }
  const std::string returned = read_keyed_insert(expected_->text)->returned;
  purpose_ = Purpose::own;
  return store_->send(fmt::format("SELECT {} FROM {} WHERE `{}` = {} LOCK IN SHARE MODE", returned,
                                  table, column, answer.inserted));
}

std::vector<MariadbAnswer> GatedMariadbSession::write_answers(const std::vector<Reply>& replies) {
  std::vector<MariadbAnswer> answers = client_->take_answers();
  mariadb::PacketWriter writer(static_cast<std::uint8_t>(sequence_ + 1));
  for (std::size_t i = 0; i < answers.size() && i < replies.size(); ++i) {
    const unsigned more = i + 1 < answers.size() ? mariadb::kMoreResults : 0;
    const unsigned status = (client_->server_status() & ~unsigned{mariadb::kMoreResults}) | more;
    const auto& result = replies[i].result;
    write_answer(answers[i], result ? result->rows : std::vector<Row>(), status, writer);
  }
  program_->write_client(writer.take());
  return answers;
}

}  // namespace heddle
