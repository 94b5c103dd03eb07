// What comes and goes on the two connections of a gated session.
#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "gate/gated_session.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;
using UnitKind = postgres::ClientUnit::Kind;

constexpr std::chrono::seconds kPatienceToWrite{20};

// As libpq writes it where nothing more than usual is asked for.
std::string error_text(const std::map<char, std::string>& fields) {
  const auto field = [&](char code) {
    const auto found = fields.find(code);
    return found == fields.end() ? std::string() : found->second;
  };
  std::string text = fmt::format("{}:  {}\n", field('S'), field('M'));
  if (!field('D').empty()) text += fmt::format("DETAIL:  {}\n", field('D'));
  if (!field('H').empty()) text += fmt::format("HINT:  {}\n", field('H'));
  if (!field('W').empty()) text += fmt::format("CONTEXT:  {}\n", field('W'));
  return text;
}

Diagnostic lost(const std::string& whom) {
  return {.what = "the connection to " + whom + " was lost", .trouble = Trouble::environment};
}

}  // namespace

Result<void> GatedSession::to_store(std::string_view bytes) {
  if (store_stream_->write_all(bytes, Clock::now() + kPatienceToWrite)) return {};
  return lost("PostgreSQL");
}

void GatedSession::to_client(std::string_view bytes) { program_->write_client(bytes); }

// Takes whatever has arrived anywhere.
Result<void> GatedSession::pump() {
  if (release_) {
    std::string bytes;
    const bool is_there = store_stream_->read_available(bytes);
    from_store_.append(bytes);
    if (auto taken = take_server_messages(); !taken) return taken;
    if (!is_there && release_) return lost("PostgreSQL");
  }
  if (auto taken = take_units(); !taken) return taken;
  return program_->take_words();
}

Result<void> GatedSession::take_units() {
  from_client_.append(program_->read_client());
  while (true) {
    auto message = from_client_.next();
    if (!message) return message.error();
    if (!*message) break;
    auto unit = statements_.add(**message);
    if (!unit) return unit.error();
    if (*unit && (*unit)->kind != UnitKind::leave) units_.push_back(std::move(**unit));
  }
  drop_skipped();
  return {};
}

// After an error nothing that the driver sent together with the statement is executed, and its Sync
// is answered.
void GatedSession::drop_skipped() {
  while (skips_to_sync_ && !units_.empty()) {
    if (units_.front().kind == UnitKind::sync) {
      skips_to_sync_ = false;
      to_client(postgres::ready_bytes(status_));
    }
    units_.pop_front();
  }
}

// Lets the first `count` units go, of which the last is a statement or stands alone, and as much
// behind it as it takes to be answered. False: that has not arrived.
Result<bool> GatedSession::release(std::size_t count, std::size_t beginnings, Purpose purpose) {
  HEDDLE_ASSERT(!release_ && count <= units_.size());
  const postgres::ClientUnit& last = units_[count - 1];
  const bool is_flush = last.kind == UnitKind::flush;
  bool is_split = is_flush;
  if (!is_flush && last.kind != UnitKind::sync && !last.is_simple) {
    if (units_.size() == count) return false;
    const bool may_split = status_ != 'I' || beginnings > 0;
    is_split = units_[count].kind != UnitKind::sync && may_split;
    while (!is_split && units_[count - 1].kind != UnitKind::sync) {
      if (units_.size() == count) return false;
      ++count;
    }
    if (is_split && units_[count].kind == UnitKind::flush) {
      units_.erase(units_.begin() + static_cast<std::ptrdiff_t>(count));
    }
  }
  GateRelease& release = release_.emplace();
  release.purpose = purpose;
  release.beginnings = beginnings;
  release.is_split = is_split;
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    bytes += units_.front().bytes;
    const UnitKind kind = units_.front().kind;
    if (kind == UnitKind::statement || kind == UnitKind::more_rows) {
      release.statements.push_back(std::move(units_.front()));
    }
    units_.pop_front();
  }
  if (is_flush) bytes.resize(bytes.size() - postgres::sync_bytes().size());
  if (is_split) bytes += postgres::sync_bytes();
  deadlock_checked_ = false;
  if (auto sent = to_store(bytes); !sent) return sent.error();
  return true;
}

Result<void> GatedSession::take_server_messages() {
  while (true) {
    auto message = from_store_.next();
    if (!message) return message.error();
    if (!*message) return {};
    if (auto taken = take_server_message(**message); !taken) return taken;
  }
}

Result<void> GatedSession::take_server_message(const postgres::WireMessage& message) {
  if (message.type == 'N') {
    take_notice(message);
    return {};
  }
  const bool is_own = release_ && release_->purpose == Purpose::own;
  const bool is_of_split = release_ && release_->is_split && message.type == 'Z';
  if (!is_own && !is_of_split) to_client(postgres::to_bytes(message));
  if (!release_) return {};
  switch (message.type) {
    case 'T':
      release_->columns = postgres::read_row_description(message.body);
      release_->is_described = true;
      return {};
    case 'D':
      return add_row(message.body);
    case 'C':
    case 'E':
    case 'I':
    case 's':
      return finish_statement(message);
    case 'Z':
      return finish_release(message.body.empty() ? 'I' : message.body.front());
    case 'G':
    case 'W':
      return Diagnostic{.what = "the program executes COPY, which cannot be held",
                        .trouble = Trouble::bad_input};
    default:
      return {};
  }
}

Result<void> GatedSession::add_row(std::string_view body) {
  GateRelease& release = *release_;
  const auto values = postgres::read_data_row(body);
  const std::size_t index = std::min(release.replies.size(), release.statements.size() - 1);
  const postgres::ClientUnit& statement = release.statements.at(index);
  // A statement that was described before is not described again.
  if (!release.columns) {
    const auto known = descriptions_.find(statement.text);
    if (known != descriptions_.end()) release.columns = known->second;
  }
  if (!values || !release.columns || values->size() != release.columns->size()) {
    return Diagnostic{.what = "the rows of " + statement.text + " cannot be read",
                      .trouble = Trouble::bad_input};
  }
  Row& row = release.rows.emplace_back();
  for (std::size_t i = 0; i < values->size(); ++i) {
    const postgres::FieldDescription& column = (*release.columns)[i];
    const std::uint16_t format = statement.result_formats.empty()
                                     ? column.format
                                     : postgres::format_at(statement.result_formats, i);
    Cell& cell = row.emplace_back((*values)[i]);
    if (!cell) continue;
    cell = postgres::value_text(*cell, format, column.type);
    if (cell) continue;
    return Diagnostic{
        .what = fmt::format("the driver takes {} in binary, which is not read here", column.name),
        .what_to_do = "set binaryTransfer=false for PostgreSQL's driver",
        .trouble = Trouble::bad_input};
  }
  return {};
}

// One statement of those under way has been answered.
Result<void> GatedSession::finish_statement(const postgres::WireMessage& message) {
  GateRelease& release = *release_;
  Reply reply;
  if (message.type == 'E') {
    const std::map<char, std::string> fields = postgres::read_fields(message.body);
    reply.error = to_error(fields, error_text(fields));
  } else {
    ResultSet& result = reply.result.emplace();
    const std::size_t index = release.replies.size();
    const std::string text =
        index < release.statements.size() ? release.statements[index].text : "";
    if (release.is_described) descriptions_[text] = *release.columns;
    const auto known = descriptions_.find(text);
    if (!release.columns && known != descriptions_.end()) release.columns = known->second;
    if (release.columns) {
      result.has_rows = true;
      for (const postgres::FieldDescription& field : *release.columns) {
        result.columns.push_back(to_column({.name = field.name,
                                            .table = field.table,
                                            .number = static_cast<std::int16_t>(field.number),
                                            .type = field.type,
                                            .modifier = field.modifier},
                                           store_->names()));
      }
    }
    result.rows = std::exchange(release.rows, {});
    result.command_tag = message.type == 'C' ? postgres::read_text(message.body) : "";
  }
  release.columns.reset();
  release.rows.clear();
  release.is_described = false;
  release.replies.push_back(std::move(reply));
  return {};
}

Result<void> GatedSession::finish_release(char status) {
  GateRelease release = std::move(*release_);
  release_.reset();
  status_ = status;
  std::vector<Reply>& replies = release.replies;
  const bool has_failed = !replies.empty() && replies.back().error;
  if (release.is_split && has_failed) skips_to_sync_ = true;
  drop_skipped();
  if (release.purpose == Purpose::passing) return {};
  if (release.purpose == Purpose::own) {
    replies_ = std::move(replies);
    is_under_way_ = false;
    return {};
  }
  // An error in BEGIN is that of the statement.
  const std::size_t first = std::min(release.beginnings, replies.empty() ? 0 : replies.size() - 1);
  if (replies.empty()) return lost("PostgreSQL");
  if (release.statements.back().is_simple) {
    for (std::size_t i = first; i < replies.size(); ++i) replies_.push_back(std::move(replies[i]));
    is_under_way_ = false;
    return {};
  }
  answer(std::move(replies[first]));
  for (std::size_t i = first + 1; i < replies.size() && i < release.statements.size(); ++i) {
    early_.push_back({std::move(release.statements[i]), std::move(replies[i])});
  }
  return {};
}

// What the server says of its waits is heddle's, as in PostgresSession.
void GatedSession::take_notice(const postgres::WireMessage& message) {
  const std::map<char, std::string> fields = postgres::read_fields(message.body);
  const auto field = [&](char code) {
    const auto found = fields.find(code);
    return found == fields.end() ? std::string() : found->second;
  };
  if (store_->hears_lock_waits() && field('V') == "LOG") {
    if (field('R') == "ProcSleep") {
      deadlock_checked_ = field('M').find("still waiting") != std::string::npos;
    }
    return;
  }
  to_client(postgres::to_bytes(message));
  notices_.push_back(error_text(fields));
}

}  // namespace heddle
