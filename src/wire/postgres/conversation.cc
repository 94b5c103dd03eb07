#include "wire/postgres/conversation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"

namespace heddle::postgres {
namespace {

Diagnostic malformed(char type) {
  return {.what = fmt::format("a client's message '{}' is not well-formed", type),
          .trouble = Trouble::bad_input};
}

std::shared_ptr<const std::string> shared_text(std::string_view text) {
  return std::make_shared<const std::string>(text);
}

const std::shared_ptr<const std::string>& no_text() {
  static const auto empty = shared_text("");
  return empty;
}

// The two texts with which a Parse begins, of one whose end may be cut off.
struct ParseBeginning {
  std::string name;
  std::string_view text;
  bool is_whole = false;  // the text
};

std::optional<ParseBeginning> read_parse_beginning(std::string_view body) {
  const std::size_t name_end = body.find('\0');
  if (name_end == body.npos) return std::nullopt;
  ParseBeginning found{.name = std::string(body.substr(0, name_end)),
                       .text = body.substr(name_end + 1)};
  const std::size_t text_end = found.text.find('\0');
  found.is_whole = text_end != found.text.npos;
  found.text = found.text.substr(0, text_end);
  return found;
}

}  // namespace

bool Conversation::is_continuation(char type) {
  return type == 'd' || type == 'c' || type == 'f' || type == 'p';
}

Result<std::optional<std::uint64_t>> Conversation::client_message(const CutMessage& message) {
  using Ended = std::optional<std::uint64_t>;
  Result<void> read;
  switch (message.type) {
    case 'P':
      read = parse(message);
      break;
    case 'B':
      read = bind(message);
      break;
    case 'D':
      read = describe(message);
      break;
    case 'C':
      read = close(message);
      break;
    case 'E':
      return Ended(execute(message));
    case 'Q':
      return Ended(query(message));
    case 'F':
      return Ended(call());
    case 'S':
      return sync();
    case 'd':
      client_copied(message);
      return Ended();
    case 'c':
    case 'f':
      copy_ended();
      return Ended();
    default:  // Flush, Terminate, a password
      return Ended();
  }
  if (!read) return read.error();
  is_within_unit_ = true;
  return Ended();
}

Result<void> Conversation::parse(const CutMessage& message) {
  auto statement = std::make_shared<Prepared>();
  std::string name;
  if (message.is_whole()) {
    auto whole = read_parse(message.body);
    if (!whole) return malformed('P');
    name = std::move(whole->statement);
    statement->text_size = whole->text.size();
    statement->text = shared_text(whole->text);
    statement->types = std::move(whole->types);
  } else {
    auto beginning = read_parse_beginning(message.body);
    if (!beginning) return malformed('P');
    name = std::move(beginning->name);
    statement->text = shared_text(beginning->text);
    statement->text_size = beginning->is_whole ? beginning->text.size() : message.size;
  }
  std::shared_ptr<Prepared>& named = statements_[name];
  add_step({.kind = StepKind::parse,
            .unit = next_ordinal_,
            .statement = statement,
            .name = name,
            .before = std::exchange(named, statement)});
  return {};
}

std::shared_ptr<Conversation::Prepared> Conversation::statement_named(const std::string& name) {
  const auto found = statements_.find(name);
  return found != statements_.end() && found->second ? found->second : unknown_statement(name);
}

// It was prepared by a statement, PREPARE, or does not exist.
std::shared_ptr<Conversation::Prepared> Conversation::unknown_statement(const std::string& name) {
  auto unknown = std::make_shared<Prepared>();
  unknown->text = shared_text(name);
  unknown->text_size = name.size();
  return unknown;
}

Result<void> Conversation::bind(const CutMessage& message) {
  auto portal = std::make_shared<Portal>();
  portal->group = next_group_;
  std::string name;
  if (message.is_whole()) {
    auto whole = read_bind(message.body);
    if (!whole || (whole->formats.size() > 1 && whole->formats.size() != whole->values.size())) {
      return malformed('B');
    }
    name = std::move(whole->portal);
    portal->statement = statement_named(whole->statement);
    portal->result_formats = std::move(whole->result_formats);
    for (std::size_t i = 0; i < whole->values.size(); ++i) {
      portal->parameters.push_back(
          {.value = std::move(whole->values[i]), .format = format_at(whole->formats, i)});
    }
  } else {
    const auto beginning = read_parse_beginning(message.body);  // it begins with two names, too
    if (!beginning || !beginning->is_whole) return malformed('B');
    name = beginning->name;
    portal->statement = statement_named(std::string(beginning->text));
    portal->has_all_parameters = false;
  }
  add_step({.kind = StepKind::bind, .unit = next_ordinal_, .portal = portal});
  portals_[name] = std::move(portal);
  return {};
}

Result<void> Conversation::describe(const CutMessage& message) {
  if (message.body.empty()) return malformed('D');
  const std::string name = read_text(message.body.substr(1));
  if (message.body.front() == 'S') {
    add_step({.kind = StepKind::describe_statement,
              .unit = next_ordinal_,
              .statement = statement_named(name)});
    return {};
  }
  const auto portal = portals_.find(name);
  add_step({.kind = StepKind::describe_portal,
            .unit = next_ordinal_,
            .portal = portal == portals_.end() ? nullptr : portal->second});
  return {};
}

Result<void> Conversation::close(const CutMessage& message) {
  if (message.body.empty()) return malformed('C');
  const std::string name = read_text(message.body.substr(1));
  Step step{.kind = StepKind::close, .unit = next_ordinal_};
  if (message.body.front() == 'S') {
    step.name = name;
    const auto named = statements_.find(name);
    if (named != statements_.end()) {
      step.before = named->second;
      statements_.erase(named);
    }
  } else {
    portals_.erase(name);
  }
  add_step(std::move(step));
  return {};
}

std::uint64_t Conversation::execute(const CutMessage& message) {
  const auto found = portals_.find(read_text(message.body));
  std::shared_ptr<Portal> portal;
  if (found == portals_.end()) {
    // A cursor that a statement declared, or nothing.
    portal = std::make_shared<Portal>();
    portal->statement = statement_named(read_text(message.body));
  } else {
    portal = found->second;
  }
  const bool is_again = std::exchange(portal->is_executed, true);
  const std::uint64_t ordinal =
      end_unit(is_again ? WireUnitKind::more_rows : WireUnitKind::execution, StepKind::execute);
  WireUnit& unit = units_.back();
  unit.text = portal->statement->text;
  unit.text_size = portal->statement->text_size;
  unit.parameters = portal->parameters;
  unit.has_all_parameters = portal->has_all_parameters;
  name_types(*portal, unit);
  is_executed_ = true;
  if (is_skipping_) {
    skip_unit();
  } else {
    steps_.back().portal = std::move(portal);
  }
  return ordinal;
}

// The one that was ended last, while the server skips.
void Conversation::skip_unit() {
  WireUnit& unit = units_.back();
  unit.is_skipped = unit.error.empty();
  if (unit.status_before == '?') unit.status_before = running_status_;
  finish(unit.ordinal);
}

std::uint64_t Conversation::query(const CutMessage& message) {
  const std::uint64_t ordinal = end_unit(WireUnitKind::query, StepKind::query);
  WireUnit& unit = units_.back();
  unit.text = shared_text(read_text(message.body));
  unit.text_size = message.is_whole() ? unit.text->size() : message.size - 1;
  if (is_skipping_) skip_unit();
  ++next_group_;
  is_executed_ = false;
  return ordinal;
}

std::uint64_t Conversation::call() {
  const std::uint64_t ordinal = end_unit(WireUnitKind::call, StepKind::call);
  if (is_skipping_) skip_unit();
  ++next_group_;
  is_executed_ = false;
  return ordinal;
}

std::optional<std::uint64_t> Conversation::sync() {
  if (is_copied_in_) return std::nullopt;
  is_skipping_ = false;
  for (auto& [name, statement] : meant_) {
    if (statement) {
      statements_[name] = std::move(statement);
    } else {
      statements_.erase(name);
    }
  }
  meant_.clear();
  std::optional<std::uint64_t> ended;
  if (is_within_unit_ || !is_executed_) {
    ended = end_unit(WireUnitKind::prepare, StepKind::sync);
  } else {
    add_step({.kind = StepKind::sync});
  }
  ++next_group_;
  is_executed_ = false;
  return ended;
}

std::uint64_t Conversation::end_unit(WireUnitKind kind, StepKind step) {
  is_within_unit_ = false;
  units_.push_back(
      {.ordinal = next_ordinal_, .kind = kind, .text = no_text(), .group = next_group_});
  if (early_error_.unit == next_ordinal_) {
    units_.back().error = std::exchange(early_error_.fields, {});
    units_.back().status_before = early_error_.status_before;
  }
  add_step({.kind = step, .unit = next_ordinal_});
  return next_ordinal_++;
}

void Conversation::add_step(Step step) {
  step.group = next_group_;
  if (!is_skipping_) {
    steps_.push_back(std::move(step));
  } else {
    note_meaning(step);
  }
}

void Conversation::note_meaning(const Step& step) {
  if (step.kind == StepKind::parse || step.before) meant_.try_emplace(step.name, step.before);
}

// Data that came before the server asked for them are those of the COPY that it has not read yet.
void Conversation::copy_ended() {
  has_copied_early_ = !is_copied_in_ && !units_.empty();
  is_copied_in_ = false;
}

const WireUnit& Conversation::open_unit(std::uint64_t ordinal) const {
  const WireUnit* const unit = unit_at(ordinal);
  HEDDLE_ASSERT(unit != nullptr);
  return *unit;
}

bool Conversation::is_open(std::uint64_t ordinal) const { return unit_at(ordinal) != nullptr; }

std::vector<WireUnit> Conversation::take_unanswered() {
  emit_finished('?');
  std::vector<WireUnit> left(std::make_move_iterator(units_.begin()),
                             std::make_move_iterator(units_.end()));
  units_.clear();
  steps_.clear();
  return left;
}

}  // namespace heddle::postgres
