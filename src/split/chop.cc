// chop_program(): a COMMIT wherever a service hands over to another.
//
// A walk through the body knows which services may have an open transaction. Where one has that is
// not the next statement's, the transaction ends: on the way into the statement, or, where a branch
// before it leaves it open on one way and not on the other, at the end of the former. A loop that
// uses none of the services that are open is handed over to before its first round, which may be
// one time too often: it may have none. The rounds of a loop that ends in another service than it
// begins in hand over at the end of each.
#include "split/chop.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "heddle/split.h"
#include "program/visit.h"
#include "split/cycles/torn_keys.h"
#include "split/divide.h"
#include "split/services.h"
#include "split/sub_transactions.h"

namespace heddle {

namespace chopping {
namespace {

using Services = std::set<std::size_t>;
// The services with an open transaction at a place; none: nobody gets there.
using Open = std::optional<Services>;

Open either(const Open& a, const Open& b) {
  if (!a) return b;
  if (!b) return a;
  Services all = *a;
  all.insert(b->begin(), b->end());
  return all;
}

bool has_other(const Services& open, std::size_t service) {
  return std::ranges::any_of(open, [&](std::size_t other) { return other != service; });
}

Action commit_at(const SourceLocation& source) {
  ProgramStatement statement;
  statement.source = source;
  statement.statement.kind = StatementKind::commit;
  statement.statement.text = "COMMIT";
  return {.source = source,
          .what = RunStatement{
              .statement = std::move(statement), .into = {}, .strict = false, .returned = false}};
}

class Chopper {
 public:
  explicit Chopper(const TableServices& services) : services_(services) {}

  void chop(Block& body) { walk(body, Services{}); }

 private:
  // A branch that is the last of a block to use a service, and what its two arms leave open.
  struct LastBranch {
    std::size_t at = 0;
    std::array<Open, 2> ends;
  };

  // What is open behind the block.
  Open walk(Block& block, Open open) {
    Block chopped;
    std::optional<LastBranch> last;
    for (Action& action : block) {
      if (!open) {
        chopped.push_back(std::move(action));
        continue;
      }
      if (const ProgramStatement* statement = program::statement_of(action)) {
        open = enter(*statement, *open, chopped, last);
        last.reset();
        if (auto* rows = std::get_if<RowLoop>(&action.what)) open = walk_loop(rows->body, *open);
      } else if (auto* branch = std::get_if<Branch>(&action.what)) {
        const Services before = *open;
        const Open then = walk(branch->then, before);
        const Open otherwise = walk(branch->otherwise, before);
        open = either(then, otherwise);
        if (uses_services(action)) last = {.at = chopped.size(), .ends = {then, otherwise}};
      } else {
        open = enter_loop(action, *open, chopped, last);
        if (uses_services(action)) last.reset();
        open = walk_other(action, *open);
      }
      chopped.push_back(std::move(action));
    }
    block = std::move(chopped);
    return open;
  }

  // What is open when the statement has run; ends what others have open before.
  Services enter(const ProgramStatement& statement, const Services& open, Block& chopped,
                 const std::optional<LastBranch>& last) {
    const StatementKind kind = statement.statement.kind;
    if (kind == StatementKind::commit || kind == StatementKind::rollback) return {};
    Services own = services_.of(statement.statement);
    if (own.empty()) return open;
    end_others(*own.begin(), open, statement.source, chopped, last);
    return own;
  }

  // What is open before the first round, if the action is a loop.
  Services enter_loop(Action& action, const Services& open, Block& chopped,
                      const std::optional<LastBranch>& last) {
    Block* const body = body_of(action);
    Services own;
    if (body != nullptr) add_services(*body, own);
    const bool is_shared =
        std::ranges::any_of(own, [&](std::size_t service) { return open.contains(service); });
    if (open.empty() || own.empty() || is_shared) return open;
    end_others(*own.begin(), open, action.source, chopped, last);
    return {};
  }

  // Ends what services other than this one have open.
  static void end_others(std::size_t service, const Services& open, const SourceLocation& source,
                         Block& chopped, const std::optional<LastBranch>& last) {
    if (has_other(open, service) && !end_ways(chopped, last, service)) {
      chopped.push_back(commit_at(source));
    }
  }

  // Ends, at the end of a branch's arms, what services other than this one have open there. False:
  // an arm itself has several ways.
  static bool end_ways(Block& chopped, const std::optional<LastBranch>& last, std::size_t service) {
    if (!last) return false;
    for (const Open& end : last->ends) {
      if (end && end->size() > 1) return false;
    }
    auto& branch = std::get<Branch>(chopped[last->at].what);
    const SourceLocation source = chopped[last->at].source;
    if (last->ends[0] && has_other(*last->ends[0], service)) {
      branch.then.push_back(commit_at(source));
    }
    if (last->ends[1] && has_other(*last->ends[1], service)) {
      branch.otherwise.push_back(commit_at(source));
    }
    return true;
  }

  Open walk_other(Action& action, const Services& open) {
    if (std::holds_alternative<Return>(action.what) || std::holds_alternative<Raise>(action.what)) {
      return std::nullopt;
    }
    if (auto* attempt = std::get_if<Attempt>(&action.what)) {
      // An error may come behind any statement, and leaves open what is open there.
      Services failed = open;
      add_services(attempt->body, failed);
      Open after = walk(attempt->body, open);
      for (Recovery& recovery : attempt->recoveries) {
        after = either(after, walk(recovery.body, failed));
      }
      return after;
    }
    Block* const body = body_of(action);
    return body == nullptr ? open : walk_loop(*body, open);
  }

  // Of a loop that is no statement itself; null: it is none.
  static Block* body_of(Action& action) {
    if (auto* loop = std::get_if<Loop>(&action.what)) return &loop->body;
    if (auto* count = std::get_if<CountLoop>(&action.what)) return &count->body;
    if (auto* each = std::get_if<ElementLoop>(&action.what)) return &each->body;
    return nullptr;
  }

  // A second round begins with what the first one left open. What leaves the body or the round on
  // the way may leave any of its services open.
  Open walk_loop(Block& body, const Services& open) {
    Block trial = body;
    const Services left = walk(trial, open).value_or(Services{});
    Services around = open;
    if (may_leave(body)) add_services(body, around);
    const std::optional<std::size_t> first = first_service(body);
    if (!first || !has_other(left, *first)) {
      around.insert(left.begin(), left.end());
      return either(around, walk(body, around));
    }
    walk(body, around);
    if (!body.empty()) body.push_back(commit_at(body.back().source));
    return around;
  }

  static bool may_leave(Block& block) {
    return std::ranges::any_of(block, [](Action& action) {
      bool leaves = std::holds_alternative<LeaveLoop>(action.what);
      program::for_each_block(action, [&](Block& each) { leaves = leaves || may_leave(each); });
      return leaves;
    });
  }

  bool uses_services(Action& action) const {
    Services services;
    program::for_each_block(action, [&](Block& each) { add_services(each, services); });
    return !services.empty();
  }

  void add_services(Block& block, Services& services) const {
    for (Action& action : block) {
      if (const ProgramStatement* statement = program::statement_of(action)) {
        const Services own = services_.of(statement->statement);
        services.insert(own.begin(), own.end());
      }
      program::for_each_block(action, [&](Block& each) { add_services(each, services); });
    }
  }

  // Of the first statement in the block, also where it does not always run.
  std::optional<std::size_t> first_service(Block& block) const {
    for (Action& action : block) {
      if (const ProgramStatement* statement = program::statement_of(action)) {
        const Services own = services_.of(statement->statement);
        if (!own.empty()) return *own.begin();
      }
      std::optional<std::size_t> inner;
      program::for_each_block(action, [&](Block& each) {
        if (!inner) inner = first_service(each);
      });
      if (inner) return inner;
    }
    return std::nullopt;
  }

  const TableServices& services_;
};

// Which statement of the uncut functionality each one was. `parts`: into how many some became.
std::vector<std::optional<std::size_t>> origins_of(
    const Functionality& chopped, const Functionality& whole,
    const std::map<std::size_t, std::size_t>& parts) {
  const std::vector<ListedStatement> before = list_statements(whole);
  std::vector<std::optional<std::size_t>> origins;
  std::size_t next = 0;
  std::size_t part = 0;
  for (const ListedStatement& listed : list_statements(chopped)) {
    const bool is_commit = listed.statement->statement.kind == StatementKind::commit;
    const bool was_commit =
        next < before.size() && before[next].statement->statement.kind == StatementKind::commit;
    if (next >= before.size() || (is_commit && !was_commit)) {
      origins.emplace_back();
      continue;
    }
    origins.emplace_back(next);
    const auto several = parts.find(next);
    if (++part >= (several == parts.end() ? 1 : several->second)) {
      ++next;
      part = 0;
    }
  }
  return origins;
}

}  // namespace

ChoppedFunctionality chop_functionality(const Functionality& whole, const Schema& schema,
                                        const TableServices& services,
                                        const ReferenceChecks* checks) {
  ChoppedFunctionality chopped{
      .functionality = whole, .sub_transactions = {}, .origins = {}, .notes = {}};
  const auto parts =
      divide_statements(chopped.functionality, schema, services, chopped.notes, checks);
  Chopper(services).chop(chopped.functionality.body);
  for (const ListedStatement& listed : list_statements(chopped.functionality)) {
    if (listed.statement->statement.kind == StatementKind::commit) {
      chopped.functionality.states_boundaries = true;
    }
  }
  chopped.origins = origins_of(chopped.functionality, whole, parts);
  chopped.sub_transactions = sub_transactions_of(chopped.functionality, services);
  return chopped;
}

}  // namespace chopping

Result<ChoppedProgram> chop_program(const Program& program, const Cut& cut) {
  ChoppedProgram chopped{.program = program, .sub_transactions = {}, .origins = {}, .notes = {}};
  const chopping::TableServices services(cut, program.schema);
  const chopping::ReferenceChecks checks(program, services);
  for (Functionality& functionality : chopped.program.functionalities) {
    chopping::ChoppedFunctionality of =
        chopping::chop_functionality(functionality, program.schema, services, &checks);
    functionality = std::move(of.functionality);
    chopped.origins.push_back(std::move(of.origins));
    chopped.sub_transactions.push_back(std::move(of.sub_transactions));
    for (Diagnostic& note : of.notes) chopped.notes.push_back(std::move(note));
  }
  chopping::erase_torn_keys(chopping::find_torn_keys(cut, program.schema), chopped.program.schema);
  return chopped;
}

}  // namespace heddle
