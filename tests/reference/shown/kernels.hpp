// Full entries of the reference: further members of op/kernel.hpp and op/shape_rule.hpp.

// cpu::input
// index: the index of the input
// Returns the tensor of an input, which can be kept after the call or passed on without a copy.
// No error: the kernel must pass an index that is in range; this is not checked.
struct handed_on_op {
  static constexpr std::string_view name = "HandedOn";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T>, fg::unsized<T> y) const { y.share(ctx.input(0)); }
};
const shown of_cpu_input("cpu::input", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::apply(handed_on_op{}, g.constant(fg::tensor<float>({2}, {3, 4})))));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 3 4
});

// cpu::set_output
// Sets an output to an existing tensor without a copy.
// index: the index of the output
// tensor: the value, which must have the type of the output
// No error: the kernel must pass the right type and shape, which are not checked.
struct set_op {
  static constexpr std::string_view name = "SetOutput";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T>, fg::unsized<T>) const { ctx.set_output(0, ctx.input(0)); }
};
const shown of_cpu_set_output("cpu::set_output", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::apply(set_op{}, g.constant(fg::tensor<float>({2}, {3, 4})))));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 3 4
});

// cpu::input_count
// Returns the number of inputs of the node; each tensor of a list counts separately.
// No error: reading a count cannot fail.
struct counting_op {
  static constexpr std::string_view name = "Counting";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T>, fg::view<T> y) const {
    y[0] = T(ctx.input_count() * 10 + ctx.output_count());
  }
};
const shown of_cpu_input_count("cpu::input_count", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::apply(counting_op{}, g.constant(fg::tensor<float>({2}, {3, 4})))));
  std::cout << y[0] << "\n";
  // prints: 11
});

// cpu::output_count
// Returns the number of outputs of the node; each tensor of a list counts separately.
// No error: reading a count cannot fail.
struct outputs_op {
  static constexpr std::string_view name = "Outputs";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T>, fg::view<T> y) const { y[0] = T(ctx.output_count()); }
};
const shown of_cpu_output_count("cpu::output_count", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::apply(outputs_op{}, g.constant(fg::tensor<float>({2}, {3, 4})))));
  std::cout << y[0] << "\n";
  // prints: 1
});

// cpu::may_wait
// Returns false if the kernel must fail instead of waiting for another run. The value is that of run_options::may_wait.
// No error: the option has a value in every run.
struct patient_op {
  static constexpr std::string_view name = "Patient";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T>, fg::view<T> y) const { y[0] = ctx.may_wait() ? T(1) : T(0); }
};
const shown of_cpu_may_wait("cpu::may_wait", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::apply(patient_op{}, g.constant(fg::tensor<float>({2}, {3, 4})))));
  std::cout << y[0] << "\n";
  // prints: 1
});

// cpu::memory
// Returns the memory resource of the run, for temporary memory of the kernel.
// No error: if memory runs out, the memory resource throws an exception, for example std::bad_alloc.
struct in_memory_op {
  static constexpr std::string_view name = "InMemory";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<T> y) const {
    std::pmr::vector<T> copy(x.begin(), x.end(), ctx.memory());
    std::copy(copy.begin(), copy.end(), y.begin());
  }
};
const shown of_cpu_memory("cpu::memory", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::apply(in_memory_op{}, g.constant(fg::tensor<float>({2}, {3, 4})))));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 3 4
});

// cpu::lasting_memory
// Returns the memory resource for values that outlive the run, such as values that an op keeps in a resource.
// No error: every run has such a memory resource.
struct lasting_op {
  static constexpr std::string_view name = "Lasting";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T>, fg::view<T> y) const {
    y[0] = ctx.lasting_memory() ? T(1) : T(0);
  }
};
const shown of_cpu_lasting_memory("cpu::lasting_memory", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::apply(lasting_op{}, g.constant(fg::tensor<float>({2}, {3, 4})))));
  std::cout << y[0] << "\n";
  // prints: 1
});

// cpu::resources
// Returns the container of the session, in which ops keep state between runs.
// No error: every session has a container.
struct holding_op {
  static constexpr std::string_view name = "Holding";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T>, fg::view<T> y) const {
    y[0] = ctx.resources().memory() ? T(1) : T(0);
  }
};
const shown of_cpu_resources("cpu::resources", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::apply(holding_op{}, g.constant(fg::tensor<float>({2}, {3, 4})))));
  std::cout << y[0] << "\n";
  // prints: 1
});

// cpu::ordinal
// Returns the number of previous runs of the node in this session, a key for random numbers. The op must declare
// `counts_runs`.
// No error: reading a count cannot fail.
struct nth_op {
  static constexpr std::string_view name = "Nth";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true, .counts_runs = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T>, fg::view<T> y) const { y[0] = T(ctx.ordinal()); }
};
const shown of_cpu_ordinal("cpu::ordinal", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = fg::apply(nth_op{}, g.constant(0.f));
  s.run(fg::fetch(y));
  std::cout << s.run(fg::fetch(y)).scalar() << "\n";
  // prints: 1
});

// cpu::set_aside
// count: the number of random numbers to reserve
// Returns the number of random numbers reserved before, which is the key of the first new number.
// No error: reading a count cannot fail.
struct drawing_op {
  static constexpr std::string_view name = "Drawing";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true, .counts_runs = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T>, fg::view<T> y) const { y[0] = T(ctx.set_aside(5)); }
};
const shown of_cpu_set_aside("cpu::set_aside", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = fg::apply(drawing_op{}, g.constant(0.f));
  s.run(fg::fetch(y));
  std::cout << s.run(fg::fetch(y)).scalar() << "\n";
  // prints: 5
});

// cpu::iteration
// Returns a number that differs for each iteration of a loop; 0 outside loops.
// No error: reading a count cannot fail.
struct outside_op {
  static constexpr std::string_view name = "Outside";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true, .counts_runs = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T>, fg::view<T> y) const { y[0] = T(ctx.iteration()); }
};
const shown of_cpu_iteration("cpu::iteration", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::apply(outside_op{}, g.constant(fg::tensor<float>({2}, {3, 4})))));
  std::cout << y[0] << "\n";
  // prints: 0
});

// cpu::at
// Returns the name, the op, the id and the source line of the node whose kernel runs.
// No error: every kernel call belongs to a node.
struct named_op {
  static constexpr std::string_view name = "Named";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T>, fg::view<T> y) const {
    const fg::call_site& here = *ctx.at();
    y[0] = T(here.name.size());
  }
};
const shown of_cpu_at("cpu::at", [] {
  fg::graph g;
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::apply(named_op{}, g.constant(0.f), {"here"}))).scalar() << "\n";
  // prints: 4
});

// done::operator()
// Ends the node of an asynchronous kernel. The kernel must call it exactly once, from any thread.
// why: the error of the node; empty: the outputs have been written
struct later_op {
  static constexpr std::string_view name = "Later";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y, fg::done done) const {
    if (x[0] < 0) return done(fg::error(fg::error_code::out_of_range, "x is negative"));
    y[0] = x[0];
    done();
  }
};
const shown of_done_call("done::operator()", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {1});
  const auto y = fg::apply(later_op{}, x);
  fg::session s(g);
  std::cout << s.run(fg::fetch(y), {{x, fg::tensor<float>({1}, {4})}})[0] << "\n";
  // prints: 4

  const auto refused = s.try_run(fg::fetch(y), {{x, fg::tensor<float>({1}, {-4})}});
  std::cout << refused.error().message() << "\n";
  // error: x is negative
});

// done::on_cancel
// stop: a function that runs at most once, if the run is cancelled before the node ends
struct silent_op {
  static constexpr std::string_view name = "Silent";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y, fg::done done) const {
    if (x[0] > 0) {
      y[0] = x[0];
      return done();
    }
    auto later = std::make_shared<fg::done>(std::move(done));
    later->on_cancel([later] { (*later)(fg::error(fg::error_code::cancelled, "no answer came")); });
  }
};
const shown of_done_on_cancel("done::on_cancel", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {1});
  const auto y = fg::apply(silent_op{}, x);
  fg::session s(g);
  std::cout << s.run(fg::fetch(y), {{x, fg::tensor<float>({1}, {4})}})[0] << "\n";
  // prints: 4

  const auto late =
      s.try_run(fg::fetch(y), {{x, fg::tensor<float>({1})}}, fg::run_options::within(std::chrono::milliseconds(10)));
  std::cout << fg::name_of(late.error().code()) << "\n";
  // error: deadline exceeded
});

// done
// The last parameter of an asynchronous kernel. The node ends when the kernel calls this object, from any thread.
struct answered_op {
  static constexpr std::string_view name = "Answered";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y, fg::done done) const {
    y[0] = x[0];
    done();
  }
};
struct dropped_op {
  static constexpr std::string_view name = "Dropped";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T>, fg::view<T>, fg::done) const {}
};
const shown of_done("done", [] {
  fg::graph g;
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::apply(answered_op{}, g.constant(2.f)))).scalar() << "\n";
  // prints: 2

  const auto refused = s.try_run(fg::fetch(fg::apply(dropped_op{}, g.constant(2.f))));
  std::cout << refused.error().message() << "\n";
  // error: an asynchronous kernel dropped its completion unanswered
});

// cpu
// The first parameter of a kernel. It gives access to the errors, threads, memory and resources of one call.
struct doubled_op {
  static constexpr std::string_view name = "Doubled";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<T> y) const {
    if (x.size() > 100) return ctx.fail(fg::error_code::invalid_argument, "more than 100 elements");
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + x[i];
  }
};
const shown of_cpu("cpu", [] {
  fg::graph g;
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::apply(doubled_op{}, g.constant(fg::tensor<float>({2}, {3, 4})))));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 6 8

  const auto refused = s.try_run(fg::fetch(fg::apply(doubled_op{}, g.constant(fg::tensor<float>({200})))));
  std::cout << refused.error().message() << "\n";
  // error: more than 100 elements
});

// shape_context::integers
// i: the index of the input
// Returns the elements as a list, whose rank is -1 if the elements are not known before the run.
// No error: if the elements are not known, the rank is -1.
struct integers_rule_op {
  static constexpr std::string_view name = "IntegersRule";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  static constexpr auto host_inputs = fg::host_inputs(1);
  fg::shape shape(fg::shape_context& c, fg::shape, fg::shape) const {
    return c.integers(1).rank < 0 ? fg::shape{-1} : fg::shape{c.integers(1)[0]};
  }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<const std::int32_t>, fg::view<T> y) const {
    std::copy_n(x.begin(), y.size(), y.begin());
  }
};
const shown of_shape_context_integers("shape_context::integers", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({4}));
  const auto y = fg::apply(integers_rule_op{}, x, g.constant(fg::tensor<std::int32_t>({1}, {2})));
  std::cout << fg::to_string(y.shape()) << "\n";
  // prints: [2]
});

// shape_context::constant
// i: the index of the input
// Returns the value of the input if it is known, otherwise null.
// No error: if the value is not known, the function returns null.
struct constant_rule_op {
  static constexpr std::string_view name = "ConstantRule";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  static constexpr auto host_inputs = fg::host_inputs(1);
  fg::shape shape(fg::shape_context& c, fg::shape, fg::shape) const {
    const fg::any_tensor* size = c.constant(1);
    return {size ? size->as<std::int32_t>()[0] : -1};
  }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<const std::int32_t>, fg::view<T> y) const {
    std::copy_n(x.begin(), y.size(), y.begin());
  }
};
const shown of_shape_context_constant("shape_context::constant", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({4}));
  const auto y = fg::apply(constant_rule_op{}, x, g.constant(fg::tensor<std::int32_t>({1}, {2})));
  std::cout << fg::to_string(y.shape()) << "\n";
  // prints: [2]
});

// shape_context::failed
// Returns true if the shape rule has called fail.
// No error: the answer is a boolean.
struct failed_rule_op {
  static constexpr std::string_view name = "FailedRule";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  static constexpr auto host_inputs = fg::host_inputs(1);
  fg::shape shape(fg::shape_context& c, fg::shape x, fg::shape) const {
    if (x.rank != 1) c.fail("expected a vector");
    return c.failed() ? fg::shape::unknown() : x;
  }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<const std::int32_t>, fg::view<T> y) const {
    std::copy_n(x.begin(), y.size(), y.begin());
  }
};
const shown of_shape_context_failed("shape_context::failed", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({4}));
  const auto y = fg::apply(failed_rule_op{}, x, g.constant(fg::tensor<std::int32_t>({1}, {2})));
  std::cout << fg::to_string(y.shape()) << "\n";
  // prints: [4]
});
