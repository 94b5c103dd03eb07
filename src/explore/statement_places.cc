#include "explore/statement_places.h"

#include <utility>

#include "base/text.h"
#include "frontend/spec/text/sql_token.h"
#include "replay/feeding.h"

namespace heddle {

namespace {

using Kind = SqlToken::Kind;

// Cuts one block.
class BlockReader {
 public:
  BlockReader(const SqlBlock& block, std::optional<StepId> step, Dialect dialect)
      : text_(block.text), store_(block.store), step_(step), dialect_(dialect) {}

  std::vector<StatementPlace> read() {
    std::size_t offset = 0;
    while (offset < text_.size()) {
      const SqlToken token = sql_token_at(text_, offset);
      const std::size_t end = offset + token.text.size();
      if (token.kind == Kind::command) {
        offset = take_command(token, end);
        continue;
      }
      if (token.kind == Kind::symbol && token.text == "(") ++depth_;
      if (token.kind == Kind::symbol && token.text == ")" && depth_ > 0) --depth_;
      if (token.kind == Kind::symbol && token.text == ";" && depth_ == 0) {
        finish(end);
      } else if (token.kind != Kind::space && token.kind != Kind::comment) {
        if (!begin_) begin_ = offset;
        end_ = end;
      }
      offset = end;
    }
    finish(end_);
    return std::move(places_);
  }

 private:
  // Behind the command and its words.
  std::size_t take_command(const SqlToken& token, std::size_t end) {
    const std::size_t line_end = std::min(text_.find('\n', end), text_.size());
    const std::size_t next = std::min(text_.find('\\', end), line_end);
    const std::string words(trim(text_.substr(end, next - end)));
    finish(end_);
    if (token.name == "gset" && !places_.empty()) {
      places_.back().gset = true;
      places_.back().end = next;
      places_.back().gset_prefix = words;
    }
    if (token.name == "if") ++branches_;
    if (token.name == "endif" && branches_ > 0) --branches_;
    return next;
  }

  // `end`: of the statement with what belongs to it.
  void finish(std::size_t end) {
    depth_ = 0;
    if (!begin_) return;
    StatementPlace place;
    place.step = step_;
    place.store = store_;
    place.offset = *begin_;
    place.end = end;
    place.text = std::string(text_.substr(*begin_, end_ - *begin_));
    place.conditional = branches_ > 0;
    auto statements = parse_statements(with_placeholders(place.text), dialect_);
    if (statements && statements->size() == 1) place.statement = std::move(statements->front());
    places_.push_back(std::move(place));
    begin_.reset();
  }

  std::string_view text_;
  std::size_t store_;
  std::optional<StepId> step_;
  Dialect dialect_;
  std::vector<StatementPlace> places_;
  std::optional<std::size_t> begin_;
  std::size_t end_ = 0;
  std::size_t depth_ = 0;
  std::size_t branches_ = 0;
};

}  // namespace

std::vector<StatementPlace> statement_places(const Scenario& scenario, const Session& session,
                                             const std::vector<Dialect>& dialects) {
  std::vector<StatementPlace> places;
  const auto add = [&](const SqlBlock& block, std::optional<StepId> step) {
    for (StatementPlace& place : BlockReader(block, step, dialects[block.store]).read()) {
      places.push_back(std::move(place));
    }
  };
  if (session.setup) add(*session.setup, std::nullopt);
  for (const StepId id : session.steps) add(scenario.steps[id.index()].sql, id);
  return places;
}

std::string shape_of(std::string_view sql) {
  std::string shape;
  for (std::size_t offset = 0; offset < sql.size();) {
    const SqlToken token = sql_token_at(sql, offset);
    offset += token.text.size();
    if (token.kind == Kind::space || token.kind == Kind::comment) continue;
    const bool is_constant =
        token.kind == Kind::number || (token.kind == Kind::quoted && !token.text.starts_with('"'));
    shape += is_constant ? "?" : to_lower(token.text);
    shape += ' ';
  }
  return shape;
}

}  // namespace heddle
