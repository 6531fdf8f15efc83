#include <flowgraph/train/weights.hpp>

#include "../formats/folder.hpp"
#include "../formats/tensors.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/npy.hpp>
#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace fg = flowgraph;

namespace {

struct weights_model {
  fg::graph g;
  fg::variable<float> w = g.variable<float>("layer/w", fg::tensor<float>({3, 2}, {1, -2, 3, -4, 5, -6}));
  fg::variable<float> b = g.variable<float>("layer/b", fg::tensor<float>({2}, {7, 8}));
  fg::session s{g};

  weights_model() { s.initialize(); }
  std::vector<float> value(const fg::variable<float>& v) {
    const fg::tensor<float> t = s.run(fg::fetch(v));
    return {t.begin(), t.end()};
  }
};

using name_list = std::vector<std::string>;

}  // namespace

TEST_CASE("variables come back from both formats by their names") {
  const test_folder folder;
  for (const char* const file : {"w.safetensors", "w.npz"}) {
    CAPTURE(file);
    weights_model m;
    const fg::weights_report saved = fg::save_variables(m.s, folder / file).value();
    CHECK(saved.is_complete());
    CHECK(saved.done == name_list{"layer/w", "layer/b"});
    m.s.assign({{m.w, fg::tensor<float>({3, 2}, {0, 0, 0, 0, 0, 0})}, {m.b, fg::tensor<float>({2}, {0, 0})}});
    const fg::weights_report loaded = fg::load_variables(m.s, folder / file).value();
    CHECK(loaded.is_complete());
    CHECK(loaded.done == name_list{"layer/w", "layer/b"});
    CHECK(m.value(m.w) == std::vector<float>{1, -2, 3, -4, 5, -6});
    CHECK(m.value(m.b) == std::vector<float>{7, 8});
  }
}

TEST_CASE("a report names the variables and tensors that do not fit, and the others are loaded") {
  const test_folder folder;
  const std::string path = folder / "w.safetensors";
  const fg::tensor<float> w({2, 2}, {1, 2, 3, 4}), b({2}, {5, 6});
  fg::save_safetensors(path, {{"layer/w", w.erased()}, {"layer/b", b.erased()}, {"head/w", w.erased()}}).value();
  weights_model m;
  m.g.variable<float>("more", fg::tensor<float>(0.f));
  m.s.initialize();
  const fg::weights_report report = fg::load_variables(m.s, path).value();
  CHECK_FALSE(report.is_complete());
  CHECK(report.done == name_list{"layer/b"});
  CHECK(report.missing == name_list{"more"});
  CHECK(report.unused == name_list{"head/w"});
  REQUIRE(report.misfits.size() == 1);
  CHECK(report.misfits[0].variable == "layer/w");
  CHECK(report.misfits[0].reason == "the variable is float[3,2], the file has float[2,2]");
  CHECK(m.value(m.b) == std::vector<float>{5, 6});
  CHECK(m.value(m.w) == std::vector<float>{1, -2, 3, -4, 5, -6});
  CHECK(fg::to_string(report) ==
        "1 variables, 1 missing, 1 unused tensors, 1 that do not fit\n"
        "  missing in the file: more\n"
        "  no variable takes: head/w\n"
        "  does not fit: layer/w: the variable is float[3,2], the file has float[2,2]");
}

TEST_CASE("variables are chosen, and have other names in the file") {
  const test_folder folder;
  const std::string path = folder / "w.npz";
  weights_model m;
  const fg::weights_options options{.variables = {m.b}, .names = {{"layer/b", "old/bias"}}};
  CHECK(fg::save_variables(m.s, path, options).value().done == name_list{"layer/b"});
  CHECK(fg::load_npz(path).value().size() == 1);
  CHECK(fg::load_npz(path).value().contains("old/bias"));
  m.s.assign({{m.b, fg::tensor<float>({2}, {0, 0})}});
  CHECK(fg::load_variables(m.s, path, options).value().is_complete());
  CHECK(m.value(m.b) == std::vector<float>{7, 8});

  const fg::weights_options twice{.variables = {}, .names = {{"layer/b", "layer/w"}}};
  CHECK(fg::save_variables(m.s, path, twice).error().code() == fg::error_code::invalid_argument);
}

TEST_CASE("elements that a format does not have are left out and named") {
  const test_folder folder;
  fg::graph g;
  g.variable<std::string>("text", fg::tensor<std::string>(std::string("a")));
  g.variable<fg::bfloat16>("half", fg::tensor<fg::bfloat16>({1}, {fg::bfloat16(1.f)}));
  fg::session s{g};
  s.initialize();
  const fg::weights_report arrays = fg::save_variables(s, folder / "w.npz").value();
  CHECK(arrays.done.empty());
  REQUIRE(arrays.misfits.size() == 2);
  CHECK(arrays.misfits[1].reason == "the format npz has no elements of type bfloat16");
  const fg::weights_report tensors = fg::save_variables(s, folder / "w.safetensors").value();
  CHECK(tensors.done == name_list{"half"});
  REQUIRE(tensors.misfits.size() == 1);
  CHECK(tensors.misfits[0].variable == "text");
}

TEST_CASE("variables behind handles are read once and assigned") {
  const test_folder folder;
  fg::graph g;
  const auto v = fg::apply_in<float>(g, fg::var_handle_op{.declared = {2}, .shared_name = "v"});
  const auto first = g.constant(fg::tensor<float>({2}, {1, 2}));
  const auto set = fg::apply_as<float>({}, fg::assign_variable_op{}, v, first);
  g.add_variable(v, true);
  fg::session s{g};
  s.run(set);
  CHECK(fg::save_variables(s, folder / "w.npz").value().is_complete());
  const std::size_t nodes = g.size();
  CHECK(fg::save_variables(s, folder / "w.npz").value().is_complete());
  CHECK(g.size() == nodes);
  const fg::tensor<float> other({2}, {3, 4});
  fg::save_npz(folder / "other.npz", {{std::string(v.source->name), other.erased()}}).value();
  CHECK(fg::load_variables(s, folder / "other.npz").value().is_complete());
  CHECK(fg::save_variables(s, folder / "w.npz").value().is_complete());
  const fg::any_tensor found = fg::load_npz(folder / "w.npz").value().begin()->second;
  CHECK(file_tests::equal(found, other.erased()));
}

TEST_CASE("a file of another kind, or none, is an error and changes nothing") {
  const test_folder folder;
  weights_model m;
  CHECK(fg::load_variables(m.s, folder / "none.npz").error().code() == fg::error_code::not_found);
  const fg::error other = fg::save_variables(m.s, folder / "w.ckpt").error();
  CHECK(other.code() == fg::error_code::invalid_argument);
  CHECK(std::string(other.what()).find("'.safetensors' or '.npz'") != std::string::npos);
  CHECK(folder.files() == 0);
  CHECK(m.value(m.b) == std::vector<float>{7, 8});
}
