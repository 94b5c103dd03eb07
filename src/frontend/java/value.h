// What the variables and objects of a Java method stand for at one place of its code.
//
// Values are symbolic. A number is an expression over the program's variables; a string is a
// sequence of pieces, so that SQL text can be put together from it; objects live in a heap, because
// several names may mean the same one. Where two ways through the code meet, what differs becomes a
// choice by the condition that parted them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/java/classes/classes.h"
#include "heddle/program.h"

namespace heddle::java {

struct TextChoice;

// Some characters of a string.
struct Piece {
  std::string words;                         // known ones, when there is no other
  std::optional<Expression> value;           // made from a value at run time
  bool is_string = false;                    // the value is a string, not a number
  std::shared_ptr<const TextChoice> choice;  // one of two texts
  std::string type = {};                     // Java's, of a value that is no string, if it is known

  friend bool operator==(const Piece&, const Piece&);
};

using Text = std::vector<Piece>;

struct TextChoice {
  Expression condition;
  Text then;
  Text otherwise;

  friend bool operator==(const TextChoice&, const TextChoice&) = default;
};

enum class ValueKind : std::uint8_t {
  nothing,  // of a method that returns none, or not known at all
  scalar,   // `expression`
  text,     // a String: `text`
  null,
  object,  // `object` is its place in the heap
  choice,  // one of two values that are not both scalars
};

struct ValueChoice;

struct Value {
  ValueKind kind = ValueKind::nothing;
  std::string type;  // Java's; empty: not known
  Expression expression;
  Text text;
  std::size_t object = 0;
  std::shared_ptr<const ValueChoice> choice;

  friend bool operator==(const Value&, const Value&);
};

struct ValueChoice {
  Expression condition;
  Value then;
  Value otherwise;

  friend bool operator==(const ValueChoice&, const ValueChoice&) = default;
};

enum class ObjectKind : std::uint8_t {
  opaque,     // of a class that is not known: only what is asked of it
  parameter,  // of a class without source that a caller gives: its properties become parameters
  connection,
  statement,  // Statement, PreparedStatement, CallableStatement
  rows,       // ResultSet
  sql,        // an SQLStmt of BenchBase: `text`
  builder,    // StringBuilder: `text`
  list,       // List, Set, array: its elements' properties are arrays
  map,        // Map: a list of keys, and one for each property of the values
  stream,     // of a list's elements: `items` is the list and what is done with each of them
  instance,   // of a class in the source, with `fields`
  exception,
  lambda,
  savepoint,
};

// Sets parameter `index` of a statement; or one of two sequences of settings.
struct Setting {
  Expression index;  // counted from 1
  Value value;
  std::optional<Expression> condition;
  std::vector<Setting> then;
  std::vector<Setting> otherwise;

  friend bool operator==(const Setting&, const Setting&) = default;
};

// A statement with what is known of its text and parameters.
struct Execution {
  Text text;
  std::vector<Setting> settings;
  std::optional<Expression> many;  // the array of those that were set one by one in a loop
  std::string many_type;           // Java's, of its elements
  std::string returning;           // what is appended
  std::string row;                 // a record variable that takes the row; empty: none
  std::string cursor;              // or a cursor
  std::size_t connection = 0;      // ProgramStatement::connection
};

// What is known of a statement that may be one of several.
struct Executed {
  std::vector<std::string> columns;
  bool returns_rows = false;
};

// The type of MySQL's columns of truth values, which hold numbers.
inline constexpr std::string_view kTruthOfMysql = "tinyint";

// Of a column of a row.
struct ColumnFacts {
  std::string type;  // the program's; empty: not known
  bool may_be_null = true;
};

// What a lambda or a class inside of a method sees of what is around it.
struct Captured {
  const Class* owner = nullptr;
  std::optional<std::size_t> self;
  std::map<std::string, std::string> slots;  // of the method's variables, by name
};

struct Object {
  ObjectKind kind = ObjectKind::opaque;
  std::string type;                  // Java's
  Text text;                         // SQL of a statement; what a builder has
  std::vector<Setting> settings;     // of a statement
  std::size_t last_rows = 0;         // of a statement: the rows it gave last; 0: none
  std::string keys;                  // of a statement: generated keys that are asked for, "*": all
  std::string cursor;                // of rows
  Expression row;                    // of rows: the record at hand
  std::vector<std::string> columns;  // of rows: names of what it returns, "" not known
  Expression last_null;              // of rows: whether the column read last was null
  Expression count;                  // of a statement: rows its last execution changed
  std::size_t connection = 0;        // of a statement: whose it is; 0: not known
  bool is_opened = false;            // of a connection: the code itself opens it
  Expression has_row;                // of rows: whether there is a row at hand
  std::map<std::string, Value> fields;  // of an instance; a list's arrays by property; a batch
  std::string path;                     // of a parameter: what its properties' names begin with
  Node code;                            // of a lambda
  std::shared_ptr<const Captured> captured;  // of a lambda or an instance of an inner class
  bool is_call = false;                      // a CallableStatement with a result
  Expression many;        // of a statement: an array of the parameters that a loop sets one by one
  std::string many_type;  // Java's, with []
  bool is_store_error = false;  // an exception that the store raised
  std::vector<Value> items;     // of a list of statements and the like, which never changes
  std::string element;          // of a list: the class of its elements
  bool is_created = false;      // an instance that the code makes
  std::size_t list = 0;         // of an instance that is an element: its list; 0: none
  std::string list_path;        // and what the list's names of its properties begin with
  bool is_changing = false;     // a list whose array is changed in its place
  bool is_set = false;          // a list without equal elements
  bool is_sorted = false;       // a map or set in the order of its keys

  friend bool operator==(const Object&, const Object&) = default;
};

Expression literal(std::string text);
Expression number(long long value);
Expression call(std::string name, std::vector<Expression> operands);
Expression cast(Expression value, std::string type);
Expression unknown(std::string what, std::vector<Expression> operands = {});

bool is_literal(const Expression& expression, std::string_view text);
bool is_true(const Expression& expression);
bool is_false(const Expression& expression);
// With what constants decide already decided.
Expression negation(Expression operand);
Expression conjunction(Expression a, Expression b);
Expression disjunction(Expression a, Expression b);
Expression choice(const Expression& condition, Expression then, Expression otherwise);
// An operator with what constants decide decided: whole numbers and truth values.
Expression folded(std::string name, std::vector<Expression> operands);

// Whether it has more parts than `most`.
bool is_larger(const Expression& expression, std::size_t most);

// Whether it is one of more than `most` values; a value may be in it more than once.
bool is_larger(const Value& value, std::size_t most);
// Of a value that is one of more, less is known.
constexpr std::size_t kMostWays = 64;

// The whole number that a literal is.
std::optional<long long> to_number(const Expression& expression);

Text words(std::string text);
void append(Text& text, const Text& more);
// The characters of a text that is known altogether.
std::optional<std::string> known_words(const Text& text);
// Java's type of what a PreparedStatement's setString(1, x) takes; empty: any, or it is none such.
std::string_view type_of_parameter(std::string_view setter);
// A string as a value of the client: pieces joined.
Expression text_value(const Text& text);

// The same, the other way round.
Text text_pieces(const Expression& value);

Value scalar(Expression expression, std::string type);
Value string_value(Text text);
Value null_value();
Value object_value(std::size_t object, std::string type);

// A variable's type in the program for Java's: integer for int, text for String, empty: not one
// value.
std::string column_type(std::string_view java_type);
bool is_text_type(std::string_view java_type);
// it's for 'it''s'
std::string unquoted(std::string_view literal_text);
// Map and what implements it.
bool is_map_type(std::string_view java_type);
bool is_builder_type(std::string_view java_type);  // StringBuilder, StringBuffer
// int, long, ...: what is never null.
bool is_primitive(std::string_view java_type);
// Function, Supplier and the other interfaces of the library that one method implements.
bool is_function_type(std::string_view java_type);
// The type of a variable for it, also for arrays and rows: integer[], record; text where it is not
// known.
std::string variable_type(std::string_view java_type);

}  // namespace heddle::java
