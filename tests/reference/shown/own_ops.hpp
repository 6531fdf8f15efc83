// Full entries of the reference: op/kernel.hpp, op/attribute.hpp, op/signature.hpp, op/shape_rule.hpp, core/resource.hpp.

// attrs
// Lists the attributes of an op. Each attribute is a member of the op's struct, with the name that files use for it.
// a: results of fg::attr, or of fg::required for attributes without a default
// Returns the list. An op declares the list as `static constexpr auto attrs`.
struct power_op {
  static constexpr std::string_view name = "Power";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  float exponent = 2;
  static constexpr auto attrs = fg::attrs(fg::attr("exponent", &power_op::exponent));
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = T(std::pow(x[i], T(exponent)));
  }
};
const shown attrs_("attrs", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = fg::apply(power_op{.exponent = 3}, x);
  fg::session s(g);
  std::cout << s.run(fg::fetch(y), {{x, 2.f}}).scalar() << " " << fg::to_string(*y.source) << "\n";
  // prints: 8 Power = Power<float>(x) {exponent=3} -> float[]

  fg::registry ops;
  fg::add_op<power_op>(ops).value();
  const auto refused = fg::add_by_name(g, ops, {.op = "Power", .inputs = {x}, .attributes = {{"exponents", 3.f}}});
  std::cout << refused.error().message() << "\n";
  // error: Power has no attribute 'exponents'
});

// attr
// Declares a member of an op's struct as an attribute. The default of the attribute is the member's value in a
// default-constructed struct.
// name: the name that files and add_by_name use
// member: the member of the op's struct
// Returns an entry for the list that fg::attrs makes.
// No error: the compiler rejects a member whose type no attribute can have.
struct shift_op {
  static constexpr std::string_view name = "Shift";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  float by = 1;
  static constexpr auto attrs = fg::attrs(fg::attr("by", &shift_op::by));
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + T(by);
  }
};
const shown attr_("attr", [] {
  fg::graph g;
  fg::registry ops;
  fg::add_op<shift_op>(ops).value();
  const auto x = g.placeholder<float>("x", {});
  fg::node* n = fg::add_by_name(g, ops, {.op = "Shift", .inputs = {x}}).value();
  std::cout << fg::to_string(*n) << "\n";
  // prints: Shift = Shift<float>(x) {by=1} -> float[]
});

// required
// Declares a member of an op's struct as an attribute without a default, which every file must contain.
// name: the name that files and add_by_name use
// member: the member of the op's struct
// Returns an entry for the list that fg::attrs makes.
struct scale_by_op {
  static constexpr std::string_view name = "ScaleBy";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  float factor = 1;
  static constexpr auto attrs = fg::attrs(fg::required("factor", &scale_by_op::factor));
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * T(factor);
  }
};
const shown required_("required", [] {
  fg::graph g;
  fg::registry ops;
  fg::add_op<scale_by_op>(ops).value();
  const auto x = g.placeholder<float>("x", {});
  const auto made = fg::add_by_name(g, ops, {.op = "ScaleBy", .inputs = {x}, .attributes = {{"factor", 3.f}}});
  std::cout << made.has_value() << "\n";
  // prints: 1

  const auto refused = fg::add_by_name(g, ops, {.op = "ScaleBy", .inputs = {x}});
  std::cout << refused.error().message() << "\n";
  // error: attribute 'factor' of ScaleBy is missing
});

// type_attrs
// The type attributes of an op with several element types, in the order of the kernel's template parameters.
struct pick_op {
  static constexpr std::string_view name = "Pick";
  using types = fg::type_attrs<fg::type_attr<"T", fg::numbers>, fg::type_attr<"I", fg::index_types>>;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(fg::shape, fg::shape) const { return {}; }
  template <class T, class I> void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<const I> at, fg::view<T> y) const {
    const auto i = static_cast<std::size_t>(at.scalar());
    if (i >= x.size()) return ctx.fail(fg::error_code::out_of_range, fg::message{"index ", i, " of ", x.size(), " elements"});
    y[0] = x[i];
  }
};
const shown type_attrs_("type_attrs", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({3}, {5, 6, 7}));
  const auto at = g.placeholder<std::int64_t>("at", {});
  const auto y = fg::apply(pick_op{}, x, at);
  fg::session s(g);
  std::cout << s.run(fg::fetch(y), {{at, 2}}).scalar() << "\n";
  // prints: 7

  const auto refused = s.try_run(fg::fetch(y), {{at, 9}});
  std::cout << refused.error().message() << "\n";
  // error: index 9 of 3 elements
});

// type_list
// A list of the element types that an op supports, such as fg::floating or fg::numbers.
// No error: the compiler rejects an element type that is not in the list.
struct double_op {
  static constexpr std::string_view name = "Double";
  using types = fg::type_list<float, std::int32_t>;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + x[i];
  }
};
const shown type_list_("type_list", [] {
  fg::graph g;
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::apply(double_op{}, g.constant(std::int32_t(21))))).scalar() << "\n";
  // prints: 42
});

// cpu::fail
// Ends the node with an error that names the node, its op and the source line. The kernel must return after the call.
// code: the kind of error; invalid_argument if there is none
// message: the text, as a string or a literal
// text: the text as a list of parts: fg::message{"found ", shape}
// why: an error returned by another function
struct root_op {
  static constexpr std::string_view name = "Root";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] < 0) return ctx.fail(fg::message{"element ", i, " is negative"});
      y[i] = std::sqrt(x[i]);
    }
  }
};
const shown cpu_fail("cpu::fail", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto y = fg::apply(root_op{}, x);
  fg::session s(g);
  std::cout << s.run(fg::fetch(y), {{x, fg::tensor<float>({2}, {4, 9})}})[1] << "\n";
  // prints: 3

  const auto refused = s.try_run(fg::fetch(y), {{x, fg::tensor<float>({2}, {4, -9})}});
  std::cout << refused.error().message() << " in " << refused.error().node() << "\n";
  // error: element 1 is negative in Root
});

// cpu::failed
// Returns true if the kernel has called fail, or if a function that it called has failed, such as output.
// No error: the answer is a boolean.
struct halves_op {
  static constexpr std::string_view name = "Halves";
  using types = fg::integers;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size() && !ctx.failed(); ++i) {
      if (x[i] % 2) ctx.fail(fg::error_code::invalid_argument, "odd");
      y[i] = T(x[i] / 2);
    }
  }
};
const shown cpu_failed("cpu::failed", [] {
  fg::graph g;
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::apply(halves_op{}, g.constant(8)))).scalar() << "\n";
  // prints: 4
});

// cpu::parallel_for
// blocks: the number of calls, which must depend only on sizes, never on the number of threads
// call: a function that receives the index of its block
// No error: a block reports an error by calling fail.
struct row_sums_op {
  static constexpr std::string_view name = "RowSums";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(fg::shape x) const { return {x[0]}; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<T> y) const {
    const auto columns = static_cast<std::size_t>(x.dim(1));
    ctx.parallel_for(x.dim(0), [&](std::int64_t row) {
      const auto first = static_cast<std::size_t>(row) * columns;
      y[static_cast<std::size_t>(row)] = std::accumulate(&x[first], &x[first] + columns, T(0));
    });
  }
};
const shown cpu_parallel_for("cpu::parallel_for", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  fg::thread_pool pool(2);
  fg::session s(g, {.pool = &pool});
  const auto y = s.run(fg::fetch(fg::apply(row_sums_op{}, x)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 6 15
});

// cpu::parallel_ranges
// size: the number of elements
// grain: the number of elements per range; the last range may be shorter
// body: a function that receives the index of the first element of its range and the index after the last element
// No error: a range reports an error by calling fail.
struct plus_one_op {
  static constexpr std::string_view name = "PlusOne";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<T> y) const {
    ctx.parallel_ranges(static_cast<std::int64_t>(x.size()), 1024, [&](std::int64_t first, std::int64_t last) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) y[i] = x[i] + 1;
    });
  }
};
const shown cpu_parallel_ranges("cpu::parallel_ranges", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::apply(plus_one_op{}, g.constant(fg::tensor<float>({5000})))));
  std::cout << y[4999] << "\n";
  // prints: 1
});

// cpu::scratch
// Returns the memory, which is aligned for every type and not initialized.
// No error: if memory runs out, the run ends before the kernel is called.
struct reversed_op {
  static constexpr std::string_view name = "Reversed";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true, .in_place = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  std::size_t scratch(fg::shape x) const { return static_cast<std::size_t>(x.size()) * sizeof(double); }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<T> y) const {
    T* copy = ctx.scratch<T>();
    std::copy(x.begin(), x.end(), copy);
    std::reverse_copy(copy, copy + x.size(), y.begin());
  }
};
const shown cpu_scratch("cpu::scratch", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::apply(reversed_op{}, g.constant(fg::tensor<float>({3}, {1, 2, 3})))));
  std::cout << y[0] << y[1] << y[2] << "\n";
  // prints: 321
});

// cpu::output
// index: the index of the output
// shape: the shape of the output, which the kernel has computed
// Returns a view of the elements to write. If memory runs out, the view is empty and the kernel has failed.
// No error: the kernel must return if the view is empty.
struct positive_op {
  static constexpr std::string_view name = "Positive";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(fg::shape) const { return {-1}; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::unsized<T>) const {
    const auto is_positive = [](T v) { return v > 0; };
    const fg::view<T> y = ctx.output<T>(0, fg::shape{std::count_if(x.begin(), x.end(), is_positive)});
    if (!ctx.failed()) std::copy_if(x.begin(), x.end(), y.begin(), is_positive);
  }
};
const shown cpu_output("cpu::output", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::apply(positive_op{}, g.constant(fg::tensor<float>({3}, {-1, 2, 3})))));
  std::cout << y.size() << " " << y[0] << "\n";
  // prints: 2 2
});

// cpu::stop_requested
// Returns true if the run was cancelled, has failed in another node or has passed its deadline. A long kernel should check
// this from time to time, and fail if it is true.
struct long_op {
  static constexpr std::string_view name = "Long";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  int rounds = std::numeric_limits<int>::max();
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T>, fg::view<T>) const {
    for (int i = 0; i < rounds; ++i)
      if (ctx.stop_requested()) return ctx.fail(fg::error_code::cancelled, "stopped");
  }
};
const shown cpu_stop_requested("cpu::stop_requested", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  fg::session s(g);
  std::cout << s.try_run(fg::fetch(fg::apply(long_op{.rounds = 10}, x)), {{x, 1.f}}).has_value() << "\n";
  // prints: 1

  const auto within = fg::run_options::within(std::chrono::milliseconds(20));
  const auto ended = s.try_run(fg::fetch(fg::apply(long_op{}, x)), {{x, 1.f}}, within);
  std::cout << ended.error().message() << "\n";
  // error: stopped
});

// reference
// A variable as a parameter of a kernel, which may change the variable. The variable is locked during the call.
struct running_sum_op {
  static constexpr std::string_view name = "RunningSum";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  constexpr fg::shape shape(fg::shape x, fg::shape) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::reference<T> memory, fg::view<T> y) const {
    const fg::view<T> sum = memory.update();
    for (std::size_t i = 0; i < sum.size(); ++i) y[i] = sum[i] += x[i];
  }
};
const shown reference_("reference", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = fg::apply(running_sum_op{}, x, g.variable("sum", fg::zeros<float>({})));
  fg::session s(g);
  s.initialize();
  s.run(fg::fetch(y), {{x, 1.f}});
  std::cout << s.run(fg::fetch(y), {{x, 2.f}}).scalar() << "\n";
  // prints: 3

  fg::session fresh(g);
  const auto refused = fresh.try_run(fg::fetch(y), {{x, 1.f}});
  std::cout << refused.error().message() << "\n";
  // error: attempting to use uninitialized value: run its initializer (session::initialize) first
});

// view
// The elements of a tensor in row-major order, which a kernel reads or writes: view<const T> for an input, view<T> for an
// output.
// No error: the kernel must pass an index that is in range; this is not checked.
struct trace_op {
  static constexpr std::string_view name = "Diagonal";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(fg::shape x) const { return {x[0]}; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i * static_cast<std::size_t>(x.dim(1)) + i];
  }
};
const shown view_("view", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::apply(trace_op{}, g.constant(fg::tensor<float>({2, 2}, {1, 2, 3, 4})))));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 1 4
});

// shape_context::fail
// Rejects the inputs of an op. The error names the node, the op and the shapes of the inputs.
// expected: a description of the shapes that the rule expects
// Returns a shape that the rule can return.
struct pairs_op {
  static constexpr std::string_view name = "Pairs";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(fg::shape_context& c, fg::shape x) const {
    if (x.rank == 1 && x[0] % 2 == 0) return {x[0] / 2};
    return c.fail("expected a vector of pairs");
  }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[2 * i] + x[2 * i + 1];
  }
};
const shown shape_context_fail("shape_context::fail", [] {
  fg::graph g;
  const auto y = fg::apply(pairs_op{}, g.constant(fg::tensor<float>({4}, {1, 2, 3, 4})));
  std::cout << fg::to_string(y.shape()) << "\n";
  // prints: [2]

  try {
    fg::apply(pairs_op{}, g.constant(fg::tensor<float>({3})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: expected a vector of pairs; found Const_1 float[3]
});
