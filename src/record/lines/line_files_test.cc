// What is written is read again, also where the file was cut off, at whatever byte.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <vector>
#include <zstd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/must_testing.h"
#include "record/lines/line_file_reader.h"
#include "record/lines/line_file_writer.h"

namespace heddle {
namespace {

using Lines = std::vector<std::string>;
using Time = LineFileWriter::Time;

Time at_ms(int time_ms) { return Time(std::chrono::milliseconds(time_ms)); }

struct LineFiles : testing::TestWithParam<const char*> {
  LineFiles() : directory(must(make_private_directory(testing::TempDir(), "lines-"))) {}
  ~LineFiles() override { std::filesystem::remove_all(directory); }
  LineFiles(const LineFiles&) = delete;
  LineFiles& operator=(const LineFiles&) = delete;

  bool is_compressed() const { return std::string(GetParam()).ends_with(".zst"); }
  std::string path() const { return directory + "/" + GetParam(); }
  std::string content() const { return must(read_file(path())); }
  void set_content(std::string_view bytes) const { must(write_file_atomically(path(), bytes)); }

  // Three seconds, some lines in each.
  Lines write_lines() const {
    LineFileWriter writer = must(LineFileWriter::create(path()));
    Lines lines;
    for (int i = 0; i < 30; ++i) {
      lines.push_back("{\"line\":" + std::to_string(i) + ",\"text\":\"" + std::string(i, 'x') +
                      "\"}");
      must(writer.add(lines.back(), at_ms(100 * i)));
    }
    must(writer.finish());
    return lines;
  }

  std::string directory;
};

struct ReadLines {
  Lines lines;
  bool is_cut = false;
  std::string trouble;
};

ReadLines read_lines(const std::string& path) {
  LineFileReader reader = must(LineFileReader::open(path));
  ReadLines read;
  while (true) {
    const auto line = reader.next();
    if (!line) read.trouble = to_string(line.error());
    if (!line || !*line) break;
    read.lines.push_back(**line);
  }
  EXPECT_EQ(reader.line(), read.lines.size());
  read.is_cut = reader.is_cut();
  return read;
}

std::vector<std::size_t> frame_ends(const std::string& bytes) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < bytes.size(); ends.push_back(at)) {
    const std::size_t size = ZSTD_findFrameCompressedSize(bytes.data() + at, bytes.size() - at);
    if (ZSTD_isError(size) != 0U) break;
    at += size;
  }
  return ends;
}

TEST_P(LineFiles, are_read_as_they_were_written) {
  const Lines lines = write_lines();
  const ReadLines read = read_lines(path());
  EXPECT_EQ(read.lines, lines);
  EXPECT_FALSE(read.is_cut);
  EXPECT_EQ(read.trouble, "");
  EXPECT_EQ(content().starts_with("{\"line\""), !is_compressed());
}

TEST_P(LineFiles, that_are_cut_off_anywhere_are_read_to_the_last_whole_line) {
  const Lines lines = write_lines();
  const std::string whole = content();
  const std::vector<std::size_t> ends =
      is_compressed() ? frame_ends(whole) : std::vector<std::size_t>();
  std::size_t most = 0;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    set_content(cut);
    const ReadLines read = read_lines(path());
    ASSERT_EQ(read.trouble, "") << length;
    ASSERT_LE(read.lines.size(), lines.size());
    ASSERT_EQ(read.lines,
              Lines(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(read.lines.size())));
    const auto frames = std::count_if(ends.begin(), ends.end(),
                                      [length](std::size_t end) { return end <= length; });
    // Each of the first two seconds begins with its first line and ends with one that comes later.
    constexpr std::size_t kLinesInFrames[] = {0, 11, 22, 30};
    ASSERT_GE(read.lines.size(), kLinesInFrames[frames]) << length;
    // A longer part has no fewer lines.
    ASSERT_GE(read.lines.size(), most) << length;
    most = read.lines.size();
    const bool is_at_end =
        length == 0 ||
        (is_compressed() ? std::count(ends.begin(), ends.end(), length) > 0 : cut.ends_with('\n'));
    ASSERT_EQ(read.is_cut, !is_at_end) << length;
    if (!is_compressed()) {
      ASSERT_EQ(read.lines.size(), std::count(cut.begin(), cut.end(), '\n'));
    }
  }
  EXPECT_EQ(most, lines.size());
}

TEST_P(LineFiles, hold_what_came_more_than_a_second_ago) {
  LineFileWriter writer = must(LineFileWriter::create(path()));
  EXPECT_FALSE(writer.due());
  must(writer.add("first", at_ms(5000)));
  EXPECT_EQ(writer.due(), at_ms(6000));
  must(writer.add("second", at_ms(5900)));
  EXPECT_EQ(writer.due(), at_ms(6000));
  must(writer.write_due(at_ms(5999)));
  EXPECT_EQ(read_lines(path()).lines, Lines());
  // Nothing comes any more, but the time passes.
  must(writer.write_due(at_ms(6000)));
  EXPECT_EQ(read_lines(path()).lines, Lines({"first", "second"}));
  EXPECT_FALSE(read_lines(path()).is_cut);
  EXPECT_FALSE(writer.due());
  must(writer.write_due(at_ms(60000)));
  const std::string before = content();
  must(writer.finish());
  EXPECT_EQ(content(), before);
  // A line that comes late ends the frame itself.
  must(writer.add("third", at_ms(70000)));
  must(writer.add("fourth", at_ms(71000)));
  EXPECT_EQ(read_lines(path()).lines, Lines({"first", "second", "third", "fourth"}));
}

TEST_P(LineFiles, are_written_while_there_is_much) {
  LineFileWriter writer = must(LineFileWriter::create(path()));
  std::string line(10'000, '\0');
  std::uint64_t state = 1;
  for (int i = 0; i < 500; ++i) {
    for (char& byte : line) {
      state = state * 6364136223846793005 + 1442695040888963407;
      byte = static_cast<char>('a' + (state >> 60));
    }
    must(writer.add(line, Time()));
  }
  EXPECT_GT(content().size(), std::size_t{1} << 20);
  must(writer.finish());
  const ReadLines read = read_lines(path());
  ASSERT_EQ(read.lines.size(), 500U);
  EXPECT_EQ(read.lines.back(), line);
}

TEST_P(LineFiles, hold_any_bytes_and_empty_lines) {
  LineFileWriter writer = must(LineFileWriter::create(path()));
  const Lines lines = {"", std::string("\0\xff\r", 3), "", std::string(300'000, 'y')};
  for (const std::string& line : lines) must(writer.add(line, Time()));
  must(writer.finish());
  EXPECT_EQ(read_lines(path()).lines, lines);
}

TEST_P(LineFiles, are_this_users_alone_and_emptied_first) {
  set_content(std::string(100'000, 'x'));
  std::filesystem::remove(path());
  write_lines();
  const Lines lines = write_lines();
  EXPECT_EQ(read_lines(path()).lines, lines);
  struct stat status = {};
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_P(LineFiles, that_cannot_be_made_or_read_are_an_error) {
  const auto made = LineFileWriter::create(directory + "/none/" + GetParam());
  ASSERT_FALSE(made);
  EXPECT_THAT(to_string(made.error()), testing::HasSubstr("No such file"));
  EXPECT_FALSE(LineFileReader::open(path()));
  EXPECT_FALSE(LineFileReader::open(directory));
}

INSTANTIATE_TEST_SUITE_P(EachKind, LineFiles, testing::Values("trace.jsonl", "trace.jsonl.zst"),
                         [](const auto& kind) {
                           return std::string(kind.param).ends_with(".zst") ? "compressed"
                                                                            : "plain";
                         });

TEST(FullDisks, are_an_error_that_stays) {
  LineFileWriter writer = must(LineFileWriter::create("/dev/full"));
  must(writer.add("line", Time()));
  const auto full = writer.write_due(at_ms(2000));
  ASSERT_FALSE(full);
  EXPECT_THAT(full.error().what, testing::HasSubstr("No space left"));
  EXPECT_EQ(full.error().trouble, Trouble::environment);
  const auto again = writer.add("line", at_ms(3000));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().what, full.error().what);
  EXPECT_FALSE(writer.finish());
}

TEST(DamagedFiles, are_an_error_with_the_line) {
  const std::string directory = must(make_private_directory(testing::TempDir(), "lines-"));
  const std::string path = directory + "/damaged.zst";
  LineFileWriter writer = must(LineFileWriter::create(path));
  must(writer.add("the first second", Time()));
  must(writer.finish());
  must(writer.add("the second one", Time()));
  must(writer.finish());
  std::string bytes = must(read_file(path));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  must(write_file_atomically(path, bytes));
  const ReadLines read = read_lines(path);
  EXPECT_EQ(read.lines.at(0), "the first second");
  EXPECT_THAT(read.trouble, testing::HasSubstr("damaged"));
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace heddle
