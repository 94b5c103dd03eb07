#include "format/history_json.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "format/json/names.h"

namespace heddle {

namespace {

// The lengths of a history's lists, which bound its ids.
struct HistorySize {
  std::size_t transactions = 0;
  std::size_t operations = 0;
  std::size_t rows = 0;
  std::size_t versions = 0;
};

template <class Tag>
Json write_ids(const std::vector<Id<Tag>>& ids) {
  Json list = Json::array();
  for (const Id<Tag> id : ids) list.push_back(id.value);
  return list;
}

template <class Tag>
std::vector<Id<Tag>> read_ids(const JsonPlace& place, std::size_t end) {
  return place.list([&](const JsonPlace& id) { return Id<Tag>(id.index(end)); });
}

// Where an operation or edge has no such thing its id is 0, also when there is no number 0.
template <class Tag>
Id<Tag> read_id_or_zero(const JsonPlace& place, std::size_t end) {
  return Id<Tag>(place.index(std::max<std::size_t>(end, 1)));
}

std::uint32_t read_small(const JsonPlace& place) {
  return static_cast<std::uint32_t>(place.index(std::numeric_limits<std::uint32_t>::max()));
}

Json write_transaction(const HistoryTransaction& transaction) {
  return {{"name", text_json(transaction.name)},
          {"session", transaction.session},
          {"outcome", to_string(transaction.outcome)},
          {"operations", write_ids(transaction.operations)}};
}

HistoryTransaction read_transaction(const JsonPlace& place, const HistorySize& size) {
  return {read_small(place.at("session")), place.at("name").text(),
          static_cast<TransactionOutcome>(
              place.at("outcome").choice(words_up_to(TransactionOutcome::unknown))),
          read_ids<OperationTag>(place.at("operations"), size.operations)};
}

Json write_operation(const Operation& operation) {
  Json object = {{"kind", to_string(operation.kind)},
                 {"transaction", operation.transaction.value},
                 {"step", operation.step}};
  if (operation.kind != OperationKind::predicate_read || operation.version.value != 0) {
    object["version"] = operation.version.value;
  }
  if (!operation.table.empty()) object["table"] = text_json(operation.table);
  if (!operation.predicate.empty()) object["predicate"] = text_json(operation.predicate);
  if (!operation.visible.empty()) object["visible"] = write_ids(operation.visible);
  if (!operation.matching.empty()) object["matching"] = write_ids(operation.matching);
  return object;
}

Operation read_operation(const JsonPlace& place, const HistorySize& size) {
  Operation operation;
  operation.kind = static_cast<OperationKind>(
      place.at("kind").choice(words_up_to(OperationKind::predicate_read)));
  operation.transaction = TransactionId(place.at("transaction").index(size.transactions));
  operation.step = read_small(place.at("step"));
  const bool item = operation.kind != OperationKind::predicate_read;
  const JsonPlace version = item ? place.at("version") : place.find("version");
  operation.version = read_id_or_zero<VersionTag>(version, item ? size.versions : 0);
  operation.table = place.find("table").text();
  operation.predicate = place.find("predicate").text();
  operation.visible = read_ids<VersionTag>(place.find("visible"), size.versions);
  operation.matching = read_ids<VersionTag>(place.find("matching"), size.versions);
  return operation;
}

Json write_version(const RowVersion& version) {
  Json object = {{"row", version.row.value}};
  if (version.writer) object["writer"] = version.writer->value;
  object["value"] = version.value ? text_json(*version.value) : Json(nullptr);
  if (!version.final) object["intermediate"] = true;
  return object;
}

RowVersion read_version(const JsonPlace& place, const HistorySize& size) {
  RowVersion version;
  version.row = RowId(place.at("row").index(size.rows));
  const JsonPlace writer = place.find("writer");
  if (!writer.is_absent()) version.writer = TransactionId(writer.index(size.transactions));
  version.value = place.find("value").nullable_text();
  version.final = !place.find("intermediate").boolean();
  return version;
}

Json write_edge(const DependencyEdge& edge) {
  Json object = {{"kind", to_string(edge.kind)}};
  if (edge.predicate) object["predicate"] = true;
  object["from"] = edge.from.value;
  object["to"] = edge.to.value;
  object["from_operation"] = edge.from_operation.value;
  object["to_operation"] = edge.to_operation.value;
  object["row"] = edge.row.value;
  object["from_version"] = edge.from_version.value;
  object["to_version"] = edge.to_version.value;
  return object;
}

DependencyEdge read_edge(const JsonPlace& place, const HistorySize& size) {
  DependencyEdge edge;
  edge.kind = static_cast<DependencyKind>(place.at("kind").choice(words_up_to(DependencyKind::so)));
  edge.predicate = place.find("predicate").boolean();
  edge.from = TransactionId(place.at("from").index(size.transactions));
  edge.to = TransactionId(place.at("to").index(size.transactions));
  edge.from_operation = read_id_or_zero<OperationTag>(place.at("from_operation"), size.operations);
  edge.to_operation = read_id_or_zero<OperationTag>(place.at("to_operation"), size.operations);
  edge.row = read_id_or_zero<RowTag>(place.at("row"), size.rows);
  edge.from_version = read_id_or_zero<VersionTag>(place.at("from_version"), size.versions);
  edge.to_version = read_id_or_zero<VersionTag>(place.at("to_version"), size.versions);
  return edge;
}

HistorySize size_of(const History& history) {
  return {history.transactions.size(), history.operations.size(), history.rows.size(),
          history.versions.size()};
}

template <class Element, class Write>
Json write_list(const std::vector<Element>& elements, const Write& write) {
  Json list = Json::array();
  for (const Element& element : elements) list.push_back(write(element));
  return list;
}

}  // namespace

Json write_history(const History& history) {
  return {{"transactions", write_list(history.transactions, write_transaction)},
          {"operations", write_list(history.operations, write_operation)},
          {"rows", write_list(history.rows,
                              [](const RowName& row) -> Json {
                                return {{"table", text_json(row.table)},
                                        {"key", text_json(row.key)}};
                              })},
          {"versions", write_list(history.versions, write_version)},
          {"versions_of", write_list(history.versions_of, write_ids<VersionTag>)}};
}

History read_history(const JsonPlace& place) {
  const HistorySize size = {
      place.at("transactions").elements().size(), place.at("operations").elements().size(),
      place.at("rows").elements().size(), place.at("versions").elements().size()};
  History history;
  history.transactions = place.at("transactions").list([&](const JsonPlace& transaction) {
    return read_transaction(transaction, size);
  });
  history.operations = place.at("operations").list([&](const JsonPlace& operation) {
    return read_operation(operation, size);
  });
  history.rows = place.at("rows").list(
      [](const JsonPlace& row) { return RowName{row.at("table").text(), row.at("key").text()}; });
  history.versions = place.at("versions").list([&](const JsonPlace& version) {
    return read_version(version, size);
  });
  history.versions_of = place.at("versions_of").list([&](const JsonPlace& versions) {
    return read_ids<VersionTag>(versions, size.versions);
  });
  if (const std::optional<std::string> flaw = find_flaw(history)) {
    place.complain("the history contradicts itself: " + *flaw);
  }
  return history;
}

Json write_cycles(const std::vector<Cycle>& cycles) {
  return write_list(cycles, [](const Cycle& cycle) {
    Json object = {{"kind", definition(cycle.kind).slug},
                   {"edges", write_list(cycle.edges, write_edge)}};
    if (cycle.illegal_read) object["illegal_read"] = cycle.illegal_read->value;
    return object;
  });
}

std::vector<Cycle> read_cycles(const JsonPlace& place, const History& history) {
  const HistorySize size = size_of(history);
  const std::vector<std::string_view> slugs = anomaly_slugs();
  return place.list([&](const JsonPlace& element) {
    Cycle cycle;
    cycle.kind = static_cast<AnomalyKind>(element.at("kind").choice(slugs));
    cycle.edges =
        element.at("edges").list([&](const JsonPlace& edge) { return read_edge(edge, size); });
    const JsonPlace read = element.find("illegal_read");
    if (!read.is_absent()) cycle.illegal_read = OperationId(read.index(size.operations));
    if (const std::optional<std::string> flaw = find_flaw(cycle, history)) {
      element.complain("the cycle contradicts the history: " + *flaw);
    }
    return cycle;
  });
}

}  // namespace heddle
