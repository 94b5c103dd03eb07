#include "cli/record/record_check_text.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "record/check/check_problems.h"
#include "report/text/counted.h"
#include "report/text/layout.h"

namespace heddle {
namespace {

constexpr std::size_t kMostAddresses = 20;
constexpr std::size_t kMostBackground = 40;
constexpr std::size_t kTemplateWidth = 120;

std::string edge_name(const TraceEdge& edge) {
  return fmt::format("{}>{}", edge.caller, edge.callee);
}

std::string came_through(const EdgeCheck& edge) {
  if (edge.units == 0) return "nothing";
  return edge.edge.is_store ? counted(edge.units, "statement", "statements")
                            : counted(edge.units, "request", "requests");
}

std::string traces_of(const EdgeCheck& edge) {
  if (edge.edge.is_store) return "";
  if (edge.edge.is_outer) return "begin here";
  if (edge.caused == 0) return edge.units == 0 ? "" : "none to pass on";
  if (edge.passed_on == edge.caused) return "passed on";
  if (edge.passed_on == 0) return fmt::format("none in {}", edge.caused);
  return fmt::format("in {} of {}", edge.passed_on, edge.caused);
}

std::string remark_of(const EdgeCheck& edge) {
  if (edge.units > 0 && edge.background == edge.units) return "background only";
  std::string text;
  if (edge.background > 0) text = fmt::format("{} background", edge.background);
  if (edge.unsure > 0) text += fmt::format("{}{} unsure", text.empty() ? "" : ", ", edge.unsure);
  return text;
}

std::string edges_text(const RecordCheck& check, const TextOptions& options) {
  ListTable table{.header = {"edge", "came through", "connections", "trace headers", "of these"},
                  .rows = {}};
  for (const EdgeCheck& edge : check.edges) {
    table.rows.push_back(
        {.cells = {edge_name(edge.edge), came_through(edge),
                   edge.most_connections == 0 ? ""
                                              : fmt::format("{} at most", edge.most_connections),
                   traces_of(edge), remark_of(edge)},
         .below = {}});
  }
  return render_list_table(table, options);
}

std::string size_text(std::uint64_t bytes) {
  constexpr double kMegabyte = 1e6;
  return fmt::format("{:.0f} MB", std::max(1.0, static_cast<double>(bytes) / kMegabyte));
}

std::string time_text(std::uint64_t period_us) {
  return period_us < 1'000'000 ? fmt::format("{} ms", (period_us + 500) / 1000)
                               : fmt::format("{:.1f} s", static_cast<double>(period_us) / 1e6);
}

std::string clone_text(const CloneCheck& clone) {
  if (!clone.may_create) {
    return fmt::format("cannot be cloned: {} may not create databases (ALTER ROLE {} CREATEDB)",
                       clone.user, clone.user);
  }
  if (!clone.may_copy) {
    return fmt::format("cannot be cloned: {} owns it, and {} is no member of that role",
                       clone.owner, clone.user);
  }
  if (clone.took) {
    const auto took_us = static_cast<std::uint64_t>(clone.took->count()) * 1000;
    return fmt::format("can be cloned, in {} ({})", time_text(took_us), size_text(clone.bytes));
  }
  return fmt::format("may be cloned ({}); time not measured: {}", size_text(clone.bytes),
                     clone.why_not_measured);
}

std::vector<std::string> store_lines(const StoreCheck& store) {
  if (store.own.empty()) {
    return {"not known who bypasses heddle: write own: VARIABLE below it, and set that variable"};
  }
  if (!store.is_known) {
    return {fmt::format("not known who bypasses heddle: set {}", store.own)};
  }
  std::vector<std::string> lines;
  if (!store.trouble.empty()) lines.push_back("cannot be asked: " + store.trouble);
  for (const BypassCheck& each : store.bypasses) lines.push_back("bypassed: " + bypass_text(each));
  if (store.unseen > 0) lines.push_back("bypassed: " + unseen_text(store.unseen));
  if (lines.empty()) lines.push_back("nobody bypasses heddle");
  if (store.clone) lines.push_back(clone_text(*store.clone));
  return lines;
}

std::string stores_text(const RecordCheck& check, const TextOptions& options) {
  ListTable table{.header = {"store", ""}, .rows = {}};
  for (const StoreCheck& store : check.stores) {
    std::string name = store.name;
    for (const std::string& line : store_lines(store)) {
      table.rows.push_back({.cells = {std::exchange(name, ""), printable(line)}, .below = {}});
    }
  }
  if (table.rows.empty()) return "";
  std::string text = "\n" + render_list_table(table, options);
  if (std::ranges::any_of(check.stores, [](const StoreCheck& store) { return !store.is_known; })) {
    text += "such a variable has an address for heddle: postgres://USER@HOST:PORT/DATABASE\n";
  }
  return text;
}

std::string background_text(const RecordCheck& check, const TextOptions& options) {
  ListTable table{.header = {"background", "every", "what is repeated"}, .rows = {}};
  for (const TraceBackground& each : check.background) {
    if (table.rows.size() == kMostBackground) break;
    table.rows.push_back(
        {.cells = {edge_name(check.edges[each.edge].edge), time_text(each.period_us),
                   shorten(one_line(each.text), kTemplateWidth)},
         .below = {}});
  }
  if (table.rows.empty()) return "";
  std::string text = "\n" + render_list_table(table, options);
  if (check.background.size() > kMostBackground) {
    text += fmt::format("and {} more\n", check.background.size() - kMostBackground);
  }
  return text;
}

std::string addresses_text(const RecordCheck& check, const TextOptions& options) {
  if (check.addresses.empty()) return "";
  ListTable table{.header = {"answers past heddle", "edge", "has the address", "in"}, .rows = {}};
  for (const AddressCheck& each : check.addresses) {
    if (table.rows.size() == kMostAddresses) break;
    table.rows.push_back(
        {.cells = {printable(each.endpoint), each.edge,
                   fmt::format("{} of {}", each.address, each.owner), printable(each.where)},
         .below = {}});
  }
  std::string text = "\n" + render_list_table(table, options);
  if (check.addresses.size() > kMostAddresses) {
    text += fmt::format("and {} more\n", check.addresses.size() - kMostAddresses);
  }
  return text;
}

std::string lines_of(std::string_view prefix, std::string_view text, const TextOptions& options) {
  constexpr std::size_t kHanging = 4;
  std::string all;
  for (const std::string& line :
       wrap_behind(std::string(prefix), text, std::max(options.width, kNarrowestText), kHanging)) {
    all += line + "\n";
  }
  return all;
}

// A message may go on with what the system has written, which is printed as it is.
std::string problem_text(const std::string& file, const CheckProblem& problem,
                         const TextOptions& options) {
  const std::size_t end = problem.what.find('\n');
  std::string text = lines_of(
      fmt::format("{}:{}:", file, problem.position.line),
      printable(fmt::format("{}; {}", problem.what.substr(0, end), problem.what_to_do)), options);
  if (end != problem.what.npos) {
    text += printable_lines(problem.what.substr(end + 1));
    if (!text.ends_with('\n')) text += '\n';
  }
  return text;
}

std::string problems_text(const RecordCheck& check, const TextOptions& options) {
  if (check.problems.empty()) return "\nall of it passes through heddle, as far as was seen\n";
  std::string text =
      "\n" +
      paint(counted(check.problems.size(), "problem", "problems"), TextStyle::wrong, options) +
      "\n";
  for (const CheckProblem& problem : check.problems) {
    text += problem_text(check.file, problem, options);
  }
  return text;
}

}  // namespace

std::string record_check_text(const RecordCheck& check, const TextOptions& options) {
  std::string text = edges_text(check, options) + stores_text(check, options) +
                     background_text(check, options) + addresses_text(check, options);
  if (!check.remarks.empty()) text += "\n";
  for (const std::string& remark : check.remarks) text += lines_of("", printable(remark), options);
  return text + problems_text(check, options);
}

}  // namespace heddle
