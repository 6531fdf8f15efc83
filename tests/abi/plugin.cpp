// A plug-in: a graph with a variable and its session behind two functions of C.

#include <flowgraph/flowgraph.hpp>

namespace fg = flowgraph;

namespace {

struct layer {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {1, 64});
  fg::out<float> y = fg::tanh(fg::matmul(x, g.variable("w", fg::glorot_uniform<float>({64, 64}))));
  fg::session s{g};
  layer() {
    s.initialize();
    s.run(fg::fetch(y), {{x, fg::tensor<float>({1, 64})}});
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) void* make_layer() { return new layer; }
extern "C" __attribute__((visibility("default"))) void destroy_layer(void* made) { delete static_cast<layer*>(made); }
