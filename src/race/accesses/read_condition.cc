#include "race/accesses/read_condition.h"

#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "frontend/sql/reader.h"

namespace heddle::race {
namespace {

using sql::Node;

constexpr std::size_t kDeepest = 200;

// Reads one condition. Each reader of a kind of node is given its content.
class TreeCondition {
 public:
  explicit TreeCondition(const ConditionReader& reader) : reader_(reader) {}

  Condition read(const Node& node, std::size_t depth) const {
    if (depth > kDeepest) return {};
    const std::string_view type = node.type();
    const Node& content = node.content();
    if (type == "BoolExpr") return read_logic(content, depth);
    if (type == "A_Expr") return read_operator(content, depth);
    if (type == "NullTest") return read_null_test(content);
    if (type == "BooleanTest") return read_boolean_test(content);
    if (type == "ColumnRef") return read_flag(node);
    if (type == "TypeCast") return read(content["arg"], depth + 1);
    if (type == "A_Const") return read_truth(node);
    return {};
  }

 private:
  Condition read_logic(const Node& logic, std::size_t depth) const {
    std::vector<Condition> parts;
    for (const Node& part : logic["args"]) parts.push_back(read(part, depth + 1));
    const std::string& word = logic.text("boolop");
    if (word == "AND_EXPR") return all_of(std::move(parts));
    if (word == "OR_EXPR") return any_of(std::move(parts));
    return parts.size() == 1 ? negation_of(std::move(parts.front())) : Condition{};
  }

  Condition read_operator(const Node& call, std::size_t depth) const {
    const std::string& kind = call.text("kind");
    const std::vector<std::string> names = sql::string_list(call["name"]);
    const std::string name = names.empty() ? "" : names.back();
    const Node& left = call["lexpr"];
    const Node& right = call["rexpr"];
    if (kind == "AEXPR_OP") return compare(name, left, right);
    if (kind == "AEXPR_IN") return read_list(name, left, right);
    if (kind == "AEXPR_OP_ANY" && name == "=") return read_array(left, right);
    if (kind == "AEXPR_OP_ALL" && name == "<>") return negation_of(read_array(left, right));
    if (kind == "AEXPR_BETWEEN") return read_range(left, right);
    if (kind == "AEXPR_NOT_BETWEEN") return negation_of(read_range(left, right));
    if (kind == "AEXPR_NOT_DISTINCT") return read_not_distinct(left, right);
    if (kind == "AEXPR_DISTINCT") return negation_of(read_not_distinct(left, right));
    static_cast<void>(depth);
    return {};
  }

  Condition compare(std::string_view name, const Node& left, const Node& right) const {
    if (left.type() == "RowExpr" && right.type() == "RowExpr")
      return compare_rows(name, left, right);
    const Operand a = operand(left);
    const Operand b = operand(right);
    const auto equal = [&] {
      return Condition{.kind = Condition::Kind::equal, .left = a, .right = b};
    };
    const auto less = [](const Operand& one, const Operand& other) {
      return Condition{.kind = Condition::Kind::less, .left = one, .right = other};
    };
    if (name == "=") return equal();
    if (name == "<>" || name == "!=") return negation_of(equal());
    if (name == "<") return less(a, b);
    if (name == ">") return less(b, a);
    if (name == ">=") return negation_of(less(a, b));
    if (name == "<=") return negation_of(less(b, a));
    // Of other operators it is known only that no comparison with null is true.
    return {.kind = Condition::Kind::unknown, .left = a, .right = b};
  }

  Condition compare_rows(std::string_view name, const Node& left, const Node& right) const {
    if (name != "=") return {};
    std::vector<Condition> parts;
    auto other = right.content()["args"].begin();
    const auto end = right.content()["args"].end();
    for (const Node& one : left.content()["args"]) {
      if (other == end) return {};
      parts.push_back(compare("=", one, *other));
      ++other;
    }
    return all_of(std::move(parts));
  }

  Condition read_list(const std::string& name, const Node& left, const Node& list) const {
    std::vector<Condition> parts;
    const Node& items = list.type() == "List" ? list.content()["items"] : list;
    for (const Node& item : items) parts.push_back(compare("=", left, item));
    Condition any = any_of(std::move(parts));
    return name == "<>" ? negation_of(std::move(any)) : any;
  }

  Condition read_array(const Node& left, const Node& array) const {
    std::vector<Condition> parts;
    if (array.type() == "A_ArrayExpr") {
      for (const Node& item : array.content()["elements"]) {
        parts.push_back(compare("=", left, item));
      }
      return any_of(std::move(parts));
    }
    const KnownValue whole = read_constant(array, *reader_.parameters);
    const ArrayElements elements = whole.has_text() ? array_elements(whole.text) : ArrayElements{};
    const Operand a = operand(left);
    if (!elements.is_known) return {.kind = Condition::Kind::unknown, .left = a};
    for (const KnownValue& each : elements.values) {
      parts.push_back({.kind = Condition::Kind::equal, .left = a, .right = {.value = each}});
    }
    return any_of(std::move(parts));
  }

  Condition read_range(const Node& left, const Node& range) const {
    const Node& items = range.type() == "List" ? range.content()["items"] : range;
    std::vector<const Node*> bounds;
    for (const Node& each : items) bounds.push_back(&each);
    if (bounds.size() != 2) return {};
    return all_of({compare(">=", left, *bounds[0]), compare("<=", left, *bounds[1])});
  }

  Condition read_not_distinct(const Node& left, const Node& right) const {
    const Operand a = operand(left);
    const Operand b = operand(right);
    const auto null_of = [](const Operand& each) {
      return Condition{.kind = Condition::Kind::is_null, .left = each};
    };
    return any_of({{.kind = Condition::Kind::equal, .left = a, .right = b},
                   all_of({null_of(a), null_of(b)})});
  }

  Condition read_null_test(const Node& test) const {
    Condition condition{.kind = Condition::Kind::is_null, .left = operand(test["arg"])};
    if (test.text("nulltesttype") == "IS_NOT_NULL") return negation_of(std::move(condition));
    return condition;
  }

  // IS TRUE and its like differ from the flag itself only where it is null.
  Condition read_boolean_test(const Node& test) const {
    const Operand flag = operand(test["arg"]);
    const std::string& kind = test.text("booltesttype");
    const bool is_about_truth = kind == "IS_TRUE" || kind == "IS_NOT_TRUE";
    const Condition equal{.kind = Condition::Kind::equal,
                          .left = flag,
                          .right = {.value = text_value(is_about_truth ? "t" : "f")}};
    const Condition null{.kind = Condition::Kind::is_null, .left = flag};
    if (kind == "IS_UNKNOWN") return null;
    if (kind == "IS_NOT_UNKNOWN") return negation_of(null);
    const Condition holds = all_of({negation_of(null), equal});
    return kind == "IS_TRUE" || kind == "IS_FALSE" ? holds : negation_of(holds);
  }

  Condition read_flag(const Node& node) const {
    return {
        .kind = Condition::Kind::equal, .left = operand(node), .right = {.value = text_value("t")}};
  }

  Condition read_truth(const Node& node) const {
    const KnownValue value = read_constant(node, *reader_.parameters);
    if (!value.has_text()) return {};
    return comparable_text(value.text) == "true" ? always() : any_of({});
  }

  Operand operand(const Node& node) const {
    const Node* inner = &node;
    while (inner->type() == "TypeCast") inner = &inner->content()["arg"];
    if (inner->type() != "ColumnRef") return {.value = read_constant(node, *reader_.parameters)};
    return {.column = reader_.owner(sql::string_list(inner->content()["fields"]))};
  }

  const ConditionReader& reader_;
};

KnownValue constant_value(const Node& constant) {
  if (constant.is_true("isnull")) return null_value();
  struct Form {
    std::string_view form;
    std::string_view value;
    std::string_view otherwise;  // what the tree leaves out
  };
  static constexpr Form kForms[] = {{"ival", "ival", "0"},
                                    {"fval", "fval", "0"},
                                    {"boolval", "boolval", "false"},
                                    {"sval", "sval", ""}};
  for (const Form& each : kForms) {
    const Node& form = constant[each.form];
    if (!form.is_present()) continue;
    const Node& value = form[each.value];
    return text_value(value.is_present() ? std::string_view(value.scalar) : each.otherwise);
  }
  return {};
}

KnownValue parameter_value(const Node& reference, const std::vector<TraceParameter>& parameters) {
  const std::string& text = reference.text("number");
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (number == 0 || number > parameters.size()) return {};
  return known_value(parameters[number - 1].value);
}

KnownValue signed_value(const Node& call, const std::vector<TraceParameter>& parameters) {
  const std::vector<std::string> names = sql::string_list(call["name"]);
  if (call["lexpr"].is_present() || names.size() != 1 || names[0] != "-") return {};
  KnownValue value = read_constant(call["rexpr"], parameters);
  if (!value.has_text()) return {};
  value.text = value.text.starts_with('-') ? value.text.substr(1) : "-" + value.text;
  return value;
}

}  // namespace

Condition read_condition(const Node& node, const ConditionReader& reader) {
  if (!node.is_present()) return always();
  return TreeCondition(reader).read(node, 0);
}

KnownValue read_constant(const Node& node, const std::vector<TraceParameter>& parameters) {
  const Node* inner = &node;
  while (inner->type() == "TypeCast") inner = &inner->content()["arg"];
  if (inner->type() == "A_Const") return constant_value(inner->content());
  if (inner->type() == "ParamRef") return parameter_value(inner->content(), parameters);
  if (inner->type() == "A_Expr") return signed_value(inner->content(), parameters);
  return {};
}

KnownValue known_value(const TraceValue& value) {
  if (!value.text) return null_value();
  return value.is_binary ? KnownValue{} : text_value(*value.text);
}

ArrayElements array_elements(std::string_view text) {
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return {};
  ArrayElements elements{.is_known = true};
  text = text.substr(1, text.size() - 2);
  std::size_t at = 0;
  while (at < text.size()) {
    std::string element;
    const bool is_quoted = text[at] == '"';
    if (is_quoted) ++at;
    for (; at < text.size() && text[at] != (is_quoted ? '"' : ','); ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      if (!is_quoted && text[at] == '{') return {};
      element += text[at];
    }
    if (is_quoted) at = text.find(',', at);
    at = at == text.npos ? text.size() : at + 1;
    const bool is_null = !is_quoted && equal_ignoring_case(element, "null");
    elements.values.push_back(is_null ? null_value() : text_value(element));
  }
  return elements;
}

}  // namespace heddle::race
