#include <flowgraph/formats/object_checkpoint.hpp>

#include <flowgraph/formats/detail/object_reader.hpp>

#include "changed.hpp"
#include "folder.hpp"

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

using fg::detail::put_bytes_field;
using fg::detail::put_varint_field;

std::string with_number_and_name(std::uint64_t number, const std::string& name, std::uint64_t object = 0) {
  std::string made;
  put_varint_field(made, 1, number);
  put_bytes_field(made, 2, name);
  if (object != 0) put_varint_field(made, 3, object);
  return made;
}
std::string value_of(const std::string& name, const std::string& key) {
  std::string made;
  put_bytes_field(made, 1, "VARIABLE_VALUE");
  put_bytes_field(made, 2, name);
  put_bytes_field(made, 3, key);
  return made;
}

// model (1) with w (2); an optimizer (3) that has a slot (4) for w; w knows the model.
std::string described() {
  std::string root, model, w, optimizer, slot, graph;
  put_bytes_field(root, 1, with_number_and_name(1, "model"));
  put_bytes_field(root, 1, with_number_and_name(3, "optimizer"));
  put_bytes_field(model, 1, with_number_and_name(2, "w"));
  put_bytes_field(w, 1, with_number_and_name(1, "owner"));
  put_bytes_field(w, 2, value_of("dense/kernel", "model/w/.ATTRIBUTES/VARIABLE_VALUE"));
  put_bytes_field(optimizer, 3, with_number_and_name(2, "m", 4));
  put_bytes_field(slot, 2, value_of("", "model/w/.OPTIMIZER_SLOT/optimizer/m"));
  for (const std::string& object : {root, model, w, optimizer, slot}) put_bytes_field(graph, 1, object);
  return graph;
}

fg::result<std::vector<fg::checkpoint_object>> objects_of(const std::string& graph) {
  const test_folder folder;
  {
    auto to = fg::tensor_bundle_writer::create(folder / "b", false).value();
    to.add("_CHECKPOINTABLE_OBJECT_GRAPH", fg::tensor<std::string>(graph).erased()).value();
    to.finish().value();
  }
  auto from = fg::tensor_bundle::open(folder / "b").value();
  return fg::checkpoint_objects(from);
}

}  // namespace

TEST_CASE("checkpoint objects: values have names, paths and keys") {
  const auto all = objects_of(described()).value();
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "dense/kernel");
  CHECK(all[0].path == "model/w");
  CHECK(all[0].key == "model/w/.ATTRIBUTES/VARIABLE_VALUE");
  CHECK(all[1].name.empty());
  CHECK(all[1].path == "model/w/m");
  const auto keys = fg::keys_of_objects(all);
  CHECK(keys.size() == 1);
  CHECK(keys.at("dense/kernel") == all[0].key);
}

TEST_CASE("checkpoint objects: other checkpoints and broken descriptions are refused") {
  const test_folder folder;
  auto to = fg::tensor_bundle_writer::create(folder / "b", false).value();
  to.add("w", fg::tensor<float>(1.f).erased()).value();
  to.finish().value();
  auto from = fg::tensor_bundle::open(folder / "b").value();
  CHECK(fg::checkpoint_objects(from).error().code() == fg::error_code::not_found);
  std::string root, graph;
  put_bytes_field(root, 1, with_number_and_name(7, "nobody"));
  put_bytes_field(graph, 1, root);
  CHECK(objects_of(graph).error().code() == fg::error_code::data_loss);
  CHECK(objects_of(described().substr(0, 20)).error().code() == fg::error_code::data_loss);
}

TEST_CASE("checkpoint objects: changed descriptions are refused, or are others") {
  try_changed(described(), [](const std::string& bytes) {
    fg::detail::object_reader reader;
    if (reader.read(bytes)) static_cast<void>(reader.values());
  });
}
