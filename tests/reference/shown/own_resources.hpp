// Full entries of the reference: resources, attributes, arguments and further parts of ops of one's own.

// resource_base
struct counter final : fg::resource_base {
  counter() : resource_base(fg::kind_of<counter>()) {}
  int count = 0;
};
const shown resource_base_("resource_base", [] {
  fg::container of_session;
  const fg::resource made = of_session.find_or_make("", "visits", fg::kind_of<counter>(), [] { return new counter; }).value();
  ++made.as<counter>()->count;
  const fg::resource again = of_session.find("", "visits");
  std::cout << again.as<counter>()->count << again.base->is_unique() << " " << (again.base->as_savable() == nullptr) << "\n";
  // prints: 10 1

  const auto other = of_session.find_or_make("", "visits", fg::kind_of<int>(), [] { return new counter; });
  std::cout << other.error().message() << "\n";
  // error: resource 'visits' exists and is of another kind
});

// resource
// No error: for a resource of another class, the result is null.
struct kettle final : fg::resource_base {
  kettle() : resource_base(fg::kind_of<kettle>()) {}
  int degrees = 90;
};
struct cup final : fg::resource_base {
  cup() : resource_base(fg::kind_of<cup>()) {}
};
const shown resource_("resource", [] {
  const fg::resource handle(new kettle);
  std::cout << handle.as<kettle>()->degrees << " " << (handle.as<cup>() == nullptr) << "\n";
  // prints: 90 1
});

// kind_of
// Returns an address that identifies the class of a resource. The caller specifies the class.
// No error: every class has such an address.
const shown kind_of_("kind_of", [] {
  std::cout << (fg::kind_of<int>() == fg::kind_of<int>()) << (fg::kind_of<int>() == fg::kind_of<float>()) << "\n";
  // prints: 10
});

// savable
struct notes final : fg::resource_base, fg::savable {
  notes() : resource_base(fg::kind_of<notes>()) {}
  fg::savable* as_savable() noexcept override { return this; }
  fg::result<std::string> save() const override { return text; }
  fg::error load(std::string_view bytes, std::pmr::memory_resource*) override {
    if (bytes.size() > 10) return fg::error(fg::error_code::data_loss, "the note is too long");
    text = bytes;
    return {};
  }
  std::string text;
};
const shown savable_("savable", [] {
  fg::container of_session;
  const auto note = of_session.find_or_make("", "note", fg::kind_of<notes>(), [] { return new notes; }).value();
  note.as<notes>()->text = "tea";
  std::vector<fg::saved_resource> saved = of_session.save().value();
  note.as<notes>()->text = "";
  std::cout << of_session.load(saved).message() << note.as<notes>()->text << "\n";
  // prints: tea

  saved[0].bytes = "far too long a note";
  std::cout << of_session.load(saved).message() << "\n";
  // error: the saved contents of resource 'note': the note is too long
});

// attribute_value
// No error: for a value of another kind, the result is null.
const shown attribute_value_("attribute_value", [] {
  const fg::attribute_value list = std::vector<std::int64_t>{1, 2}, text = "same";
  std::cout << (list.kind() == fg::attribute_kind::list_of_integers) << list.get<std::vector<std::int64_t>>()->size()
            << (text.get<float>() == nullptr) << " " << fg::to_string(text) << "\n";
  // prints: 121 "same"
});

// op/attribute.hpp: to_string
// value: the value
// Returns the text that error messages show for the value.
// No error: every value can be written as text.
const shown text_of_attribute("op/attribute.hpp: to_string", [] {
  std::cout << fg::to_string(fg::attribute_value(std::vector<std::int64_t>{1, 2})) << " "
            << fg::to_string(fg::attribute_value(fg::shape{2, -1})) << "\n";
  // prints: [1, 2] [2,?]
});

// core/shape.hpp: to_string
// s: the shape
// Returns the extents in brackets, with "?" for an unknown extent, or "?" if the rank is unknown.
// No error: every shape can be written as text.
const shown text_of_shape("core/shape.hpp: to_string", [] {
  std::cout << fg::to_string({2, fg::any, 3}) << " " << fg::to_string(fg::shape::unknown()) << "\n";
  // prints: [2,?,3] ?
});

// fits
// found: the shape of a tensor
// expected: the declared shape; fg::any matches every extent
// Returns true if a tensor of shape `found` is allowed.
// No error: all shapes can be compared.
const shown fits_("fits", [] {
  std::cout << fg::fits({32, 784}, {fg::any, 784}) << fg::fits({32, 10}, {fg::any, 784}) << "\n";
  // prints: 10
});

// is_plain
// Returns true if elements of this type are plain bytes: neither strings nor handles.
// type: an element type
// No error: the answer is known for every type.
const shown is_plain_("is_plain", [] {
  std::cout << fg::is_plain(fg::dtype::float32) << fg::is_plain(fg::dtype::string) << "\n";
  // prints: 10
});

// is_differentiable
// Returns true if a value of this type can have a gradient.
// type: an element type
// No error: the answer is known for every type.
const shown is_differentiable_("is_differentiable", [] {
  std::cout << fg::is_differentiable(fg::dtype::float32) << fg::is_differentiable(fg::dtype::int32) << "\n";
  // prints: 10
});

// host_inputs
// all: indices of inputs, from 0
// Returns the indices, for the member `host_inputs` of an op.
// No error: the call only lists indices.
struct repeated_op {
  static constexpr std::string_view name = "Repeated";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  static constexpr auto host_inputs = fg::host_inputs(1);
  fg::shape shape(fg::shape_context& c, fg::shape, fg::shape) const { return c.integers(1); }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<const std::int32_t>, fg::view<T> y) const {
    std::fill(y.begin(), y.end(), x[0]);
  }
};
const shown host_inputs_("host_inputs", [] {
  fg::graph g;
  const auto y = fg::apply(repeated_op{}, g.constant(7.f), g.constant(fg::tensor<std::int32_t>({1}, {3})));
  std::cout << fg::to_string(y.shape()) << " " << fg::session(g).run(fg::fetch(y))[2] << "\n";
  // prints: [3] 7
});

// host_outputs
// all: indices of outputs, from 0
// Returns the indices, for the member `host_outputs` of an op.
// No error: the call only lists indices.
struct extents_op {
  static constexpr std::string_view name = "Extents";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  static constexpr auto host_outputs = fg::host_outputs(0);
  fg::shape shape(fg::shape x) const { return {x.rank}; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<std::int32_t> y) const {
    for (int i = 0; i < x.rank(); ++i) y[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(x.dim(i));
  }
};
const shown host_outputs_("host_outputs", [] {
  fg::graph g;
  const auto y = fg::session(g).run(fg::fetch(fg::apply(extents_op{}, g.constant(fg::tensor<float>({2, 3})))));
  std::cout << y[0] << y[1] << "\n";
  // prints: 23
});

// is_on_host
// a: a declared input or output
// element: the element type of the argument
// Returns true if the argument is in host memory on every device.
// No error: the answer is known for every argument.
const shown is_on_host_("is_on_host", [] {
  fg::argument declared;
  declared.type_parameter = 0;
  std::cout << fg::is_on_host(declared, fg::dtype::float32) << fg::is_on_host(declared, fg::dtype::string) << "\n";
  // prints: 01
});

// work_figure
// No error: an unknown extent counts as 1.
const shown work_figure_("work_figure", [] {
  const std::vector<fg::shape> in{{8, 4}, {4, 3}}, out{{8, 3}};
  const fg::work_figure of_matmul = fg::work_figure(2).elements_of_output(0).columns_of_input(0);
  const fg::work_figure by_rows = fg::work_figure(1).rows_of_input(0).columns_of_output(0);
  std::cout << of_matmul.operations(in, out) << " " << by_rows.operations(in, out) << " "
            << fg::work_figure(1).elements_of_input(1).operations(in, out) << " "
            << fg::work_figure(1).rows_of_output(0).is_declared() << "\n";
  // prints: 192 24 12 1
});

// op_facts
// Guide: adding_an_op.md
// No error: a misspelt fact does not compile.
struct base_of_counters {
  static constexpr fg::op_facts base_facts{.not_differentiable = true, .stateful = true};
};
struct count_calls_op : base_of_counters {
  static constexpr std::string_view name = "CountCalls";
  static constexpr fg::op_facts facts{.counts_runs = true};
  constexpr fg::shape shape() const { return {}; }
  void operator()(fg::cpu ctx, fg::view<double> y) const { y[0] = static_cast<double>(ctx.ordinal()); }
};
const shown op_facts_("op_facts", [] {
  fg::graph g;
  const auto calls = fg::apply_in(g, count_calls_op{});
  fg::session s(g);
  for (int i = 0; i < 3; ++i) std::cout << s.run(fg::fetch(calls)).scalar();
  std::cout << "\n";
  // prints: 012

  const fg::op_facts all = base_of_counters::base_facts.with(count_calls_op::facts);
  std::cout << all.stateful << all.counts_runs << all.in_place << "\n";
  // prints: 110
});

// op_meaning
// Guide: adding_an_op.md
// No error: a meaning is a constant.
struct mirrored_op {
  static constexpr std::string_view name = "Mirrored";
  static constexpr fg::op_facts facts{.not_differentiable = true, .meaning = fg::op_meaning::involution};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const { y[0] = 1 - x[0]; }
};
const shown op_meaning_("op_meaning", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = fg::apply(mirrored_op{}, fg::apply(mirrored_op{}, x));
  fg::session s(g, {.passes = {.further = {fg::passes::arithmetic}}});
  std::cout << s.run(fg::fetch(y), {{x, 0.25f}}).scalar() << " " << (mirrored_op::facts.meaning == fg::op_meaning::none) << "\n";
  // prints: 0.25 0
});

// shape_context::message
// Returns the text that the rule passed to fail.
// No error: the function is called after the rule has failed.
const shown shape_context_message("shape_context::message", [] {
  fg::shape_context c(nullptr, 0);
  c.fail("expected a vector");
  std::cout << c.failed() << " " << c.message() << "\n";
  // prints: 1 expected a vector
});

// shape_context::output_count
// Returns the number of outputs of a list whose length the node determines.
// No error: reading a count cannot fail.
const shown shape_context_output_count("shape_context::output_count", [] {
  fg::shape_context c(nullptr, 0);
  c.set_output_count(3);
  std::cout << c.output_count() << "\n";
  // prints: 3
});

// shape_context::set_output_count
// Sets the number of outputs of a list. The engine calls it before it applies the rule.
// n: the number of outputs
// No error: every number is accepted.
const shown shape_context_set_output_count("shape_context::set_output_count", [] {
  fg::shape_context c(nullptr, 0);
  c.set_output_count(2);
  std::cout << c.output_count() << "\n";
  // prints: 2
});

// shape_context::reset
// constants: the known values of the inputs; null for an unknown value
// count: the number of inputs
// outputs: the number of outputs of a list
// No error: the context can be reset at any time.
const shown shape_context_reset("shape_context::reset", [] {
  const fg::any_tensor size = fg::tensor<std::int32_t>({2}, {3, 4}).erased();
  const fg::any_tensor* const constants[]{&size};
  fg::shape_context c(nullptr, 0);
  c.reset(constants, 1, 1);
  std::cout << fg::to_string(c.integers(0)) << "\n";
  // prints: [3,4]
});
