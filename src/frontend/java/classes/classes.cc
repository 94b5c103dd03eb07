#include "frontend/java/classes/classes.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.h"
#include "frontend/java/classes/redis_methods.h"

namespace heddle::java {

namespace {

// Methods of JDBC and its kin whose calls mean that the database is used.
constexpr std::array<std::string_view, 19> kStoreCalls = {"prepareStatement",
                                                          "createStatement",
                                                          "prepareCall",
                                                          "getPreparedStatement",
                                                          "getPreparedStatementReturnKeys",
                                                          "executeQuery",
                                                          "executeUpdate",
                                                          "executeLargeUpdate",
                                                          "executeBatch",
                                                          "execute",
                                                          "addBatch",
                                                          "getConnection",
                                                          "commit",
                                                          "rollback",
                                                          "setAutoCommit",
                                                          "setTransactionIsolation",
                                                          "getGeneratedKeys",
                                                          "setSavepoint",
                                                          "nativeSQL"};

std::string last_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return std::string(dot == std::string_view::npos ? name : name.substr(dot + 1));
}

bool has_modifier(const Node& declaration, std::string_view modifier) {
  return declaration.child("modifiers").has_token(modifier);
}

bool has_annotation(const Node& declaration, std::string_view name) {
  for (const Node& each : declaration.child("modifiers").children()) {
    if (last_part(each.field_text("name")) == name) return true;
  }
  return false;
}

std::string assigned_name(const Node& target) {
  return std::string(target.is("field_access") ? target.field_text("field") : target.text());
}

void collect_calls(const Node& root, std::vector<std::string>& calls,
                   std::set<std::string, std::less<>>& assigned) {
  std::vector<Node> open = {root};
  std::set<std::string> found;
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    if (node.is("method_invocation")) found.insert(std::string(node.field_text("name")));
    if (node.is("method_reference")) found.insert(std::string(node.children().back().text()));
    if (node.is("object_creation_expression")) found.insert(simple_type(node.field_text("type")));
    if (node.is("assignment_expression")) assigned.insert(assigned_name(node.field("left")));
    if (node.is("update_expression")) assigned.insert(assigned_name(node.first_child()));
    for (const Node& child : node.children()) open.push_back(child);
  }
  calls.assign(found.begin(), found.end());
}

std::vector<Parameter> read_parameters(const Node& list) {
  std::vector<Parameter> parameters;
  for (const Node& each : list.children()) {
    Parameter parameter;
    if (each.is("spread_parameter")) {
      const std::vector<Node> parts = each.children();
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        if (!parts[i].is("modifiers")) parameter.type = std::string(parts[i].text()) + "[]";
      }
      parameter.name = parts.back().field_text("name");
      parameter.is_spread = true;
    } else if (each.is("formal_parameter")) {
      parameter.type =
          std::string(each.field_text("type")) + std::string(each.field_text("dimensions"));
      parameter.name = each.field_text("name");
    } else {
      continue;
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

}  // namespace

std::string plain_type(std::string_view type) {
  std::string plain;
  std::size_t depth = 0;
  for (const char c : type) {
    if (c == '<') ++depth;
    if (depth == 0 && c != ' ' && c != '\n' && c != '\t') plain += c;
    if (c == '>' && depth > 0) --depth;
  }
  return plain;
}

std::string simple_type(std::string_view type) { return last_part(plain_type(type)); }

std::string element_type(std::string_view type) {
  type = trim(type);
  if (type.ends_with("[]")) return std::string(trim(type.substr(0, type.size() - 2)));
  const std::size_t open = type.find('<');
  if (open == std::string_view::npos || !type.ends_with('>')) return "";
  const std::string_view inner = type.substr(open + 1, type.size() - open - 2);
  std::size_t begin = 0;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == '<') ++depth;
    if (inner[i] == '>') --depth;
    if (inner[i] == ',' && depth == 0) begin = i + 1;
  }
  return std::string(trim(inner.substr(begin)));
}

std::vector<std::string> type_arguments(std::string_view type) {
  std::vector<std::string> found;
  const std::size_t open = type.find('<');
  if (open == std::string_view::npos || !type.ends_with('>')) return found;
  std::string one;
  std::size_t depth = 0;
  for (const char c : type.substr(open + 1, type.size() - open - 2)) {
    if (c == '<') ++depth;
    if (c == '>' && depth > 0) --depth;
    if (c == ',' && depth == 0) {
      found.emplace_back(trim(std::exchange(one, "")));
    } else {
      one += c;
    }
  }
  found.emplace_back(trim(one));
  return found;
}

const Field* Class::find_field(std::string_view wanted) const {
  const auto found = std::ranges::find(fields, wanted, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

void Classes::add(const SourceFile& file) {
  Class context;
  for (const Node& node : file.root().children()) {
    if (node.is("package_declaration")) {
      context.package = node.first_child().text();
      for (const Node& part : node.children()) {
        if (part.is("scoped_identifier") || part.is("identifier")) context.package = part.text();
      }
    } else if (node.is("import_declaration")) {
      const std::string path(node.first_child().text());
      const bool all = node.child("asterisk").is_present();
      const std::size_t dot = path.rfind('.');
      const std::string before = dot == std::string::npos ? "" : path.substr(0, dot);
      if (node.has_token("static")) {
        context.static_imports.push_back(last_part(all ? path : before));
      } else if (!all) {
        context.imports[last_part(path)] = before;
      }
    } else {
      add_class(node, context, nullptr);
    }
  }
}

// Reading a class recurses into those inside, and names are looked for in all that are around.
bool Classes::is_too_deep(const Node& node, const Class* outer) {
  constexpr std::size_t kDeepest = 100;
  const bool is_deep = outer != nullptr && outer->nesting >= kDeepest;
  if (is_deep) too_deep_.push_back(node);
  return is_deep;
}

void Classes::add_class(const Node& node, const Class& context, const Class* outer) {
  static constexpr std::array<std::string_view, 5> kKinds = {
      "class_declaration", "interface_declaration", "enum_declaration", "record_declaration",
      "annotation_type_declaration"};
  if (std::ranges::find(kKinds, node.kind()) == kKinds.end()) return;
  if (is_too_deep(node, outer)) return;
  auto added = std::make_unique<Class>();
  added->nesting = outer == nullptr ? 0 : outer->nesting + 1;
  added->name = node.field_text("name");
  added->package = context.package;
  added->imports = context.imports;
  added->static_imports = context.static_imports;
  added->outer = outer;
  added->node = node;
  added->is_interface = node.is("interface_declaration");
  added->is_static = !node.is("class_declaration") || has_modifier(node, "static") ||
                     outer == nullptr || outer->is_interface;
  if (const Node super = node.field("superclass"); super.is_present()) {
    added->superclass = simple_type(super.first_child().text());
  }
  for (const std::string_view list : {"super_interfaces", "extends_interfaces"}) {
    for (const Node& types : node.child(list).children()) {
      for (const Node& type : types.children()) {
        added->interfaces.push_back(simple_type(type.text()));
      }
    }
  }
  if (node.is("record_declaration")) {
    added->components = read_parameters(node.field("parameters"));
  }
  Class& stored = *added;
  keep(std::move(added));
  add_members(node.field("body"), stored);
}

void Classes::add_members(const Node& body, Class& added) {
  for (const Node& member : body.children()) {
    if (member.is("method_declaration") || member.is("constructor_declaration")) {
      add_method(member, added);
    } else if (member.is("field_declaration") || member.is("constant_declaration")) {
      add_field(member, added);
    } else if (member.is("enum_constant")) {
      add_constant(member, added);
    } else if (member.is("enum_body_declarations")) {
      add_members(member, added);
    } else {
      add_class(member, added, &added);
    }
  }
}

void Classes::add_method(const Node& node, Class& owner) {
  Method method;
  method.name = node.field_text("name");
  method.type = std::string(node.field_text("type"));
  method.node = node;
  method.owner = &owner;
  method.is_constructor = node.is("constructor_declaration");
  method.is_static = has_modifier(node, "static");
  method.is_public =
      has_modifier(node, "public") || (owner.is_interface && !has_modifier(node, "private"));
  method.is_private = !owner.is_interface && has_modifier(node, "private");
  method.is_abstract = !node.field("body").is_present();
  method.parameters = read_parameters(node.field("parameters"));
  method.is_test = (method.is_static && method.name == "main") || has_annotation(node, "Test") ||
                   has_annotation(node, "Before") || has_annotation(node, "BeforeEach") ||
                   has_annotation(node, "After") || has_annotation(node, "AfterEach") ||
                   has_annotation(node, "BeforeAll") || has_annotation(node, "AfterAll");
  collect_calls(node.field("body"), method.calls, owner.assigned);
  add_inner_classes(node.field("body"), owner);
  owner.methods.push_back(std::move(method));
}

void Classes::add_field(const Node& node, Class& owner) {
  const bool is_static = owner.is_interface || has_modifier(node, "static");
  for (const Node& declarator : node.children()) {
    if (!declarator.is("variable_declarator")) continue;
    add_inner_classes(declarator.field("value"), owner);
    owner.fields.push_back({.type = std::string(node.field_text("type")) +
                                    std::string(declarator.field_text("dimensions")),
                            .name = std::string(declarator.field_text("name")),
                            .value = declarator.field("value"),
                            .is_static = is_static,
                            .is_final = owner.is_interface || has_modifier(node, "final")});
  }
}

// By names alone, which takes too many rather than too few.
void Classes::finish() {
  find_reaching();
  find_implementers();
  find_users();
  for (const auto& each : classes_) {
    const Method* function = each->is_interface ? find_function(*each) : nullptr;
    if (function != nullptr) function_names_.insert(function->name);
  }
}

void Classes::find_reaching() {
  std::set<std::string, std::less<>> names(kStoreCalls.begin(), kStoreCalls.end());
  std::multimap<std::string, Method*> callers;
  std::vector<std::string> open;
  for (const auto& each : classes_) {
    for (Method& method : each->methods) {
      for (const std::string& name : method.calls) callers.emplace(name, &method);
    }
  }
  open.assign(names.begin(), names.end());
  for (const auto& each : classes_) {
    if (!mentions_redis(each->node.file().text())) continue;
    for (Method& method : each->methods) {
      method.may_reach_store = std::ranges::any_of(method.calls, is_redis_method);
      if (method.may_reach_store && names.insert(method.name).second) open.push_back(method.name);
    }
  }
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const auto [begin, end] = callers.equal_range(name);
    for (auto caller = begin; caller != end; ++caller) {
      Method& method = *caller->second;
      if (method.may_reach_store) continue;
      method.may_reach_store = true;
      if (names.insert(method.name).second) open.push_back(method.name);
    }
  }
}

const Field* Classes::find_field(const Class& from, std::string_view name,
                                 const Class*& owner) const {
  for (const Class* around = &from; around != nullptr; around = around->outer) {
    std::vector<const Class*> open = {around};
    for (std::size_t i = 0; i < open.size() && i < kLongestChain; ++i) {
      if (const Field* field = open[i]->find_field(name)) {
        owner = open[i];
        return field;
      }
      if (const Class* super = find(open[i]->superclass, open[i])) open.push_back(super);
      for (const std::string& interface : open[i]->interfaces) {
        if (const Class* known = find(interface, open[i])) open.push_back(known);
      }
    }
  }
  return nullptr;
}

bool Classes::extends(std::string_view name, std::string_view ancestor, const Class* from) const {
  std::string now = simple_type(name);
  for (std::size_t i = 0; i < kLongestChain && !now.empty(); ++i) {
    if (now == ancestor) return true;
    const Class* known = find(now, from);
    if (known == nullptr) return false;
    if (std::ranges::find(known->interfaces, ancestor) != known->interfaces.end()) return true;
    now = known->superclass;
    from = known;
  }
  return false;
}

}  // namespace heddle::java
