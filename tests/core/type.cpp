#include <flowgraph/core/type.hpp>

#include <flowgraph/core/resource.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <type_traits>

namespace fg = flowgraph;

namespace {

template <class... T, class F> void for_each_type(fg::type_list<T...>, F f) { (f.template operator()<T>(), ...); }

template <class T> constexpr int number_of = static_cast<int>(fg::dtype_of<T>);

}  // namespace

TEST_CASE("element types have TensorFlow's numbers") {
  CHECK(number_of<float> == 1);
  CHECK(number_of<double> == 2);
  CHECK(number_of<std::int32_t> == 3);
  CHECK(number_of<std::uint8_t> == 4);
  CHECK(number_of<std::int16_t> == 5);
  CHECK(number_of<std::int8_t> == 6);
  CHECK(number_of<std::string> == 7);
  CHECK(number_of<fg::complex64> == 8);
  CHECK(number_of<std::int64_t> == 9);
  CHECK(number_of<bool> == 10);
  CHECK(number_of<fg::bfloat16> == 14);
  CHECK(number_of<std::uint16_t> == 17);
  CHECK(number_of<fg::complex128> == 18);
  CHECK(number_of<fg::half> == 19);
  CHECK(number_of<fg::resource> == 20);
  CHECK(number_of<fg::variant> == 21);
  CHECK(number_of<std::uint32_t> == 22);
  CHECK(number_of<std::uint64_t> == 23);
}

TEST_CASE("what is no element type has no number") {
  CHECK(fg::dtype_of<long double> == fg::dtype::invalid);
  CHECK(fg::dtype_of<const float> == fg::dtype::float32);
  CHECK_FALSE(fg::element<char*>);
  CHECK_FALSE(fg::element<void>);
}

TEST_CASE("sizes are those of the C++ types, and every type has a name of its own") {
  std::string names;
  for_each_type(fg::edge_types{}, [&]<class T> {
    CHECK(fg::size_of(fg::dtype_of<T>) == sizeof(T));
    const std::string name = ' ' + std::string(fg::name_of(fg::dtype_of<T>)) + ' ';
    CHECK(names.find(name) == std::string::npos);
    names += name;
  });
  CHECK(fg::size_of(fg::dtype::invalid) == 0);
  CHECK(fg::name_of(fg::dtype::invalid) == "invalid");
  CHECK(fg::name_of(fg::dtype::float32) == "float");
  CHECK(fg::name_of(fg::dtype::float16) == "half");
}

TEST_CASE("plain types are those that can be copied as bytes; floating and complex ones have gradients") {
  for_each_type(fg::edge_types{}, []<class T> {
    CHECK(fg::is_plain(fg::dtype_of<T>) == std::is_trivially_copyable_v<T>);
    CHECK(fg::is_differentiable(fg::dtype_of<T>) == fg::in_list<T, fg::differentiable_numbers>);
    CHECK(fg::carries_gradient(fg::dtype_of<T>) ==
          (fg::in_list<T, fg::differentiable_numbers> || std::is_same_v<T, fg::variant>));
  });
}

TEST_CASE("type lists join in order") {
  static_assert(std::is_same_v<fg::joined<fg::type_list<bool>, fg::type_list<>, fg::type_list<float, int>>,
                               fg::type_list<bool, float, int>>);
  static_assert(fg::edge_types::size == 18);
  CHECK(fg::in_list<std::uint64_t, fg::integers>);
  CHECK_FALSE(fg::in_list<bool, fg::numbers>);
  CHECK_FALSE(fg::in_list<fg::complex64, fg::real_numbers>);
}

TEST_CASE("a visit reaches the type of a number, and its alternative when there is none") {
  for_each_type(fg::edge_types{}, []<class T> {
    const bool reached = fg::visit_type(
        fg::dtype_of<T>, []<class U> { return std::is_same_v<T, U>; }, [] { return false; });
    CHECK(reached);
  });
  CHECK(fg::visit_type(
            fg::dtype::invalid, []<class> { return 1; }, [] { return 2; }) == 2);
  CHECK(fg::visit_type(
            static_cast<fg::dtype>(99), []<class> { return 1; }, [] { return 2; }) == 2);
}
