// What exceptions say: their messages, their causes, and what the store said of an error.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"

namespace heddle::java {

namespace {

struct Package {
  std::string_view exception;
  std::string_view package;
};

constexpr std::array kPackages = {
    Package{"Exception", "java.lang"},
    Package{"RuntimeException", "java.lang"},
    Package{"Error", "java.lang"},
    Package{"IllegalStateException", "java.lang"},
    Package{"IllegalArgumentException", "java.lang"},
    Package{"UnsupportedOperationException", "java.lang"},
    Package{"NullPointerException", "java.lang"},
    Package{"ArithmeticException", "java.lang"},
    Package{"InterruptedException", "java.lang"},
    Package{"IndexOutOfBoundsException", "java.lang"},
    Package{"StringIndexOutOfBoundsException", "java.lang"},
    Package{"NumberFormatException", "java.lang"},
    Package{"SQLException", "java.sql"},
    Package{"BatchUpdateException", "java.sql"},
    Package{"NoSuchElementException", "java.util"},
    Package{"ConcurrentModificationException", "java.util"},
    Package{"IOException", "java.io"},
    Package{"UncheckedIOException", "java.io"},
    Package{"TimeoutException", "java.util.concurrent"},
};

// In a message of RAISE a % stands for a value.
std::string escaped_message(const std::string& message) {
  std::string escaped;
  for (const char c : message) {
    escaped += c;
    if (c == '%') escaped += c;
  }
  return escaped;
}

bool has_state(std::string_view type) {
  return type.starts_with("SQL") || type == "BatchUpdateException";
}

}  // namespace

// Whether it is PostgreSQL's driver that throws.
bool FunctionalityReader::asks_postgres() const {
  return schema_.dialect == Dialect::postgres && !schema_.tables.empty();
}

// What a constructor of Throwable does with a message, a cause, or both.
void FunctionalityReader::learn_exception(Object& exception, const Arguments& arguments) const {
  bool has_message = false;
  for (const Value& argument : arguments) {
    if (argument.kind == ValueKind::text) {
      const bool is_state = has_message && has_state(simple_type(exception.type));
      if (is_state) exception.fields["$state"] = argument;
      if (!has_message) exception.text = argument.text;
      has_message = true;
    } else if (argument.kind == ValueKind::object &&
               state_.heap.at(argument.object).kind == ObjectKind::exception) {
      exception.fields["$cause"] = argument;
      if (!has_message && arguments.size() == 1) {
        exception.text = exception_text(state_.heap.at(argument.object));
      }
    }
  }
}

// toString(): the class with its package, and the message.
Text FunctionalityReader::exception_text(const Object& exception) const {
  Text text;
  const std::string type = simple_type(exception.type);
  const auto* const known = std::ranges::find(kPackages, type, &Package::exception);
  const Class* source = classes_.find(type, frame().owner);
  if (exception.is_store_error) {
    append(text, words(asks_postgres() ? "org.postgresql.util.PSQLException: ERROR: "
                                       : "java.sql.SQLException: "));
  } else if (source != nullptr && source->outer == nullptr) {
    append(text, words((source->package.empty() ? "" : source->package + ".") + type));
  } else if (source == nullptr && known != kPackages.end()) {
    append(text, words(std::string(known->package) + "." + type));
  } else {
    return {Piece{.words = "",
                  .value = unknown("the name of " + type),
                  .is_string = true,
                  .choice = nullptr}};
  }
  if (!exception.is_store_error && !exception.text.empty()) append(text, words(": "));
  append(text, exception.text);
  return text;
}

std::optional<Value> FunctionalityReader::call_on_exception(const Value& exception,
                                                            const std::string& name,
                                                            const Arguments& arguments) {
  const Object& object = state_.heap.at(exception.object);
  const auto field = [&](const char* part) {
    const auto known = object.fields.find(part);
    return known == object.fields.end() ? null_value() : known->second;
  };
  if (name == "getMessage" || name == "getLocalizedMessage") {
    Text text;
    if (object.is_store_error && asks_postgres()) append(text, words("ERROR: "));
    append(text, object.text);
    return string_value(std::move(text));
  }
  if (name == "toString") return string_value(exception_text(object));
  if (name == "getSQLState") {
    Value state = field("$state");
    state.type = "String";
    return state;
  }
  if (name == "getErrorCode" && (!object.is_store_error || asks_postgres())) {
    // PostgreSQL has none, and its driver says 0.
    return scalar(number(0), "int");
  }
  if (name == "getCause" || name == "getNextException") {
    return name == "getCause" ? field("$cause") : null_value();
  }
  if (name == "initCause" && arguments.size() == 1) {
    state_.heap.change(exception.object).fields["$cause"] = arguments[0];
    return exception;
  }
  static constexpr std::array<std::string_view, 4> kHarmless = {
      "printStackTrace", "addSuppressed", "fillInStackTrace", "setStackTrace"};
  if (std::ranges::find(kHarmless, name) != kHarmless.end()) return Value();
  return std::nullopt;
}

// Whether exceptions of the class, or of one that it extends, say that somebody else was there
// first and that all has to be tried again.
bool FunctionalityReader::is_optimistic(const std::string& type) const {
  static constexpr std::array<std::string_view, 12> kNames = {
      "OptimisticLockException",
      "OptimisticEntityLockException",
      "OptimisticLockingFailureException",
      "ObjectOptimisticLockingFailureException",
      "HibernateOptimisticLockingFailureException",
      "JpaOptimisticLockingFailureException",
      "StaleStateException",
      "StaleObjectStateException",
      "ConcurrencyFailureException",
      "CannotAcquireLockException",
      "CannotSerializeTransactionException",
      "SQLTransactionRollbackException"};
  return std::ranges::any_of(kNames, [&](std::string_view name) {
    return type == name || classes_.extends(type, std::string(name), frame().owner);
  });
}

// What ends the functionality when nothing catches the exception.
Raise FunctionalityReader::raise_of(const Value& exception) const {
  Raise raise;
  const std::string type = simple_type(exception.type);
  raise.message = type.empty() ? "exception" : type;
  if (is_optimistic(type)) raise.condition = "40001";
  if (exception.kind != ValueKind::object) return raise;
  const bool is_at_hand = !store_errors_.empty() && store_errors_.back() == exception.object;
  if (is_at_hand) return {.condition = "", .message = "", .values = {}};
  const Object& object = state_.heap.at(exception.object);
  if (!object.text.empty()) raise.exception = type;
  const auto known = known_words(object.text);
  if (known && !known->empty()) {
    raise.message = escaped_message(*known);
  } else if (!object.text.empty()) {
    raise.message = "%";
    raise.values.push_back(text_value(object.text));
  }
  const auto state = object.fields.find("$state");
  if (state != object.fields.end() && state->second.kind == ValueKind::text) {
    const auto said = known_words(state->second.text);
    if (said && said->size() == 5) raise.condition = *said;
  }
  return raise;
}

}  // namespace heddle::java
