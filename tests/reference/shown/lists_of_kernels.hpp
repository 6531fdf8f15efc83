// Full entries of the reference: lists, outputs of unknown shape and variables as kernels receive them.

// view_list
// No error: the kernel must pass an index that is in range; this is not checked.
struct sum_of_all_op {
  static constexpr std::string_view name = "SumOfAll";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(std::span<const fg::shape> x) const { return x[0]; }
  template <class T> void operator()(fg::cpu, fg::view_list<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = T(0);
      for (std::size_t k = 0; k < x.size(); ++k) y[i] += x[k][i];
    }
  }
};
const shown view_list_("view_list", [] {
  fg::graph g;
  const auto a = g.constant(fg::tensor<float>({2}, {1, 2})), b = g.constant(fg::tensor<float>({2}, {10, 20}));
  std::cout << fg::session(g).run(fg::fetch(fg::apply(sum_of_all_op{}, fg::out_list<float>{a, b})))[1] << "\n";
  // prints: 22
});

// unsized
struct first_of_op {
  static constexpr std::string_view name = "FirstOf";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  bool all = false;
  fg::shape shape(fg::shape) const { return {-1}; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::unsized<T> y) const {
    if (all) return y.share(ctx.input(0));
    if (x.size() == 0) return ctx.fail(fg::error_code::invalid_argument, "there is no first element");
    const fg::view<T> one = y.resize({1});
    if (!ctx.failed()) one[0] = x[0];
  }
};
const shown unsized_("unsized", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  fg::session s(g);
  const auto [one, all] = s.run(fg::fetch(fg::apply(first_of_op{}, x), fg::apply(first_of_op{.all = true}, x)),
                                {{x, fg::tensor<float>({3}, {5, 6, 7})}});
  std::cout << one.size() << " " << all.size() << "\n";
  // prints: 1 3

  std::cout << s.try_run(fg::fetch(fg::apply(first_of_op{}, x)), {{x, fg::tensor<float>({0})}}).error().message() << "\n";
  // error: there is no first element
});

// any_list
// No error: the kernel must pass an index that is in range; this is not checked.
struct elements_of_op {
  static constexpr std::string_view name = "ElementsOf";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  std::vector<fg::dtype> kinds;
  static constexpr auto attrs = fg::attrs(fg::required("T", &elements_of_op::kinds));
  fg::shape shape(std::span<const fg::shape>) const { return {}; }
  void operator()(fg::cpu, fg::any_list x, fg::view<std::int64_t> y) const {
    y[0] = 0;
    for (std::size_t i = 0; i < x.size(); ++i) y[0] += x[i].shape().size();
  }
};
const shown any_list_("any_list", [] {
  fg::graph g;
  const elements_of_op op{.kinds = {fg::dtype::float32, fg::dtype::int64}};
  const auto y = fg::apply(op, fg::any_out_list{g.constant(fg::tensor<float>({2, 3})), g.constant(std::int64_t{1})});
  std::cout << fg::session(g).run(fg::fetch(y)).scalar() << "\n";
  // prints: 7
});

// any_output_list
// No error: the kernel must pass an index that is in range; this is not checked.
struct swapped_op {
  static constexpr std::string_view name = "Swapped";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  std::vector<fg::dtype> kinds;
  static constexpr auto attrs = fg::attrs(fg::required("T", &swapped_op::kinds));
  const std::vector<fg::dtype>& output_types() const { return kinds; }
  fg::shape_list shape(fg::shape_context&, std::span<const fg::shape> x) const { return {x[1], x[0]}; }
  void operator()(fg::cpu, fg::any_list x, fg::any_output_list y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y.share(i, x[y.size() - 1 - i]);
  }
};
const shown any_output_list_("any_output_list", [] {
  fg::graph g;
  const swapped_op op{.kinds = {fg::dtype::float32, fg::dtype::float32}};
  const fg::any_out_list y = fg::apply(op, fg::any_out_list{g.constant(1.f), g.constant(2.f)});
  const auto values = fg::session(g).try_run(fg::run_request{.fetches = y}).value();
  std::cout << values[0].as<float>().scalar() << values[1].as<float>().scalar() << "\n";
  // prints: 21
});

// unsized_list
// No error: the kernel must pass an index that is in range; this is not checked.
struct by_sign_op {
  static constexpr std::string_view name = "BySign";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  std::size_t output_count() const { return 2; }
  fg::shape_list shape(fg::shape_context&, fg::shape) const { return {fg::shape{-1}, fg::shape{-1}}; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::unsized_list<T> y) const {
    for (std::size_t k = 0; k < y.size(); ++k) {
      const auto belongs = [k](T v) { return (v < 0) == (k == 0); };
      const fg::view<T> part = y.resize(k, {std::count_if(x.begin(), x.end(), belongs)});
      if (!ctx.failed()) std::copy_if(x.begin(), x.end(), part.begin(), belongs);
    }
  }
};
const shown unsized_list_("unsized_list", [] {
  fg::graph g;
  const fg::out_list<float> parts = fg::apply(by_sign_op{}, g.constant(fg::tensor<float>({3}, {-1, 2, 3})));
  const auto [negative, positive] = fg::session(g).run(fg::fetch(parts[0], parts[1]));
  std::cout << negative.size() << positive.size() << "\n";
  // prints: 12
});

// gradients_of
// No error: the object only holds gradients.
struct weighted_op {
  static constexpr std::string_view name = "Weighted";
  using types = fg::floating;
  constexpr fg::shape shape(fg::shape x, fg::shape) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<const T> w, fg::view<T> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] * w[i];
  }
  template <class T> fg::gradients_of<T, 2> gradient(fg::out<T> x, fg::out<T> w, fg::out<T>, fg::out<T> dy) const {
    return {{dy * w, dy * x}};
  }
};
const shown gradients_of_("gradients_of", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({1}, {3})), w = g.constant(fg::tensor<float>({1}, {5}));
  const auto [dx, dw] = fg::gradients(fg::sum(fg::apply(weighted_op{}, x, w)), x, w);
  const auto [by_x, by_w] = fg::session(g).run(fg::fetch(dx, dw));
  std::cout << by_x[0] << " " << by_w[0] << "\n";
  // prints: 5 3
});

// variable_access
struct halve_op {
  static constexpr std::string_view name = "Halve";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  bool by_assignment = false;
  constexpr fg::shape shape(fg::shape) const { return {}; }
  template <class T> void operator()(fg::cpu ctx, fg::reference<T> v, fg::view<T> y) const {
    if (!v.is_initialized()) return ctx.fail(fg::error_code::failed_precondition, "there is nothing to halve");
    y[0] = v.values()[0];
    if (by_assignment) return v.assign(fg::tensor<T>(v.shape()).erased());
    for (T& element : v.update().span()) element /= 2;
  }
};
const shown variable_access_("variable_access", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {4, 6}));
  const auto before = fg::apply(halve_op{}, w);
  fg::session s(g);
  s.initialize();
  std::cout << s.run(fg::fetch(before)).scalar() << " " << s.run(fg::fetch(w * 1.f))[1] << "\n";
  // prints: 4 3

  fg::session fresh(g);
  std::cout << fresh.try_run(fg::fetch(before)).error().message() << "\n";
  // error: there is nothing to halve
});

// reference_in
// No error: the variable is neither locked nor read.
struct has_value_op {
  static constexpr std::string_view name = "HasValue";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  constexpr fg::shape shape(fg::shape) const { return {}; }
  template <class T> void operator()(fg::cpu ctx, fg::reference_in<T> v, fg::view<bool> y) const {
    y[0] = ctx.read(v.state()).type() != fg::dtype::invalid;
  }
};
const shown reference_in_("reference_in", [] {
  fg::graph g;
  const auto is_there = fg::apply(has_value_op{}, g.variable("w", fg::zeros<float>({2})));
  fg::session s(g);
  std::cout << s.run(fg::fetch(is_there)).scalar();
  s.initialize();
  std::cout << s.run(fg::fetch(is_there)).scalar() << "\n";
  // prints: 01
});

// reference_out
// No error: an output that is not set refers to the variable of the first reference input.
struct second_variable_op {
  static constexpr std::string_view name = "SecondVariable";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  constexpr fg::shape shape(fg::shape, fg::shape b) const { return b; }
  template <class T> void operator()(fg::cpu, fg::reference_in<T>, fg::reference_in<T> b, fg::reference_out<T> y) const {
    y.set(&b.state());
  }
};
const shown reference_out_("reference_out", [] {
  fg::graph g;
  const auto a = g.variable("a", fg::tensor<float>(1.f)), b = g.variable("b", fg::tensor<float>(2.f));
  const auto second = fg::apply(second_variable_op{}, a, b);
  fg::session s(g);
  s.initialize();
  std::cout << s.run(fg::fetch(second * 10.f)).scalar() << "\n";
  // prints: 20
});

// cpu::read
// v: the variable, given by a reference or a resource handle
// Returns a tensor that shares the elements of the variable, or an empty tensor if the variable has no value.
// No error: for a variable without a value, the function returns an empty tensor.
struct extent_of_variable_op {
  static constexpr std::string_view name = "ExtentOfVariable";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  constexpr fg::shape shape(fg::shape) const { return {}; }
  template <class T> void operator()(fg::cpu ctx, fg::reference_in<T> v, fg::view<std::int64_t> y) const {
    y[0] = ctx.read(v.state()).shape()[0];
  }
};
const shown cpu_read("cpu::read", [] {
  fg::graph g;
  const auto extent = fg::apply(extent_of_variable_op{}, g.variable("w", fg::zeros<float>({3})));
  fg::session s(g);
  s.initialize();
  std::cout << s.run(fg::fetch(extent)).scalar() << "\n";
  // prints: 3
});

// cpu::run_resources
// Returns the container of the run, which is destroyed when the run ends. The op must declare `per_run`.
// No error: every run has a container.
struct visits final : fg::resource_base {
  visits() : resource_base(fg::kind_of<visits>()) {}
  float count = 0;
};
struct visited_op {
  static constexpr std::string_view name = "Visited";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true, .per_run = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T>, fg::view<T> y) const {
    const auto found = ctx.run_resources().find_or_make("", "visits", fg::kind_of<visits>(), [] { return new visits; });
    if (!found) return ctx.fail(found.error());
    y[0] = T(++found->template as<visits>()->count);
  }
};
const shown cpu_run_resources("cpu::run_resources", [] {
  fg::graph g;
  const auto first = fg::apply(visited_op{}, g.constant(0.f));
  const auto second = fg::apply(visited_op{}, first);
  fg::session s(g);
  std::cout << s.run(fg::fetch(second)).scalar() << s.run(fg::fetch(second)).scalar() << "\n";
  // prints: 22
});

// done::waits
// Declares that the kernel waits for another run, for example at a queue. session::pause does not wait for such a kernel.
// saved: true: a saved session state contains the position of the wait; false: the run starts again after a state is loaded
// No error: the declaration is always valid.
struct waiting_op {
  static constexpr std::string_view name = "Waiting";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  std::promise<fg::done>* later = nullptr;
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y, fg::done answer) const {
    y[0] = x[0];
    answer.waits(false);
    later->set_value(std::move(answer));
  }
};
const shown done_waits("done::waits", [] {
  std::promise<fg::done> later;
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = fg::apply(waiting_op{.later = &later}, x);
  fg::session s(g);
  std::thread other([&] { s.run(fg::fetch(y), {{x, 7.f}}); });
  fg::done answer = later.get_future().get();
  {
    const fg::session_pause rest = s.pause();
    std::cout << "the session rests\n";
  }
  answer();
  other.join();
  // prints: the session rests
});
