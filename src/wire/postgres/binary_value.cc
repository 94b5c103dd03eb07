#include "wire/postgres/binary_value.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"
#include "wire/postgres/big_endian.h"

namespace heddle::postgres {
namespace {

// The numbers of types (pg_type.dat).
constexpr std::uint32_t kBoolNumber = 16;
constexpr std::uint32_t kByteaNumber = 17;
constexpr std::uint32_t kCharNumber = 18;
constexpr std::uint32_t kNameNumber = 19;
constexpr std::uint32_t kInt8Number = 20;
constexpr std::uint32_t kInt2Number = 21;
constexpr std::uint32_t kInt4Number = 23;
constexpr std::uint32_t kTextNumber = 25;
constexpr std::uint32_t kOidNumber = 26;
constexpr std::uint32_t kJsonNumber = 114;
constexpr std::uint32_t kXmlNumber = 142;
constexpr std::uint32_t kCidrNumber = 650;
constexpr std::uint32_t kFloat4Number = 700;
constexpr std::uint32_t kFloat8Number = 701;
constexpr std::uint32_t kUnknownNumber = 705;
constexpr std::uint32_t kInetNumber = 869;
constexpr std::uint32_t kBpcharNumber = 1042;
constexpr std::uint32_t kVarcharNumber = 1043;
constexpr std::uint32_t kDateNumber = 1082;
constexpr std::uint32_t kTimeNumber = 1083;
constexpr std::uint32_t kTimestampNumber = 1114;
constexpr std::uint32_t kTimestamptzNumber = 1184;
constexpr std::uint32_t kIntervalNumber = 1186;
constexpr std::uint32_t kTimetzNumber = 1266;
constexpr std::uint32_t kNumericNumber = 1700;
constexpr std::uint32_t kUuidNumber = 2950;
constexpr std::uint32_t kJsonbNumber = 3802;
constexpr std::uint32_t kFirstMade = 16384;  // by somebody, rather than by PostgreSQL itself

constexpr std::array<std::uint32_t, 26> kArrays = {
    143,  199,  651,  1000, 1001, 1002, 1003, 1005, 1007, 1009, 1014, 1015, 1016,
    1021, 1022, 1028, 1041, 1115, 1182, 1183, 1185, 1187, 1231, 1270, 2951, 3807};

constexpr std::int64_t kMicrosecondsPerSecond = 1'000'000;
constexpr std::int64_t kSecondsPerMinute = 60;
constexpr std::int64_t kSecondsPerHour = 3600;
constexpr std::int64_t kMicrosecondsPerDay = 86'400 * kMicrosecondsPerSecond;
constexpr std::int32_t kMonthsPerYear = 12;
// Days from 1970, from which chrono counts, to 2000, from which PostgreSQL does.
constexpr std::int64_t kDaysTo2000 = 10'957;
constexpr std::size_t kMostDimensions = 6;

using Text = std::optional<std::string>;

// What is read one after the other; less than there is to read is none.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  template <typename Number>
  Number number() {
    const std::string_view bytes = take(sizeof(Number));
    return static_cast<Number>(big_endian(bytes));
  }
  std::string_view take(std::size_t size) {
    if (rest_.size() < size) {
      is_whole_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view rest() { return std::exchange(rest_, {}); }
  bool is_whole() const { return is_whole_; }
  bool is_all_read() const { return is_whole_ && rest_.empty(); }
  std::size_t size() const { return rest_.size(); }

 private:
  std::string_view rest_;
  bool is_whole_ = true;
};

// Digits without an exponent where that is short, as PostgreSQL has it: with `most` before the
// point.
template <typename Number>
std::string float_text(Number number, long most) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                 std::chars_format::scientific);
  std::string text(buffer.data(), end.ptr);
  const std::size_t e = text.find('e');
  const auto exponent = std::strtol(text.c_str() + e + 1, nullptr, 10);
  if (exponent < -4 || exponent >= most) return text;
  const auto fixed =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed);
  return {buffer.data(), fixed.ptr};
}

std::string bytea_text(std::string_view bytes) {
  std::string text = "\\x";
  for (const char each : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(each));
  return text;
}

std::string uuid_text(std::string_view bytes) {
  std::string text = bytea_text(bytes).substr(2);
  for (const std::size_t at : {8U, 13U, 18U, 23U}) text.insert(at, "-");
  return text;
}

// Digits of the base 10,000, the first with this power of it, and how many decimals are shown.
Text numeric_text(Bytes& bytes) {
  constexpr std::uint16_t kNegative = 0x4000;
  constexpr std::uint16_t kNotANumber = 0xc000;
  constexpr std::uint16_t kInfinity = 0xd000;
  constexpr std::uint16_t kNegativeInfinity = 0xf000;
  constexpr std::size_t kDigits = 4;
  constexpr std::uint16_t kBase = 10'000;
  const auto count = bytes.number<std::uint16_t>();
  const auto weight = bytes.number<std::int16_t>();
  const auto sign = bytes.number<std::uint16_t>();
  const auto scale = bytes.number<std::uint16_t>();
  if (!bytes.is_whole() || bytes.size() != std::size_t{2} * count) return std::nullopt;
  if (sign == kNotANumber) return "NaN";
  if (sign == kInfinity) return "Infinity";
  if (sign == kNegativeInfinity) return "-Infinity";
  if (sign != 0 && sign != kNegative) return std::nullopt;
  std::string before;
  std::string behind;
  for (int power = std::min<int>(weight, -1) == weight ? -1 : weight; power >= 0; --power) {
    const bool is_there = weight - power < count;
    const auto digit = is_there ? bytes.number<std::uint16_t>() : std::uint16_t{0};
    if (digit >= kBase) return std::nullopt;
    before += before.empty() ? fmt::format("{}", digit) : fmt::format("{:04}", digit);
  }
  for (int power = -1; power > weight && behind.size() < scale; --power) {
    behind.append(kDigits, '0');
  }
  while (bytes.size() > 0) {
    const auto digit = bytes.number<std::uint16_t>();
    if (digit >= kBase) return std::nullopt;
    behind += fmt::format("{:04}", digit);
  }
  behind.resize(scale, '0');
  return (sign == kNegative ? "-" : "") + (before.empty() ? "0" : before) +
         (scale == 0 ? "" : "." + behind);
}

// A day as "2020-01-31", and what stands behind the time: " BC", or nothing.
std::optional<std::pair<std::string, std::string>> day_text(std::int64_t days) {
  // The years that chrono can tell.
  constexpr std::int64_t kMost = 11'000'000;
  if (days > kMost || days < -kMost) return std::nullopt;
  const std::chrono::year_month_day day{
      std::chrono::sys_days(std::chrono::days(days + kDaysTo2000))};
  const int year = static_cast<int>(day.year());
  return std::pair(
      fmt::format("{:04}-{:02}-{:02}", year > 0 ? year : 1 - year,
                  static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day())),
      std::string(year > 0 ? "" : " BC"));
}

// "07.5", "07".
std::string seconds_text(std::int64_t microseconds) {
  std::string text = fmt::format("{:02}", microseconds / kMicrosecondsPerSecond);
  const std::int64_t fraction = microseconds % kMicrosecondsPerSecond;
  if (fraction == 0) return text;
  text += fmt::format(".{:06}", fraction);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string time_text(std::int64_t microseconds) {
  const std::int64_t minutes = microseconds / (kSecondsPerMinute * kMicrosecondsPerSecond);
  return fmt::format("{:02}:{:02}:", minutes / 60, minutes % 60) +
         seconds_text(microseconds % (kSecondsPerMinute * kMicrosecondsPerSecond));
}

Text date_text(std::int32_t days) {
  if (days == std::numeric_limits<std::int32_t>::max()) return "infinity";
  if (days == std::numeric_limits<std::int32_t>::min()) return "-infinity";
  const auto day = day_text(days);
  if (!day) return std::nullopt;
  return day->first + day->second;
}

Text timestamp_text(std::int64_t microseconds, std::string_view zone) {
  if (microseconds == std::numeric_limits<std::int64_t>::max()) return "infinity";
  if (microseconds == std::numeric_limits<std::int64_t>::min()) return "-infinity";
  std::int64_t days = microseconds / kMicrosecondsPerDay;
  if (microseconds % kMicrosecondsPerDay < 0) --days;
  const auto day = day_text(days);
  if (!day) return std::nullopt;
  return day->first + " " + time_text(microseconds - days * kMicrosecondsPerDay) +
         std::string(zone) + day->second;
}

// `west`: seconds to the west of Greenwich.
std::string zone_text(std::int32_t west) {
  const std::int64_t seconds = std::abs(static_cast<std::int64_t>(west));
  std::string text = fmt::format("{}{:02}", west > 0 ? '-' : '+', seconds / kSecondsPerHour);
  const std::int64_t rest = seconds % kSecondsPerHour;
  if (rest != 0) text += fmt::format(":{:02}", rest / kSecondsPerMinute);
  if (rest % kSecondsPerMinute != 0) text += fmt::format(":{:02}", rest % kSecondsPerMinute);
  return text;
}

// "1 year 2 mons -3 days +04:05:06.7".
std::string interval_text(std::int64_t microseconds, std::int32_t days, std::int32_t months) {
  std::string text;
  bool is_before = false;
  const std::pair<std::int32_t, std::string_view> parts[] = {
      {months / kMonthsPerYear, "year"}, {months % kMonthsPerYear, "mon"}, {days, "day"}};
  for (const auto& [count, unit] : parts) {
    if (count == 0) continue;
    text += fmt::format("{}{}{} {}{}", text.empty() ? "" : " ", is_before && count > 0 ? "+" : "",
                        count, unit, count == 1 ? "" : "s");
    is_before = count < 0;
  }
  if (!text.empty() && microseconds == 0) return text;
  const std::string_view sign = microseconds < 0 ? "-" : is_before ? "+" : "";
  const std::uint64_t size = microseconds < 0 ? 0 - static_cast<std::uint64_t>(microseconds)
                                              : static_cast<std::uint64_t>(microseconds);
  const bool is_shown =
      size <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return fmt::format("{}{}{}{}", text, text.empty() ? "" : " ", sign,
                     is_shown ? time_text(static_cast<std::int64_t>(size)) : "");
}

Text network_text(Bytes& bytes) {
  constexpr std::uint8_t kVersion4 = 2;
  constexpr std::uint8_t kVersion6 = 3;
  const auto family = bytes.number<std::uint8_t>();
  const auto bits = bytes.number<std::uint8_t>();
  const bool is_cidr = bytes.number<std::uint8_t>() != 0;
  const auto size = bytes.number<std::uint8_t>();
  const std::string_view address = bytes.take(size);
  const bool is_fit = (family == kVersion4 && size == sizeof(in_addr)) ||
                      (family == kVersion6 && size == sizeof(in6_addr));
  if (!bytes.is_all_read() || !is_fit) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  ::inet_ntop(family == kVersion4 ? AF_INET : AF_INET6, address.data(), buffer.data(),
              buffer.size());
  const bool is_host = bits == size * 8;
  return std::string(buffer.data()) + (is_cidr || !is_host ? fmt::format("/{}", bits) : "");
}

std::string quoted_element(const std::string& text) {
  constexpr std::string_view kSpecial = "{}\",\\ \t\n\r\v\f";
  const bool is_plain = !text.empty() && text.find_first_of(kSpecial) == text.npos &&
                        !equal_ignoring_case(text, "NULL");
  if (is_plain) return text;
  std::string quoted = "\"";
  for (const char each : text) {
    if (each == '"' || each == '\\') quoted += '\\';
    quoted += each;
  }
  return quoted + '"';
}

class ArrayReader {
 public:
  explicit ArrayReader(std::string_view bytes) : bytes_(bytes) {}

  Text text() {
    const auto dimensions = bytes_.number<std::uint32_t>();
    bytes_.number<std::uint32_t>();  // whether there are nulls
    element_ = bytes_.number<std::uint32_t>();
    if (!bytes_.is_whole() || dimensions > kMostDimensions) return std::nullopt;
    if (dimensions == 0) return bytes_.is_all_read() ? Text("{}") : std::nullopt;
    std::string bounds;
    bool has_bounds = false;
    std::uint64_t count = 1;
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      const auto size = bytes_.number<std::int32_t>();
      const auto first = bytes_.number<std::int32_t>();
      if (size <= 0) return std::nullopt;
      count *= static_cast<std::uint64_t>(size);
      // Each element has its length at least.
      if (count > bytes_.size() / 4 + 1) return std::nullopt;
      sizes_.push_back(size);
      has_bounds = has_bounds || first != 1;
      bounds += fmt::format("[{}:{}]", first, std::int64_t{first} + size - 1);
    }
    std::string text = has_bounds ? bounds + "=" : "";
    if (!add(0, text) || !bytes_.is_all_read()) return std::nullopt;
    return text;
  }

 private:
  bool add(std::size_t dimension, std::string& text) {
    text += '{';
    for (std::int32_t i = 0; i < sizes_[dimension]; ++i) {
      if (i > 0) text += ',';
      const bool is_last = dimension + 1 == sizes_.size();
      if (!(is_last ? add_element(text) : add(dimension + 1, text))) return false;
    }
    text += '}';
    return true;
  }

  bool add_element(std::string& text) {
    const auto size = bytes_.number<std::int32_t>();
    if (size < 0) {
      text += "NULL";
      return bytes_.is_whole() && size == -1;
    }
    const std::string_view value = bytes_.take(static_cast<std::size_t>(size));
    const bool is_array = std::ranges::find(kArrays, element_) != kArrays.end();
    const Text element =
        bytes_.is_whole() && !is_array ? binary_value_text(value, element_) : std::nullopt;
    if (element) text += quoted_element(*element);
    return element.has_value();
  }

  Bytes bytes_;
  std::uint32_t element_ = 0;
  std::vector<std::int32_t> sizes_;
};

Text number_text(std::string_view bytes, std::uint32_t type) {
  const std::uint64_t bits = big_endian(bytes);
  switch (type) {
    case kBoolNumber:
      return bits != 0 ? "t" : "f";
    case kInt2Number:
      return std::to_string(static_cast<std::int16_t>(bits));
    case kInt4Number:
      return std::to_string(static_cast<std::int32_t>(bits));
    case kInt8Number:
      return std::to_string(static_cast<std::int64_t>(bits));
    case kOidNumber:
      return std::to_string(bits);
    case kFloat4Number:
      return float_text(std::bit_cast<float>(static_cast<std::uint32_t>(bits)), 6);
    case kFloat8Number:
      return float_text(std::bit_cast<double>(bits), 15);
    case kDateNumber:
      return date_text(static_cast<std::int32_t>(bits));
    case kTimeNumber:
      return static_cast<std::int64_t>(bits) < 0 ? Text()
                                                 : time_text(static_cast<std::int64_t>(bits));
    case kTimestampNumber:
      return timestamp_text(static_cast<std::int64_t>(bits), "");
    case kTimestamptzNumber:
      return timestamp_text(static_cast<std::int64_t>(bits), "+00");
    default:
      return std::nullopt;
  }
}

std::size_t size_of(std::uint32_t type) {
  switch (type) {
    case kBoolNumber:
      return 1;
    case kInt2Number:
      return 2;
    case kInt4Number:
    case kOidNumber:
    case kFloat4Number:
    case kDateNumber:
      return 4;
    case kInt8Number:
    case kFloat8Number:
    case kTimeNumber:
    case kTimestampNumber:
    case kTimestamptzNumber:
      return 8;
    case kTimetzNumber:
      return 12;
    case kIntervalNumber:
    case kUuidNumber:
      return 16;
    default:
      return 0;
  }
}

// Printable, and nothing else than text therefore.
bool is_readable(std::string_view bytes) {
  return is_utf8(bytes) && std::ranges::none_of(bytes, [](char each) {
           return static_cast<unsigned char>(each) < ' ' || each == '\x7f';
         });
}

}  // namespace

std::optional<std::string> binary_value_text(std::string_view bytes, std::uint32_t type) {
  if (const std::size_t size = size_of(type); size != 0 && size != bytes.size())
    return std::nullopt;
  Bytes parts(bytes);
  switch (type) {
    case kCharNumber:
    case kNameNumber:
    case kTextNumber:
    case kJsonNumber:
    case kXmlNumber:
    case kUnknownNumber:
    case kBpcharNumber:
    case kVarcharNumber:
      return std::string(bytes);
    case kJsonbNumber:
      return bytes.starts_with('\1') ? Text(bytes.substr(1)) : std::nullopt;
    case kByteaNumber:
      return bytea_text(bytes);
    case kUuidNumber:
      return uuid_text(bytes);
    case kNumericNumber:
      return numeric_text(parts);
    case kTimetzNumber: {
      const auto time = parts.number<std::int64_t>();
      const auto zone = parts.number<std::int32_t>();
      return time < 0 ? Text() : time_text(time) + zone_text(zone);
    }
    case kIntervalNumber: {
      const auto time = parts.number<std::int64_t>();
      const auto days = parts.number<std::int32_t>();
      return interval_text(time, days, parts.number<std::int32_t>());
    }
    case kInetNumber:
    case kCidrNumber:
      return network_text(parts);
    default:
      break;
  }
  if (std::ranges::find(kArrays, type) != kArrays.end()) return ArrayReader(bytes).text();
  if (type >= kFirstMade) return is_readable(bytes) ? Text(bytes) : std::nullopt;
  return number_text(bytes, type);
}

}  // namespace heddle::postgres
