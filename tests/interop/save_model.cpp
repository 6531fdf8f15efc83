#include <flowgraph/interop/save_model.hpp>

#include "../formats/folder.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/tensor_bundle.hpp>
#include <flowgraph/interop/saved_model.hpp>
#include <flowgraph/interop/served_model.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>

#include <doctest/doctest.h>

#include <filesystem>

namespace fg = flowgraph;

namespace {

struct small_model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any, 2});
  fg::variable<float> w = g.variable("w", fg::tensor<float>({2, 2}, {1, 2, 3, 4}));
  fg::variable<float> b = g.variable("b", fg::tensor<float>({2}, {10, 20}), {.trainable = false});
  fg::out<float> y = fg::identity(fg::matmul(x, w) + b, fg::site{"y"});
  fg::session s{g};
  small_model() { s.initialize(); }
  fg::model_signature signature() const { return {.inputs = {{"rows", x}}, .outputs = {{"scores", y}}}; }
};

void refused_as(const fg::result<void>& made, fg::error_code code, std::string_view text) {
  REQUIRE_FALSE(made);
  const std::string what = made.error().what();
  INFO(what);
  CHECK(made.error().code() == code);
  CHECK(what.find(text) != std::string::npos);
}

}  // namespace

TEST_CASE("save_saved_model: what is saved is loaded again, with the values that the session has") {
  const test_folder folder;
  small_model m;
  m.s.assign({{m.w, fg::tensor<float>({2, 2}, {0.5f, 0, 0, -1})}});
  fg::save_saved_model(m.s, {m.signature(), {.name = "weights", .outputs = {{"w", m.w}}}}, folder / "model").value();
  fg::served_model served = fg::load_saved_model(folder / "model").value();
  const fg::tensor<float> rows({1, 2}, {4, 8});
  const auto answers = served.run({{"rows", rows.erased()}});
  CHECK(answers.at("scores").as<float>()[0] == 12);
  CHECK(answers.at("scores").as<float>()[1] == 12);
  CHECK(served.run({}, "weights").at("w").as<float>()[3] == -1);
  CHECK(served.graph().find("w")->op->name() == "VarHandleOp");
  CHECK(served.graph().trainable_variables().size() == 1);
  auto values = fg::tensor_bundle::open(folder / "model/variables/variables").value();
  CHECK(values.tensors().size() == 2);
  CHECK(values.read("b").value().as<float>()[1] == 20);
}

TEST_CASE("save_saved_model: the file has what the signatures need, and says their types and shapes") {
  const test_folder folder;
  small_model m;
  const auto loss = fg::mean(fg::square(m.y), {.name = "loss"});
  fg::sgd{.rate = 0.1f}.minimize(loss);
  const auto on = m.g.on_device("/device:CPU:0");
  const auto z = fg::identity(m.y, {.name = "z"});
  fg::save_saved_model(m.s, {{.name = "f", .inputs = {{"rows", m.x}}, .outputs = {{"z", z}}, .method = "f"}}, folder / "model",
                       {.tags = {"serve", "small"}, .sync = false})
      .value();
  const std::string bytes = fg::read_file(folder / "model/saved_model.pb").value();
  const fg::saved_model read = fg::read_saved_model(std::as_bytes(std::span(bytes))).value();
  REQUIRE(read.graphs.size() == 1);
  const fg::meta_graph& graph = read.graphs[0];
  CHECK(graph.tags == std::vector<std::string>{"serve", "small"});
  REQUIRE(graph.find("f"));
  CHECK(graph.find("f")->method == "f");
  CHECK(graph.find("f")->outputs[0].second == "z:0");
  CHECK(graph.trainable_variables == std::vector<std::string>{"w"});
  CHECK(graph.saver.restore_node == "save/restore_all");
  for (const fg::node_def& n : graph.graph.nodes) {
    CHECK(n.device.empty());
    CHECK(n.name != "loss");
  }
}

TEST_CASE("save_saved_model: variables in loops, handles, names that are shared and names that are taken") {
  const test_folder folder;
  fg::graph g;
  const auto save = g.constant(2.f, {.name = "save"});
  const auto w = g.variable("w", fg::tensor<float>(3.f));
  const fg::var_handle_op named{.declared = fg::shape{}, .shared_name = "shared"};
  const auto first = fg::apply_in<float>(g, named, {.name = "first"}), second = fg::apply_in<float>(g, named, {.name = "second"});
  const auto set = fg::apply_as<float>(fg::site{}, fg::assign_variable_op{}, first, g.constant(5.f));
  const fg::out<float> five = fg::apply_as<float>(fg::site{}, fg::read_variable_op{}, second);
  const auto looped = std::get<1>(fg::while_loop(
      std::tuple{g.constant(0), save}, [](auto i, auto) { return fg::less(i, 3); },
      [&](auto i, auto v) {
        return std::tuple{i + 1, v * w};
      }));
  fg::session s{g};
  s.initialize();
  s.run({set});
  fg::save_saved_model(s, {{.outputs = {{"looped", looped}, {"five", five}}}}, folder / "model").value();
  fg::served_model served = fg::load_saved_model(folder / "model").value();
  const auto answers = served.run({});
  CHECK(answers.at("looped").as<float>()[0] == 54);
  CHECK(answers.at("five").as<float>()[0] == 5);
  CHECK(fg::tensor_bundle::open(folder / "model/variables/variables")->tensors().size() == 2);
}

TEST_CASE("save_saved_model: what cannot be saved is refused by name, and no model is left") {
  const test_folder folder;
  small_model m;
  using code = fg::error_code;
  refused_as(fg::save_saved_model(m.s, {}, folder / "model"), code::invalid_argument, "without signatures");
  refused_as(fg::save_saved_model(m.s, {m.signature(), m.signature()}, folder / "model"), code::invalid_argument,
             "two signatures 'serving_default'");
  refused_as(fg::save_saved_model(m.s, {{.inputs = {{"rows", m.x}}}}, folder / "model"), code::invalid_argument,
             "has no outputs");
  const small_model other;
  refused_as(fg::save_saved_model(m.s, {other.signature()}, folder / "model"), code::invalid_argument,
             "'rows' of signature 'serving_default' is not an edge");
  const auto changed = fg::assign_add(m.b, m.g.constant(fg::tensor<float>({2}, {1, 1})), fg::site{"changed"});
  refused_as(fg::save_saved_model(m.s, {{.outputs = {{"b", changed}}}}, folder / "model"), code::unimplemented, "'changed'");
  const auto fresh = m.g.variable("fresh", fg::tensor<float>(1.f));
  refused_as(fg::save_saved_model(m.s, {{.outputs = {{"fresh", fresh}}}}, folder / "model"), code::failed_precondition,
             "'fresh'");
  CHECK_FALSE(std::filesystem::exists(folder / "model/saved_model.pb"));
  fg::save_saved_model(m.s, {m.signature()}, folder / "model").value();
  refused_as(fg::save_saved_model(m.s, {m.signature()}, folder / "model"), code::already_exists, "there is a model already");
  fg::file_writer::open(folder / "file").value();
  CHECK_FALSE(fg::save_saved_model(m.s, {m.signature()}, folder / "file"));
}
