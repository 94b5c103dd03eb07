// Classes inside of methods: those without a name, the bodies of constants, and local ones.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "frontend/java/classes/classes.h"

namespace heddle::java {

namespace {

bool is_declaration(const Node& node) {
  static constexpr std::array<std::string_view, 4> kKinds = {
      "class_declaration", "interface_declaration", "enum_declaration", "record_declaration"};
  return std::ranges::find(kKinds, node.kind()) != kKinds.end();
}

}  // namespace

// Below a method or the value of a field. What a class inside declares is looked through with it.
void Classes::add_inner_classes(const Node& root, Class& owner) {
  std::vector<Node> open = {root};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    if (is_declaration(node)) {
      const std::size_t first = classes_.size();
      add_class(node, owner, &owner);
      if (first < classes_.size()) classes_[first]->is_local = true;
      continue;
    }
    if (node.is("object_creation_expression") && node.child("class_body").is_present()) {
      add_body(node, simple_type(node.field_text("type")), owner);
    }
    for (const Node& child : node.children()) {
      if (!child.is("class_body")) open.push_back(child);
    }
  }
}

void Classes::add_body(const Node& creation, const std::string& super, Class& owner) {
  if (is_too_deep(creation, &owner)) return;
  auto added = std::make_unique<Class>();
  added->nesting = owner.nesting + 1;
  // The only one of its name: no other class has that number.
  added->name = "body$" + std::to_string(classes_.size());
  added->package = owner.package;
  added->imports = owner.imports;
  added->static_imports = owner.static_imports;
  added->outer = &owner;
  added->node = creation;
  added->superclass = super;
  added->interfaces = {super};
  added->is_local = true;
  Class& stored = *added;
  bodies_.emplace(std::pair(&creation.file(), creation.offset()), &stored);
  keep(std::move(added));
  add_members(creation.child("class_body"), stored);
}

void Classes::add_constant(const Node& node, Class& owner) {
  owner.constants.emplace_back(node.field_text("name"));
  owner.constant_nodes.push_back(node);
  if (node.child("class_body").is_present()) add_body(node, owner.name, owner);
}

const Class* Classes::find_body(const Node& node) const {
  if (!node.is_present()) return nullptr;
  const auto found = bodies_.find({&node.file(), node.offset()});
  return found != bodies_.end() && found->second->node == node ? found->second : nullptr;
}

// A functional interface has one, besides those that it implements itself.
const Method* Classes::find_function(const Class& interface) const {
  const Method* only = nullptr;
  std::vector<const Class*> open = {&interface};
  constexpr std::size_t kMost = 64;
  for (std::size_t i = 0; i < open.size() && i < kMost; ++i) {
    if (!open[i]->is_interface) return nullptr;
    for (const Method& method : open[i]->methods) {
      if (!method.is_abstract || method.is_static) continue;
      if (only != nullptr && only->name != method.name) return nullptr;
      if (only == nullptr) only = &method;
    }
    for (const std::string& name : open[i]->interfaces) {
      if (const Class* known = find(name, open[i])) open.push_back(known);
    }
  }
  return only;
}

}  // namespace heddle::java
