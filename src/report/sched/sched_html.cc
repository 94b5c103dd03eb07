// A finding as one page that needs nothing but itself. It is HTML that is also well-formed XML.
#include <cstddef>
#include <string>

#include "base/printable.h"
#include "report/sched/sched_picture.h"
#include "report/sched/sched_reports.h"
#include "report/sched/sched_summary.h"
#include "report/text/html_page.h"
#include "report/text/html_style.h"
#include "report/text/markup.h"

namespace heddle {

namespace {

std::string html_table(const std::string& rows) { return element("table", "", "\n" + rows) + "\n"; }

std::string steps_in_html(const SchedFinding& finding) {
  std::string rows = table_row({"step", "thread", "what it does", "where", "source"}, "th");
  for (std::size_t i = 0; i < finding.steps.size(); ++i) {
    const SchedStep& step = finding.steps[i];
    const bool is_known = step.place.line != 0;
    rows += table_row({std::to_string(step.number), std::to_string(step.thread),
                       printable(step.text), is_known ? printable(place_text(step.place)) : "",
                       is_known ? printable(step.place.source) : ""},
                      "td", is_deciding(finding, i) ? "broken" : "");
  }
  return folded("The steps with their sources", html_table(rows));
}

std::string output_in_html(const SchedFinding& finding) {
  if (finding.output.empty()) return "";
  std::string text;
  for (const SchedOutput& output : finding.output) text += printable(output_text(output)) + "\n";
  return tagged("h2", "What it wrote") + "\n" + tagged("pre", text) + "\n";
}

std::string command_in_html(const std::string& heading, const std::string& command) {
  if (command.empty()) return "";
  return tagged("h2", heading) + "\n" + tagged("pre", printable_lines(command)) + "\n";
}

}  // namespace

std::string render_html(const SchedFinding& finding) {
  const std::string title = printable(sched_title(finding));
  std::string body = tagged("h1", title) + "\n" + paragraph("In " + printable(finding.test));
  if (finding.place.line != 0) {
    body += paragraph("At " + printable(place_text(finding.place)) + ": " +
                      printable(finding.place.source));
  }
  for (const std::string& line : finding.waiting) body += paragraph(printable(line));
  for (const std::string& line : why_lines(finding)) body += paragraph(printable(line));
  body += command_in_html("The commands", finding.commands);
  if (!finding.steps.empty()) {
    body += element("figure", "", "\n" + sched_picture(finding)) + "\n" + steps_in_html(finding);
  }
  body += output_in_html(finding) + command_in_html("Again", finding.again) +
          command_in_html("In the debugger", finding.debugger) + paragraph(found_text(finding));
  return html_document(title, html_style(), body);
}

}  // namespace heddle
