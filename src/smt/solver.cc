// The only file that knows Z3. Terms are translated once, by a walk without recursion: conditions
// of long programs are deep.
#include "smt/solver.h"

#include <map>
#include <optional>
#include <unordered_set>
#include <vector>
#include <z3++.h>

#include "base/assert.h"
#include "base/bounds.h"
#include "base/interrupt.h"

namespace heddle::smt {

struct Solver::State {
  State(const Terms& all, std::uint32_t max_steps, std::optional<Clock::time_point> last)
      : terms(all), end(last), solver(context, kSimple) {
    z3::params params(context);
    params.set("random_seed", 0U);
    // Its own handler of interrupts is not made for several threads.
    params.set("ctrl_c", false);
    // The older simplex is the faster one for many small formulas.
    params.set("arith.solver", 2U);
    if (max_steps != 0) params.set("rlimit", max_steps);
    solver.set(params);
  }

  static constexpr z3::solver::simple kSimple = {};

  z3::sort sort(Sort of) {
    return of == Sort::truth     ? context.bool_sort()
           : of == Sort::integer ? context.int_sort()
                                 : context.real_sort();
  }

  const z3::expr& translated(Term term) const { return *translations[term.index]; }

  z3::expr translate_one(const TermNode& node);
  z3::expr translate(Term root);
  z3::expr apply(const TermNode& node, const z3::expr_vector& operands);

  z3::check_result check(const z3::expr_vector& assumptions);
  bool is_over() const { return interrupted() || (end && Clock::now() >= *end); }

  const Terms& terms;
  std::optional<Clock::time_point> end;
  z3::context context;
  z3::solver solver;
  std::vector<std::optional<z3::expr>> translations;
  std::map<std::string, z3::func_decl> functions;  // by name and sorts
  std::optional<z3::model> model;
  std::optional<z3::model> kept_model;
  std::vector<Term> assumed;  // by the last check
  std::uint64_t checks = 0;
  bool is_cut = false;  // something was not added any more, so that no answer means anything
};

z3::expr Solver::State::apply(const TermNode& node, const z3::expr_vector& operands) {
  std::string name = node.text + "/" + "tif"[static_cast<int>(node.sort)];
  for (const Term operand : node.operands) name += "tif"[static_cast<int>(terms.sort(operand))];
  auto found = functions.find(name);
  if (found == functions.end()) {
    z3::sort_vector sorts(context);
    for (const z3::expr& operand : operands) sorts.push_back(operand.get_sort());
    const z3::func_decl function = context.function(name.c_str(), sorts, sort(node.sort));
    found = functions.emplace(name, function).first;
  }
  return found->second(operands);
}

z3::expr Solver::State::translate_one(const TermNode& node) {
  z3::expr_vector operands(context);
  for (const Term operand : node.operands) operands.push_back(translated(operand));
  const auto first = [&] { return operands[0]; };
  const auto second = [&] { return operands[1]; };
  switch (node.op) {
    case Op::constant:
      if (node.sort == Sort::truth) return context.bool_val(node.text == "true");
      return node.sort == Sort::integer ? context.int_val(node.text.c_str())
                                        : context.real_val(node.text.c_str());
    case Op::symbol:
      return context.constant(node.text.c_str(), sort(node.sort));
    case Op::apply:
      return apply(node, operands);
    case Op::negation:
      return !first();
    case Op::conjunction:
      return z3::mk_and(operands);
    case Op::disjunction:
      return z3::mk_or(operands);
    case Op::equality:
      return first() == second();
    case Op::less:
      return first() < second();
    case Op::less_or_equal:
      return first() <= second();
    case Op::choice:
      return z3::ite(first(), second(), operands[2]);
    case Op::sum:
      return first() + second();
    case Op::product:
      return first() * second();
    case Op::fraction_of:
      return z3::to_real(first());
  }
  assertion_failed("all cases", __FILE__, __LINE__);
}

// Operands have smaller indices than what they are operands of.
z3::expr Solver::State::translate(Term root) {
  translations.resize(terms.size());
  std::vector<Term> open = {root};
  while (!open.empty()) {
    const Term term = open.back();
    if (translations[term.index]) {
      open.pop_back();
      continue;
    }
    const std::size_t before = open.size();
    for (const Term operand : terms[term].operands) {
      if (!translations[operand.index]) open.push_back(operand);
    }
    if (open.size() > before) continue;
    translations[term.index] = translate_one(terms[term]);
    open.pop_back();
  }
  return translated(root);
}

z3::check_result Solver::State::check(const z3::expr_vector& assumptions) {
  if (is_cut || is_over()) return z3::unknown;
  const Cancellation cancellation(end, [this] { context.interrupt(); });
  try {
    return solver.check(assumptions);
  } catch (const z3::exception&) {
    // What was cancelled may come back as an error.
    return z3::unknown;
  }
}

Solver::Solver(const Terms& terms, std::uint32_t max_steps, std::optional<Clock::time_point> end)
    : state_(std::make_unique<State>(terms, max_steps, end)) {}
Solver::~Solver() = default;

void Solver::add(Term formula) {
  HEDDLE_ASSERT(state_->terms.depth(formula) <= kDeepest);
  if (state_->is_over()) state_->is_cut = true;
  if (state_->is_cut) return;
  state_->solver.add(state_->translate(formula));
}
void Solver::push() { state_->solver.push(); }
void Solver::pop() { state_->solver.pop(); }
std::uint64_t Solver::checks() const { return state_->checks; }

Satisfiable Solver::check() { return check({}); }

Satisfiable Solver::check_within(std::uint32_t ms) {
  constexpr std::uint32_t kNoLimit = 4'294'967'295U;
  state_->solver.set("timeout", ms == 0 ? kNoLimit : ms);
  const Satisfiable answer = check();
  state_->solver.set("timeout", kNoLimit);
  return answer;
}

Satisfiable Solver::check(const std::vector<Term>& assumed) {
  ++state_->checks;
  state_->model.reset();
  z3::expr_vector assumptions(state_->context);
  for (const Term term : assumed) assumptions.push_back(state_->translate(term));
  state_->assumed = assumed;
  switch (state_->check(assumptions)) {
    case z3::sat:
      return Satisfiable::yes;
    case z3::unsat:
      return Satisfiable::no;
    case z3::unknown:
      return Satisfiable::unknown;
  }
  assertion_failed("all cases", __FILE__, __LINE__);
}

std::vector<std::size_t> Solver::core() {
  std::unordered_set<unsigned> core;
  for (const z3::expr& one : state_->solver.unsat_core()) core.insert(one.id());
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < state_->assumed.size(); ++i) {
    if (core.contains(state_->translated(state_->assumed[i]).id())) places.push_back(i);
  }
  return places;
}

std::string Solver::value(Term term) {
  if (!state_->model) state_->model = state_->solver.get_model();
  const z3::expr value = state_->model->eval(state_->translate(term), true);
  if (value.is_bool()) return value.is_true() ? "true" : "false";
  return value.is_numeral() ? Z3_get_numeral_string(state_->context, value) : value.to_string();
}

void Solver::keep_values() { state_->kept_model = state_->solver.get_model(); }

bool Solver::is_true_by_kept_values(Term term) {
  HEDDLE_ASSERT(state_->kept_model);
  return state_->kept_model->eval(state_->translate(term), true).is_true();
}

}  // namespace heddle::smt
