// What reports on recorded histories need of layout.h and report.h. These know the values of
// database rows, which have the same name as recorded values, so that no file can include both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

struct TextOptions;  // report.h

std::size_t width_of(const TextOptions& options);
std::shared_ptr<const TextOptions> make_text_options(bool color, std::size_t width);

// As in layout.h.
std::string printable_text(std::string_view text);
std::string shortened(std::string_view text, std::size_t width);
std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width,
                                       std::size_t hanging);

enum class CheckStyle : std::uint8_t { plain, heading, read, write, commit, error, wrong };

std::string painted(std::string_view text, CheckStyle style, const TextOptions& options);

struct CheckCell {
  CheckStyle style = CheckStyle::plain;
  std::string text = {};
};

// A table with a header and a frame; a cell for each column in each row.
struct CheckGrid {
  std::vector<std::string> header;
  std::vector<std::vector<CheckCell>> rows;
};

std::string render_grid(const CheckGrid& grid, const TextOptions& options);

}  // namespace heddle
