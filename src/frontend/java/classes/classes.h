// The classes of a source tree: what they declare, and which one a name means. Types are known by
// their simple names; where two packages have a class of the same name, the imports decide.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontend/java/classes/tree.h"

namespace heddle::java {

struct Class;

constexpr std::size_t kLongestChain = 64;  // of classes that extend each other

struct Parameter {
  std::string type;  // as simple_type() says it
  std::string name;
  bool is_spread = false;  // String... names
};

struct Method {
  std::string name;  // of a constructor: that of the class
  std::string type;  // empty: a constructor
  std::vector<Parameter> parameters;
  Node node;
  const Class* owner = nullptr;
  bool is_static = false;
  bool is_public = false;
  bool is_private = false;
  bool is_constructor = false;
  bool is_abstract = false;
  bool is_test = false;            // or is the main method: it calls the program, it is none of it
  bool may_reach_store = false;    // by the names it calls
  std::vector<std::string> calls;  // names of methods and constructors that it calls, sorted
};

struct Field {
  std::string type;
  std::string name;
  Node value;
  bool is_static = false;
  bool is_final = false;
};

struct Class {
  std::string name;
  std::string package;
  const Class* outer = nullptr;
  Node node;
  std::string superclass;
  std::vector<std::string> interfaces;
  std::map<std::string, std::string> imports;  // simple name -> package or class it is from
  std::vector<std::string> static_imports;     // simple names of classes
  std::vector<Field> fields;
  std::vector<Method> methods;
  std::vector<Parameter> components;            // of a record
  std::vector<std::string> constants;           // of an enumeration
  std::vector<Node> constant_nodes;             // as many
  std::set<std::string, std::less<>> assigned;  // names that code of the class gives a value
  bool is_interface = false;
  bool is_static = false;   // needs no object of the class around it
  bool is_local = false;    // declared in a method, or without a name
  std::size_t nesting = 0;  // how many classes are around it
  std::string full_name;    // with its package and the classes around it: bank.Accounts.Builder

  const Field* find_field(std::string_view wanted) const;
};

class Classes {
 public:
  // Adds what a file declares; it has to outlive this.
  void add(const SourceFile& file);
  // After all files: which methods may reach a store, and who implements whom.
  void finish();

  // The class that a simple or qualified name means where `from` uses it, or nullptr. As fast where
  // a thousand classes have the name.
  const Class* find(std::string_view name, const Class* from) const;
  // In the class, what it extends, and what is around it.
  const Method* find_method(const Class& from, std::string_view name, std::size_t arguments) const;
  // All that a call may mean: of the innermost class that has any, without overridden ones, the
  // abstract ones last.
  std::vector<const Method*> find_methods(const Class& from, std::string_view name,
                                          std::size_t arguments) const;
  std::vector<const Method*> find_constructors(const Class& of, std::size_t arguments) const;
  // The only method of an interface that its implementers have to write, or nullptr.
  const Method* find_function(const Class& interface) const;
  // Whether some interface's only method has that name.
  bool is_function_name(const std::string& name) const { return function_names_.contains(name); }
  // The class of a `new` or constant of an enumeration with a body, or nullptr.
  const Class* find_body(const Node& node) const;
  const Field* find_field(const Class& from, std::string_view name, const Class*& owner) const;
  // The only class that implements an interface or extends an abstract class; else nullptr.
  const Class* find_implementer(const Class& abstract, std::size_t& count) const;
  // Those that implement or extend it themselves.
  const std::vector<const Class*>& implementers(const Class& of) const;
  // The classes whose text has the name of a known class as a word.
  const std::unordered_set<const Class*>& users(const std::string& name) const;
  // Whether the class is or extends one of that simple name.
  bool extends(std::string_view name, std::string_view ancestor, const Class* from) const;

  const std::vector<std::unique_ptr<Class>>& all() const { return classes_; }
  // Classes that are nested too deeply to be read.
  const std::vector<Node>& too_deep() const { return too_deep_; }

 private:
  void find_reaching();
  void find_implementers();
  void find_users();
  const Class* find_in(const std::string& full_name) const;
  const Class* find_inner(const Class* outer, std::string name) const;
  const Class* find_qualified(std::string_view qualified, const Class* from) const;
  const Class* find_visible(const std::string& simple, const Class& from) const;
  void keep(std::unique_ptr<Class> added);
  void add_class(const Node& node, const Class& context, const Class* outer);
  void add_members(const Node& body, Class& added);
  void add_method(const Node& node, Class& owner);
  void add_field(const Node& node, Class& owner);
  void add_constant(const Node& node, Class& owner);
  void add_inner_classes(const Node& root, Class& owner);
  void add_body(const Node& creation, const std::string& super, Class& owner);
  bool is_too_deep(const Node& node, const Class* outer);

  std::vector<std::unique_ptr<Class>> classes_;
  std::vector<Node> too_deep_;
  // By simple names, in the order of the files; the first of each full name; by what is around.
  std::unordered_map<std::string, std::vector<const Class*>> by_name_;
  std::unordered_map<std::string, const Class*> by_full_name_;
  std::map<std::pair<const Class*, std::string>, const Class*> inner_;
  std::map<std::pair<const SourceFile*, std::size_t>, const Class*> bodies_;  // by their places
  std::unordered_map<const Class*, std::vector<const Class*>> implementers_;
  std::unordered_map<std::string, std::unordered_set<const Class*>> users_;
  std::set<std::string> function_names_;
};

// A type without type arguments and blanks: java.util.Optional for java.util. Optional<String>.
std::string plain_type(std::string_view type);
// The simple name of a type without type arguments: Optional for java.util.Optional<String>,
// int[] with its brackets.
std::string simple_type(std::string_view type);
// List<Customer> -> Customer, int[] -> int; empty: none. The last of several.
std::string element_type(std::string_view type);
// Map<String, List<Customer>> -> String, List<Customer>.
std::vector<std::string> type_arguments(std::string_view type);
// Whether a method of so many parameters can be called with so many arguments.
bool accepts(const Method& method, std::size_t arguments);

}  // namespace heddle::java
