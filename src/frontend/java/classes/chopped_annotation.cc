#include "frontend/java/classes/chopped_annotation.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace heddle::java {

namespace {

constexpr std::string_view kOriginal = "originalTransaction";
constexpr std::string_view kService = "microservice";

// How many constants may stand for each other.
constexpr std::size_t kMostConstants = 64;

class ConstantReader {
 public:
  explicit ConstantReader(const Classes& classes) : classes_(classes) {}

  // None: it is no text, or none that is known.
  std::optional<std::string> text(const Node& value, const Class* from) {
    if (from == nullptr || ++steps_ > kMostConstants) return std::nullopt;
    if (value.is("string_literal")) return literal_text(value);
    if (value.is("parenthesized_expression")) return text(value.first_child(), from);
    if (value.is("identifier")) return field(value.text(), from);
    if (value.is("field_access")) {
      return field(value.field_text("field"), classes_.find(value.field_text("object"), from));
    }
    if (!value.is("binary_expression") || value.field_text("operator") != "+") return std::nullopt;
    const auto left = text(value.field("left"), from);
    const auto right = text(value.field("right"), from);
    return left && right ? std::optional(*left + *right) : std::nullopt;
  }

 private:
  std::optional<std::string> field(std::string_view name, const Class* from) {
    if (from == nullptr) return std::nullopt;
    const Class* owner = nullptr;
    const Field* const found = classes_.find_field(*from, name, owner);
    // What an interface declares is final and of the class without a word.
    const bool is_constant = found != nullptr && owner != nullptr &&
                             (owner->is_interface || (found->is_static && found->is_final));
    return is_constant ? text(found->value, owner) : std::nullopt;
  }

  const Classes& classes_;
  std::size_t steps_ = 0;
};

Diagnostic trouble_at(const Node& node, std::string what, std::string what_to_do) {
  const SourceLocation place = node.location();
  return {.what = std::move(what),
          .what_to_do = std::move(what_to_do),
          .file = place.file,
          .position = place.position,
          .trouble = Trouble::bad_input};
}

Result<std::string> read_annotation(const Node& annotation, const Class* from,
                                    const Classes& classes) {
  std::string original;
  for (const Node& pair : annotation.field("arguments").children()) {
    const bool is_named = pair.is("element_value_pair");
    const std::string_view key = is_named ? pair.field_text("key") : pair.text();
    if (!is_named || (key != kOriginal && key != kService)) {
      return trouble_at(pair, fmt::format("@ChoppedTransaction has no \"{}\"", key),
                        fmt::format("write @ChoppedTransaction({} = \"order\", {} = \"m1\")",
                                    kOriginal, kService));
    }
    if (key != kOriginal) continue;
    const Node value = pair.field("value");
    std::optional<std::string> text = ConstantReader(classes).text(value, from);
    if (!text) {
      return trouble_at(value, fmt::format("{} = {} is no constant text", kOriginal, value.text()),
                        "name the functionality in quotes");
    }
    original = *std::move(text);
  }
  return original;
}

}  // namespace

Result<std::string> original_transaction(const Method& method, const Classes& classes) {
  for (const Node& annotation : method.node.child("modifiers").children()) {
    if (simple_type(annotation.field_text("name")) != "ChoppedTransaction") continue;
    return read_annotation(annotation, method.owner, classes);
  }
  return std::string();
}

}  // namespace heddle::java
