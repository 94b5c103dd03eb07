// The formats that are read line by line, one function each.
#pragma once

#include <memory>
#include <string>

#include "frontend/history/stream/line_stream.h"

namespace heddle {

std::unique_ptr<LineStream> make_heddle_line_stream(const std::string& name);
std::unique_ptr<LineStream> make_jepsen_line_stream(const std::string& name,
                                                    const ReadHistoryOptions& options);
std::unique_ptr<LineStream> make_textbook_line_stream(const std::string& name,
                                                      const ReadHistoryOptions& options);

}  // namespace heddle
