#include <flowgraph/op/signature.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;
using form = fg::argument::form;

namespace {

struct swish {
  using types = fg::floating;
  template <class T> void operator()(fg::cpu, fg::view<const T>, fg::view<T>) const;
};
struct without_types {
  void operator()(fg::cpu, fg::view<const float>, fg::view<const bool>, fg::view<std::int32_t>) const;
};
struct nothing {
  void operator()(fg::cpu) const;
};
struct gather {
  using types = fg::type_attrs<fg::type_attr<"Tparams", fg::all_types>, fg::type_attr<"Tindices", fg::index_types>>;
  template <class T, class I>
  void operator()(fg::cpu, fg::view<const T>, fg::view<const I>, fg::view<const float>, fg::view<T>) const;
};
struct chosen_rows {
  using types = fg::type_attrs<fg::type_attr<"T", fg::all_types>, fg::type_attr<"Tindices", fg::index_types>>;
  template <class T, class I> void operator()(fg::cpu, fg::view<const T>, fg::index_view<I>, fg::view<T>) const;
};
struct lists {
  using types = fg::numbers;
  template <class T>
  void operator()(fg::cpu, fg::view_list<const T>, fg::view<const std::int32_t>, fg::any_list, fg::view_list<T>,
                  fg::any_output_list) const;
};
struct where {
  void operator()(fg::cpu, fg::view<const bool>, fg::unsized<std::int64_t>) const;
};
struct assign {
  using types = fg::numbers;
  template <class T> void operator()(fg::cpu, fg::reference<T>, fg::view<const T>, fg::reference_out<T>) const;
};
struct is_initialized {
  using types = fg::numbers;
  template <class T> void operator()(fg::cpu, fg::reference_in<T>, fg::view<bool>) const;
};
struct assign_handle {
  using types = fg::numbers;
  template <class T> void operator()(fg::cpu, fg::variable_handle<T>, fg::view<const T>) const;
};
struct dequeue {
  void operator()(fg::cpu, fg::view<const fg::resource>, fg::view<std::string>, fg::done) const;
};
struct declared_only {  // no kernel of its own on the CPU
  using types = fg::floating;
  template <class T> using signature = void(fg::view_list<const T>, fg::view<T>);
};
struct not_const {
  void operator()(fg::cpu, fg::view<const float>, fg::view<float>);
};

template <class Op> using of = fg::detail::signature_of<Op>;

}  // namespace

static_assert(of<swish>::input_count == 1 && of<swish>::output_count == 1);
static_assert(of<swish>::input(0).type_parameter == 0 && !of<swish>::input(0).is_output && of<swish>::output(0).is_output);
static_assert(of<swish>::input(0).kind == form::single && of<swish>::input(0).fixed == fg::dtype::invalid);
static_assert(of<nothing>::input_count == 0 && of<nothing>::output_count == 0);
static_assert(of<not_const>::input_count == 1);

TEST_CASE("fixed element types are read off the parameters") {
  using s = of<without_types>;
  CHECK(s::input_count == 2);
  CHECK(s::input(0).fixed == fg::dtype::float32);
  CHECK(s::input(1).fixed == fg::dtype::boolean);
  CHECK(s::output(0).fixed == fg::dtype::int32);
  CHECK(s::input(0).type_parameter == -1);
  CHECK(fg::detail::types_of<without_types>::size == 0);
}

TEST_CASE("several type attributes keep their order, fixed ones stand between") {
  using s = of<gather>;
  CHECK(s::input_count == 3);
  CHECK(s::input(0).type_parameter == 0);
  CHECK(s::input(1).type_parameter == 1);
  CHECK(s::input(2).fixed == fg::dtype::float32);
  CHECK(s::output(0).type_parameter == 0);
  static_assert(std::is_same_v<fg::detail::types_of<swish>, fg::type_attrs<fg::type_attr<"T", fg::floating>>>);
  static_assert(fg::detail::types_of<gather>::size == 2);
  CHECK(fg::type_attr<"Tindices", fg::index_types>::name == "Tindices");
}

TEST_CASE("indices that a kernel only reads are an input of their type attribute") {
  using s = of<chosen_rows>;
  CHECK(s::input_count == 2);
  CHECK(s::input(1).type_parameter == 1);
  CHECK(s::input(1).kind == form::single);
  CHECK(s::input(1).is_index);
  CHECK_FALSE(s::input(0).is_index);
}

TEST_CASE("lists of one type and of any types") {
  using s = of<lists>;
  CHECK(s::input_count == 3);
  CHECK(s::output_count == 2);
  CHECK(s::input(0).kind == form::list);
  CHECK(s::input(0).type_parameter == 0);
  CHECK(s::input(1).kind == form::single);
  CHECK(s::input(2).kind == form::mixed_list);
  CHECK(s::output(0).kind == form::list);
  CHECK_FALSE(s::output(0).is_unsized);
  CHECK(s::output(1).kind == form::mixed_list);
  CHECK(s::output(1).is_unsized);
}

TEST_CASE("outputs whose shape the kernel decides") {
  CHECK(of<where>::output(0).is_unsized);
  CHECK(of<where>::output(0).fixed == fg::dtype::int64);
}

TEST_CASE("variables: by reference, to change or to hand on, and by handle") {
  using a = of<assign>;
  CHECK(a::input(0).is_reference);
  CHECK(a::input(0).writes);
  CHECK(a::input(0).type_parameter == 0);
  CHECK_FALSE(a::input(1).is_reference);
  CHECK(a::output(0).is_reference);
  CHECK_FALSE(a::output(0).writes);
  CHECK(of<is_initialized>::input(0).is_reference);
  CHECK_FALSE(of<is_initialized>::input(0).writes);
  using h = of<assign_handle>;
  CHECK(h::output_count == 0);
  CHECK(h::input(0).is_handle);
  CHECK(h::input(0).writes);
  CHECK(h::input(0).fixed == fg::dtype::resource);
  CHECK(h::input(0).type_parameter == -1);
}

TEST_CASE("an asynchronous kernel is known by its last parameter, which is no argument") {
  CHECK(of<dequeue>::asynchronous);
  CHECK(of<dequeue>::input_count == 1);
  CHECK(of<dequeue>::output_count == 1);
  CHECK(of<dequeue>::input(0).fixed == fg::dtype::resource);
  CHECK_FALSE(of<dequeue>::input(0).is_handle);
  CHECK_FALSE(of<swish>::asynchronous);
}

TEST_CASE("a declared signature stands for a kernel that is elsewhere") {
  CHECK(of<declared_only>::input(0).kind == form::list);
  CHECK(of<declared_only>::output_count == 1);
  CHECK_FALSE(fg::detail::parameters_for<declared_only, float>::has_kernel);
  CHECK(fg::detail::parameters_for<swish, float>::has_kernel);
}
