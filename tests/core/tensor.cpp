#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/core/tensor.hpp>

#include "memory.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace fg = flowgraph;

static_assert(!std::is_convertible_v<fg::tensor<float>, fg::tensor<int>>);
static_assert(std::is_nothrow_move_constructible_v<fg::tensor<float>>);

namespace {

template <class T> std::vector<T> elements(const fg::tensor<T>& t) { return {t.begin(), t.end()}; }

}  // namespace

TEST_CASE("a tensor of a shape begins with zeros") {
  const fg::tensor<int> t(fg::shape{2, 2});
  CHECK(elements(t) == std::vector<int>{0, 0, 0, 0});
  CHECK(fg::tensor<std::string>(fg::shape{1})[0].empty());
}

TEST_CASE("a tensor takes values in row-major order") {
  const fg::tensor<float> t({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(t.rank() == 2);
  CHECK(t.dim(0) == 2);
  CHECK(t.dim(-1) == 3);
  CHECK(t.size() == 6);
  CHECK(t(1, 0) == 4.f);
  CHECK(t(0, 2) == t[2]);
  const std::vector<float> from = {1, 2, 3, 4, 5, 6};
  CHECK(elements(fg::tensor<float>({6}, from)) == from);
  CHECK(fg::tensor<float>({0, 4}, {}).size() == 0);
}

TEST_CASE("a scalar is a tensor of rank 0") {
  const fg::tensor<double> t = 2.5;
  CHECK(t.rank() == 0);
  CHECK(t.size() == 1);
  CHECK(t.scalar() == 2.5);
  CHECK(fg::tensor<bool>({1, 1}, {true}).scalar());
  CHECK(fg::tensor<std::string>("text").scalar() == "text");
}

TEST_CASE("copies share their elements until one of them is written to") {
  fg::tensor<float> a({2}, {1, 2});
  fg::tensor<float> b = a;
  CHECK(a.data() == b.data());
  const float* before = a.data();
  b.writable()[0] = 9;
  CHECK(a[0] == 1.f);
  CHECK(b[0] == 9.f);
  CHECK(a.data() == before);
  a.writable()[1] = 8;  // alone now: in place
  CHECK(a.data() == before);
  CHECK(elements(b) == std::vector<float>{9, 2});
}

TEST_CASE("strings detach one by one") {
  const std::string text(100, 'x');
  fg::tensor<std::string> a({2}, {text, "b"});
  fg::tensor<std::string> b = a;
  b.writable()[1] = "c";
  CHECK(a[1] == "b");
  CHECK(b[0] == text);
}

TEST_CASE("an empty tensor has no elements to write to") {
  fg::tensor<float> t;
  CHECK(t.size() == 0);
  CHECK(t.writable().empty());
  CHECK_FALSE(t.erased().has_value());
}

TEST_CASE("what has been moved from is empty") {
  fg::tensor<float> a({2}, {1, 2});
  const fg::tensor<float> b = std::move(a);
  CHECK(a.size() == 0);
  CHECK(a.begin() == a.end());
  CHECK(b.size() == 2);
}

TEST_CASE("a reshaped tensor shares the elements") {
  const fg::tensor<float> a({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto b = a.reshaped({3, 2});
  CHECK(b.data() == a.data());
  CHECK(b(1, 1) == 4.f);
}

TEST_CASE("borrowed memory is not copied, never written to, and handed back when the last tensor is gone") {
  float samples[2] = {1, 2};
  int released = 0;
  {
    fg::tensor<float> result;
    {
      auto t = fg::tensor<float>::borrow({2}, samples, [&released] { ++released; });
      CHECK(t.data() == samples);
      fg::tensor<float> written = t;
      written.writable()[0] = 9;
      CHECK(samples[0] == 1.f);
      result = t.reshaped({1, 2});
    }
    CHECK(released == 0);
    samples[1] = 5;
    CHECK(result[1] == 5.f);
    result.writable()[1] = 6;  // the only user, and still not its own memory
    CHECK(samples[1] == 5.f);
    CHECK(released == 1);
  }
  CHECK(released == 1);
}

TEST_CASE("an erased tensor becomes typed when the types agree, and names both when not") {
  const fg::any_tensor erased = fg::tensor<int>({2}, {1, 2}).erased();
  CHECK(erased.type() == fg::dtype::int32);
  CHECK(erased.bytes() == 8);
  const auto good = fg::tensor<int>::from(erased);
  REQUIRE(good);
  CHECK(good->data() == erased.data());
  const auto bad = fg::tensor<float>::from(erased);
  REQUIRE_FALSE(bad);
  CHECK(bad.error().code() == fg::error_code::invalid_argument);
  CHECK(bad.error().message() == "expected a tensor of float, found int32");
}

TEST_CASE("a tensor gives its memory back to where it came from, and outlives everything else") {
  test::counting_memory memory;
  {
    fg::any_tensor kept;
    {
      auto made = fg::any_tensor::allocate(fg::dtype::float32, {4, 4}, &memory);
      REQUIRE(made);
      CHECK(made->is_unique());
      kept = made->reshaped({16});
      CHECK_FALSE(kept.is_unique());
    }
    CHECK(kept.is_unique());
    CHECK(memory.in_use() >= 64);
    const auto copy = kept.copy(&memory);
    REQUIRE(copy);
    CHECK(copy->data() != kept.data());
    CHECK(memory.allocations() == 2);
  }
  CHECK(memory.in_use() == 0);
}

TEST_CASE("allocation refuses unknown and impossible shapes") {
  const auto unknown = fg::any_tensor::allocate(fg::dtype::float32, {2, fg::any});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code() == fg::error_code::invalid_argument);
  CHECK(unknown.error().message() == "cannot allocate a tensor of shape [2,?]");

  const std::int64_t large = std::int64_t{1} << 46, wrapping = std::int64_t{1} << 32;
  test::counting_memory memory;
  for (const fg::shape& s :
       {fg::shape{large}, fg::shape{large, large}, fg::shape{wrapping, wrapping}, fg::shape{large, large, large, 4}}) {
    const auto huge = fg::any_tensor::allocate(fg::dtype::float64, s, &memory);
    REQUIRE_FALSE(huge);
    CHECK(huge.error().code() == fg::error_code::resource_exhausted);
    fg::any_tensor t;
    CHECK_FALSE(t.emplace(fg::dtype::float64, s, &memory));
    CHECK_FALSE(t.has_value());
  }
  CHECK(memory.allocations() == 0);
  CHECK(fg::any_tensor::allocate(fg::dtype::float64, {fg::detail::most_elements, 0}).has_value());

  test::refusing_memory none;
  CHECK(fg::any_tensor::allocate(fg::dtype::float32, {2}, &none).error().code() == fg::error_code::resource_exhausted);
  CHECK(fg::tensor<float>(1.f).erased().copy(&none).error().code() == fg::error_code::resource_exhausted);
}

TEST_CASE("a tensor is made anew in place, or stays as it was") {
  test::counting_memory memory;
  {
    fg::any_tensor t;
    REQUIRE(t.emplace(fg::dtype::int32, {2, 3}, &memory));
    CHECK(t.shape() == fg::shape{2, 3});
    CHECK(t.size() == 6);
    CHECK(t.is_unique());
    CHECK_FALSE(t.emplace(fg::dtype::float32, {fg::any}, &memory));
    CHECK_FALSE(t.emplace(fg::dtype::float32, fg::shape::unknown(), &memory));
    CHECK(t.type() == fg::dtype::int32);
    REQUIRE(t.emplace(fg::dtype::string, {}, &memory));
    CHECK(t.as<std::string>().scalar().empty());
  }
  CHECK(memory.in_use() == 0);
}

TEST_CASE("a copy of nothing is nothing") {
  const auto copy = fg::any_tensor().copy();
  REQUIRE(copy);
  CHECK_FALSE(copy->has_value());
  CHECK(copy->size() == 0);
}

TEST_CASE("a view of a tensor shows its elements") {
  const fg::tensor<float> t({3}, {1, 2, 3});
  const fg::view<const float> v = t;
  CHECK(v.data() == t.data());
  CHECK(v.dim(0) == 3);
}

#ifndef FLOWGRAPH_EXCEPTIONS
TEST_CASE("without exceptions, too, the heap may refuse") {
  const auto beyond_all_addresses = fg::any_tensor::allocate(fg::dtype::float64, {std::int64_t{1} << 44});
  REQUIRE_FALSE(beyond_all_addresses);
  CHECK(beyond_all_addresses.error().code() == fg::error_code::resource_exhausted);
}
#endif

#ifdef FLOWGRAPH_EXCEPTIONS

namespace {

template <class F> std::string message_of(F f) {
  try {
    f();
  } catch (const fg::error& e) {
    CHECK(e.code() == fg::error_code::invalid_argument);
    return std::string(e.message());
  }
  return "no error";
}

}  // namespace

TEST_CASE("a tensor of another size than its shape is refused") {
  const std::vector<float> three = {1, 2, 3};
  CHECK(message_of([&] { fg::tensor<float>({2, 2}, three); }) == "a tensor of shape [2,2] cannot hold 3 values");
  CHECK(message_of([] { fg::tensor<float>({fg::any}, {1, 2}); }) == "a tensor of shape [?] cannot hold 2 values");
  CHECK(message_of([&] { fg::tensor<float>({3}, three).reshaped({2}); }) == "a tensor of shape [2] cannot hold 3 values");
  CHECK(message_of([] { (void)fg::tensor<float>(fg::shape::unknown()); }) == "cannot allocate a tensor of shape ?");
  CHECK(message_of([&] { fg::tensor<float>::borrow({fg::any}, three.data()); }) == "a tensor cannot have the shape [?]");
  CHECK(message_of([] { fg::tensor<float>::borrow({3}, nullptr); }) == "a tensor of shape [3] cannot borrow a null pointer");
  CHECK(fg::tensor<float>::borrow({0}, nullptr).size() == 0);
  CHECK(message_of([&] { fg::tensor<float>({3}, three).scalar(); }) == "scalar() of a tensor of shape [3]");
  CHECK(message_of([] { fg::tensor<float>().scalar(); }).starts_with("scalar() of"));
}

TEST_CASE("a number that an integer type does not have is refused") {
  CHECK(message_of([] { (void)fg::tensor<std::int32_t>(4294967303); }) == "int32 does not have the number 4294967303");
  CHECK(message_of([] { (void)fg::tensor<std::int32_t>(2.9); }).starts_with("int32 does not have the number 2.9"));
  CHECK(message_of([] { (void)fg::tensor<std::int32_t>(std::numeric_limits<double>::quiet_NaN()); }).starts_with("int32 does"));
  CHECK(message_of([] { (void)fg::tensor<std::uint8_t>(300); }) == "uint8 does not have the number 300");
  CHECK(message_of([] { (void)fg::tensor<std::uint8_t>(-1); }) == "uint8 does not have the number -1");
  CHECK(message_of([] { (void)fg::tensor<std::uint64_t>(-1.0); }).starts_with("uint64 does"));
  CHECK(message_of([] { (void)fg::tensor<std::int64_t>(9223372036854775808.0); }).starts_with("int64 does"));
  CHECK(message_of([] { (void)fg::tensor<std::int64_t>(std::numeric_limits<std::uint64_t>::max()); }).starts_with("int64 does"));
  CHECK(fg::tensor<std::int64_t>(-9223372036854775808.0).scalar() == std::numeric_limits<std::int64_t>::min());
  CHECK(fg::tensor<std::uint8_t>(255.0).scalar() == 255);
  CHECK(fg::tensor<std::uint64_t>(7).scalar() == 7);
  static_assert(!std::is_constructible_v<fg::tensor<bool>, const char*>);
}

#endif

TEST_CASE("the scalar of a temporary tensor, and the value of a temporary result, outlive them") {
  const auto& scalar = fg::tensor<std::string>(std::string(100, 'x')).scalar();
  CHECK(scalar == std::string(100, 'x'));
  int sum = 0;
  for (const int i : fg::result<std::vector<int>>(std::vector<int>{1, 2, 3}).value()) sum += i;
  for (const int i : *fg::result<std::vector<int>>(std::vector<int>{1, 2, 3})) sum += i;
  CHECK(sum == 12);
}
