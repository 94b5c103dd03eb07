#include "record/redact/known_secrets.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"

namespace heddle {
namespace {

// Escapes in escapes in escapes.
constexpr std::size_t kDeepest = 3;
// Of what values end with: a sixth of all hashes where 20,000 values are known.
constexpr std::size_t kHashBits = 20;

struct FormText {
  std::string text;
  Base64Edge first = {};  // characters around it that hold bits of the value, too
  Base64Edge last = {};
};

std::string replaced(std::string_view text, char from, std::string_view to) {
  std::string changed;
  for (const char c : text) {
    if (c == from) {
      changed += to;
    } else {
      changed += c;
    }
  }
  return changed;
}

FormText base64_form(std::string_view value, std::size_t before, bool for_urls) {
  Base64Core core = base64_core(value, before, for_urls);
  return {std::move(core.text), core.first, core.last};
}

FormText html_form(std::string_view value) {
  std::string text = replaced(value, '&', "&amp;");
  text = replaced(text, '<', "&lt;");
  text = replaced(text, '>', "&gt;");
  return {replaced(text, '"', "&quot;")};
}

// Each way to write a value that cannot be undone without knowing where it begins.
using Form = FormText (*)(std::string_view value);
constexpr Form kForms[] = {
    [](std::string_view value) { return FormText{std::string(value)}; },
    [](std::string_view value) { return base64_form(value, 0, false); },
    [](std::string_view value) { return base64_form(value, 1, false); },
    [](std::string_view value) { return base64_form(value, 2, false); },
    [](std::string_view value) { return base64_form(value, 0, true); },
    [](std::string_view value) { return base64_form(value, 1, true); },
    [](std::string_view value) { return base64_form(value, 2, true); },
    [](std::string_view value) { return FormText{hexadecimal(value)}; },
    [](std::string_view value) { return FormText{hexadecimal(value, true)}; },
    [](std::string_view value) { return FormText{replaced(value, ' ', "+")}; },
    [](std::string_view value) { return FormText{replaced(value, '\'', "''")}; },
    html_form,
};

// REQUIRES: there are so many bytes.
std::uint64_t last_bytes(std::string_view text) {
  std::uint64_t bytes = 0;
  for (const char byte : text.substr(text.size() - kShortestSearched)) {
    bytes = bytes << 8 | static_cast<unsigned char>(byte);
  }
  return bytes;
}

std::size_t mixed(std::uint64_t bytes) {
  constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15;
  return bytes * kMultiplier >> (64 - kHashBits);
}

struct Place {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// In order.
std::vector<Place> placeholders_in(std::string_view text) {
  std::vector<Place> found;
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const std::size_t length = placeholder_length(text.substr(at));
    if (length > 0) found.push_back({at, at + length});
  }
  return found;
}

bool overlaps_one(const std::vector<Place>& places, std::size_t begin, std::size_t end) {
  const auto place =
      std::upper_bound(places.begin(), places.end(), begin,
                       [](std::size_t at, const Place& one) { return at < one.end; });
  return place != places.end() && place->begin < end;
}

}  // namespace

KnownSecrets::KnownSecrets(std::string key, std::size_t most)
    : key_(std::move(key)),
      most_(std::max<std::size_t>(most, 1)),
      last_bytes_(std::size_t{1} << kHashBits) {}

std::string KnownSecrets::placeholder_of(std::string_view value, Hiding hiding) const {
  return placeholder(key_, without_percent(value), hiding);
}

const KnownSecrets::Value& KnownSecrets::value_of(std::uint64_t number) const {
  return values_[(number - 1) % most_];
}

void KnownSecrets::remember(std::string_view value, Hiding hiding) {
  const std::string decoded = without_percent(value);
  add(decoded, hiding);
  // What only looks like an escape may stand in base64.
  if (decoded != value) add(std::string(value), hiding);
}

void KnownSecrets::add(std::string text, Hiding hiding) {
  if (text.size() < kShortestSearched || text.size() > kLongestSearched) return;
  if (numbers_.contains(text)) return;
  if (values_.size() == most_) forget_oldest();
  const std::uint64_t number = ++remembered_;
  std::vector<std::string> forms;
  for (std::size_t form = 0; form < std::size(kForms); ++form) {
    std::string written = kForms[form](text).text;
    if (written.size() < kShortestSearched) continue;
    if (std::find(forms.begin(), forms.end(), written) != forms.end()) continue;
    const std::uint64_t bytes = last_bytes(written);
    entries_.emplace(bytes, Entry{number, static_cast<std::uint8_t>(form)});
    last_bytes_[mixed(bytes)] = true;
    longest_ = std::max(longest_, written.size());
    forms.push_back(std::move(written));
  }
  numbers_.emplace(text, number);
  Value kept{std::move(text), hiding};
  if (values_.size() < most_) {
    values_.push_back(std::move(kept));
  } else {
    values_[(number - 1) % most_] = std::move(kept);
  }
}

void KnownSecrets::forget_oldest() {
  const std::uint64_t oldest = remembered_ - most_ + 1;
  const std::string text = value_of(oldest).text;
  for (const Form form : kForms) {
    const std::string written = form(text).text;
    if (written.size() < kShortestSearched) continue;
    const auto [begin, end] = entries_.equal_range(last_bytes(written));
    for (auto entry = begin; entry != end;) {
      entry = entry->second.number == oldest ? entries_.erase(entry) : std::next(entry);
    }
  }
  numbers_.erase(text);
}

void KnownSecrets::find_before(const TextView& view, std::size_t end,
                               std::vector<Match>& found) const {
  const std::string_view text = std::string_view(view.text).substr(0, end);
  const std::uint64_t bytes = last_bytes(text);
  if (!last_bytes_[mixed(bytes)]) return;
  const auto [first, behind] = entries_.equal_range(bytes);
  for (auto entry = first; entry != behind; ++entry) {
    const Value& value = value_of(entry->second.number);
    const FormText form = kForms[entry->second.form](value.text);
    if (!text.ends_with(form.text)) continue;
    const std::size_t begin = end - form.text.size();
    // At the ends of the text these characters may have been cut off.
    const std::size_t before = form.first.mask != 0 && begin > 0 ? 1 : 0;
    const std::size_t after = form.last.mask != 0 && end < view.text.size() ? 1 : 0;
    if (before > 0 && !form.first.fits(view.text[begin - 1])) continue;
    if (after > 0 && !form.last.fits(view.text[end])) continue;
    found.push_back({view.origin(begin - before), view.origin(end + after), &value});
  }
}

void KnownSecrets::find_between(const TextView& view, std::size_t begin, std::size_t end,
                                std::vector<Match>& found) const {
  for (std::size_t at = std::max(begin, kShortestSearched); at < end; ++at) {
    find_before(view, at, found);
  }
}

void KnownSecrets::find_decoded(const TextView& view, std::size_t depth,
                                std::vector<Match>& found) const {
  if (depth == kDeepest) return;
  for (const auto decode : {percent_view, backslash_view}) {
    const auto decoded = decode(view);
    if (!decoded) continue;
    // What has none of the decoded bytes in it or beside it was found before.
    std::size_t looked_at = 0;
    for (const std::size_t byte : decoded->decoded) {
      const std::size_t end = std::min(byte + 1 + longest_, decoded->text.size()) + 1;
      find_between(*decoded, std::max(looked_at, byte), end, found);
      looked_at = std::max(looked_at, end);
    }
    find_decoded(*decoded, depth + 1, found);
  }
}

std::string KnownSecrets::replace_in(std::string_view text) const {
  if (values_.empty() || text.size() < kShortestSearched) return std::string(text);
  std::vector<Match> found;
  const TextView view{.text = std::string(text)};
  find_between(view, 0, text.size() + 1, found);
  find_decoded(view, 0, found);
  if (found.empty()) return std::string(text);
  const std::vector<Place> placeholders = placeholders_in(text);
  std::erase_if(found, [&placeholders](const Match& match) {
    return overlaps_one(placeholders, match.begin, match.end);
  });
  std::sort(found.begin(), found.end(), [](const Match& a, const Match& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::string changed;
  std::size_t at = 0;
  for (std::size_t i = 0; i < found.size();) {
    std::size_t end = found[i].end;
    std::size_t next = i + 1;
    // What overlaps is one place, with the placeholder of what begins first.
    for (; next < found.size() && found[next].begin < end; ++next) {
      end = std::max(end, found[next].end);
    }
    changed += text.substr(at, found[i].begin - at);
    changed += placeholder_of(found[i].value->text, found[i].value->hiding);
    at = end;
    i = next;
  }
  return changed.append(text.substr(at));
}

}  // namespace heddle
