#include "cli/race/trace_file.h"

#include "cli/output/output.h"
#include "format/trace/trace_lines.h"
#include "record/lines/line_file_reader.h"

namespace heddle {

Result<Trace> read_trace_file(const std::string& path) {
  auto reader = LineFileReader::open(path);
  if (!reader) return reader.error();
  std::string text;
  while (true) {
    auto line = reader->next();
    if (!line) return line.error();
    if (!*line) break;
    text += **line;
    text += '\n';
  }
  auto trace = parse_trace(text, shown_path(path));
  if (trace && reader->is_cut()) {
    trace->remarks.emplace_back("the trace ends in the middle of a line, which was not read");
  }
  return trace;
}

}  // namespace heddle
