#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.h"
#include "record/redact/encodings.h"
#include "record/redact/redactor.h"

namespace heddle {
namespace {

// The innermost name of "user[password]", "user.password" and "passwords[]".
std::string_view innermost_name(std::string_view name) {
  while (name.ends_with("[]")) name.remove_suffix(2);
  if (name.ends_with(']')) name.remove_suffix(1);
  const std::size_t outer = name.find_last_of("[.");
  return outer == name.npos ? name : name.substr(outer + 1);
}

// What would end the value, or mean something else in it. A placeholder may stand as it is.
std::string form_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool is_special = std::string_view("&=+%# ").find(c) != std::string_view::npos;
    if (is_special) {
      escaped += '%' + hexadecimal({&c, 1}, true);
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string form_value(Redactor& redactor, std::string_view name, std::string_view raw) {
  const std::string value = form_decoded(raw);
  if (const auto hiding = redactor.hiding_of(innermost_name(form_decoded(name)))) {
    return redactor.hide(value, *hiding);
  }
  const std::string changed = redactor.value(value);
  return changed == value ? std::string(raw) : form_escaped(changed);
}

std::string form_fields(Redactor& redactor, std::string_view form) {
  std::string redacted;
  while (!form.empty()) {
    const std::string_view field = form.substr(0, form.find('&'));
    const std::size_t equals = field.find('=');
    redacted += field.substr(0, equals);
    if (equals != field.npos) {
      redacted += '=';
      redacted += form_value(redactor, field.substr(0, equals), field.substr(equals + 1));
    }
    form.remove_prefix(field.size());
    if (form.empty()) break;
    redacted += '&';
    form.remove_prefix(1);
  }
  return redacted;
}

// The password of "//user:password@host".
std::string without_passwords(Redactor& redactor, std::string_view text) {
  std::string redacted;
  constexpr std::string_view kMark = "://";
  for (std::size_t mark = text.find(kMark); mark != text.npos; mark = text.find(kMark)) {
    const std::size_t begin = mark + kMark.size();
    const std::string_view rest = text.substr(begin);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?# \"'<>"));
    const std::string_view user = authority.substr(0, authority.rfind('@'));
    const std::size_t colon = user.find(':');
    redacted += text.substr(0, begin);
    text = rest;
    if (user.size() == authority.size() || colon == user.npos) continue;
    redacted += user.substr(0, colon + 1);
    redacted += redactor.hide(without_percent(user.substr(colon + 1)));
    text = rest.substr(user.size());
  }
  return redacted.append(text);
}

}  // namespace

std::string redact_form(Redactor& redactor, std::string_view form) {
  return redactor.text(form_fields(redactor, form));
}

std::string redact_url(Redactor& redactor, std::string_view url) {
  const std::string text = without_passwords(redactor, url);
  std::string_view rest = text;
  std::string redacted;
  while (!rest.empty()) {
    // A query, or a fragment that looks like one.
    const std::size_t begin = rest.find_first_of("?#");
    redacted += rest.substr(0, begin);
    if (begin == rest.npos) break;
    redacted += rest[begin];
    rest.remove_prefix(begin + 1);
    std::size_t end = 0;
    while (end < rest.size()) {
      // Placeholders hold what otherwise ends a URL in a text.
      const std::size_t placeholder = placeholder_length(rest.substr(end));
      if (placeholder == 0 && std::string_view("#? \"'<>").find(rest[end]) != rest.npos) break;
      end += placeholder == 0 ? 1 : placeholder;
    }
    redacted += form_fields(redactor, rest.substr(0, end));
    rest.remove_prefix(end);
  }
  return redactor.text(redacted);
}

}  // namespace heddle
