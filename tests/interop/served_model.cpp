#include <flowgraph/interop/served_model.hpp>

#include "../formats/folder.hpp"
#include "proto.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/file.hpp>
#include <flowgraph/interop/export.hpp>
#include <flowgraph/train/saver.hpp>

#include <doctest/doctest.h>

#include <filesystem>

namespace fg = flowgraph;

namespace {

using proto::number;
using proto::part;

std::string entry(const std::string& key, const std::string& value) { return part(1, key) + part(2, value); }
std::string info(const std::string& edge) { return part(1, edge) + number(2, 1); }

// Writes a SavedModel of one graph, y = x * w + b, as TensorFlow's first savers do; `count` is a variable that only its initializer sets.
void write_model(const std::string& folder, const std::string& tag = "serve") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 2});
  auto w = g.variable<float>("w", fg::tensor<float>({2, 2}, {1, 2, 3, 4}));
  auto b = g.variable<float>("b", fg::tensor<float>({2}, {10, 20}));
  const fg::any_out y = fg::matmul(x, w) + b;
  fg::saver saver(g, {.directory = folder + "/variables", .name = "variables", .state = false});
  fg::session s{g};
  s.initialize();
  const std::string prefix = saver.save(s, 1).value();
  for (const char* end : {".index", ".data-00000-of-00001"})
    std::filesystem::rename(prefix + end, folder + "/variables/variables" + end);
  s.assign({{w, fg::tensor<float>({2, 2}, {0, 0, 0, 0})}});
  REQUIRE(saver.restore(s, folder + "/variables/variables"));  // which makes the nodes that restore
  g.variable<float>("count", fg::tensor<float>(5.f));
  std::string restore, prefix_edge;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const std::string name(g.at(i)->name);
    if (g.at(i)->op->name() == "NoOp" && name.starts_with("restore/")) restore = name;
    if (name.starts_with("save/prefix")) prefix_edge = name + ":0";
  }
  const std::string graph = fg::write_graph_def(fg::export_graph(g).value()).value();
  const std::string predict = part(1, entry("input", info("x:0"))) + part(2, entry("output", info(y.name())));
  const std::string counted = part(2, entry("count", info("count:0")));
  const std::string sparse = part(1, entry("ids", part(4, part(1, "x:0")))) + part(2, entry("output", info(y.name())));
  const std::string meta = part(1, part(4, tag)) + part(2, graph) + part(3, part(1, prefix_edge) + part(3, restore)) +
                           part(4, entry("legacy_init_op", part(1, part(1, "count/Assign")))) +
                           part(5, entry("serving_default", predict)) + part(5, entry("counted", counted)) +
                           part(5, entry("sparse", sparse));
  auto file = fg::atomic_file::create(folder + "/saved_model.pb").value();
  file.write(part(2, meta)).value();
  file.commit().value();
}

}  // namespace

TEST_CASE("served_model: restores the variables, runs what initialises, and answers by the names of its signatures") {
  const test_folder folder;
  write_model(folder.path());
  fg::served_model model = fg::load_saved_model(folder.path()).value();
  CHECK(model.signatures().size() == 3);
  const fg::tensor<float> x({1, 2}, {1, 1});
  const auto answers = model.run({{"input", x.erased()}});
  REQUIRE(answers.size() == 1);
  CHECK(answers.at("output").as<float>()[0] == 14);
  CHECK(answers.at("output").as<float>()[1] == 26);
  CHECK(model.run({}, "counted").at("count").as<float>()[0] == 5);
  CHECK(model.graph().find("save/SaveV2") == nullptr);  // what saves was not imported
  CHECK(fg::load_saved_model(folder.path(), {.further = {"save/SaveV2", "none"}}).value().graph().find("save/SaveV2"));
}

TEST_CASE("served_model: what is not there is an error that says what is") {
  const test_folder folder;
  const auto refused = [](const fg::error& why, const std::string& text) {
    INFO(std::string(why.message()));
    CHECK(std::string(why.message()).find(text) != std::string::npos);
  };
  refused(fg::load_saved_model(folder / "none").error(), "none/saved_model.pb");
  write_model(folder.path(), "train");
  refused(fg::load_saved_model(folder.path()).error(), "no graph has the tags of served_options; one has 'train'");
  fg::served_model model = fg::load_saved_model(folder.path(), {.tags = {"train"}}).value();
  const fg::any_tensor x = fg::tensor<float>({1, 2}, {1, 1}).erased();
  CHECK(fg::load_saved_model(folder.path(), {.tags = {}}));  // the only one
  refused(model.try_run({}).error(), "signature 'serving_default' has an input 'input', which was not given");
  refused(model.try_run({{"input", x}, {"more", x}}).error(), "signature 'serving_default' has no input 'more'; it has 'input'");
  refused(model.try_run({{"inputs", x}}).error(), "signature 'serving_default' has no input 'inputs'; it has 'input'");
  CHECK_THROWS_WITH_AS(model.input<double>("input"), doctest::Contains("served_model.cpp:"), fg::error);
  CHECK_THROWS_WITH_AS(model.output<double>("output"), doctest::Contains("served_model.cpp:"), fg::error);
  refused(model.try_run({}, "predict").error(),
          "the model has no signature 'predict'; it has 'serving_default'; it has 'counted'; it has 'sparse'");
  CHECK(model.try_run({{"ids", x}}, "sparse").error().code() == fg::error_code::unimplemented);
  refused(model.try_run({}, "sparse").error(), "signature 'sparse' has the input 'ids', which is a sparse or composite tensor");
  refused(model.try_input({}, "sparse").error(), "signature 'sparse' has the input 'ids'");
  std::filesystem::resize_file(folder / "variables/variables.data-00000-of-00001", 7);
  refused(fg::load_saved_model(folder.path(), {.tags = {"train"}}).error(), "variables.data-00000-of-00001");
}

TEST_CASE("served_model: an error of the import names the node, its op and the folder") {
  const test_folder folder;
  const std::string cast = part(1, "cast") + part(2, "Cast") + part(3, "x") + part(5, entry("SrcT", number(6, 1))) +
                           part(5, entry("DstT", number(6, 25)));
  const std::string graph =
      part(1, part(1, "x") + part(2, "Placeholder") + part(5, entry("dtype", number(6, 1)))) + part(1, cast);
  const std::string signature = part(1, entry("x", info("x:0"))) + part(2, entry("y", info("cast:0")));
  auto file = fg::atomic_file::create(folder / "saved_model.pb").value();
  file.write(part(2, part(1, part(4, "serve")) + part(2, graph) + part(5, entry("serving_default", signature)))).value();
  file.commit().value();
  const fg::error why = fg::load_saved_model(folder.path()).error();
  CHECK(why.code() == fg::error_code::unimplemented);
  CHECK(why.node() == "cast");
  CHECK(why.op() == "Cast");
  INFO(std::string(why.message()));
  CHECK(why.message().find(folder.path()) != std::string_view::npos);
}
