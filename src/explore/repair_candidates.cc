#include "explore/repair_candidates.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "explore/statement_places.h"
#include "frontend/spec/text/sql_token.h"
#include "replay/observe/statement_effects.h"
#include "vocabulary/product_levels.h"

namespace heddle {

namespace {

using TokenKind = SqlToken::Kind;

class CandidateSearch {
 public:
  CandidateSearch(const Scenario& scenario, const RepairPlace& place)
      : scenario_(scenario), place_(place) {
    for (const Session& session : scenario.sessions) {
      places_.push_back(statement_places(scenario, session, place.dialects));
      shapes_.push_back(session_shape(session));
    }
  }

  std::vector<RepairCandidate> run() {
    // Of equal cost, what touches least comes first.
    update_rows_themselves();
    lock_reads();
    lock_called_reads();
    move_after_commits();
    lock_again();
    join_transactions();
    raise_isolation();
    std::ranges::stable_sort(
        found_, {}, [](const RepairCandidate& candidate) { return candidate.change.statements; });
    return std::move(found_);
  }

 private:
  using Places = std::vector<StatementPlace>;

  std::string session_shape(const Session& session) const {
    std::string shape;
    const auto add = [&](const SqlBlock& block) {
      shape += fmt::format("{}: {}\n", block.store, shape_of(block.text));
    };
    if (session.setup) add(*session.setup);
    if (session.call) {
      shape += shape_of(session.call->text.text);
      return shape;
    }
    for (const StepId id : session.steps) add(scenario_.steps[id.index()].sql);
    return shape;
  }

  // Calls `visit` with the numbers of the sessions that run the same code.
  template <class Visit>
  void for_each_code(const Visit& visit) const {
    std::map<std::string, std::vector<std::size_t>> codes;
    for (std::size_t i = 0; i < shapes_.size(); ++i) codes[shapes_[i]].push_back(i);
    std::vector<std::vector<std::size_t>> sorted;
    for (auto& [shape, sessions] : codes) sorted.push_back(sessions);
    std::ranges::sort(sorted);
    for (const std::vector<std::size_t>& sessions : sorted) visit(sessions);
  }

  std::string name_of(const StatementPlace& place, std::size_t session) const {
    return place.step ? scenario_.steps[place.step->index()].name
                      : "the setup of " + scenario_.sessions[session].name;
  }

  static void add_name(std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }

  void raise_isolation() {
    for (const Dialect dialect : std::set(place_.dialects.begin(), place_.dialects.end())) {
      const auto levels = product_levels(dialect);
      for_each_code([&](const std::vector<std::size_t>& sessions) {
        const Session& first = scenario_.sessions[sessions.front()];
        std::optional<IsolationLevel> now = first.isolation ? first.isolation : place_.level;
        for (const StatementPlace& place : places_[sessions.front()]) {
          if (place.statement.isolation) now = find_isolation_level(*place.statement.isolation);
        }
        const auto known = std::ranges::find_if(levels, [&](IsolationLevel level) {
          return now && plain_level(level) == plain_level(*now);
        });
        const auto from = known == levels.end() ? levels.begin() : known + 1;
        for (auto level = from; level != levels.end(); ++level) raise(sessions, *level);
      });
    }
  }

  void raise(const std::vector<std::size_t>& sessions, IsolationLevel level) {
    RepairCandidate candidate;
    candidate.change.kind = RepairKind::raise_isolation;
    for (const std::size_t i : sessions) {
      bool names_level = false;
      for (const StatementPlace& place : places_[i]) {
        if (!place.statement.isolation) continue;
        names_level = true;
        candidate.edit.texts.push_back(other_level(SessionId(i), place, level));
        ++candidate.change.statements;
      }
      if (!names_level) {
        candidate.edit.levels.emplace_back(SessionId(i), level);
        ++candidate.change.statements;
      }
      candidate.change.places.push_back(scenario_.sessions[i].name);
    }
    candidate.change.sentence =
        fmt::format("run {} at {}", join(candidate.change.places, ", "), definition(level).name);
    found_.push_back(std::move(candidate));
  }

  // The words behind LEVEL become those of another level.
  static TextChange other_level(SessionId session, const StatementPlace& place,
                                IsolationLevel level) {
    TextChange change{session, place.step, place.offset + place.text.size(), 0, ""};
    std::string words(plain_level(level));
    std::ranges::replace(words, '-', ' ');
    std::ranges::transform(words, words.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    change.text = words;
    std::size_t words_left = 0;
    for (std::size_t offset = 0; offset < place.text.size();) {
      const SqlToken token = sql_token_at(place.text, offset);
      const std::string word = to_lower(token.text);
      if (token.kind == TokenKind::word && words_left > 0) {
        if (words_left == 2) change.offset = place.offset + offset;
        change.length = place.offset + offset + token.text.size() - change.offset;
        words_left = word == "serializable" ? 0 : words_left - 1;
      }
      if (token.kind == TokenKind::word && word == "level") words_left = 2;
      offset += token.text.size();
    }
    return change;
  }

  static bool is_lockable(const Statement& statement, Dialect dialect) {
    const bool reads = std::ranges::any_of(
        statement.tables, [](const TableUse& use) { return use.read && !use.written; });
    if (!reads || locks_reads(statement)) return false;
    if (dialect == Dialect::postgres && statement.aggregate) return false;
    return statement.kind == StatementKind::select || statement.kind == StatementKind::insert;
  }

  void lock_reads() {
    std::map<std::pair<std::size_t, std::string>, std::vector<std::pair<std::size_t, std::size_t>>>
        reads;
    std::vector<std::pair<std::size_t, std::string>> order;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      for (std::size_t k = 0; k < places_[i].size(); ++k) {
        const StatementPlace& place = places_[i][k];
        if (!is_lockable(place.statement, place_.dialects[place.store])) continue;
        const auto key = std::make_pair(place.store, shape_of(place.text));
        if (!reads.contains(key)) order.push_back(key);
        reads[key].emplace_back(i, k);
      }
    }
    for (const auto& key : order) {
      const Dialect dialect = place_.dialects[key.first];
      if (product_levels(dialect).empty()) continue;
      lock_read(reads[key], "FOR UPDATE");
      lock_read(reads[key], dialect == Dialect::mysql ? "LOCK IN SHARE MODE" : "FOR SHARE");
    }
  }

  void lock_read(const std::vector<std::pair<std::size_t, std::size_t>>& reads,
                 const std::string& clause) {
    RepairCandidate candidate;
    candidate.change.kind = RepairKind::lock_read;
    for (const auto& [session, k] : reads) {
      const StatementPlace& place = places_[session][k];
      add_name(candidate.change.places, name_of(place, session));
      candidate.edit.texts.push_back(
          {SessionId(session), place.step, place.offset + place.text.size(), 0, " " + clause});
    }
    candidate.change.statements = reads.size();
    candidate.change.sentence =
        fmt::format("append {} to the SELECT of {}", clause, join(candidate.change.places, ", "));
    found_.push_back(std::move(candidate));
  }

  // Of functionalities, each for all sessions that call it.
  void lock_called_reads() {
    std::set<std::size_t> called;
    for (const Session& session : scenario_.sessions) {
      if (session.call) called.insert(session.call->functionality);
    }
    for (const std::size_t number : called) {
      const Functionality& functionality = scenario_.program->program.functionalities[number];
      const std::vector<ListedStatement> statements = list_statements(functionality);
      for (std::size_t i = 0; i < statements.size(); ++i) {
        const ProgramStatement& statement = *statements[i].statement;
        // They are PostgreSQL's, and said to other stores in their words.
        const bool is_fixed = statement.made_text || statement.is_part;
        if (is_fixed || !is_lockable(statement.statement, Dialect::postgres)) continue;
        for (const std::string_view clause : {"FOR UPDATE", "FOR SHARE"}) {
          RepairCandidate& candidate = found_.emplace_back();
          candidate.change.kind = RepairKind::lock_read;
          candidate.change.places = {functionality.name};
          candidate.change.statements = 1;
          candidate.change.sentence = fmt::format(
              "append {} to \"{}\" in {}", clause,
              named_text(statement.statement.text, statement.arguments), functionality.name);
          candidate.edit.called.push_back(
              {number, i, fmt::format("{} {}", statement.statement.text, clause)});
        }
      }
    }
  }

  // Steps of one store while a transaction of another is open.
  void move_after_commits() {
    std::map<std::string, RepairCandidate> candidates;
    std::vector<std::string> order;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Places& places = places_[i];
      std::map<std::size_t, bool> open;
      for (std::size_t k = 0; k < places.size(); ++k) {
        const StatementPlace& place = places[k];
        if (place.statement.kind == StatementKind::begin) open[place.store] = true;
        if (ends_transaction(place)) open[place.store] = false;
        const auto other = std::ranges::find_if(
            open, [&](const auto& entry) { return entry.second && entry.first != place.store; });
        if (other == open.end() || open[place.store] || !place.step) continue;
        const auto commit = std::find_if(places.begin() + static_cast<std::ptrdiff_t>(k),
                                         places.end(), [&](const StatementPlace& later) {
                                           return later.store == other->first &&
                                                  ends_transaction(later) && later.step;
                                         });
        if (commit == places.end()) continue;
        const std::string shape = shape_of(scenario_.steps[place.step->index()].sql.text);
        if (!candidates.contains(shape)) order.push_back(shape);
        RepairCandidate& candidate = candidates[shape];
        const auto move = std::make_pair(*place.step, *commit->step);
        if (!candidate.edit.moves.empty() && candidate.edit.moves.back() == move) continue;
        candidate.edit.moves.push_back(move);
        add_name(candidate.change.places, name_of(place, i));
      }
    }
    for (const std::string& shape : order) {
      RepairCandidate& candidate = candidates[shape];
      candidate.change.kind = RepairKind::move_after_commit;
      candidate.change.statements = candidate.change.places.size();
      candidate.change.sentence = fmt::format(
          "move {} behind the commit of {} session", join(candidate.change.places, ", "),
          candidate.change.places.size() == 1 ? "its" : "their");
      found_.push_back(std::move(candidate));
    }
  }

  static bool ends_transaction(const StatementPlace& place) {
    return place.statement.kind == StatementKind::commit ||
           place.statement.kind == StatementKind::rollback;
  }

  void join_transactions() {
    for_each_code([&](const std::vector<std::size_t>& sessions) {
      for (std::size_t store = 0; store < place_.dialects.size(); ++store) {
        if (product_levels(place_.dialects[store]).empty()) continue;
        RepairCandidate candidate;
        candidate.change.kind = RepairKind::one_transaction;
        bool helps = true;
        for (const std::size_t i : sessions) helps = helps && join_session(i, store, candidate);
        if (!helps) continue;
        candidate.change.sentence = fmt::format(
            "make what {} {} in {} one transaction", join(candidate.change.places, ", "),
            sessions.size() == 1 ? "does" : "do",
            place_.dialects.size() == 1 ? "the database" : scenario_.stores[store].name);
        found_.push_back(std::move(candidate));
      }
    });
  }

  // False: there is nothing to join, or a transaction is given up.
  bool join_session(std::size_t session, std::size_t store, RepairCandidate& candidate) const {
    std::vector<const StatementPlace*> own;
    for (const StatementPlace& place : places_[session]) {
      if (place.store == store) own.push_back(&place);
    }
    std::size_t units = 0;
    bool open = false;
    for (const StatementPlace* place : own) {
      const StatementKind kind = place->statement.kind;
      if (kind == StatementKind::rollback) return false;
      if (kind == StatementKind::begin || (!open && uses_rows(kind))) ++units;
      open = kind == StatementKind::begin || (open && kind != StatementKind::commit);
    }
    // A single one can still be spread over what is done in other stores.
    const bool has_others = own.size() < places_[session].size();
    if (units < (has_others ? 1U : 2U)) return false;
    const std::size_t before = candidate.change.statements;
    const bool begins =
        own.front()->statement.kind == StatementKind::begin && !own.front()->conditional;
    const bool ends =
        own.back()->statement.kind == StatementKind::commit && !own.back()->conditional;
    for (std::size_t k = 0; k < own.size(); ++k) {
      const StatementKind kind = own[k]->statement.kind;
      const bool stays = (k == 0 && begins) || (k + 1 == own.size() && ends);
      if (stays || (kind != StatementKind::begin && kind != StatementKind::commit)) continue;
      candidate.edit.texts.push_back(
          {SessionId(session), own[k]->step, own[k]->offset, own[k]->end - own[k]->offset, ""});
      ++candidate.change.statements;
    }
    const std::string& name = scenario_.sessions[session].name;
    if (!begins) {
      candidate.edit.added.push_back(
          {SessionId(session), true, name + "_begin", {"BEGIN;", {}, store}});
      ++candidate.change.statements;
    }
    if (!ends) {
      candidate.edit.added.push_back(
          {SessionId(session), false, name + "_commit", {"COMMIT;", {}, store}});
      ++candidate.change.statements;
    }
    candidate.change.places.push_back(name);
    return candidate.change.statements > before;
  }

  // Reads of an earlier transaction, once more at the beginning of a later one.
  void lock_again() {
    for_each_code([&](const std::vector<std::size_t>& sessions) {
      const Places& places = places_[sessions.front()];
      for (std::size_t begin = 0; begin < places.size(); ++begin) {
        if (places[begin].statement.kind != StatementKind::begin) continue;
        for (std::size_t read = 0; read < begin; ++read) {
          if (places[read].store == places[begin].store &&
              places[read].statement.kind == StatementKind::select &&
              !places[read].statement.tables.empty() && !places[begin].conditional &&
              !product_levels(place_.dialects[places[read].store]).empty()) {
            lock_again(sessions, read, begin);
          }
        }
      }
    });
  }

  // The first read stays where something in between uses what it read.
  void lock_again(const std::vector<std::size_t>& sessions, std::size_t read, std::size_t begin) {
    RepairCandidate candidate;
    candidate.change.kind = RepairKind::lock_again;
    std::vector<std::string> reads;
    bool moves = true;
    for (const std::size_t i : sessions) {
      moves = moves && count_uses(i, read, begin) == 0;
    }
    for (const std::size_t i : sessions) {
      const StatementPlace& again = places_[i][read];
      const StatementPlace& behind = places_[i][begin];
      const bool closed = behind.end > behind.offset + behind.text.size();
      candidate.edit.texts.push_back(
          {SessionId(i), behind.step, behind.end, 0, (closed ? " " : "; ") + locking_text(again)});
      if (moves) candidate.edit.texts.push_back(removal(SessionId(i), again));
      candidate.change.statements += moves ? 2 : 1;
      add_name(candidate.change.places, name_of(behind, i));
      add_name(reads, name_of(again, i));
    }
    candidate.change.sentence =
        fmt::format("take the lock of {} {} the BEGIN of {}", join(reads, ", "),
                    moves ? "only after" : "again after", join(candidate.change.places, ", "));
    found_.push_back(std::move(candidate));
  }

  // The read with a lock, as text to go behind a semicolon.
  std::string locking_text(const StatementPlace& read) const {
    const bool locks = locks_reads(read.statement);
    const bool lockable =
        !read.statement.aggregate || place_.dialects[read.store] != Dialect::postgres;
    const std::string text = read.text + (locks || !lockable ? "" : " FOR UPDATE");
    return read.gset ? fmt::format("\n{} \\gset {}\n", text, read.gset_prefix) : text + ";";
  }

  static TextChange removal(SessionId session, const StatementPlace& place) {
    return {session, place.step, place.offset, place.end - place.offset, ""};
  }

  // How often the session uses the variables that one of its statements sets, behind it and before
  // another one.
  std::size_t count_uses(std::size_t session, std::size_t read,
                         std::optional<std::size_t> before = std::nullopt) const {
    const StatementPlace& source = places_[session][read];
    const std::vector<StepId>& steps = scenario_.sessions[session].steps;
    const auto rank = [&](std::optional<StepId> step) {
      return step ? std::ranges::find(steps, *step) - steps.begin() + 1 : 0;
    };
    const auto begin = std::make_pair(rank(source.step), source.end);
    std::size_t uses = 0;
    for (const StepId id : steps) {
      const std::string& text = scenario_.steps[id.index()].sql.text;
      for (std::size_t offset = 0; offset < text.size();) {
        const SqlToken token = sql_token_at(text, offset);
        const auto here = std::make_pair(rank(id), offset);
        offset += token.text.size();
        if (here < begin || token.name.empty() || token.kind == TokenKind::command) continue;
        if (before) {
          const StatementPlace& end = places_[session][*before];
          if (here >= std::make_pair(rank(end.step), end.offset)) return uses;
        }
        uses += static_cast<std::size_t>(
            std::ranges::count_if(source.statement.output, [&](const OutputColumn& column) {
              return token.name == source.gset_prefix + column.name;
            }));
      }
    }
    return uses;
  }

  // The read that filled a variable with a column of the very row that is updated; none: it did
  // otherwise.
  std::optional<std::size_t> read_of(const std::string& variable, std::size_t session,
                                     std::size_t update) const {
    const StatementPlace& target = places_[session][update];
    for (std::size_t k = update; k-- > 0;) {
      const StatementPlace& read = places_[session][k];
      if (!read.gset || read.store != target.store || !variable.starts_with(read.gset_prefix)) {
        continue;
      }
      const std::string column = variable.substr(read.gset_prefix.size());
      const auto output = std::ranges::find(read.statement.output, column, &OutputColumn::name);
      if (output == read.statement.output.end()) continue;
      const bool same_row = read.statement.tables.size() == 1 &&
                            read.statement.tables[0].table == target.statement.tables[0].table &&
                            read.statement.predicate == target.statement.predicate;
      if (!same_row || to_lower(output->expression) != to_lower(column)) return std::nullopt;
      return k;
    }
    return std::nullopt;
  }

  void update_rows_themselves() {
    std::map<std::string, RepairCandidate> candidates;
    std::vector<std::string> order;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      for (std::size_t k = 0; k < places_[i].size(); ++k) {
        const StatementPlace& place = places_[i][k];
        if (place.statement.kind != StatementKind::update || place.statement.tables.size() != 1) {
          continue;
        }
        std::set<std::size_t> reads;
        std::vector<TextChange> texts = columns_for_variables(i, k, reads);
        if (texts.empty()) continue;
        const std::size_t replaced = texts.size();
        const std::string shape = shape_of(place.text);
        if (!candidates.contains(shape)) order.push_back(shape);
        RepairCandidate& candidate = candidates[shape];
        ++candidate.change.statements;
        add_name(candidate.change.places, name_of(place, i));
        for (const std::size_t read : reads) {
          if (count_uses(i, read) > replaced) continue;
          texts.push_back(removal(SessionId(i), places_[i][read]));
          ++candidate.change.statements;
        }
        std::ranges::move(texts, std::back_inserter(candidate.edit.texts));
      }
    }
    for (const std::string& shape : order) {
      RepairCandidate& candidate = candidates[shape];
      candidate.change.kind = RepairKind::self_update;
      candidate.change.sentence =
          fmt::format("compute from the row itself in {}: {} in place of what was read before",
                      join(candidate.change.places, ", "), candidate.edit.texts.front().text);
      found_.push_back(std::move(candidate));
    }
  }

  // In what the update sets, columns in place of the variables that hold what they were.
  std::vector<TextChange> columns_for_variables(std::size_t session, std::size_t update,
                                                std::set<std::size_t>& reads) const {
    const StatementPlace& place = places_[session][update];
    std::vector<TextChange> changes;
    for (std::size_t offset = 0; offset < place.text.size();) {
      const SqlToken token = sql_token_at(place.text, offset);
      if (token.kind == TokenKind::word && to_lower(token.text) == "where") break;
      if (token.kind == TokenKind::variable || token.kind == TokenKind::variable_literal) {
        if (const auto read = read_of(std::string(token.name), session, update)) {
          const std::size_t prefix = places_[session][*read].gset_prefix.size();
          changes.push_back({SessionId(session), place.step, place.offset + offset,
                             token.text.size(), std::string(token.name.substr(prefix))});
          reads.insert(*read);
        }
      }
      offset += token.text.size();
    }
    return changes;
  }

  const Scenario& scenario_;
  const RepairPlace& place_;
  std::vector<Places> places_;       // of each session
  std::vector<std::string> shapes_;  // of each session
  std::vector<RepairCandidate> found_;
};

}  // namespace

std::vector<RepairCandidate> repair_candidates(const Scenario& scenario, const RepairPlace& place) {
  return CandidateSearch(scenario, place).run();
}

}  // namespace heddle
