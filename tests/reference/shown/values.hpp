// Full entries of the reference: core/tensor.hpp, core/shape.hpp, core/error.hpp.

// tensor::shape
// Returns the extents, one per axis.
// No error: every tensor has a shape.
const shown tensor_shape("tensor::shape", [] {
  const fg::tensor<float> t({2, 3});
  std::cout << fg::to_string(t.shape()) << " " << t.shape().rank << "\n";
  // prints: [2,3] 2
});

// tensor::size
// Returns the number of elements: the product of the extents.
// No error: every tensor has a size.
const shown tensor_size("tensor::size", [] {
  const fg::tensor<float> t({2, 3});
  std::cout << t.size() << "\n";
  // prints: 6
});

// tensor::data
// Returns the address of the first element. The elements are in row-major order.
// No error: for a tensor without elements, the address must not be dereferenced.
const shown tensor_data("tensor::data", [] {
  const fg::tensor<float> t({2}, {5, 6});
  std::cout << t.data()[1] << "\n";
  // prints: 6
});

// tensor::values
// Returns a span of the elements in row-major order, which is valid while the tensor exists.
// No error: the span may be empty.
const shown tensor_values("tensor::values", [] {
  const fg::tensor<float> t({2, 2}, {1, 2, 3, 4});
  float sum = 0;
  for (const float v : t.values()) sum += v;
  std::cout << sum << "\n";
  // prints: 10
});

// tensor::operator[]
// Reads one element in row-major order.
// i: the index of the element, less than size()
// Returns the element.
// No error: the caller must pass a number that is in range; this is not checked.
const shown tensor_at("tensor::operator[]", [] {
  const fg::tensor<float> t({2, 2}, {1, 2, 3, 4});
  std::cout << t[2] << "\n";
  // prints: 3
});

// tensor::operator()
// index: an index for each axis
// Returns the element.
// No error: the caller must pass an index that is in range; this is not checked.
const shown tensor_call("tensor::operator()", [] {
  const fg::tensor<float> t({2, 2}, {1, 2, 3, 4});
  std::cout << t(1, 0) << "\n";
  // prints: 3
});

// tensor::scalar
// Returns the only element. Raises an error if the number of elements is not one.
const shown tensor_scalar("tensor::scalar", [] {
  const fg::tensor<float> one(5.f);
  std::cout << one.scalar() << "\n";
  // prints: 5

  try {
    fg::tensor<float>({2}).scalar();
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: scalar() of a tensor of shape [2]
});

// tensor::writable
// Returns a span of the elements to write. If other tensors share the elements, they are copied first.
// No error: the call can fail only if memory runs out.
const shown tensor_writable("tensor::writable", [] {
  fg::tensor<float> a({2}, {1, 2});
  const fg::tensor<float> b = a;
  a.writable()[0] = 9;
  std::cout << a[0] << " " << b[0] << "\n";
  // prints: 9 1
});

// tensor::reshaped
// shape: the new shape, with the same number of elements
// Returns a tensor that shares the elements.
const shown tensor_reshaped("tensor::reshaped", [] {
  const fg::tensor<float> row({4}, {1, 2, 3, 4});
  std::cout << row.reshaped({2, 2})(1, 1) << "\n";
  // prints: 4

  try {
    row.reshaped({3});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: a tensor of shape [3] cannot hold 4 values
});

// tensor::borrow
// shape: the extents
// data: the caller's elements, which must remain unchanged until `release` runs
// release: a function that runs when the last tensor that uses this memory is destroyed; may be empty
// Returns a tensor that uses the caller's memory without a copy.
const shown tensor_borrow("tensor::borrow", [] {
  const std::vector<float> samples{1, 2, 3};
  const auto t = fg::tensor<float>::borrow({3}, samples.data(), {});
  std::cout << (t.data() == samples.data()) << "\n";
  // prints: 1

  try {
    fg::tensor<float>::borrow({fg::any}, samples.data());
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: a tensor cannot have the shape [?]
});

// tensor::from
// Converts an any_tensor to a tensor of T.
// t: a tensor with elements of type T in host memory
// Returns the tensor, which shares the elements, or an error.
const shown tensor_from("tensor::from", [] {
  const fg::any_tensor erased = fg::tensor<float>({2}, {1, 2}).erased();
  std::cout << fg::tensor<float>::from(erased).value()[1] << "\n";
  // prints: 2

  std::cout << fg::tensor<int>::from(erased).error().message() << "\n";
  // error: expected a tensor of int32, found float
});

// tensor::erased
// Returns an any_tensor that shares the elements.
// No error: every tensor can be converted to an any_tensor.
const shown tensor_erased("tensor::erased", [] {
  const fg::tensor<float> t({2});
  std::cout << fg::name_of(t.erased().type()) << "\n";
  // prints: float
});

// any_tensor
// A tensor whose element type is only known at run time. A default-constructed any_tensor is empty: its type is invalid and it
// has no elements.
const shown any_tensor_("any_tensor", [] {
  const fg::any_tensor t = fg::any_tensor::allocate(fg::dtype::float32, fg::shape{2}).value();
  std::cout << fg::name_of(t.type()) << fg::to_string(t.shape()) << " " << t.bytes() << "\n";
  // prints: float[2] 8

  std::cout << fg::any_tensor::allocate(fg::dtype::float32, fg::shape{-1}).error().message() << "\n";
  // error: cannot allocate a tensor of shape [?]
});

// shape
// The extents of a tensor, one per axis. The value fg::any denotes an unknown extent.
// No error: each function checks the shapes that it receives.
const shown shape_("shape", [] {
  const fg::shape s{2, fg::any};
  std::cout << fg::to_string(s) << " " << s.rank << " " << s.is_known() << " " << fg::to_string(fg::shape::unknown()) << "\n";
  // prints: [2,?] 2 0 ?
});

// error
// An error as a value: a code, a message, the node and the op, the source line, and the error that caused it.
// No error: an error can always be constructed.
const shown error_("error", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::session s(g);
  const fg::error why = s.try_run(fg::fetch(x)).error();
  std::cout << fg::name_of(why.code()) << "; " << why.message() << "; " << why.node() << " " << why.op() << "\n";
  // prints: invalid argument; you must feed a value for placeholder 'x' of type float and shape [2]; x Placeholder
});

// error_code
// The kind of an error. The codes are those of TensorFlow and gRPC.
// No error: an error code is only a number.
const shown error_code_("error_code", [] {
  std::cout << fg::name_of(fg::error_code::invalid_argument) << "\n";
  // prints: invalid argument
});

// result
// A value, or the error that explains why there is no value.
const shown result_("result", [] {
  const fg::result<int> good = 3;
  std::cout << good.has_value() << " " << *good << "\n";
  // prints: 1 3

  const fg::result<int> bad = fg::error(fg::error_code::not_found, "no such number");
  try {
    bad.value();
  } catch (const fg::error& why) { std::cout << why.what() << "\n"; }
  // error: not found: no such number
});

// thread_pool
// A group of threads that share the work of sessions. A session without a pool computes in the calling thread.
// No error: a pool without threads computes in the calling thread.
const shown thread_pool_("thread_pool", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({1000}));
  fg::thread_pool pool(2);
  fg::session s(g, {.pool = &pool});
  std::cout << s.run(fg::fetch(fg::sum(x + 1.f))).scalar() << "\n";
  // prints: 1000
});

// out
// A handle to an output of a node, whose elements are of type T. It is a small value and does not keep the graph alive.
const shown out_("out", [] {
  fg::graph g;
  const fg::out<float> x = g.placeholder<float>("x", {2});
  const fg::any_out any = x;
  std::cout << fg::out<float>::from(any).value().name() << "\n";
  // prints: x

  std::cout << fg::out<double>::from(any).error().message() << "\n";
  // error: 'x:0' has elements of type float, expected double
});

// any_out
// A handle to an output of a node, whose element type is known at run time.
// No error: an empty handle has neither a type nor a shape.
const shown any_out_("any_out", [] {
  fg::graph g;
  const fg::any_out x = g.placeholder<float>("x", {2});
  std::cout << x.name() << " " << fg::name_of(x.type()) << fg::to_string(x.shape()) << " " << fg::any_out().is_usable() << "\n";
  // prints: x float[2] 0
});

// target
// A node to run without returning its output. Handles convert to targets.
const shown target_("target", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::zeros<float>({1}));
  fg::session s(g);
  s.run(fg::target(w.initializer));
  std::cout << s.run(fg::fetch(w + 1.f))[0] << "\n";
  // prints: 1

  std::cout << s.try_run(fg::target()).error().message() << "\n";
  // error: an empty handle is run
});

// site
// The name of a node and the source line that adds it. It is the last parameter of every function that adds a node.
// No error: if a name is taken, the graph makes it unique.
const shown site_("site", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  std::cout << fg::relu(x, {"activation"}).name() << " " << fg::relu(x, {"activation"}).name() << "\n";
  // prints: activation activation_1
});

// apply
// Adds a node for an op to the graph of its inputs.
// op: the struct of the op, with its attributes
// a: an input: a handle, a variable, or a list
// b: another input
// c: another input
// d: another input
// in: further inputs
// Returns the outputs: a handle, a list of handles, or a std::tuple of these.
const shown apply_("apply", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {-1, 2}));
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::apply(fg::relu_op{}, x)))[0] << "\n";
  // prints: 0

  try {
    fg::apply(fg::relu_op{}, fg::out<float>());
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: all inputs are empty handles
});

// variant
// No error: an op that reads a variant refuses an object of another class.
const shown variant_("variant", [] {
  fg::graph g;
  const fg::out<fg::variant> kept = fg::optional_of(g.constant(2.f));
  fg::session s(g);
  const fg::tensor<fg::variant> value = s.run(fg::fetch(kept));
  std::cout << (value.scalar().base != nullptr) << "\n";
  // prints: 1
});

// optional_of
// components: the values
// Returns a handle to the optional.
// No error: any values have an optional.
const shown optional_of_("optional_of", [] {
  fg::graph g;
  const auto kept = fg::optional_of(g.constant(2.f), g.constant(std::int32_t{3}));
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::has_value(kept))).scalar() << "\n";
  // prints: 1
});

// values_of
// optional: the optional
// Returns a handle to the value, or a tuple of handles.
const shown values_of_("values_of", [] {
  fg::graph g;
  const auto kept = fg::optional_of(g.constant(2.f), g.constant(std::int32_t{3}));
  const auto [x, n] = fg::values_of<float, std::int32_t>(kept);
  fg::session s(g);
  const auto [a, b] = s.run(fg::fetch(x, n));
  std::cout << a.scalar() << " " << b.scalar() << "\n";
  // prints: 2 3

  std::cout << s.try_run(fg::fetch(fg::values_of<double>(kept))).error().message() << "\n";
  // error: the optional has 2 tensors, expected 1
});
