#include <flowgraph/core/detail/real_from_chars.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string_view>

namespace {

template <class T> struct number_read {
  T value = 42;
  std::size_t used;
  std::errc fault;
  explicit number_read(std::string_view text, std::chars_format format = std::chars_format::general) {
    const auto made = flowgraph::detail::real_from_chars(text.data(), text.data() + text.size(), value, format);
    used = static_cast<std::size_t>(made.ptr - text.data());
    fault = made.ec;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("real_from_chars: a number is read as far as it goes", T, float, double) {
  const number_read<T> plain("-1.5e2x", std::chars_format::general), whole("7"), point("0.25.5");
  CHECK(plain.value == T(-150));
  CHECK(plain.used == 6);
  CHECK(plain.fault == std::errc());
  CHECK(whole.value == T(7));
  CHECK(whole.used == 1);
  CHECK(point.value == T(0.25));
  CHECK(point.used == 4);
  CHECK(number_read<T>("0.1").value == T(0.1));
  CHECK(std::isinf(number_read<T>("-inf").value));
  CHECK(std::isnan(number_read<T>("nan").value));
}

TEST_CASE_TEMPLATE("real_from_chars: hexadecimal digits have no prefix, and a prefix is no number", T, float, double) {
  CHECK(number_read<T>("1.8p1", std::chars_format::hex).value == T(3));
  const number_read<T> prefixed("0x10");
  CHECK(prefixed.value == T(0));
  CHECK(prefixed.used == 1);
}

TEST_CASE_TEMPLATE("real_from_chars: what is no number or does not fit leaves the value", T, float, double) {
  for (const std::string_view text : {"", " 1", "+1", "x", "-", "--1", "- 1"}) {
    const number_read<T> made(text);
    CHECK(made.fault == std::errc::invalid_argument);
    CHECK(made.used == 0);
    CHECK(made.value == T(42));
  }
  const number_read<T> large("1e999"), small("1e-999");
  CHECK(large.fault == std::errc::result_out_of_range);
  CHECK(large.used == 5);
  CHECK(large.value == T(42));
  CHECK(small.fault == std::errc::result_out_of_range);
  CHECK(small.value == T(42));
}

TEST_CASE_TEMPLATE("real_from_chars: numbers below the smallest normal one are read", T, float, double) {
  const T least = std::numeric_limits<T>::denorm_min();
  const number_read<T> made(sizeof(T) == 4 ? "1.4e-45" : "4.9e-324");
  CHECK(made.fault == std::errc());
  CHECK(made.value == least);
}
