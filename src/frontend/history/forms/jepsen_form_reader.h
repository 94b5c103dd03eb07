// What the readers of EDN and JSON have in common: a place in a text, the first thing that is wrong
// with it, and integers.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "frontend/history/forms/jepsen_form.h"
#include "heddle/result.h"

namespace heddle {

// Line and column of a byte of the text. Linear: for messages.
inline SourcePosition position_of(std::string_view bytes, std::size_t at) {
  SourcePosition position{1, 1};
  for (const char c : bytes.substr(0, at)) {
    if (c == '\n') {
      ++position.line;
      position.column = 1;
    } else {
      ++position.column;
    }
  }
  return position;
}

class FormReader {
 public:
  FormReader(std::string_view bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)), end_(bytes.size()) {}
  virtual ~FormReader() = default;
  FormReader(const FormReader&) = delete;
  FormReader& operator=(const FormReader&) = delete;

  // Reads the value here and adds it to `form`; skips it where `form` is null. False: trouble().
  virtual bool read_form(Form* form) = 0;
  // Reads the map here, brace included, into the fields of an operation.
  virtual bool read_operation(JepsenOperation& operation) = 0;
  // Goes on to what is neither white space nor comment, or to the end.
  virtual bool skip_space() = 0;

  bool is_at_end() const { return at_ == end_; }
  std::size_t at() const { return at_; }
  std::size_t end() const { return end_; }
  // '\0' at the end.
  char peek(std::size_t ahead = 0) const { return at_ + ahead < end_ ? bytes_[at_ + ahead] : '\0'; }
  void advance(std::size_t count = 1) { at_ += count; }
  // Reads from there on, up to `end`. REQUIRES: begin <= end <= bytes.size().
  void go_to(std::size_t begin, std::size_t end) {
    at_ = begin;
    end_ = end;
  }

  std::string_view bytes() const { return bytes_; }
  const std::string& name() const { return name_; }
  Diagnostic complaint(std::size_t at, std::string what, std::string what_to_do) const {
    return {std::move(what), std::move(what_to_do), name_, position_of(bytes_, at)};
  }

  // The first complaint, if there is one; nothing is read after it.
  const std::optional<Diagnostic>& trouble() const { return trouble_; }
  // Always false.
  bool fail(std::size_t at, std::string what, std::string what_to_do) {
    if (!trouble_) trouble_ = complaint(at, std::move(what), std::move(what_to_do));
    return false;
  }

 protected:
  static constexpr std::size_t kDeepest = 200;

  // Counts how deep values stand inside of each other.
  class Depth {
   public:
    explicit Depth(std::size_t& depth) : depth_(depth) { ++depth_; }
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    std::size_t& depth_;
  };

  // Where a value begins that is a plain transaction and may be read as one; else it is still to be
  // read. What was there before is forgotten.
  bool read_plain(JepsenOperation& operation, PlainForm form);
  // At the quote in front of a string.
  bool read_string(Form* form);
  // At a backslash inside of a string: adds what is meant to the text.
  virtual bool read_escape(std::string& text) = 0;
  // Complains that what was opened there has no end. Always false.
  virtual bool fail_at_end(std::size_t opened, std::string_view what) = 0;

  bool fail_too_deep() {
    return fail(at_, "values stand more than 200 deep inside of each other",
                "histories are flatter than that; check that the file is whole");
  }

  std::string_view text_between(std::size_t begin, std::size_t end) const {
    return bytes_.substr(begin, end - begin);
  }

  static void add_scalar(Form* form, FormKind kind, std::size_t at, std::string_view text) {
    if (form != nullptr) form->nodes.push_back({.kind = kind, .at = at, .text = text});
  }

  // An integer where `digits` is one that fits; else other_number.
  static void add_number(Form* form, std::size_t at, std::string_view digits) {
    if (form == nullptr) return;
    FormNode node{.kind = FormKind::other_number, .at = at, .text = digits};
    const std::string_view plain = digits.starts_with('+') ? digits.substr(1) : digits;
    const char* const begin = plain.data();
    const char* const end = begin + plain.size();
    const auto [stop, error] = std::from_chars(begin, end, node.number);
    if (error == std::errc() && stop == end) node.kind = FormKind::number;
    form->nodes.push_back(node);
  }

  // Opens a container, which ends where close_container is called.
  static std::size_t open_container(Form* form, FormKind kind, std::size_t at) {
    if (form == nullptr) return 0;
    form->nodes.push_back({.kind = kind, .at = at, .text = {}});
    return form->nodes.size() - 1;
  }
  static void close_container(Form* form, std::size_t node) {
    if (form == nullptr) return;
    form->nodes[node].size = static_cast<std::uint32_t>(form->nodes.size() - node);
  }

  std::string_view bytes_;
  std::string name_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::size_t depth_ = 0;
  Form key_;  // of the field that is read
  std::optional<Diagnostic> trouble_;
};

// The byte as people read it: itself, or \x00.
std::string printable(char byte);

// The four hexadecimal digits at the beginning of `text`, or none.
std::optional<std::uint32_t> four_hex_digits(std::string_view text);

}  // namespace heddle
