/// Result<T>: a value, or a diagnostic that tells the user what was wrong with what they gave us.
///
///   Result<Scenario> scenario = parse_scenario(text, "bank.spec");
///   if (!scenario) return scenario.error();   // Diagnostic, converts to any Result
///
/// Member names are those of std::expected (C++23), which g++ 12 does not have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace heddle {

/// A place in a text the user gave us. Lines and columns count from 1; columns count bytes.
/// Zero means unknown.
struct SourcePosition {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend bool operator==(const SourcePosition&, const SourcePosition&) = default;
};

/// What kind of trouble a diagnostic is; decides the exit code of the command.
enum class Trouble {
  bad_input,    ///< the user's input or usage is wrong: exit code 2
  environment,  ///< a server, file or limit of the machine failed us: exit code 2
  bound,        ///< a time or size limit was hit, the answer is unknown: exit code 3
  interrupted,  ///< the user stopped the command: exit code 130
};

/// One clear message: where, what is wrong, what to do.
struct Diagnostic {
  std::string what;              ///< "unknown step \"w3\""
  std::string what_to_do = {};   ///< "use one of: r1, w1, c1"; may be empty
  std::string file = {};         ///< as the user named it; may be empty
  SourcePosition position = {};  ///< in `file`
  Trouble trouble = Trouble::bad_input;
};

/// "file:line:column: what, what to do" with the parts that are known.
std::string to_string(const Diagnostic& diagnostic);

/// A value or a Diagnostic. Neither copies nor allocates beyond its parts.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : content_(std::move(value)) {}                     // NOLINT(*-explicit-*)
  Result(Diagnostic diagnostic) : content_(std::move(diagnostic)) {}  // NOLINT(*-explicit-*)

  bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  /// REQUIRES: has_value().
  T& value() { return *std::get_if<0>(&content_); }
  const T& value() const { return *std::get_if<0>(&content_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// REQUIRES: !has_value().
  Diagnostic& error() { return *std::get_if<1>(&content_); }
  const Diagnostic& error() const { return *std::get_if<1>(&content_); }

 private:
  std::variant<T, Diagnostic> content_;
};

/// Success without a value, or a Diagnostic.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Diagnostic diagnostic) : error_(std::move(diagnostic)) {}  // NOLINT(*-explicit-*)

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }

  /// REQUIRES: !has_value().
  const Diagnostic& error() const { return *error_; }

 private:
  std::optional<Diagnostic> error_;
};

}  // namespace heddle
