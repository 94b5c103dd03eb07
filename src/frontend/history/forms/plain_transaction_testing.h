// Holds the reading of plain transactions against the readers of all of EDN and JSON, for tests and
// fuzzers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "frontend/history/forms/edn_form_reader.h"
#include "frontend/history/forms/json_form_reader.h"
#include "frontend/history/forms/plain_transaction.h"
#include "frontend/history/forms/repeated_numbers.h"

namespace heddle {

inline std::unique_ptr<FormReader> reader_of_all(PlainForm form, std::string_view text) {
  if (form == PlainForm::edn) return std::make_unique<EdnFormReader>(text, "text");
  return std::make_unique<JsonFormReader>(text, "text");
}

// "append 3 4, r 5 [1 2 ], r 6 nil"; numbers that are none are "?".
inline std::string dump_plain(const std::vector<PlainOperation>& operations) {
  std::string text;
  for (const PlainOperation& operation : operations) {
    text += fmt::format("{} {} ", to_string(operation.action), operation.key);
    if (operation.kind == PlainOperation::Kind::number) {
      text += fmt::format("{}, ", operation.number);
    } else if (operation.kind == PlainOperation::Kind::nil) {
      text += "nil, ";
    } else {
      RepeatedNumbers fresh;
      const auto elements = fresh.read(operation.numbers);
      if (!elements) return text + "?";
      text += "[";
      for (const Value element : *elements) text += fmt::format("{} ", element.code);
      text += "], ";
    }
  }
  return text;
}

// The same of what a reader of all makes of these bytes; `end`: where they end, 0: they are wrong.
inline std::string dump_with_all(FormReader& reader, std::size_t at, std::size_t& end) {
  end = 0;
  Form form;
  std::string text;
  reader.go_to(at, reader.bytes().size());
  if (!reader.read_form(&form)) return "";
  end = reader.at();
  for (const FormNode& operation : Inside(form.nodes[0])) {
    std::vector<FormNode> parts;
    for (const FormNode& part : Inside(operation)) parts.push_back(part);
    if (parts.size() != 3) return text + "other";
    text += fmt::format("{} {} ", parts[0].name(), parts[1].number);
    const FormNode& value =
        form.nodes[static_cast<std::size_t>(&operation - form.nodes.data()) + 3];
    if (value.kind == FormKind::nil) text += "nil, ";
    if (value.kind == FormKind::number) text += fmt::format("{}, ", value.number);
    if (value.kind != FormKind::vector) continue;
    text += "[";
    for (const FormNode& element : Inside(value)) {
      text += element.kind == FormKind::number ? fmt::format("{} ", element.number) : "other ";
    }
    text += "], ";
  }
  return text;
}

// Whether both read the same wherever a plain transaction begins. `count` is how many there were.
inline bool plain_transactions_agree(std::string_view text, PlainForm form, std::size_t& count) {
  std::vector<PlainOperation> plain;
  const std::unique_ptr<FormReader> reader = reader_of_all(form, text);
  for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    const std::size_t end = read_plain_transaction(text, at, form, plain);
    if (end == 0) continue;
    ++count;
    std::size_t end_of_all = 0;
    const std::string all = dump_with_all(*reader, at, end_of_all);
    const std::string found = dump_plain(plain);
    const bool is_whole = !found.ends_with('?');
    if (end_of_all != end || (is_whole && all != found)) return false;
  }
  return true;
}

}  // namespace heddle
