#include "frontend/marks/java_outline.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "frontend/marks/scan.h"

namespace heddle::marks {

namespace {

// The word that ends at `end`, blanks before that left out.
std::string_view word_before(std::string_view code, std::size_t end) {
  while (end > 0 && is_blank(code[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word_character(code[begin - 1])) --begin;
  return code.substr(begin, end - begin);
}

// Of the parenthesis that closes last in the text, where it opens; npos: it does not.
std::size_t opening(std::string_view code, std::size_t close) {
  std::size_t depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (code[i] == ')') ++depth;
    if (code[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

class Outliner {
 public:
  explicit Outliner(std::string_view code) : code_(code) {}

  JavaOutline outline() {
    std::size_t header = 0;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const char c = code_[i];
      if (c == '{') open(header, i);
      if (c == '}') close(i);
      if (c == '{' || c == '}' || c == ';') header = i + 1;
    }
    while (!blocks_.empty()) close(code_.size());
    std::ranges::stable_sort(outline_.methods, {}, &OutlinedMethod::begin);
    for (OutlinedMethod& method : outline_.methods) read_calls(method);
    return std::move(outline_);
  }

 private:
  enum class Kind { type, method, other };
  struct Block {
    Kind kind = Kind::other;
    std::string name;
    std::size_t method = 0;
  };

  void open(std::size_t begin, std::size_t at) {
    const std::string_view header = code_.substr(begin, at - begin);
    Block block;
    if (std::string_view type = type_of(header); !type.empty()) {
      block = {Kind::type, std::string(type)};
    } else if (!blocks_.empty() && blocks_.back().kind == Kind::type) {
      read_method(header, at, block);
    }
    blocks_.push_back(std::move(block));
  }

  // class X, and new X(...) { as well.
  std::string_view type_of(std::string_view header) const {
    for (const std::string_view word : {"class", "interface", "enum", "record"}) {
      const std::size_t at = find_word(header, word);
      if (at == std::string_view::npos || (at > 0 && header[at - 1] == '.')) continue;
      std::size_t begin = at + word.size();
      while (begin < header.size() && is_blank(header[begin])) ++begin;
      std::size_t end = begin;
      while (end < header.size() && is_word_character(header[end])) ++end;
      const bool is_name =
          end > begin && std::isupper(static_cast<unsigned char>(header[begin])) != 0;
      if (is_name) return header.substr(begin, end - begin);
    }
    const std::string_view creation = trim(header);
    if (!creation.ends_with(')')) return {};
    const std::size_t paren = opening(creation, creation.size() - 1);
    if (paren == std::string_view::npos) return {};
    std::string_view before = trim(creation.substr(0, paren));
    if (before.ends_with('>')) before = trim(before.substr(0, before.rfind('<')));
    const std::string_view name = word_before(before, before.size());
    before.remove_suffix(name.size());
    while (before.ends_with('.')) {
      before.remove_suffix(1);
      before.remove_suffix(word_before(before, before.size()).size());
    }
    return word_before(before, before.size()) == "new" ? name : std::string_view();
  }

  // T name(...) throws E, a constructor, or a block without a name.
  void read_method(std::string_view header, std::size_t at, Block& block) {
    std::string_view head = trim(header);
    OutlinedMethod method;
    method.type = blocks_.back().name;
    if (head.empty() || head == "static") {
      method.name = head.empty() ? "a block of the class" : "a static block";
    } else {
      const std::size_t throws = find_word(head, "throws");
      if (throws != std::string_view::npos) head = trim(head.substr(0, throws));
      if (!head.ends_with(')')) {
        // The short constructor of a record has no parameters.
        if (head.find_first_of("=()") != std::string_view::npos) return;
        method.name = word_before(head, head.size());
      } else {
        const std::size_t paren = opening(head, head.size() - 1);
        if (paren == std::string_view::npos) return;
        method.name = word_before(head, paren);
        if (method.name.empty() || find_word(head, "new") != std::string_view::npos) return;
        if (head.substr(0, paren).find('=') != std::string_view::npos) return;
      }
    }
    if (!method.name.starts_with("a ") && is_constant(head, method)) {
      block = {Kind::type, method.name};
      return;
    }
    method.begin = at;
    method.is_private = find_word(head, "private") != std::string_view::npos;
    method.is_main = method.name == "main" && find_word(head, "static") != std::string_view::npos;
    static constexpr std::array<std::string_view, 10> kTests = {
        "Test",  "ParameterizedTest", "RepeatedTest", "Before",   "BeforeEach",
        "After", "AfterEach",         "BeforeAll",    "AfterAll", "BeforeClass"};
    method.is_test = std::ranges::any_of(kTests, [&](std::string_view name) {
      return find_word(header, "@" + std::string(name)) != std::string_view::npos;
    });
    outline_.has_tests = outline_.has_tests || method.is_test;
    block.kind = Kind::method;
    block.method = outline_.methods.size();
    outline_.methods.push_back(std::move(method));
  }

  // A constant of an enumeration with a body: no type is before its name, as in a method.
  static bool is_constant(std::string_view head, const OutlinedMethod& method) {
    if (method.name == method.type) return false;
    const std::string_view before = trim(head.substr(0, find_word(head, method.name)));
    if (before.empty()) return true;
    return !is_word_character(before.back()) && before.back() != '>' && before.back() != ']';
  }

  void close(std::size_t at) {
    if (blocks_.empty()) return;
    if (blocks_.back().kind == Kind::method) outline_.methods[blocks_.back().method].end = at;
    blocks_.pop_back();
  }

  void read_calls(OutlinedMethod& method) const {
    const std::string_view body = code_.substr(method.begin, method.end - method.begin);
    for (std::size_t i = body.find('('); i != std::string_view::npos; i = body.find('(', i + 1)) {
      std::size_t end = i;
      while (end > 0 && is_blank(body[end - 1])) --end;
      // new Box<>(...)
      if (end > 0 && body[end - 1] == '>') end = body.rfind('<', end);
      if (end == std::string_view::npos) continue;
      if (const std::string_view name = word_before(body, end); !name.empty()) {
        method.calls.emplace(name);
      }
    }
    for (std::size_t i = body.find("::"); i != std::string_view::npos; i = body.find("::", i + 2)) {
      std::size_t end = i + 2;
      while (end < body.size() && is_word_character(body[end])) ++end;
      method.calls.emplace(body.substr(i + 2, end - i - 2));
    }
  }

  std::string_view code_;
  std::vector<Block> blocks_;
  JavaOutline outline_;
};

}  // namespace

const OutlinedMethod* JavaOutline::method_at(std::size_t offset) const {
  const OutlinedMethod* innermost = nullptr;
  for (const OutlinedMethod& one : methods) {
    if (one.begin > offset) break;
    if (offset < one.end) innermost = &one;
  }
  return innermost;
}

JavaOutline outline_java(const ScannedText& scanned) { return Outliner(scanned.code).outline(); }

std::size_t statement_begin(std::string_view code, std::size_t offset) {
  std::size_t depth = 0;
  for (std::size_t i = offset; i-- > 0;) {
    if (code[i] == ')') ++depth;
    if (code[i] == '(' && depth > 0) --depth;
    const bool ends = code[i] == ';' || code[i] == '{' || code[i] == '}';
    if (ends && depth == 0) {
      ++i;
      while (i < offset && is_blank(code[i])) ++i;
      return i;
    }
  }
  return 0;
}

}  // namespace heddle::marks
