#include "stream/line_channel.h"

#include <chrono>

#include "base/text.h"

namespace heddle {

std::string to_line(const LineFields& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += '\t';
    if (!fields[i]) line += "\\N";
    for (const char c : fields[i].value_or("")) {
      switch (c) {
        case '\\':
          line += "\\\\";
          break;
        case '\t':
          line += "\\t";
          break;
        case '\n':
          line += "\\n";
          break;
        case '\r':
          line += "\\r";
          break;
        default:
          line += c;
      }
    }
  }
  return line + '\n';
}

LineFields read_line(const std::string& line) {
  LineFields fields;
  for (const std::string& field : split(line, '\t')) {
    if (field == "\\N") {
      fields.emplace_back(std::nullopt);
      continue;
    }
    std::string& plain = fields.emplace_back("").value();
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (field[i] != '\\' || i + 1 == field.size()) {
        plain += field[i];
        continue;
      }
      const char c = field[++i];
      plain += c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
    }
  }
  return fields;
}

bool LineChannel::write(const LineFields& fields) {
  constexpr std::chrono::seconds kPatience{10};
  return stream_ &&
         stream_->write_all(to_line(fields), std::chrono::steady_clock::now() + kPatience);
}

std::optional<LineFields> LineChannel::next() {
  if (!has_ended_ && stream_) has_ended_ = !stream_->read_available(bytes_);
  const std::size_t end = bytes_.find('\n');
  if (end == bytes_.npos) return std::nullopt;
  LineFields fields = read_line(bytes_.substr(0, end));
  bytes_.erase(0, end + 1);
  return fields;
}

Result<LineFields> LineChannel::await(Deadline deadline, const std::string& whom) {
  while (true) {
    if (auto line = next()) return *std::move(line);
    if (has_ended_ || std::chrono::steady_clock::now() >= deadline) {
      return Diagnostic{.what = whom + (has_ended_ ? " has ended" : " does not answer"),
                        .trouble = Trouble::environment};
    }
    const Watched watched = stream_ ? stream_->readable() : Watched();
    if (auto waited = wait_for(watched, deadline); !waited) return waited.error();
  }
}

}  // namespace heddle
