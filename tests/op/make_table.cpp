#include <flowgraph/op/make_table.hpp>

#include "call.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

using namespace test;

namespace {

struct scale {
  static constexpr std::string_view name = "Scale";
  using types = fg::type_attrs<fg::type_attr<"T", fg::floating>, fg::type_attr<"I", fg::index_types>>;
  float by = 2;
  static constexpr auto attrs = fg::attrs(fg::attr("by", &scale::by));

  constexpr fg::shape shape(const fg::shape& x, const fg::shape&) const { return x; }
  template <class T, class I> void operator()(fg::cpu, fg::view<const T> x, fg::view<const I> n, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = static_cast<T>(static_cast<float>(x[i]) * by * static_cast<float>(n[0]));
  }
};

// Two lists with a single input between them, two lists out.
struct shuffle {
  static constexpr std::string_view name = "Shuffle";
  using types = fg::type_list<float>;

  fg::shape_list shape(std::span<const fg::shape> a, const fg::shape& b, std::span<const fg::shape> c) const {
    fg::shape_list made(a.begin(), a.end());
    made.push_back(b);
    made.insert(made.end(), c.begin(), c.end());
    return made;
  }
  std::size_t scratch(std::span<const fg::shape> a, const fg::shape&, std::span<const fg::shape> c) const {
    return a.size() * 100 + c.size();
  }
  template <class T>
  void operator()(fg::cpu, fg::view_list<const T> a, fg::view<const T> b, fg::any_list c, fg::view_list<T> y,
                  fg::view<T> sizes) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i].scalar() = a[i].scalar() + b.scalar();
    sizes[0] = static_cast<T>(a.size());
    sizes[1] = static_cast<T>(c.size());
    sizes[2] = static_cast<T>(y.size());
  }
};

struct pair_of {
  static constexpr std::string_view name = "Pair";
  std::array<fg::shape, 2> shape(fg::shape_context& c, const fg::shape& x) const {
    if (x.rank == 0) return {c.fail("expected no scalar"), {}};
    return {x, fg::shape{}};
  }
  void operator()(fg::cpu, fg::view<const float>, fg::view<float>, fg::view<float>) const {}
};

// As many copies as it is told, and one output of each type that it is told.
struct copies {
  static constexpr std::string_view name = "Copies";
  std::int64_t n = 2;
  std::vector<fg::dtype> types_out;
  std::size_t output_count() const { return static_cast<std::size_t>(n); }
  const std::vector<fg::dtype>& output_types() const { return types_out; }
  fg::shape_list shape(const fg::shape_context& c, const fg::shape& x) const { return fg::shape_list(c.output_count(), x); }
  void operator()(fg::cpu, fg::view<const float>, fg::view_list<float>) const {}
};

struct flagged {
  static constexpr std::string_view name = "Flagged";
  static constexpr fg::op_facts facts{.not_differentiable = true,
                                      .stateful = true,
                                      .counts_runs = true,
                                      .outputs_stay = true,
                                      .in_place = true,
                                      .passes_value = true,
                                      .shape_only = true,
                                      .expensive = true,
                                      .engine = {.control = fg::control_flow::merge}};
  fg::any_tensor value;
  fg::shape declared{3};
  const fg::any_tensor& constant() const { return value; }
  const fg::shape& placeholder() const { return declared; }
  void operator()(fg::cpu) const {}
};

struct without_cpu_kernel {
  static constexpr std::string_view name = "DeclaredOnly";
  static constexpr fg::op_facts facts{.alias = true};
  using signature = void(fg::view<const float>, fg::view<float>);
};

struct add_to_all {
  static constexpr std::string_view name = "AddToAll";
  using types = fg::numbers;
  template <class T>
  void operator()(fg::cpu, fg::reference<T> a, fg::reference<T> b, fg::variable_handle<T> c, fg::view<const T> x,
                  fg::reference_out<T>) const {
    for (const fg::view<T>& v : {a.update(), b.update(), c.update()})
      for (T& e : v) e += x.scalar();
  }
};

struct doubled_later {
  static constexpr std::string_view name = "DoubledLater";
  std::vector<fg::done>* waiting = nullptr;
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y, fg::done answer) const {
    y.scalar() = 2 * x.scalar();
    waiting->push_back(std::move(answer));
  }
};

std::vector<fg::shape> infer(const fg::op_table& t, const void* op, const std::vector<fg::shape>& in, std::size_t outputs,
                             std::vector<std::uint32_t> lists = {}, fg::shape_context* context = nullptr) {
  std::vector<const fg::shape*> pointers;
  for (const fg::shape& s : in) pointers.push_back(&s);
  std::vector<fg::shape> out(outputs, fg::shape::unknown());
  fg::shape_context fresh;
  fg::shape_context& c = context ? *context : fresh;
  c.set_output_count(outputs);
  t.infer(op, c, {pointers, lists.empty() ? nullptr : lists.data()}, out);
  return out;
}

}  // namespace

TEST_CASE("a table says name, element types, arguments and attributes") {
  const fg::op_table t = table_for<scale, double, std::int64_t>();
  CHECK(t.name() == "Scale");
  REQUIRE(t.types().size() == 2);
  CHECK(t.types()[0].attribute == "T");
  CHECK(t.types()[0].type == fg::dtype::float64);
  CHECK(t.types()[1].attribute == "I");
  CHECK(t.types()[1].type == fg::dtype::int64);
  CHECK(t.inputs().size() == 2);
  CHECK(t.outputs().size() == 1);
  CHECK(t.attributes().size() == 1);
  CHECK(t.description->size == sizeof(scale));
  CHECK((t.kernel != nullptr));
  CHECK((t.async_kernel == nullptr));
  CHECK((t.description->scratch == nullptr));
  CHECK((t.description->constant == nullptr));
  CHECK(to_string(t) == "Scale<double, int64>");
}

TEST_CASE("a kernel is called with its op's attributes, inputs and outputs") {
  kernel_caller c({edge<double>({2}, {1, 3}), edge<std::int64_t>({}, {5})}, {room<double>({2})});
  c.run<scale, double, std::int64_t>({.by = 10});
  CHECK(c.output<double>(0) == std::vector<double>{50, 150});
}

TEST_CASE("an op struct is made, copied and destroyed through its table") {
  const fg::op_table t = table_for<flagged>();
  alignas(flagged) std::byte a[sizeof(flagged)], b[sizeof(flagged)];
  t.construct(a);
  auto& first = *reinterpret_cast<flagged*>(a);
  first.value = fg::tensor<float>(1.f).erased();
  t.copy(a, b);
  const auto& second = *reinterpret_cast<const flagged*>(b);
  CHECK(second.declared == fg::shape{3});
  CHECK_FALSE(first.value.is_unique());
  t.destroy(b);
  CHECK(first.value.is_unique());
  t.destroy(a);
}

TEST_CASE("lists are cut to the sizes that the node notes") {
  std::vector<fg::edge_value> in;
  for (const float x : {1.f, 2.f, 10.f}) in.push_back(edge<float>({}, {x}));
  in.push_back(edge<int>({}, {7}));
  in.push_back(edge<bool>({}, {true}));
  kernel_caller c(std::move(in), {room<float>({}), room<float>({}), room<float>({3})});
  c.list_sizes = {2, 2, 2};
  c.run<shuffle, float>({});
  CHECK(c.output<float>(0) == std::vector<float>{11});
  CHECK(c.output<float>(1) == std::vector<float>{12});
  CHECK(c.output<float>(2) == std::vector<float>{2, 2, 2});
}

TEST_CASE("shape and scratch rules get lists as the kernel does") {
  const fg::op_table t = table_for<shuffle, float>();
  const shuffle op;
  const std::vector<fg::shape> in = {{1}, {2}, {3}, {4}};
  CHECK(infer(t, &op, in, 4, {1, 2}) == in);
  std::vector<const fg::shape*> pointers;
  for (const fg::shape& s : in) pointers.push_back(&s);
  const std::uint32_t sizes[] = {2, 1};
  CHECK(t.description->scratch(&op, {pointers, sizes}) == 201);
}

TEST_CASE("a rule with several outputs gives a shape each, and may refuse") {
  const fg::op_table t = table_for<pair_of>();
  const pair_of op;
  CHECK(infer(t, &op, {{2, 3}}, 2) == std::vector<fg::shape>{{2, 3}, {}});
  fg::shape_context context;
  infer(t, &op, {{}}, 2, {}, &context);
  CHECK(context.failed());
  CHECK(context.message() == "expected no scalar");
}

TEST_CASE("the node's attributes fix how many outputs a list has, and of which types") {
  const fg::op_table t = table_for<copies>();
  const copies op{3, {fg::dtype::float32, fg::dtype::string}};
  CHECK(infer(t, &op, {{7}}, 3) == std::vector<fg::shape>{{7}, {7}, {7}});
  REQUIRE((t.description->output_count != nullptr));
  CHECK(t.description->output_count(&op) == 3);
  REQUIRE((t.description->output_types != nullptr));
  CHECK(t.description->output_types(&op) == op.types_out);
  CHECK((table_for<shuffle, float>().description->output_count == nullptr));
}

TEST_CASE("flags are read off the op, and are off when it has none") {
  const fg::op_table t = table_for<flagged>();
  CHECK((t.stateful && t.in_place && t.counts_runs && t.expensive && t.shape_only && t.not_differentiable && t.passes_value &&
         t.outputs_stay));
  CHECK(t.control == fg::control_flow::merge);
  CHECK_FALSE(t.alias);
  flagged op;
  CHECK(t.description->constant(&op) == &op.value);
  CHECK(t.description->placeholder(&op) == &op.declared);
  const fg::op_table none = table_for<scale, float, int>();
  CHECK_FALSE((none.stateful || none.in_place || none.counts_runs || none.expensive || none.shape_only || none.alias ||
               none.passes_value || none.not_differentiable || none.outputs_stay));
  CHECK(none.control == fg::control_flow::none);
}

TEST_CASE("an op that only declares its signature has no kernel") {
  const fg::op_table t = table_for<without_cpu_kernel>();
  CHECK((t.kernel == nullptr));
  CHECK((t.async_kernel == nullptr));
  CHECK((t.infer == nullptr));
  CHECK(t.alias);
  CHECK(t.inputs().size() == 1);
}

TEST_CASE("a kernel changes variables under their locks, each locked once though named thrice") {
  auto* state = new fg::variable_state(fg::dtype::float32, {2}, std::pmr::new_delete_resource());
  const fg::resource handle(state);
  state->value() = fg::tensor<float>({2}, {1, 2}).erased();
  const fg::any_tensor reader = state->read();
  const fg::edge_value by_reference({}, state), by_handle(fg::tensor<fg::resource>(handle).erased());

  kernel_caller c({by_reference, by_reference, by_handle, edge<float>({}, {10})}, {fg::edge_value()});
  c.run<add_to_all, float>({});
  REQUIRE_FALSE(c.failure);
  CHECK(state->read().as<float>()[1] == 32.f);
  CHECK(reader.as<float>()[1] == 2.f);    // who has read keeps what was read
  CHECK(c.outputs[0].variable == state);  // the reference is handed on
  state->lock();                          // nobody holds it any more
  state->unlock();
}

TEST_CASE("a kernel whose input names no variable does not run") {
  auto* state = new fg::variable_state(fg::dtype::float32, {1}, std::pmr::new_delete_resource());
  const fg::resource owner(state);
  state->value() = fg::tensor<float>({1}, {1}).erased();
  kernel_caller c({{{}, state}, {{}, state}, {fg::tensor<fg::resource>(fg::resource()).erased()}, edge<float>({}, {10})},
                  {fg::edge_value()});
  c.run<add_to_all, float>({});
  REQUIRE(c.failure);
  CHECK(c.failure.code() == fg::error_code::failed_precondition);
  CHECK(c.failure.message() == "input 2 does not name a variable");
  CHECK(state->read().as<float>()[0] == 1.f);
}

TEST_CASE("a variable without a value cannot be updated") {
  auto* state = new fg::variable_state(fg::dtype::float32, {1}, std::pmr::new_delete_resource());
  const fg::resource owner(state);
  kernel_caller c({{{}, state}, {{}, state}, {fg::tensor<fg::resource>(owner).erased()}, edge<float>({}, {10})},
                  {fg::edge_value()});
  c.run<add_to_all, float>({});
  REQUIRE(c.failure);
  CHECK(c.failure.code() == fg::error_code::failed_precondition);
}

TEST_CASE("an asynchronous kernel gets the means to answer") {
  const fg::op_table t = table_for<doubled_later>();
  CHECK((t.kernel == nullptr));
  REQUIRE((t.async_kernel != nullptr));
  std::vector<fg::done> waiting;
  const doubled_later op{&waiting};
  int answers = 0;
  kernel_caller c({edge<float>({}, {4})}, {room<float>({})});
  t.async_kernel(&op, c.call(),
                 fg::done(std::make_shared<fg::detail::completion>([&](const fg::error& e) { answers += e ? 100 : 1; })));
  CHECK(answers == 0);
  REQUIRE(waiting.size() == 1);
  waiting[0]();
  CHECK(answers == 1);
  CHECK(c.output<float>(0)[0] == 8.f);
}
