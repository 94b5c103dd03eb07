#include "cli/record/record_check_json.h"

#include "format/trace/line_writer.h"

namespace heddle {
namespace {

void write_edges(LineWriter& line, const RecordCheck& check) {
  line.begin_list("edges");
  for (const EdgeCheck& each : check.edges) {
    line.begin_item_object()
        .text("caller", each.edge.caller)
        .text("callee", each.edge.callee)
        .flag("store", each.edge.is_store)
        .flag("outer", each.edge.is_outer)
        .number("units", each.units)
        .number("background", each.background)
        .number("unsure", each.unsure)
        .number("connections", each.most_connections)
        .number("caller_requests", each.most_requests)
        .number("caused", each.caused)
        .number("passed_on", each.passed_on)
        .end_object();
  }
  line.end_list();
}

void write_clone(LineWriter& line, const CloneCheck& clone) {
  line.begin_object("clone")
      .text("user", clone.user)
      .text("owner", clone.owner)
      .flag("possible", clone.is_possible())
      .flag("may_create", clone.may_create)
      .flag("may_copy", clone.may_copy)
      .number("bytes", clone.bytes);
  if (clone.took) line.number("took_ms", static_cast<std::uint64_t>(clone.took->count()));
  if (!clone.why_not_measured.empty()) line.text("not_measured", clone.why_not_measured);
  line.end_object();
}

void write_stores(LineWriter& line, const RecordCheck& check) {
  line.begin_list("stores");
  for (const StoreCheck& each : check.stores) {
    line.begin_item_object()
        .text("name", each.name)
        .text("own", each.own)
        .flag("known", each.is_known && each.trouble.empty());
    if (!each.trouble.empty()) line.text("trouble", each.trouble);
    line.begin_list("bypasses");
    for (const BypassCheck& bypass : each.bypasses) {
      line.begin_item_object()
          .text("user", bypass.user)
          .text("application", bypass.application)
          .text("address", bypass.address)
          .number("connections", bypass.connections)
          .end_object();
    }
    line.end_list().number("unseen", each.unseen);
    if (each.clone) write_clone(line, *each.clone);
    line.end_object();
  }
  line.end_list();
}

void write_background(LineWriter& line, const RecordCheck& check) {
  line.begin_list("background");
  for (const TraceBackground& each : check.background) {
    line.begin_item_object()
        .text("caller", check.edges[each.edge].edge.caller)
        .text("callee", check.edges[each.edge].edge.callee)
        .text("text", each.text)
        .number("period_us", each.period_us)
        .end_object();
  }
  line.end_list();
}

void write_addresses(LineWriter& line, const RecordCheck& check) {
  line.begin_list("addresses");
  for (const AddressCheck& each : check.addresses) {
    line.begin_item_object()
        .text("endpoint", each.endpoint)
        .text("edge", each.edge)
        .text("in", each.where)
        .text("address", each.address)
        .text("of", each.owner)
        .number("responses", each.responses)
        .end_object();
  }
  line.end_list();
}

void write_texts(LineWriter& line, std::string_view key, const std::vector<std::string>& texts) {
  line.begin_list(key);
  for (const std::string& each : texts) line.item(each);
  line.end_list();
}

}  // namespace

std::string record_check_json(const RecordCheck& check) {
  LineWriter line;
  line.text("format", "record-check/1").text("file", check.file);
  line.flag("healthy", check.not_healthy.empty());
  write_edges(line, check);
  write_stores(line, check);
  write_background(line, check);
  write_addresses(line, check);
  write_texts(line, "silent", check.silent);
  write_texts(line, "called_directly", check.called_directly);
  write_texts(line, "remarks", check.remarks);
  line.begin_list("problems");
  for (const CheckProblem& each : check.problems) {
    line.begin_item_object()
        .number("line", each.position.line)
        .number("column", each.position.column)
        .text("what", each.what)
        .text("what_to_do", each.what_to_do)
        .end_object();
  }
  line.end_list();
  return line.finish();
}

}  // namespace heddle
