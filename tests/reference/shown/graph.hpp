// Full entries of the reference: graph/graph.hpp, graph/handle.hpp, ops/operators.hpp.

// graph::placeholder
// name: the name of the node in the current scope; the library makes it unique
// shape: the shape that a run must feed; fg::any is an extent that each run may choose
// Returns a handle on the value that a run feeds. T is the element type.
const shown graph_placeholder("graph::placeholder", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 3});
  std::printf("%s %s\n", x.name().c_str(), fg::to_string(x.shape()).c_str());
  // prints: x [?,3]

  fg::session s(g);
  const auto y = s.try_run(fg::fetch(2.f * x), {{x, fg::tensor<float>({1, 2}, {1, 2})}});
  std::cout << y.error().message() << "\n";
  // error: the tensor fed to 'x' must have shape [?,3], found [1,2]
});
