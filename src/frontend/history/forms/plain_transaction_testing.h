// Holds the reading of plain transactions against the reader of all of EDN, for tests and fuzzers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/history/forms/edn_form_reader.h"
#include "frontend/history/forms/plain_transaction.h"

namespace heddle {

// What EDN's reader makes of the same bytes, and where it ends; 0: it is no transaction of
// integers.
inline std::size_t read_transaction_of_edn(EdnFormReader& reader, std::size_t at,
                                           std::vector<PlainOperation>& operations) {
  operations.clear();
  Form form;
  form.leaves_numbers = true;
  reader.go_to(at, reader.bytes().size());
  if (!reader.read_form(&form)) return 0;
  for (const FormNode& operation : Inside(form.nodes[0])) {
    std::vector<FormNode> parts;
    if (operation.kind != FormKind::vector) return 0;
    for (const FormNode& part : Inside(operation)) parts.push_back(part);
    if (parts.size() != 3 || parts[1].kind != FormKind::number) return 0;
    PlainOperation& read = operations.emplace_back();
    read.key = parts[1].number;
    read.action = parts[0].name() == "r"        ? KeyAction::read
                  : parts[0].name() == "append" ? KeyAction::append
                                                : KeyAction::write;
    const FormNode& value = parts[2];
    if (value.kind == FormKind::number) {
      read.kind = PlainOperation::Kind::number;
      read.number = value.number;
    } else if (value.kind == FormKind::numbers) {
      read.kind = PlainOperation::Kind::numbers;
      read.numbers = value.text;
    } else if (value.kind != FormKind::nil) {
      return 0;
    }
  }
  return reader.at();
}

// Whether both read the same wherever a plain transaction begins. `count` is how many there were.
inline bool plain_transactions_agree(std::string_view text, std::size_t& count) {
  std::vector<PlainOperation> plain;
  std::vector<PlainOperation> all;
  EdnFormReader reader(text, "text");
  for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    const std::size_t end = read_plain_transaction(text, at, plain);
    if (end == 0) continue;
    ++count;
    if (read_transaction_of_edn(reader, at, all) != end || all != plain) return false;
  }
  return true;
}

}  // namespace heddle
