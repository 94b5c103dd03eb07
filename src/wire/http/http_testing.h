// For tests: what a reader makes of bytes, however they are cut.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/http/http_reader.h"

namespace heddle {

struct HttpPieces {
  std::vector<HttpPiece> pieces;  // those of one body put together
  std::string trouble;            // empty: all could be read

  std::string bytes() const {
    std::string all;
    for (const HttpPiece& piece : pieces) all += piece.bytes;
    return all;
  }

  // A line for each piece: "head GET /", "body hello", "trailers 1", "end", "tunnel xyz",
  // "trouble".
  std::vector<std::string> lines() const {
    using Kind = HttpPiece::Kind;
    std::vector<std::string> told;
    for (const HttpPiece& piece : pieces) {
      const HttpHead& head = piece.head;
      if (piece.kind == Kind::head && head.status == 0) {
        told.push_back("head " + head.method + " " + head.target);
      }
      if (piece.kind == Kind::head && head.status != 0) {
        told.push_back("head " + std::to_string(head.status));
      }
      if (piece.kind == Kind::body) told.push_back("body " + piece.payload);
      if (piece.kind == Kind::trailers) {
        told.push_back("trailers " + std::to_string(piece.trailers.size()));
      }
      if (piece.kind == Kind::end) told.emplace_back("end");
      if (piece.kind == Kind::tunnel) told.push_back("tunnel " + piece.bytes);
    }
    if (!trouble.empty()) told.emplace_back("trouble");
    return told;
  }
};

// Takes all that the reader has, and puts it to what was taken.
inline void take_pieces(HttpReader& reader, HttpPieces& taken) {
  while (taken.trouble.empty()) {
    auto next = reader.next();
    if (!next) taken.trouble = next.error().what;
    if (!next || !*next) return;
    HttpPiece& piece = **next;
    const bool goes_on =
        !taken.pieces.empty() && taken.pieces.back().kind == piece.kind &&
        (piece.kind == HttpPiece::Kind::body || piece.kind == HttpPiece::Kind::tunnel);
    if (goes_on) {
      taken.pieces.back().bytes += piece.bytes;
      taken.pieces.back().payload += piece.payload;
    } else {
      taken.pieces.push_back(std::move(piece));
    }
  }
}

// `length_of_next` says how long the next cut of the bytes is.
inline HttpPieces read_pieces(HttpReader& reader, std::string_view bytes,
                              const std::function<std::size_t()>& length_of_next) {
  HttpPieces taken;
  while (!bytes.empty() && taken.trouble.empty()) {
    const std::string_view cut = bytes.substr(0, length_of_next());
    reader.append(cut);
    bytes.remove_prefix(cut.size());
    take_pieces(reader, taken);
  }
  return taken;
}

// In one cut; the stream goes on.
inline HttpPieces read_pieces(HttpReader& reader, std::string_view bytes) {
  return read_pieces(reader, bytes, [&bytes] { return bytes.size(); });
}

}  // namespace heddle
