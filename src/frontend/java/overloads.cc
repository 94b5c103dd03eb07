// Which of several methods of a name a call means: Java decides by the declared types of the
// arguments, in three rounds: without boxing, with it, and with a variable number of arguments.
// Where types are not known and it matters, the first method is taken, which is said.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"

namespace heddle::java {

bool accepts(const Method& method, std::size_t arguments) {
  const std::size_t count = method.parameters.size();
  if (count > 0 && method.parameters.back().is_spread) return arguments + 1 >= count;
  return count == arguments;
}

namespace {

bool have_same_parameters(const Method& a, const Method& b) {
  return std::ranges::equal(a.parameters, b.parameters, [](const Parameter& x, const Parameter& y) {
    return simple_type(x.type) == simple_type(y.type);
  });
}

void add_unless_overridden(const Method& method, std::vector<const Method*>& found) {
  const bool is_overridden = std::ranges::any_of(
      found, [&](const Method* other) { return have_same_parameters(*other, method); });
  if (!is_overridden) found.push_back(&method);
}

bool is_spread(const Method& method) {
  return !method.parameters.empty() && method.parameters.back().is_spread;
}

}  // namespace

std::vector<const Method*> Classes::find_methods(const Class& from, std::string_view name,
                                                 std::size_t arguments) const {
  std::vector<const Method*> found;
  for (const Class* around = &from; around != nullptr && found.empty(); around = around->outer) {
    std::vector<const Class*> open = {around};
    std::vector<const Method*> abstract;
    for (std::size_t i = 0; i < open.size() && i < kLongestChain; ++i) {
      for (const bool spread : {false, true}) {
        for (const Method& method : open[i]->methods) {
          if (method.is_constructor || method.name != name || !accepts(method, arguments)) continue;
          if (is_spread(method) != spread) continue;
          add_unless_overridden(method, method.is_abstract ? abstract : found);
        }
      }
      if (const Class* super = find(open[i]->superclass, open[i])) open.push_back(super);
      for (const std::string& interface : open[i]->interfaces) {
        if (const Class* known = find(interface, open[i])) open.push_back(known);
      }
    }
    for (const Method* method : abstract) add_unless_overridden(*method, found);
  }
  return found;
}

const Method* Classes::find_method(const Class& from, std::string_view name,
                                   std::size_t arguments) const {
  const std::vector<const Method*> found = find_methods(from, name, arguments);
  return found.empty() ? nullptr : found.front();
}

std::vector<const Method*> Classes::find_constructors(const Class& of,
                                                      std::size_t arguments) const {
  std::vector<const Method*> found;
  for (const Method& method : of.methods) {
    if (method.is_constructor && accepts(method, arguments)) found.push_back(&method);
  }
  return found;
}

namespace {

enum class Fit : std::uint8_t { no, unknown, boxed, yes };

struct Boxing {
  std::string_view primitive;
  std::string_view box;
};

constexpr std::array kBoxes = {
    Boxing{"byte", "Byte"},      Boxing{"short", "Short"},     Boxing{"int", "Integer"},
    Boxing{"long", "Long"},      Boxing{"float", "Float"},     Boxing{"double", "Double"},
    Boxing{"char", "Character"}, Boxing{"boolean", "Boolean"},
};

std::string_view unboxed(std::string_view type) {
  const auto* const known = std::ranges::find(kBoxes, type, &Boxing::box);
  return known == kBoxes.end() ? "" : known->primitive;
}
std::string_view boxed(std::string_view type) {
  const auto* const known = std::ranges::find(kBoxes, type, &Boxing::primitive);
  return known == kBoxes.end() ? "" : known->box;
}

// Whether a number of one type becomes one of the other by itself.
bool widens(std::string_view from, std::string_view to) {
  static constexpr std::array<std::string_view, 6> kWidths = {"byte", "short", "int",
                                                              "long", "float", "double"};
  if (from == to) return true;
  if (from == "char") from = "short";
  const auto* const a = std::ranges::find(kWidths, from);
  const auto* const b = std::ranges::find(kWidths, to);
  return a != kWidths.end() && b != kWidths.end() && a <= b && (to != "short" || from != "short");
}

struct Supertype {
  std::string_view type;
  std::string_view super;
};

constexpr std::array kSupertypes = {
    Supertype{"Integer", "Number"},
    Supertype{"Long", "Number"},
    Supertype{"Short", "Number"},
    Supertype{"Byte", "Number"},
    Supertype{"Double", "Number"},
    Supertype{"Float", "Number"},
    Supertype{"BigDecimal", "Number"},
    Supertype{"BigInteger", "Number"},
    Supertype{"Integer", "Comparable"},
    Supertype{"Long", "Comparable"},
    Supertype{"BigDecimal", "Comparable"},
    Supertype{"String", "Comparable"},
    Supertype{"String", "CharSequence"},
    Supertype{"StringBuilder", "CharSequence"},
    Supertype{"Timestamp", "Date"},
    Supertype{"ArrayList", "List"},
    Supertype{"LinkedList", "List"},
    Supertype{"List", "Collection"},
    Supertype{"HashSet", "Set"},
    Supertype{"LinkedHashSet", "HashSet"},
    Supertype{"TreeSet", "Set"},
    Supertype{"Set", "Collection"},
    Supertype{"Collection", "Iterable"},
    Supertype{"HashMap", "Map"},
    Supertype{"LinkedHashMap", "HashMap"},
    Supertype{"TreeMap", "Map"},
    Supertype{"CallableStatement", "PreparedStatement"},
    Supertype{"PreparedStatement", "Statement"},
    Supertype{"SQLException", "Exception"},
    Supertype{"RuntimeException", "Exception"},
    Supertype{"IllegalStateException", "RuntimeException"},
    Supertype{"IllegalArgumentException", "RuntimeException"},
    Supertype{"Exception", "Throwable"},
};

bool is_library_type(std::string_view type) {
  return std::ranges::any_of(
             kSupertypes,
             [&](const Supertype& each) { return each.type == type || each.super == type; }) ||
         type == "Connection" || type == "ResultSet" || type == "DataSource";
}

bool is_library_subtype(std::string_view type, std::string_view of) {
  std::vector<std::string_view> open = {type};
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (open[i] == of) return true;
    for (const Supertype& each : kSupertypes) {
      if (each.type == open[i] && open.size() < kLongestChain) open.push_back(each.super);
    }
  }
  return false;
}

// Functions of the library: how many arguments they take, and whether they give a value.
struct Function {
  std::string_view type;
  std::size_t arguments;
  std::optional<bool> gives;
};

constexpr std::array kFunctions = {
    Function{"Runnable", 0, false},     Function{"Callable", 0, true},
    Function{"Supplier", 0, true},      Function{"Consumer", 1, false},
    Function{"Function", 1, true},      Function{"Predicate", 1, true},
    Function{"UnaryOperator", 1, true}, Function{"BiFunction", 2, true},
    Function{"BiConsumer", 2, false},   Function{"BinaryOperator", 2, true},
    Function{"BiPredicate", 2, true},
};

std::size_t lambda_arity(const Node& lambda) {
  const Node parameters = lambda.field("parameters");
  return parameters.is("identifier") ? 1 : parameters.children().size();
}

// Whether a block returns a value; what a single expression does is open.
std::optional<bool> lambda_gives(const Node& lambda) {
  const Node body = lambda.field("body");
  if (!body.is("block")) {
    static constexpr std::array<std::string_view, 4> kStatements = {
        "method_invocation", "assignment_expression", "update_expression",
        "object_creation_expression"};
    const bool may_be_statement = std::ranges::find(kStatements, body.kind()) != kStatements.end();
    return may_be_statement ? std::optional<bool>() : true;
  }
  std::vector<Node> open = {body};
  bool throws_only = body.children().size() == 1 && body.first_child().is("throw_statement");
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    if (node.is("lambda_expression") || node.is("class_body")) continue;
    if (node.is("return_statement")) return node.first_child().is_present();
    for (const Node& child : node.children()) open.push_back(child);
  }
  return throws_only ? std::optional<bool>() : false;
}

enum class Phase : std::uint8_t { exact, boxed, spread };

// The declared type of parameter `i` of a call.
std::string parameter_type(const Method& method, std::size_t i, Phase phase) {
  const std::size_t last = method.parameters.size() - 1;
  if (phase != Phase::spread || i < last) return method.parameters.at(i).type;
  return element_type(method.parameters[last].type);
}

class Chooser {
 public:
  Chooser(const Classes& classes, const Class* from) : classes_(classes), from_(from) {}

  // Those that can be called; unsure where it depends on a type that is not known.
  std::vector<const Method*> fitting(const std::vector<const Method*>& methods,
                                     const std::vector<std::string>& types,
                                     const std::vector<Node>& nodes, Phase phase,
                                     bool& is_unsure) const {
    std::vector<const Method*> found;
    for (const Method* method : methods) {
      const bool has_count =
          phase == Phase::spread ? is_spread(*method) : method->parameters.size() == types.size();
      bool fits = has_count;
      bool is_open = false;
      for (std::size_t i = 0; i < types.size() && fits; ++i) {
        const Fit one = fit(types[i], parameter_type(*method, i, phase), nodes[i]);
        fits = one == Fit::unknown || one >= (phase == Phase::exact ? Fit::yes : Fit::boxed);
        is_open = is_open || one == Fit::unknown;
      }
      if (!fits) continue;
      found.push_back(method);
      is_unsure = is_unsure || is_open;
    }
    return found;
  }

  // The one whose arguments all others would take, or nullptr.
  const Method* narrowest(const std::vector<const Method*>& methods, std::size_t arguments,
                          Phase phase) const {
    for (const Method* one : methods) {
      const bool is_narrowest = std::ranges::all_of(methods, [&](const Method* other) {
        for (std::size_t i = 0; i < arguments && other != one; ++i) {
          const std::string wanted = parameter_type(*other, i, phase);
          if (fit(parameter_type(*one, i, phase), wanted, {}) != Fit::yes) return false;
        }
        return true;
      });
      if (is_narrowest) return one;
    }
    return nullptr;
  }

  Fit fit(const std::string& given, const std::string& declared, const Node& node) const {
    const std::string type = simple_type(given);
    const std::string wanted = simple_type(declared);
    const bool is_function = node.is("lambda_expression") || node.is("method_reference");
    if (is_function) return fit_function(node, wanted);
    if (type.empty()) return Fit::unknown;
    if (type == wanted) return Fit::yes;
    const bool is_variable = wanted.size() == 1 && classes_.find(wanted, from_) == nullptr;
    const bool takes_all = wanted == "Object" || is_variable;
    if (type == "null") return boxed(wanted).empty() ? Fit::yes : Fit::no;
    if (!boxed(type).empty()) {
      if (!boxed(wanted).empty()) return widens(type, wanted) ? Fit::yes : Fit::no;
      const bool fits = takes_all || is_library_subtype(boxed(type), wanted);
      return fits ? Fit::boxed : Fit::no;
    }
    if (!boxed(wanted).empty()) {
      return widens(unboxed(type), wanted) && !unboxed(type).empty() ? Fit::boxed : Fit::no;
    }
    if (takes_all) return Fit::yes;
    if (type.ends_with("[]") || wanted.ends_with("[]")) {
      if (!type.ends_with("[]") || !wanted.ends_with("[]")) return Fit::no;
      return fit(element_type(type), element_type(wanted), {}) == Fit::yes ? Fit::yes : Fit::no;
    }
    return fit_class(type, wanted);
  }

 private:
  Fit fit_class(const std::string& type, const std::string& wanted) const {
    const bool is_known = classes_.find(type, from_) != nullptr;
    const bool is_wanted_known = classes_.find(wanted, from_) != nullptr;
    if (is_known && classes_.extends(type, wanted, from_)) return Fit::yes;
    if (is_known && (is_wanted_known || wanted == "String")) return Fit::no;
    if (is_library_subtype(type, wanted)) return Fit::yes;
    const bool are_known = (is_known || is_library_type(type) || type == "Object") &&
                           (is_wanted_known || is_library_type(wanted));
    return are_known ? Fit::no : Fit::unknown;
  }

  Fit fit_function(const Node& node, const std::string& wanted) const {
    if (!boxed(wanted).empty() || is_library_type(wanted) || wanted.ends_with("[]")) return Fit::no;
    const bool is_lambda = node.is("lambda_expression");
    const auto* const known = std::ranges::find(kFunctions, wanted, &Function::type);
    std::size_t arguments = 0;
    std::optional<bool> gives;
    if (known != kFunctions.end()) {
      arguments = known->arguments;
      gives = known->gives;
    } else {
      const Class* interface = classes_.find(wanted, from_);
      if (interface == nullptr) return wanted == "Object" ? Fit::no : Fit::unknown;
      const Method* function = classes_.find_function(*interface);
      if (function == nullptr) return Fit::no;
      arguments = function->parameters.size();
      gives = function->type != "void";
    }
    if (!is_lambda) return Fit::yes;
    if (lambda_arity(node) != arguments) return Fit::no;
    const std::optional<bool> given = lambda_gives(node);
    return given && gives && *given != *gives ? Fit::no : Fit::yes;
  }

  const Classes& classes_;
  const Class* from_;
};

}  // namespace

const Method* FunctionalityReader::choose_method(const std::vector<const Method*>& methods,
                                                 const std::string& name,
                                                 const Arguments& arguments, const Node& node) {
  if (methods.size() < 2) return methods.empty() ? nullptr : methods.front();
  std::vector<Node> nodes = node.field("arguments").children();
  const bool is_this_call =
      node.is("method_invocation") ? node.field_text("name") == name : !node.is("method_reference");
  if (!is_this_call || nodes.size() != arguments.size()) nodes.assign(arguments.size(), Node());
  std::vector<std::string> types;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    types.push_back(static_type(nodes[i], arguments[i]));
  }
  const Chooser chooser(classes_, frame().owner);
  for (const Phase phase : {Phase::exact, Phase::boxed, Phase::spread}) {
    bool is_unsure = false;
    const std::vector<const Method*> fitting =
        chooser.fitting(methods, types, nodes, phase, is_unsure);
    if (fitting.size() == 1) return fitting.front();
    if (fitting.empty()) continue;
    const Method* narrowest = chooser.narrowest(fitting, arguments.size(), phase);
    if (narrowest != nullptr && !is_unsure) return narrowest;
    note(node, "which of the methods " + name + "() this calls is not known",
         "the first that fits is taken; cast the argument");
    return fitting.front();
  }
  return methods.front();
}

const Method* FunctionalityReader::find_called(const Class& of, const std::string& name,
                                               const Arguments& arguments, const Node& node) {
  return choose_method(classes_.find_methods(of, name, arguments.size()), name, arguments, node);
}

void FunctionalityReader::construct(const Class& of, std::size_t id, const Arguments& arguments,
                                    const Node& node, Block& out) {
  const Method* constructor =
      choose_method(classes_.find_constructors(of, arguments.size()), of.name, arguments, node);
  if (constructor != nullptr) follow(*constructor, id, arguments, node, out);
}

// this(...), super(...)
void FunctionalityReader::read_constructor_call(const Node& statement, Block& out) {
  const Arguments arguments = read_arguments(statement.field("arguments"), out);
  if (state_.is_dead || !frame().self) return;
  const bool is_this = statement.field("constructor").is("this");
  const Class* of =
      is_this ? frame().owner : classes_.find(frame().owner->superclass, frame().owner);
  if (of != nullptr) return construct(*of, *frame().self, arguments, statement, out);
  Object known = state_.heap.at(*frame().self);
  learn_exception(known, arguments);
  state_.heap.change(*frame().self) = std::move(known);
}

namespace {

std::string literal_type(const Node& node) {
  const std::string_view kind = node.kind();
  if (kind == "string_literal" || kind == "text_block") return "String";
  if (kind == "character_literal") return "char";
  if (kind == "true" || kind == "false") return "boolean";
  if (kind == "null_literal") return "null";
  const std::string_view text = node.text();
  const char last = text.empty() ? ' ' : text.back();
  if (kind.ends_with("_integer_literal")) return last == 'l' || last == 'L' ? "long" : "int";
  if (kind.ends_with("floating_point_literal"))
    return last == 'f' || last == 'F' ? "float" : "double";
  return "";
}

// Of arithmetic.
std::string wider(std::string a, std::string b) {
  if (!unboxed(a).empty()) a = unboxed(a);
  if (!unboxed(b).empty()) b = unboxed(b);
  if (boxed(a).empty() || boxed(b).empty()) return "";
  if (a == "boolean") return a;
  const std::string least = widens(a, "int") ? "int" : a;
  return widens(b, least) ? least : b;
}

bool is_type_variable(std::string_view type) { return type.size() == 1; }

}  // namespace

// The declared type of an expression, which decides what a call means; the value's own, where it
// is not said.
std::string FunctionalityReader::static_type(const Node& node, const Value& value,
                                             std::size_t depth) {
  constexpr std::size_t kDeepest = 20;
  std::string own = value.type;
  if (!node.is_present() || depth > kDeepest) return own;
  if (const std::string type = literal_type(node); !type.empty()) return type;
  if (node.is("parenthesized_expression")) {
    return static_type(node.first_child(), value, depth + 1);
  }
  if (node.is("cast_expression")) return std::string(node.field_text("type"));
  if (node.is("this")) return frame().owner->name;
  if (node.is("object_creation_expression")) return std::string(node.field_text("type"));
  if (node.is("array_creation_expression")) return std::string(node.field_text("type")) + "[]";
  if (node.is("identifier")) {
    if (const std::string* slot = find_slot(node.text())) {
      const auto declared = declared_types_.find(*slot);
      return declared == declared_types_.end() ? own : declared->second;
    }
    const Class* owner = nullptr;
    const Field* field = classes_.find_field(*frame().owner, node.text(), owner);
    return field == nullptr ? own : field->type;
  }
  if (node.is("binary_expression")) return static_sum_type(node, value, depth);
  if (node.is("ternary_expression")) {
    const std::string then = static_type(node.field("consequence"), {}, depth + 1);
    const std::string otherwise = static_type(node.field("alternative"), {}, depth + 1);
    if (then == otherwise || otherwise == "null") return then.empty() ? own : then;
    return then == "null" ? otherwise : own;
  }
  if (node.is("method_invocation") && !node.field("object").is_present()) {
    const auto methods = classes_.find_methods(*frame().owner, node.field_text("name"),
                                               node.field("arguments").children().size());
    const bool is_said = methods.size() == 1 && !is_type_variable(methods.front()->type);
    return is_said ? methods.front()->type : own;
  }
  return own;
}

std::string FunctionalityReader::static_sum_type(const Node& node, const Value& value,
                                                 std::size_t depth) {
  static constexpr std::array<std::string_view, 8> kConditions = {
      "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
  const std::string_view name = node.field_text("operator");
  if (std::ranges::find(kConditions, name) != kConditions.end()) return "boolean";
  const std::string left = static_type(node.field("left"), {}, depth + 1);
  const std::string right = static_type(node.field("right"), {}, depth + 1);
  if (name == "+" && (left == "String" || right == "String")) return "String";
  const std::string type = wider(left, right);
  return type.empty() ? value.type : type;
}

}  // namespace heddle::java
