// What the server's messages answer: they come in the order of the client's, so that each belongs
// to the first step that is not answered yet.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "wire/postgres/conversation.h"

namespace heddle::postgres {
namespace {

// So many answered units may wait for a client that sends no Sync.
constexpr std::size_t kMostFinished = 256;
// As many bytes of their rows.
constexpr std::size_t kMostFinishedBytes = std::size_t{16} << 20;

// The text without white space and comments in front.
std::string_view without_comments(std::string_view text) {
  while (true) {
    text = trim(text);
    const std::string_view end = text.starts_with("/*") ? "*/" : "\n";
    if (!text.starts_with("/*") && !text.starts_with("--")) return text;
    const std::size_t at = text.find(end, 2);
    if (at == text.npos) return {};
    text.remove_prefix(at + end.size());
  }
}

// ROLLBACK TO a savepoint has the tag of ROLLBACK.
bool is_to_savepoint(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string& word : split(to_lower(without_comments(text).substr(0, 100)), ' ')) {
    if (!word.empty() && word != "work" && word != "transaction") words.push_back(word);
  }
  return words.size() > 1 && words[0] == "rollback" && words[1] == "to";
}

// The state of the transaction behind a statement with that tag.
char status_behind(std::string_view tag, std::string_view text, char before) {
  if (tag == "BEGIN" || tag == "START TRANSACTION") return 'T';
  if (tag == "COMMIT" || tag == "PREPARE TRANSACTION") return 'I';
  if (tag == "ROLLBACK") return is_to_savepoint(text) ? 'T' : 'I';
  return before;
}

// The statement that a text of DEALLOCATE names; empty: none, or it is not alone in its text.
std::string deallocated(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n;");
    if (begin == text.npos) break;
    text.remove_prefix(begin);
    const bool is_quoted = text.front() == '"';
    const std::size_t end = is_quoted ? text.find('"', 1) : text.find_first_of(" \t\r\n;");
    if (is_quoted && end == text.npos) return "";
    const std::string_view word = is_quoted ? text.substr(1, end - 1) : text.substr(0, end);
    words.push_back(is_quoted ? std::string(word) : to_lower(word));
    text.remove_prefix(std::min(text.size(), end == text.npos ? end : end + (is_quoted ? 1 : 0)));
  }
  const bool has_prepare = words.size() == 3 && words[1] == "prepare";
  if (words.size() != (has_prepare ? 3U : 2U) || words.front() != "deallocate") return "";
  return words.back();
}

void add_message(RunningHash& hash, const CutMessage& message) {
  hash.add(message.body);
  if (message.is_whole()) return;
  for (std::uint64_t left = message.hash; left > 0; left >>= 8) {
    const char byte = static_cast<char>(left & 0xff);
    hash.add({&byte, 1});
  }
}

void add_copied(WireResult& result, const CutMessage& message) {
  ++result.copied;
  result.copy_size += message.size;
  add_message(result.hash, message);
}

}  // namespace

void Conversation::server_message(const CutMessage& message) {
  drop_ignored();
  switch (message.type) {
    case '1':
      pop_step(StepKind::parse);
      break;
    case '2':
      pop_step(StepKind::bind);
      break;
    case '3':
      pop_step(StepKind::close);
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
      copy_begins();
      break;
    case 'H':
      if (WireUnit* const unit = running_unit()) current_result(*unit).is_copied_out = true;
      break;
    case 'd':
      copied(message);
      break;
    case 'N':
      // It may come at any time.
      if (WireUnit* const unit = front_unit()) ++unit->notices;
      break;
    case 'Z':
      ready(message.body.empty() ? '?' : message.body.front());
      break;
    default:  // authentication, parameters, notifications, keys, a function's result
      break;
  }
}

// What answers nothing that was asked is left aside, so that no later answer is taken for another.
void Conversation::pop_step(StepKind kind) {
  if (!steps_.empty() && steps_.front().kind == kind) steps_.pop_front();
}

const WireUnit* Conversation::unit_at(std::uint64_t ordinal) const {
  if (units_.empty() || ordinal < units_.front().ordinal) return nullptr;
  const std::uint64_t at = ordinal - units_.front().ordinal;
  return at < units_.size() ? &units_[static_cast<std::size_t>(at)] : nullptr;
}

WireUnit* Conversation::unit_at(std::uint64_t ordinal) {
  return const_cast<WireUnit*>(std::as_const(*this).unit_at(ordinal));
}

WireUnit* Conversation::front_unit() {
  return steps_.empty() ? nullptr : unit_at(steps_.front().unit);
}

// That of a statement which the server may be executing.
WireUnit* Conversation::running_unit() {
  if (steps_.empty()) return nullptr;
  const StepKind kind = steps_.front().kind;
  return kind == StepKind::execute || kind == StepKind::query ? front_unit() : nullptr;
}

// What the server read while it wanted nothing but data.
void Conversation::drop_ignored() {
  while (!steps_.empty() && steps_.front().kind == StepKind::ignored) {
    skip(steps_.front());
    steps_.pop_front();
  }
}

void Conversation::parameters_described(const CutMessage& message) {
  if (steps_.empty() || steps_.front().kind != StepKind::describe_statement) return;
  if (!message.is_whole()) return;
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
  WireUnit* const unit = running_unit();
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
  WireUnit* const unit = running_unit();
  if (unit == nullptr) return;
  WireResult& result = current_result(*unit);
  ++result.row_count;
  add_message(result.hash, message);
  const bool is_kept = result.rows.size() + 1 == result.row_count &&
                       result.rows.size() < limits_.rows && message.is_whole() &&
                       kept_bytes_ + message.body.size() <= limits_.row_bytes;
  if (!is_kept) return;
  kept_bytes_ += message.body.size();
  result.kept_bytes += message.body.size();
  result.rows.emplace_back(message.body);
}

void Conversation::complete(std::string tag, bool is_suspended) {
  WireUnit* const unit = running_unit();
  if (unit == nullptr) return;
  WireResult& result = current_result(*unit);
  if (unit->status_before == '?') unit->status_before = running_status_;
  running_status_ = status_behind(tag, *unit->text, running_status_);
  forget_statements(tag, *unit->text);
  result.tag = std::move(tag);
  result.is_suspended = is_suspended;
  is_result_open_ = false;
  is_copied_in_ = false;
  if (steps_.front().kind != StepKind::execute) return;
  if (steps_.front().portal) name_types(*steps_.front().portal, *unit);
  const std::uint64_t ordinal = unit->ordinal;
  steps_.pop_front();
  finish(ordinal);
}

// Names that mean nothing any more to the server. What the client has prepared since then, the
// server has not read yet.
void Conversation::forget_statements(std::string_view tag, std::string_view text) {
  const bool is_all = tag == "DEALLOCATE ALL" || tag == "DISCARD ALL";
  const std::string one = tag == "DEALLOCATE" ? deallocated(text) : "";
  if (!is_all && one.empty()) return;
  if (is_all) statements_.clear();
  if (!is_all) statements_.erase(one);
  for (Step& step : steps_) {
    if (!is_all && step.name != one) continue;
    const auto named = statements_.find(step.name);
    if (step.kind == StepKind::parse || step.before) {
      step.before = named == statements_.end() ? nullptr : named->second;
    }
    if (step.kind == StepKind::parse) statements_[step.name] = step.statement;
    if (step.kind == StepKind::close && named != statements_.end()) statements_.erase(named);
  }
}

// The types of the parameters, which the server may have said after the client had sent these.
void Conversation::name_types(const Portal& portal, WireUnit& unit) {
  const std::vector<std::uint32_t>& types = portal.statement->types;
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
  has_copied_early_ = false;
  early_copy_ = {};
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
    early_error_ = {steps_.front().unit, std::move(error), running_status_};
    running_status_ = running_status_ == 'I' ? 'I' : 'E';
    skip_to_sync();
  } else if (!finished_.empty()) {
    // What is checked when the transaction ends, at the Sync, failed.
    finished_.back().error = std::move(error);
  } else {
    last_words_ = std::move(error);
  }
}

// The server reads and forgets everything up to the next Sync, also what needs no Sync elsewhere.
void Conversation::skip_to_sync() {
  const auto end = std::ranges::find(steps_, StepKind::sync, &Step::kind);
  const std::vector<Step> skipped(std::make_move_iterator(steps_.begin()),
                                  std::make_move_iterator(end));
  is_skipping_ = end == steps_.end();
  steps_.erase(steps_.begin(), end);
  // A name means again what it meant before, the latest first.
  for (auto step = skipped.rbegin(); step != skipped.rend() && !is_skipping_; ++step) {
    if (step->kind == StepKind::parse || step->before) mean_again(*step);
  }
  for (const Step& step : skipped) {
    if (is_skipping_) note_meaning(step);
    skip(step);
  }
}

void Conversation::mean_again(const Step& step) {
  // The name may have got a meaning behind what is skipped.
  const auto later = std::ranges::find_if(steps_, [&step](const Step& each) {
    return (each.kind == StepKind::parse || each.before) && each.name == step.name;
  });
  if (later != steps_.end()) {
    later->before = step.before;
  } else if (step.before) {
    statements_[step.name] = step.before;
  } else {
    statements_.erase(step.name);
  }
  if (step.kind != StepKind::parse) return;
  // What was sent behind the Sync before the error came has taken the name for the new meaning.
  const auto meaning = step.before ? step.before : unknown_statement(step.name);
  for (auto each = steps_.begin(); each != later; ++each) {
    if (each->statement == step.statement) each->statement = meaning;
    if (!each->portal) continue;
    if (each->portal->statement == step.statement) each->portal->statement = meaning;
    WireUnit* const unit = each->kind == StepKind::execute ? unit_at(each->unit) : nullptr;
    if (unit == nullptr) continue;
    unit->text = each->portal->statement->text;
    unit->text_size = each->portal->statement->text_size;
  }
}

// Tells the unit that the step would have ended.
void Conversation::skip(const Step& step) {
  constexpr StepKind kEnds[] = {StepKind::execute, StepKind::query, StepKind::call,
                                StepKind::ignored};
  if (std::ranges::find(kEnds, step.kind) == std::end(kEnds)) return;
  WireUnit* const unit = unit_at(step.unit);
  if (unit == nullptr) return;
  if (step.portal) name_types(*step.portal, *unit);
  unit->is_skipped = unit->error.empty();
  if (unit->status_before == '?') unit->status_before = running_status_;
  finish(step.unit);
}

void Conversation::copy_begins() {
  WireUnit* const unit = running_unit();
  if (unit == nullptr) return;
  WireResult& result = current_result(*unit);
  result.copied = early_copy_.copied;
  result.copy_size = early_copy_.copy_size;
  result.hash = early_copy_.hash;
  early_copy_ = {};
  if (std::exchange(has_copied_early_, false)) return;
  is_copied_in_ = true;
  // The server reads nothing but data until these end: Syncs that were sent with the statement
  // count for nothing.
  auto step = steps_.begin() + 1;
  for (; step != steps_.end() && step->kind == StepKind::sync; ++step) {
    step->kind = StepKind::ignored;
  }
  if (step == steps_.end()) is_executed_ = true;
}

void Conversation::copied(const CutMessage& message) {
  WireUnit* const unit = running_unit();
  if (unit != nullptr) add_copied(current_result(*unit), message);
}

// A client may send its data before the server has asked for them. Those that it goes on sending
// when its statement has failed are forgotten.
void Conversation::client_copied(const CutMessage& message) {
  if (is_copied_in_) {
    copied(message);
  } else if (!units_.empty()) {
    add_copied(early_copy_, message);
  }
}

// Moves the unit, which is the first, to those that are answered.
void Conversation::finish(std::uint64_t ordinal) {
  if (units_.empty() || units_.front().ordinal != ordinal) return;
  ++completed_;
  finished_.push_back(std::move(units_.front()));
  units_.pop_front();
  finished_bytes_ += std::exchange(kept_bytes_, 0);
  if (finished_.size() > kMostFinished || finished_bytes_ > kMostFinishedBytes) emit_finished('?');
}

void Conversation::emit_finished(char status) {
  for (std::size_t i = 0; i < finished_.size(); ++i) {
    const bool is_last = i + 1 == finished_.size();
    finished_[i].status_after = is_last ? status : finished_[i + 1].status_before;
    answered_.push_back(std::move(finished_[i]));
  }
  finished_.clear();
  finished_bytes_ = 0;
}

void Conversation::ready(char status) {
  is_result_open_ = false;
  is_copied_in_ = false;
  has_copied_early_ = false;
  early_copy_ = {};
  // The first one says only that the client is let in.
  if (is_ready()) answer_group();
  status_ = status;
  running_status_ = status;
  emit_finished(status);
  // Portals live as long as their transaction.
  if (status != 'I') return;
  std::erase_if(portals_,
                [this](const auto& named) { return named.second->group <= answered_group_; });
}

// All up to what the server says that it is ready behind.
void Conversation::answer_group() {
  while (!steps_.empty()) {
    const Step step = std::move(steps_.front());
    steps_.pop_front();
    const bool is_end =
        step.kind == StepKind::sync || step.kind == StepKind::query || step.kind == StepKind::call;
    if (!is_end) {
      skip(step);
      continue;
    }
    answered_group_ = step.group;
    if (WireUnit* const unit = unit_at(step.unit)) {
      if (unit->status_before == '?') unit->status_before = running_status_;
      finish(step.unit);
    }
    return;
  }
}

}  // namespace heddle::postgres
