// The errors of docs/troubleshooting.md, word for word: each is provoked, and compared with the text that the page shows.
//
//     x {any, 4} ──> MatMul ──> y {any, 2} ──> SparseSoftmaxCrossEntropy ──> loss
//                      ^                         ^
//                      w {4, 2}                  t

#include <flowgraph/flowgraph.hpp>

#include <cstdio>

namespace fg = flowgraph;

int different = 0;

// Compares all that an error says but for the line of the program.
void expect(const fg::error& why, std::string_view text) {
  std::string said = why.what();
  said = said.substr(0, said.find("\n  from "));
  if (said != text) ++different, std::printf("expected %s\nfound    %s\n", std::string(text).c_str(), said.c_str());
}
// The error of a call that raises it, as those do that build a graph.
template <class F> fg::error raised(F call) {
  try {
    call();
  } catch (const fg::error& why) { return why; }
  return {};
}

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 4});
  auto w = g.variable("w", fg::zeros<float>({4, 2}));
  auto y = fg::matmul(x, w, {.name = "y"});
  auto t = g.placeholder<std::int32_t>("t", {fg::any});
  auto loss = fg::sparse_softmax_cross_entropy(y, t, {.name = "loss"});
  auto root = fg::sqrt(fg::switch_(y, fg::sum(y) > 0.f).if_true);
  const fg::tensor<float> rows({1, 4}, {1, 2, 3, 4}), many({1000, 4}), narrow({1, 3}), vector({3}), square({3, 4});
  fg::session s{g}, small{g, {.memory_limit = 100}};
  auto step = s.prepare(fg::feed(x), fg::fetch(y)), small_step = small.prepare(fg::feed(x), fg::fetch(fg::sum(fg::tanh(x))));

  expect(step.try_run({}, rows).error(),
         "failed precondition: attempting to use uninitialized value 'w': run its initializer (session::initialize) first\n"
         "  at node 'y' (MatMul)");
  s.initialize(), small.initialize();
  expect(raised([&] { fg::matmul(x, g.constant(square)); }),
         "invalid argument: the inner dimensions differ; found x float[?,4], Const float[3,4]\n  at node 'MatMul' (MatMul)");
  expect(raised([&] { x + g.constant(vector); }),
         "invalid argument: incompatible shapes: expected ones that broadcast; found x float[?,4], Const_1 float[3]\n"
         "  at node 'AddV2' (AddV2)");
  expect(raised([&] { fg::sgd{.rate = 0.1f}.minimize(fg::mean(fg::cast<float>(fg::argmax(y, 1)))); }),
         "invalid argument: the loss 'Mean' depends on no variable through differentiable ops");
  expect(
      s.try_run(fg::fetch(y)).error(),
      "invalid argument: you must feed a value for placeholder 'x' of type float and shape [?,4]\n  at node 'x' (Placeholder)");
  expect(step.try_run({}, narrow).error(),
         "invalid argument: the tensor fed to 'x' must have shape [?,4], found [1,3]\n  at node 'x' (Placeholder)");
  expect(s.try_run(fg::fetch<float>("y:0"), {{"x:0", fg::tensor<double>({1, 4})}}).error(),
         "invalid argument: the tensor fed to 'x' must be float, found double\n  at node 'x' (Placeholder)");
  expect(s.try_run(fg::fetch<float>("z:0")).error(), "not found: the graph has no node named 'z'");
  expect(s.try_run(fg::fetch(loss), {{x, rows}, {t, fg::tensor<std::int32_t>({1}, {7})}}).error(),
         "invalid argument: label 7 is not in [0, 2)\n  at node 'loss' (SparseSoftmaxCrossEntropyWithLogits)");
  expect(small_step.try_run({}, many).error(),
         "resource exhausted: a prepared step needs 16000 bytes of working memory; "
         "session_options::memory_limit is 100, of which 0 are in use");
  expect(fg::add_by_name(g, fg::registry(), {.op = "MatMul", .inputs = {x, w}}).error(),
         "not found: op 'MatMul' is not registered\n  at node 'MatMul' (MatMul)");
  expect(s.try_run(fg::fetch(root), {{x, rows}}).error(),
         "invalid argument: the fetched edge is dead: it is on a branch that was not taken\n  at node 'Sqrt' (Sqrt)");
  fg::out<float> there;
  if (auto on = g.on_device("/device:cuda:0"); true) there = fg::exp(y);
  expect(s.try_run(fg::fetch(there), {{x, rows}}).error(),
         "invalid argument: no device /device:cuda:0; existing: /job:localhost/task:0/device:cpu:0\n  at node 'Exp' (Exp)");
  s.close();
  expect(step.try_run({}, rows).error(), "cancelled: the session is closed");
  return different;
}
