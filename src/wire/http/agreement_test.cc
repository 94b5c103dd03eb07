// The reader against one that is slow and obvious: it reads whole messages that are well-formed,
// line by line, and knows nothing of cuts. Messages are made up, cut anywhere, and broken.
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "base/text.h"
#include "wire/http/http_testing.h"

namespace heddle {
namespace {

constexpr std::size_t kQuickRounds = 400;

using Lines = std::vector<std::string>;

struct Chance {
  std::mt19937_64 engine;

  std::size_t below(std::size_t end) { return engine() % end; }
  bool one_in(std::size_t many) { return below(many) == 0; }
  std::string_view one_of(std::initializer_list<std::string_view> texts) {
    return texts.begin()[below(texts.size())];
  }
  std::string bytes() {
    std::string made(below(40), '\0');
    for (char& byte : made) byte = "ab\r\n0:; \xff\x00"[below(10)];
    return made;
  }
};

// Messages of one direction, and the methods of the requests that were sent.
struct MadeStream {
  std::string bytes;
  std::vector<std::string> methods;
};

std::string chunked_body(Chance& chance) {
  std::string body;
  for (std::size_t left = chance.below(4); left > 0; --left) {
    const std::string chunk = chance.bytes() + "x";
    body += fmt::format("{}{:x}{}\r\n{}\r\n", chance.one_of({"", "0", "00"}), chunk.size(),
                        chance.one_of({"", ";a", ";a=b; c=\"d e\""}), chunk);
  }
  body += "0\r\n";
  for (std::size_t left = chance.below(3); left > 0; --left) body += "Trailer: value\r\n";
  return body + "\r\n";
}

// Headers, the empty line and the body.
std::string rest_of_message(Chance& chance, bool has_body) {
  std::string headers;
  for (std::size_t left = chance.below(4); left > 0; --left) {
    headers +=
        fmt::format("{}:{}{}\r\n", chance.one_of({"A", "X-Long-Name", "host"}),
                    chance.one_of({"", " ", "\t "}), chance.one_of({"", "b", "c  d", "\xe9"}));
  }
  if (!has_body) return headers + "\r\n";
  if (chance.one_in(2))
    return headers + "Transfer-Encoding: chunked\r\n\r\n" + chunked_body(chance);
  const std::string body = chance.bytes();
  return fmt::format("{}Content-Length: {}\r\n\r\n{}", headers, body.size(), body);
}

MadeStream make_requests(Chance& chance) {
  MadeStream made;
  for (std::size_t left = 1 + chance.below(4); left > 0; --left) {
    if (chance.one_in(8)) made.bytes += "\r\n";
    const std::string_view method = chance.one_of({"GET", "HEAD", "POST", "X!"});
    made.bytes += fmt::format("{} {} HTTP/1.1\r\n", method, chance.one_of({"/", "/a?b=%20", "*"})) +
                  rest_of_message(chance, chance.one_in(2));
  }
  return made;
}

MadeStream make_responses(Chance& chance) {
  MadeStream made;
  for (std::size_t left = 1 + chance.below(4); left > 0; --left) {
    if (chance.one_in(5)) made.bytes += "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n";
    made.methods.emplace_back(chance.one_of({"GET", "HEAD"}));
    const std::string_view status = chance.one_of({"200 OK", "204 ", "304 Not", "500 \xe9 x"});
    made.bytes += fmt::format("HTTP/1.1 {}\r\n", status);
    const bool has_body = made.methods.back() == "GET" && status[0] != '3' && status[2] != '4';
    if (has_body) made.bytes += rest_of_message(chance, true);
    if (!has_body) made.bytes += "Content-Length: 3\r\n\r\n";
  }
  return made;
}

// The slow and obvious reader.
class WholeReader {
 public:
  explicit WholeReader(const MadeStream& stream)
      : rest_(stream.bytes), methods_(stream.methods), is_request_(stream.methods.empty()) {}

  Lines read() {
    while (!rest_.empty()) {
      if (rest_.starts_with("\r\n")) {
        rest_.remove_prefix(2);
      } else {
        read_message();
      }
    }
    return lines_;
  }

 private:
  std::string line() {
    const std::size_t end = rest_.find("\r\n");
    const std::string found(rest_.substr(0, end));
    rest_.remove_prefix(end + 2);
    return found;
  }
  std::string bytes(std::size_t count) {
    const std::string found(rest_.substr(0, count));
    rest_.remove_prefix(count);
    return found;
  }

  void read_message() {
    const std::vector<std::string> words = split(line(), ' ');
    lines_.push_back("head " + (is_request_ ? words[0] + " " + words[1] : words[1]));
    std::size_t length = 0;
    bool is_chunked = false;
    for (std::string header = line(); !header.empty(); header = line()) {
      if (header.starts_with("Content-Length: ")) length = std::stoul(header.substr(16));
      is_chunked = is_chunked || header == "Transfer-Encoding: chunked";
    }
    if (!is_request_ && !has_body(words[1])) {
      length = 0;
      is_chunked = false;
    }
    std::string body = bytes(length);
    if (is_chunked) body = read_chunks();
    if (!body.empty()) lines_.push_back("body " + body);
    if (trailers_ > 0) lines_.push_back("trailers " + std::to_string(trailers_));
    trailers_ = 0;
    lines_.emplace_back("end");
  }

  bool has_body(const std::string& status) {
    if (status == "103") return false;
    const std::string method = methods_.at(answered_++);
    return method != "HEAD" && status != "204" && status != "304";
  }

  std::string read_chunks() {
    std::string body;
    while (true) {
      const std::string begin = line();
      const std::size_t size = std::stoul(begin, nullptr, 16);
      if (size == 0) break;
      body += bytes(size);
      bytes(2);
    }
    while (!line().empty()) ++trailers_;
    return body;
  }

  std::string_view rest_;
  std::vector<std::string> methods_;
  bool is_request_;
  std::size_t answered_ = 0;
  std::size_t trailers_ = 0;
  Lines lines_;
};

HttpPieces read_cut(const MadeStream& stream, const std::function<std::size_t()>& length_of_next) {
  HttpReader reader = stream.methods.empty() ? HttpReader::requests() : HttpReader::responses();
  for (const std::string& method : stream.methods) reader.expect(method);
  HttpPieces pieces = read_pieces(reader, stream.bytes, length_of_next);
  reader.end_of_stream();
  take_pieces(reader, pieces);
  return pieces;
}

HttpPieces read_whole(const MadeStream& stream) {
  return read_cut(stream, [&stream] { return stream.bytes.size() + 1; });
}

HttpPieces read_in_cuts(const MadeStream& stream, Chance& chance) {
  const std::size_t longest = 1 + chance.below(60);
  return read_cut(stream, [&] { return 1 + chance.below(longest); });
}

void break_somewhere(std::string& bytes, Chance& chance) {
  const std::size_t at = chance.below(bytes.size());
  const std::string_view other =
      chance.one_of({"\r", "\n", "\r\n", "0", ";", ":", " ", "\t", "5", ","});
  if (chance.one_in(3)) {
    bytes.erase(at, 1 + chance.below(3));
  } else {
    bytes.replace(at, chance.below(2), other);
  }
}

TEST(HttpAgreement, well_formed_messages_are_read_as_by_the_slow_reader) {
  for (std::size_t round = 0; round < test_rounds(kQuickRounds); ++round) {
    Chance chance{std::mt19937_64(round)};
    const MadeStream stream = round % 2 == 0 ? make_requests(chance) : make_responses(chance);
    const HttpPieces whole = read_whole(stream);
    ASSERT_EQ(whole.lines(), WholeReader(stream).read()) << "seed " << round << "\n"
                                                         << stream.bytes;
    ASSERT_EQ(whole.bytes(), stream.bytes) << "seed " << round;
    const HttpPieces cut = read_in_cuts(stream, chance);
    ASSERT_EQ(cut.lines(), whole.lines()) << "seed " << round << "\n" << stream.bytes;
    ASSERT_EQ(cut.bytes(), stream.bytes) << "seed " << round;
  }
}

TEST(HttpAgreement, broken_messages_are_read_alike_however_they_are_cut) {
  std::size_t troubles = 0;
  const std::size_t rounds = test_rounds(kQuickRounds * 5);
  for (std::size_t round = 0; round < rounds; ++round) {
    Chance chance{std::mt19937_64(round)};
    MadeStream stream = round % 2 == 0 ? make_requests(chance) : make_responses(chance);
    for (std::size_t left = 1 + chance.below(3); left > 0 && !stream.bytes.empty(); --left) {
      break_somewhere(stream.bytes, chance);
    }
    const HttpPieces whole = read_whole(stream);
    const HttpPieces cut = read_in_cuts(stream, chance);
    ASSERT_EQ(cut.lines(), whole.lines()) << "seed " << round << "\n"
                                          << stream.bytes << "\n"
                                          << whole.trouble << "\n"
                                          << cut.trouble;
    ASSERT_EQ(cut.bytes(), whole.bytes()) << "seed " << round << "\n" << stream.bytes;
    ASSERT_TRUE(stream.bytes.starts_with(whole.bytes())) << "seed " << round;
    if (!whole.trouble.empty()) ++troubles;
  }
  // Broken messages that are still well-formed are the fewer ones.
  EXPECT_GT(troubles, rounds / 3);
}

}  // namespace
}  // namespace heddle
