#include "find/terms/known_constraints.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "find/forms/typed_literals.h"
#include "find/values/solution_texts.h"

namespace heddle::find {

namespace {

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  const std::string closest = closest_word(name, known);
  if (!closest.empty()) return fmt::format("did you mean \"{}\"?", closest);
  return known.empty() ? "" : fmt::format("use one of: {}", join(known, ", "));
}

bool has_unknown(const Expression& expression) {
  return expression.kind == ExpressionKind::unknown ||
         std::ranges::any_of(expression.operands, has_unknown);
}

const Functionality* functionality_named(const Program& program, const std::string& name) {
  for (const std::string& one : {name, to_lower(name)}) {
    const auto found = std::ranges::find(program.functionalities, one, &Functionality::name);
    if (found != program.functionalities.end()) return &*found;
  }
  return nullptr;
}

// SQL folds names; those of other languages are as they were written.
const Variable* parameter_named(const Functionality& functionality, const std::string& name) {
  const auto exact = std::ranges::find(functionality.parameters, name, &Variable::name);
  if (exact != functionality.parameters.end()) return &*exact;
  const auto folded = std::ranges::find_if(functionality.parameters, [&](const Variable& each) {
    return equal_ignoring_case(each.name, name);
  });
  return folded == functionality.parameters.end() ? nullptr : &*folded;
}

// Which conditions on arguments mean to the search what they mean to whoever calls: those that are
// computed exactly.
class RequirementTypes {
 public:
  explicit RequirementTypes(const Functionality& functionality) : functionality_(functionality) {}

  bool is_condition(const Expression& expression) const {
    return type_of(expression) == Type::truth;
  }

 private:
  // Point in time: whatever is ordered as numbers are, and is no number.
  enum class Type : std::uint8_t { none, null, number, truth, text, point_in_time, other };

  static bool are_comparable(Type a, Type b) {
    if (a == Type::none || b == Type::none) return false;
    return a == b || a == Type::null || b == Type::null;
  }

  static bool are_ordered(Type a, Type b) {
    const auto is_ordered = [](Type type) {
      return type == Type::number || type == Type::point_in_time || type == Type::null;
    };
    return are_comparable(a, b) && is_ordered(a) && is_ordered(b);
  }

  static Type type_of_literal(const std::string& text) {
    if (text == "null") return Type::null;
    if (text == "true" || text == "false") return Type::truth;
    if (text.starts_with('\'')) return Type::text;
    const bool is_plain = text.find_first_not_of("-0123456789.") == std::string::npos;
    return is_plain ? Type::number : Type::none;
  }

  Type type_of_parameter(const std::string& name) const {
    const Variable* parameter = parameter_named(functionality_, name);
    if (parameter == nullptr) return Type::none;
    const ValueType type = type_named(parameter->type).type;
    switch (literal_kind(type)) {
      case LiteralKind::number:
        return Type::number;
      case LiteralKind::truth:
        return Type::truth;
      case LiteralKind::day:
      case LiteralKind::moment:
        return Type::point_in_time;
      default:
        return is_text(type) ? Type::text : Type::other;
    }
  }

  Type type_of(const Expression& expression) const {
    switch (expression.kind) {
      case ExpressionKind::literal:
        return type_of_literal(expression.text);
      case ExpressionKind::variable:
        return type_of_parameter(expression.text);
      case ExpressionKind::call:
        return type_of_call(expression);
      default:
        return Type::none;
    }
  }

  Type type_of_call(const Expression& call) const {
    std::vector<Type> types;
    for (const Expression& operand : call.operands) types.push_back(type_of(operand));
    const auto is_one_of = [&](auto... names) { return ((call.text == names) || ...); };
    const auto all = [&](Type type) {
      return !types.empty() && std::ranges::all_of(types, [&](Type one) { return one == type; });
    };
    const auto with_first = [&](bool (*fits)(Type, Type)) {
      return types.size() > 1 &&
             std::ranges::all_of(types, [&](Type one) { return fits(types.front(), one); });
    };
    const auto truth_if = [](bool holds) { return holds ? Type::truth : Type::none; };
    if (is_one_of("and", "or", "not")) return truth_if(all(Type::truth));
    if (is_one_of("is null", "is not null")) return truth_if(types.front() != Type::none);
    if (is_one_of("=", "<>", "!=", "in", "not in", "is distinct from", "is not distinct from")) {
      return truth_if(with_first(are_comparable));
    }
    if (is_one_of("<", "<=", ">", ">=", "between", "not between")) {
      return truth_if(with_first(are_ordered));
    }
    const bool is_product = call.text == "*" && types.size() == 2 &&
                            std::ranges::any_of(call.operands, [](const Expression& operand) {
                              return operand.kind == ExpressionKind::literal;
                            });
    const bool is_sum = is_one_of("+", "-") && types.size() == 2;
    return (is_product || is_sum) && all(Type::number) ? Type::number : Type::none;
  }

  const Functionality& functionality_;
};

// In the functionality's own names.
Expression with_names_of(const Functionality& functionality, const Expression& condition) {
  Expression named = condition;
  if (named.kind == ExpressionKind::variable) {
    if (const Variable* known = parameter_named(functionality, named.text)) {
      named.text = known->name;
    }
  }
  for (Expression& operand : named.operands) operand = with_names_of(functionality, operand);
  return named;
}

// Looks for what the program does not have.
class ConstraintCheck {
 public:
  ConstraintCheck(const Constraints& constraints, const Program& program)
      : constraints_(constraints), program_(program) {
    for (const Functionality& each : program.functionalities) functionalities_.push_back(each.name);
    for (const Table& table : program.schema.tables) tables_.push_back(table.name);
  }

  std::optional<Diagnostic> run() {
    for (const OrderAxiom& axiom : constraints_.axioms) see(axiom.formula);
    for (const StoreTables& store : constraints_.stores) {
      for (std::size_t i = 0; i < store.tables.size(); ++i) {
        see_table(store.tables[i], store.positions[i]);
      }
    }
    for (const InitialFact& fact : constraints_.facts) see(fact);
    for (const CallRequirement& requirement : constraints_.requirements) see(requirement);
    return std::move(error_);
  }

 private:
  void fail(SourcePosition where, std::string what, std::string what_to_do) {
    if (error_) return;
    error_ = Diagnostic{.what = std::move(what),
                        .what_to_do = std::move(what_to_do),
                        .file = constraints_.file,
                        .position = where,
                        .trouble = Trouble::bad_input};
  }

  void see(const OrderFormula& formula) {
    if (formula.kind == OrderFormulaKind::on_table) see_table(formula.name, formula.position);
    if (formula.kind == OrderFormulaKind::of_functionality &&
        std::ranges::find(functionalities_, formula.name) == functionalities_.end()) {
      fail(formula.position, fmt::format("there is no functionality \"{}\"", formula.name),
           did_you_mean(formula.name, functionalities_));
    }
    for (const OrderFormula& part : formula.parts) see(part);
  }

  const Table* see_table(const std::string& name, SourcePosition position) {
    const Table* table = find_table(program_.schema, name, program_.schema.dialect, "");
    if (table == nullptr) {
      fail(position, fmt::format("there is no table \"{}\"", name), did_you_mean(name, tables_));
    }
    return table;
  }

  // A column without a qualifier may be any table's.
  void see(const InitialFact& fact) {
    std::vector<std::string> columns;
    std::vector<std::string> used;
    for (const TableUse& use : fact.query.tables) {
      const Table* table = see_table(use.table, fact.position);
      if (table == nullptr) return;
      for (const TableColumn& each : table->columns) columns.push_back(each.name);
      used.insert(used.end(), use.columns_read.begin(), use.columns_read.end());
    }
    for (const std::string& column : used) {
      const bool is_known =
          column == "*" || std::ranges::any_of(columns, [&](const std::string& each) {
            return equal_ignoring_case(each, column);
          });
      if (is_known) continue;
      fail(fact.position, fmt::format("no table of \"{}\" has a column \"{}\"", fact.name, column),
           did_you_mean(column, columns));
    }
    const StatementForm form = form_of(fact.query, program_.schema);
    const bool is_plain = !fact.query.aggregate && !fact.query.limited && !form.sources.empty() &&
                          std::ranges::none_of(form.sources, &RowSource::is_any_row) &&
                          std::ranges::none_of(form.conjuncts, has_unknown) &&
                          std::ranges::none_of(form.outputs, has_unknown);
    if (is_plain) return;
    fail(fact.position, fmt::format("what \"{}\" asks cannot be said of single rows", fact.name),
         "join tables, and compare their columns: no aggregates, subqueries, outer joins, LIMIT "
         "or functions");
  }

  void see(const CallRequirement& requirement) {
    const Functionality* called = functionality_named(program_, requirement.functionality);
    if (called == nullptr) {
      fail(requirement.position,
           fmt::format("there is no functionality \"{}\"", requirement.functionality),
           did_you_mean(requirement.functionality, functionalities_));
      return;
    }
    for (const RequiredParameter& parameter : requirement.parameters) {
      if (parameter_named(*called, parameter.name) != nullptr) continue;
      std::vector<std::string> known;
      for (const Variable& each : called->parameters) known.push_back(each.name);
      fail(parameter.position,
           fmt::format("{} has no parameter \"{}\"", called->name, parameter.name),
           did_you_mean(parameter.name, known));
    }
    if (RequirementTypes(*called).is_condition(requirement.condition)) return;
    fail(requirement.position,
         fmt::format("what \"{}\" requires cannot be computed", requirement.functionality),
         "compare parameters with each other and with literals of their types, texts by = and <> "
         "alone, and join that by AND, OR and NOT");
  }

  const Constraints& constraints_;
  const Program& program_;
  std::vector<std::string> functionalities_;
  std::vector<std::string> tables_;
  std::optional<Diagnostic> error_;
};

// One axiom over all choices of different operations.
class AxiomInstances {
 public:
  AxiomInstances(const KnownConstraints& constraints, const OrderAxiom& axiom, Terms& terms,
                 const std::vector<AxiomOperation>& operations, const AxiomRelations& relations,
                 std::vector<Term>& instances)
      : constraints_(constraints),
        axiom_(axiom),
        terms_(terms),
        operations_(operations),
        relations_(relations),
        instances_(instances) {}

  void add_all() {
    if (chosen_.size() == axiom_.operations.size()) {
      std::vector<Term> run;
      for (const std::size_t each : chosen_) run.push_back(operations_[each].event->guard);
      instances_.push_back(terms_.implies(terms_.all(run), term(axiom_.formula)));
      return;
    }
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (std::ranges::find(chosen_, i) != chosen_.end()) continue;
      chosen_.push_back(i);
      if (known(axiom_.formula) != std::optional(true)) add_all();
      chosen_.pop_back();
    }
  }

 private:
  const AxiomOperation& operation(const OrderFormula& formula, std::size_t place) const {
    return operations_[chosen_[formula.operations[place]]];
  }

  bool uses_table(const AxiomOperation& operation, const std::string& table) const {
    return std::ranges::any_of(operation.event->form->sources, [&](const RowSource& source) {
      return equal_ignoring_case(source.name, table);
    });
  }

  bool share_store(const AxiomOperation& a, const AxiomOperation& b) const {
    const auto store_of = [&](const RowSource& source) -> std::optional<std::size_t> {
      const auto found = constraints_.stores.find(source.name);
      return found == constraints_.stores.end() ? std::nullopt : std::optional(found->second);
    };
    return std::ranges::any_of(a.event->form->sources, [&](const RowSource& one) {
      return std::ranges::any_of(b.event->form->sources, [&](const RowSource& other) {
        return store_of(one) == store_of(other);
      });
    });
  }

  // Of predicates that hang on the program alone: whether it holds; none: it does not.
  std::optional<bool> of_program(const OrderFormula& formula) const {
    using enum OrderFormulaKind;
    const AxiomOperation& a = operation(formula, 0);
    const AxiomOperation& b = operation(formula, formula.operations.size() - 1);
    switch (formula.kind) {
      case session_order:
        return a.instance == b.instance && a.index < b.index;
      case OrderFormulaKind::same_transaction:
        return a.instance == b.instance && a.event->transaction == b.event->transaction;
      case same_store:
        return share_store(a, b);
      case writes:
        return a.event->form->writes();
      case reads:
        return a.event->form->reads();
      case of_functionality:
        return constraints_.functionalities[a.functionality] == formula.name;
      case on_table:
        return uses_table(a, formula.name);
      default:
        return std::nullopt;
    }
  }

  // Whether it holds, as far as the operations chosen until now tell.
  std::optional<bool> known(const OrderFormula& formula) const {
    using enum OrderFormulaKind;
    std::vector<std::optional<bool>> parts;
    for (const OrderFormula& part : formula.parts) parts.push_back(known(part));
    const auto any_is = [&](bool value) {
      return std::ranges::find(parts, std::optional(value)) != parts.end();
    };
    const auto all_are = [&](bool value) {
      return std::ranges::count(parts, std::optional(value)) == std::ssize(parts);
    };
    switch (formula.kind) {
      case negation:
        return parts[0] ? std::optional(!*parts[0]) : std::nullopt;
      case conjunction:
        if (any_is(false)) return false;
        return all_are(true) ? std::optional(true) : std::nullopt;
      case disjunction:
        if (any_is(true)) return true;
        return all_are(false) ? std::optional(false) : std::nullopt;
      case implication:
        if (parts[0] == std::optional(false) || parts[1] == std::optional(true)) return true;
        return parts[0] && parts[1] ? std::optional(false) : std::nullopt;
      default:
        break;
    }
    const bool are_chosen = std::ranges::all_of(
        formula.operations, [&](std::size_t each) { return each < chosen_.size(); });
    return are_chosen ? of_program(formula) : std::nullopt;
  }

  Term term(const OrderFormula& formula) const {
    using enum OrderFormulaKind;
    if (const auto value = known(formula)) return terms_.truth(*value);
    std::vector<Term> parts;
    for (const OrderFormula& part : formula.parts) parts.push_back(term(part));
    switch (formula.kind) {
      case negation:
        return terms_.negate(parts[0]);
      case conjunction:
        return terms_.all(parts);
      case disjunction:
        return terms_.any(parts);
      case implication:
        return terms_.implies(parts[0], parts[1]);
      default:
        break;
    }
    const std::size_t a = chosen_[formula.operations[0]];
    const std::size_t b = chosen_[formula.operations[1]];
    if (a == b) return terms_.truth(formula.kind == same_row);
    if (formula.kind == arbitrated) return relations_.arbitrated(a, b);
    if (formula.kind == same_row) return relations_.same_row(std::min(a, b), std::max(a, b));
    return relations_.visible(a, b);
  }

  const KnownConstraints& constraints_;
  const OrderAxiom& axiom_;
  Terms& terms_;
  const std::vector<AxiomOperation>& operations_;
  const AxiomRelations& relations_;
  std::vector<Term>& instances_;
  std::vector<std::size_t> chosen_;
};

}  // namespace

std::optional<Diagnostic> trouble_with(const Constraints& constraints, const Program& program) {
  return ConstraintCheck(constraints, program).run();
}

KnownConstraints known_constraints(const Constraints& constraints, const Program& program) {
  KnownConstraints known{.axioms = constraints.axioms};
  for (const InitialFact& fact : constraints.facts) {
    known.facts.push_back(form_of(fact.query, program.schema));
    const auto has_none = [](const Expression& /*leaf*/) { return LiteralKind::text; };
    type_literals(program.schema, has_none, known.facts.back());
  }
  for (const Functionality& each : program.functionalities) {
    known.functionalities.push_back(each.name);
  }
  for (std::size_t i = 0; i < constraints.stores.size(); ++i) {
    for (const std::string& name : constraints.stores[i].tables) {
      const Table* table = find_table(program.schema, name, program.schema.dialect, "");
      if (table != nullptr) known.stores[table->name] = i;
    }
  }
  for (const CallRequirement& requirement : constraints.requirements) {
    const Functionality* called = functionality_named(program, requirement.functionality);
    if (called == nullptr) continue;
    known.requirements.resize(program.functionalities.size());
    known.requirements[static_cast<std::size_t>(called - program.functionalities.data())].push_back(
        with_names_of(*called, requirement.condition));
  }
  return known;
}

std::vector<Term> instances_of(const KnownConstraints& constraints, Terms& terms,
                               const std::vector<AxiomOperation>& operations,
                               const AxiomRelations& relations) {
  std::vector<Term> instances;
  for (const OrderAxiom& axiom : constraints.axioms) {
    AxiomInstances(constraints, axiom, terms, operations, relations, instances).add_all();
  }
  return instances;
}

}  // namespace heddle::find
