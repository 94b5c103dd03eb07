// What the server's messages answer: they come in the order of the client's, so that each belongs
// to the first step that is not answered yet.
#include <algorithm>
#include <utility>

#include "wire/postgres/conversation.h"

namespace heddle {
namespace {

// So many answered units may wait for a client that sends no Sync.
constexpr std::size_t kMostFinished = 256;

// The state of the transaction behind a statement with that tag.
char status_behind(std::string_view tag, std::string_view text, char before) {
  if (tag == "BEGIN" || tag == "START TRANSACTION") return 'T';
  if (tag == "COMMIT" || tag == "PREPARE TRANSACTION") return 'I';
  // ROLLBACK TO a savepoint has the same tag.
  const bool is_partial = text.find("TO") != text.npos || text.find("to") != text.npos;
  if (tag == "ROLLBACK") return is_partial ? 'T' : 'I';
  return before;
}

void add_message(RunningHash& hash, const CutMessage& message) {
  hash.add(message.body);
  if (message.is_whole()) return;
  for (std::uint64_t left = message.hash; left > 0; left >>= 8) {
    const char byte = static_cast<char>(left & 0xff);
    hash.add({&byte, 1});
  }
}

}  // namespace

void Conversation::server_message(const CutMessage& message) {
  switch (message.type) {
    case '1':
    case '2':
    case '3':
      if (!steps_.empty()) steps_.pop_front();
      break;
    case 't':
      parameters_described(message);
      break;
    case 'T':
    case 'n':
      described(message);
      break;
    case 'D':
      row(message);
      break;
    case 'C':
      complete(read_text(message.body), false);
      break;
    case 'I':
      complete("", false);
      break;
    case 's':
      complete("", true);
      break;
    case 'E':
      fail(message);
      break;
    case 'G':
    case 'W':
      copy_begins();
      break;
    case 'd':
      copied(message);
      break;
    case 'N':
      if (WireUnit* const unit = front_unit()) ++unit->notices;
      break;
    case 'Z':
      ready(message.body.empty() ? '?' : message.body.front());
      break;
    default:  // authentication, parameters, notifications, keys, a function's result
      break;
  }
}

WireUnit* Conversation::unit_at(std::uint64_t ordinal) {
  if (units_.empty() || ordinal < units_.front().ordinal) return nullptr;
  const std::uint64_t at = ordinal - units_.front().ordinal;
  return at < units_.size() ? &units_[static_cast<std::size_t>(at)] : nullptr;
}

WireUnit* Conversation::front_unit() {
  return steps_.empty() ? nullptr : unit_at(steps_.front().unit);
}

void Conversation::parameters_described(const CutMessage& message) {
  if (steps_.empty() || !steps_.front().statement || !message.is_whole()) return;
  const auto described = read_parameter_description(message.body);
  if (described) steps_.front().statement->types = *described;
}

void Conversation::described(const CutMessage& message) {
  if (steps_.empty()) return;
  Step& step = steps_.front();
  auto columns = message.type == 'n' || !message.is_whole()
                     ? std::vector<FieldDescription>()
                     : read_row_description(message.body).value_or(std::vector<FieldDescription>());
  const bool is_read = message.type == 'n' || !columns.empty() || message.is_whole();
  if (step.kind == StepKind::describe_statement || step.kind == StepKind::describe_portal) {
    Prepared* const statement = step.statement ? step.statement.get()
                                : step.portal  ? step.portal->statement.get()
                                               : nullptr;
    if (statement != nullptr) {
      statement->columns = std::move(columns);
      statement->is_described = is_read;
    }
    steps_.pop_front();
    return;
  }
  WireUnit* const unit = front_unit();
  if (unit == nullptr) return;
  is_result_open_ = false;
  WireResult& result = current_result(*unit);
  result.columns = std::move(columns);
  result.is_described = is_read;
}

// The result that is coming in; begins one.
WireResult& Conversation::current_result(WireUnit& unit) {
  if (is_result_open_ && !unit.results.empty()) return unit.results.back();
  is_result_open_ = true;
  WireResult& result = unit.results.emplace_back();
  const std::shared_ptr<Portal>& portal = steps_.front().portal;
  if (portal && portal->statement->is_described) {
    result.columns = portal->statement->columns;
    result.is_described = true;
    for (std::size_t i = 0; i < result.columns.size(); ++i) {
      result.columns[i].format = format_at(portal->result_formats, i);
    }
  }
  return result;
}

void Conversation::row(const CutMessage& message) {
  WireUnit* const unit = front_unit();
  if (unit == nullptr) return;
  WireResult& result = current_result(*unit);
  ++result.row_count;
  add_message(result.hash, message);
  const bool is_kept = result.rows.size() + 1 == result.row_count &&
                       result.rows.size() < limits_.rows && message.is_whole() &&
                       result.kept_bytes + message.body.size() <= limits_.row_bytes;
  if (!is_kept) return;
  result.kept_bytes += message.body.size();
  result.rows.emplace_back(message.body);
}

void Conversation::complete(std::string tag, bool is_suspended) {
  WireUnit* const unit = front_unit();
  if (unit == nullptr) return;
  WireResult& result = current_result(*unit);
  if (unit->status_before == '?') unit->status_before = running_status_;
  running_status_ = status_behind(tag, *unit->text, running_status_);
  if (tag == "DEALLOCATE ALL" || tag == "DISCARD ALL") statements_.clear();
  result.tag = std::move(tag);
  result.is_suspended = is_suspended;
  is_result_open_ = false;
  if (steps_.front().kind != StepKind::execute) return;
  name_types(steps_.front(), *unit);
  const std::uint64_t ordinal = unit->ordinal;
  steps_.pop_front();
  finish(ordinal);
}

// The types of the parameters, which the server may have said after the client had sent these.
void Conversation::name_types(const Step& step, WireUnit& unit) {
  if (!step.portal) return;
  const std::vector<std::uint32_t>& types = step.portal->statement->types;
  for (std::size_t i = 0; i < std::min(types.size(), unit.parameters.size()); ++i) {
    unit.parameters[i].type = types[i];
  }
}

void Conversation::fail(const CutMessage& message) {
  std::map<char, std::string> error = read_fields(message.body);
  const auto severity = error.contains('V') ? error['V'] : error['S'];
  is_fatal_ = severity == "FATAL" || severity == "PANIC";
  WireUnit* const unit = front_unit();
  if (unit == nullptr) {
    fail_without_unit(std::move(error));
    return;
  }
  unit->error = std::move(error);
  if (unit->status_before == '?') unit->status_before = running_status_;
  running_status_ = running_status_ == 'I' ? 'I' : 'E';
  is_result_open_ = false;
  is_copied_in_ = false;
  const StepKind kind = steps_.front().kind;
  if (kind == StepKind::query || kind == StepKind::call) return;
  skip_to_sync();
}

void Conversation::fail_without_unit(std::map<char, std::string> error) {
  if (steps_.empty()) {
    last_words_ = std::move(error);
  } else if (steps_.front().kind != StepKind::sync) {
    early_error_ = {steps_.front().unit, std::move(error)};
    skip_to_sync();
  } else if (!finished_.empty()) {
    // What is checked when the transaction ends, at the Sync, failed.
    finished_.back().error = std::move(error);
  } else {
    last_words_ = std::move(error);
  }
}

// The server reads and forgets everything up to the next Sync.
void Conversation::skip_to_sync() {
  auto end = std::ranges::find(steps_, StepKind::sync, &Step::kind);
  // A name means again what it meant before, the latest first.
  for (auto step = end; step != steps_.begin();) {
    --step;
    if (step->name.empty() && step->kind != StepKind::parse) continue;
    const bool is_prepared = step->kind == StepKind::parse || step->kind == StepKind::close;
    if (is_prepared && step->before) statements_[step->name] = step->before;
    if (step->kind == StepKind::parse && !step->before) statements_.erase(step->name);
  }
  std::vector<std::uint64_t> skipped;
  for (auto step = steps_.begin(); step != end; ++step) {
    if (step->kind != StepKind::execute) continue;
    skipped.push_back(step->unit);
    if (WireUnit* const unit = unit_at(step->unit)) name_types(*step, *unit);
  }
  is_skipping_ = end == steps_.end();
  steps_.erase(steps_.begin(), end);
  for (const std::uint64_t ordinal : skipped) {
    WireUnit* const unit = unit_at(ordinal);
    if (unit == nullptr) continue;
    unit->is_skipped = unit->error.empty();
    finish(ordinal);
  }
}

void Conversation::copy_begins() {
  is_copied_in_ = true;
  if (WireUnit* const unit = front_unit()) current_result(*unit);
  // The server reads nothing but data until it ends: Syncs that were sent with the statement are
  // forgotten.
  std::erase_if(steps_,
                [](const Step& step) { return step.kind == StepKind::sync && step.unit == 0; });
}

void Conversation::copied(const CutMessage& message) {
  WireUnit* const unit = front_unit();
  if (unit == nullptr) return;
  WireResult& result = current_result(*unit);
  ++result.copied;
  result.copy_size += message.size;
  add_message(result.hash, message);
}

// Moves the unit to those that are answered.
void Conversation::finish(std::uint64_t ordinal) {
  const auto found = std::ranges::find(units_, ordinal, &WireUnit::ordinal);
  if (found == units_.end()) return;
  ++completed_;
  finished_.push_back(std::move(*found));
  units_.erase(found);
  if (finished_.size() > kMostFinished) emit_finished('?');
}

void Conversation::emit_finished(char status) {
  for (std::size_t i = 0; i < finished_.size(); ++i) {
    const bool is_last = i + 1 == finished_.size();
    finished_[i].status_after = is_last ? status : finished_[i + 1].status_before;
    answered_.push_back(std::move(finished_[i]));
  }
  finished_.clear();
}

void Conversation::ready(char status) {
  is_result_open_ = false;
  is_copied_in_ = false;
  if (!steps_.empty()) {
    const Step step = std::move(steps_.front());
    steps_.pop_front();
    if (WireUnit* const unit = unit_at(step.unit)) {
      if (unit->status_before == '?') unit->status_before = running_status_;
      finish(step.unit);
    }
  }
  status_ = status;
  running_status_ = status;
  emit_finished(status);
  if (status != 'I') return;
  // Portals live as long as their transaction; those of what was sent since then stay.
  if (!steps_.empty()) return;
  std::erase_if(portals_, [this](const auto& named) { return named.second->group < next_group_; });
}

}  // namespace heddle
