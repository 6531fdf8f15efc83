#include <flowgraph/op/host_arguments.hpp>

#include <flowgraph/graph/table.hpp>

#include <doctest/doctest.h>

namespace {

namespace fg = flowgraph;

template <class Op> using signature = fg::detail::signature_of<Op>;

}  // namespace

namespace host_arguments {

// `count` rows of x, from row `begin` on.
struct rows {
  static constexpr std::string_view name = "Rows";
  using types = fg::numbers;
  static constexpr auto host_inputs = fg::host_inputs(1, 2);  // begin and count
  static constexpr fg::op_facts facts{.not_differentiable = true};

  fg::shape shape(fg::shape_context& c, fg::shape x, fg::shape, fg::shape) const {
    const fg::any_tensor* count = c.constant(2);
    if (x.rank > 0) x[0] = count ? count->as<std::int32_t>()[0] : -1;
    return x;
  }
  template <class T>
  void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<const std::int32_t> begin, fg::view<const std::int32_t>,
                  fg::view<T> y) const {
    const auto first = static_cast<std::size_t>(begin[0]) * (x.size() / static_cast<std::size_t>(x.shape()[0]));
    if (first + y.size() > x.size()) return ctx.fail(fg::error_code::out_of_range, "there are not so many rows");
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[first + i];
  }
};
struct rows_on_device {
  static constexpr std::string_view name = "HostArgumentsRowsOnDevice";
  using types = fg::numbers;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  template <class T>
  void operator()(fg::cpu, fg::view<const T>, fg::view<const std::int32_t>, fg::view<const std::int32_t>, fg::view<T>) const {}
};
struct another_on_device : rows_on_device {
  static constexpr std::string_view name = "HostArgumentsAnother";
};
struct shapes {  // the list counts once
  static constexpr std::string_view name = "HostArgumentsShapes";
  using types = fg::numbers;
  static constexpr auto host_inputs = fg::host_inputs(1);
  static constexpr auto host_outputs = fg::host_outputs(0u, 2L);
  static constexpr fg::op_facts facts{.not_differentiable = true};
  template <class T>
  void operator()(fg::cpu, fg::view<const T>, fg::view_list<const std::int32_t>, fg::view<const T>, fg::view_list<std::int64_t>,
                  fg::view<T>, fg::view<bool>) const {}
};
struct by_type {
  static constexpr std::string_view name = "HostArgumentsByType";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  void operator()(fg::cpu, fg::view<const std::string>, fg::variable_handle<float>, fg::view<const float>,
                  fg::view<fg::resource>) const {}
};
template <int Input> struct numbered {
  static constexpr auto host_inputs = fg::host_inputs(Input);
  void operator()(fg::cpu, fg::view<const float>, fg::view<const float>, fg::view<float>) const {}
};
template <int Output> struct numbered_output {
  static constexpr auto host_outputs = fg::host_outputs(Output);
  void operator()(fg::cpu, fg::view<const float>, fg::view<const float>, fg::view<float>) const {}
};
struct has_attribute_of_that_name {
  std::int64_t host_inputs = 0;
  static constexpr auto attrs = fg::attrs(fg::attr("host_inputs", &has_attribute_of_that_name::host_inputs));
  void operator()(fg::cpu, fg::view<const float>, fg::view<float>) const {}
};
struct crossed {
  static constexpr auto host_inputs = fg::host_outputs(0);
  void operator()(fg::cpu, fg::view<const float>, fg::view<float>) const {}
};

}  // namespace host_arguments

TEST_CASE("host arguments: those that an op declares, in its tables for all element types") {
  for (const fg::op_table* t : {&fg::table_of<host_arguments::rows, float>, &fg::table_of<host_arguments::rows, double>}) {
    CHECK_FALSE(t->inputs()[0].is_on_host);
    CHECK(t->inputs()[1].is_on_host);
    CHECK(t->inputs()[2].is_on_host);
    CHECK_FALSE(t->outputs()[0].is_on_host);
  }
}

TEST_CASE("host arguments: the value that a shape rule looks for is one") {
  const fg::op_table& table = fg::table_of<host_arguments::rows, float>;
  const fg::shape x{5, 3}, number{};
  const fg::shape* const shapes[] = {&x, &number, &number};
  const fg::any_tensor count = fg::tensor<std::int32_t>({}, {2}).erased();
  const fg::any_tensor* const values[] = {nullptr, nullptr, &count};
  std::uint64_t asked = 0;
  fg::shape_context context(values, 3, &asked);
  fg::shape y;
  const host_arguments::rows op;
  table.infer(&op, context, {shapes, nullptr}, {&y, 1});
  CHECK(y == fg::shape{2, 3});
  CHECK(asked == std::uint64_t{1} << 2);
  CHECK((asked & ~host_arguments::rows::host_inputs.bits()) == 0);
}

TEST_CASE("host arguments: inputs and outputs are counted apart, a list once") {
  using s = signature<host_arguments::shapes>;
  CHECK_FALSE(s::input(0).is_on_host);
  CHECK(s::input(1).is_on_host);
  CHECK_FALSE(s::input(2).is_on_host);
  CHECK(s::output(0).is_on_host);
  CHECK_FALSE(s::output(1).is_on_host);
  CHECK(s::output(2).is_on_host);
}

TEST_CASE("host arguments: ops of equal parameters that declare none share their arguments") {
  using one = signature<host_arguments::rows_on_device>;
  static_assert(std::is_same_v<one::arguments, signature<host_arguments::another_on_device>::arguments>);
  static_assert(!std::is_same_v<one::arguments, signature<host_arguments::rows>::arguments>);
  for (const fg::argument& a : one::arguments::all) CHECK_FALSE(a.is_on_host);
}

TEST_CASE("host arguments: strings and resources are on the host by their type, declared or not") {
  using s = signature<host_arguments::by_type>;
  CHECK(s::input(0).is_on_host);
  CHECK(s::input(1).is_on_host);
  CHECK_FALSE(s::input(2).is_on_host);
  CHECK(s::output(0).is_on_host);
  // Of an argument whose type an attribute says, the type of the call decides.
  const fg::argument& x = signature<host_arguments::rows>::input(0);
  CHECK_FALSE(fg::is_on_host(x, fg::dtype::float32));
  CHECK(fg::is_on_host(x, fg::dtype::string));
  CHECK(fg::is_on_host(x, fg::dtype::resource));
  CHECK(fg::is_on_host(signature<host_arguments::rows>::input(1), fg::dtype::int32));
}

TEST_CASE("host arguments: a number that the signature does not have is seen") {
  using fg::detail::are_host_arguments_there;
  static_assert(are_host_arguments_there<host_arguments::rows> && are_host_arguments_there<host_arguments::shapes>);
  static_assert(are_host_arguments_there<host_arguments::rows_on_device>);
  static_assert(are_host_arguments_there<host_arguments::numbered<1>> && !are_host_arguments_there<host_arguments::numbered<2>>);
  static_assert(!are_host_arguments_there<host_arguments::numbered<-1>>);
  static_assert(!are_host_arguments_there<host_arguments::numbered<64>>);
  static_assert(are_host_arguments_there<host_arguments::numbered_output<0>>);
  static_assert(!are_host_arguments_there<host_arguments::numbered_output<1>>);
  static_assert(!are_host_arguments_there<host_arguments::crossed>);
  static_assert(are_host_arguments_there<host_arguments::has_attribute_of_that_name>);
  static_assert(!signature<host_arguments::has_attribute_of_that_name>::input(0).is_on_host);
}

TEST_CASE("host arguments: numbers up to 63") {
  constexpr fg::argument_numbers numbers(0, 63, 7);
  CHECK(numbers.has(0));
  CHECK(numbers.has(7));
  CHECK(numbers.has(63));
  CHECK_FALSE(numbers.has(1));
  CHECK_FALSE(numbers.has(64));
  CHECK(numbers.are_below(64));
  CHECK(numbers.are_below(100));
  CHECK_FALSE(numbers.are_below(63));
  CHECK(fg::argument_numbers().are_below(0));
  CHECK_FALSE(fg::argument_numbers(64).are_below(100));
}
