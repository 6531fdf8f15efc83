// Full entries of the reference: parts of tensors, TensorFlow's first checkpoints, tensors as messages.

// saved_slices
const shown saved_slices_("saved_slices", [] {
  auto writer = fg::saved_slices_writer::create("old.ckpt").value();
  writer.add("w", fg::tensor<float>({2, 2}, {1, 2, 3, 4}).erased()).value();
  writer.finish().value();
  const std::vector<std::string> paths{"old.ckpt"};
  const fg::saved_slices file = fg::saved_slices::open(paths).value();
  std::cout << file.tensors().size() << " " << (file.find("v") == nullptr) << " "
            << file.read("w", fg::tensor_slice::all(2)).value().as<float>()[3] << "\n";
  // prints: 1 1 4

  std::cout << file.read("v", fg::tensor_slice::all(2)).error().message() << "\n";
  // error: 'old.ckpt': tensor 'v': is not there
});

// saved_slices_writer
const shown saved_slices_writer_("saved_slices_writer", [] {
  auto writer = fg::saved_slices_writer::create("in_parts.ckpt").value();
  writer.add_slice("w", {2, 2}, {{0, 0}, {1, -1}}, fg::tensor<float>({1, 2}, {1, 2}).erased()).value();
  writer.add_slice("w", {2, 2}, {{1, 0}, {1, -1}}, fg::tensor<float>({1, 2}, {3, 4}).erased()).value();
  std::cout << writer.finish().has_value() << "\n";
  // prints: 1

  auto refusing = fg::saved_slices_writer::create("refused.ckpt").value();
  std::cout << refusing.add("w", fg::tensor<std::uint32_t>({2}).erased()).error().message() << "\n";
  // error: 'refused.ckpt': tensor 'w': TensorFlow's checkpoints of version 1 have no elements of type uint32; those of
  //   version 2 have
});

// has_saved_slices_elements
// type: an element type
// Returns true if TensorFlow's first checkpoint format supports elements of this type.
// No error: the answer is known for every type.
const shown has_saved_slices_elements_("has_saved_slices_elements", [] {
  std::cout << fg::has_saved_slices_elements(fg::dtype::float32) << fg::has_saved_slices_elements(fg::dtype::uint32) << "\n";
  // prints: 10
});

// tensor_slice
const shown tensor_slice_("tensor_slice", [] {
  const fg::tensor_slice rows = fg::tensor_slice::parse("2,3:-", {10, 4}).value();
  std::cout << rows.text() << " " << fg::to_string(rows.within({10, 4}).extents) << " " << rows.is_all_of({10, 4})
            << fg::tensor_slice::all(2).is_all_of({10, 4}) << "\n";
  // prints: 2,3:- [3,4] 01

  std::cout << fg::tensor_slice::parse("8,3:-", {10, 4}).error().message() << "\n";
  // error: '8,3:-' is not a part of a tensor of shape [10,4]: expected an end within the tensor
});

// shape_and_slice
const shown shape_and_slice_("shape_and_slice", [] {
  const fg::shape_and_slice text = fg::shape_and_slice::parse("10 4 2,3:-").value();
  std::cout << fg::to_string(text.whole) << " " << text.part.text() << " " << text.is_whole << "\n";
  // prints: [10,4] 2,3:- 0

  std::cout << fg::shape_and_slice::parse("10 4").error().message() << "\n";
  // error: '4' is not a part of a tensor of shape [10]: expected '-' or 'begin,count' for each axis
});

// formats/serialized_tensor.hpp: serialize_tensor
// t: the tensor, whose elements are plain or strings
// strings_as_content: whether strings are in the field of plain elements
// Returns the bytes of a TensorProto.
// No error: the caller must pass a tensor of a type that the message supports.
const shown serialize_tensor_file("formats/serialized_tensor.hpp: serialize_tensor", [] {
  const std::string bytes = fg::serialize_tensor(fg::tensor<float>({2}, {1, 2}).erased());
  std::cout << bytes.size() << "\n";
  // prints: 18
});

// formats/serialized_tensor.hpp: parse_tensor
// bytes: the bytes of a TensorProto
// from: the memory resource for the tensor
// expanded_bytes: the number of bytes by which the tensor may exceed the message
// Returns the tensor, or the error.
const shown parse_tensor_file("formats/serialized_tensor.hpp: parse_tensor", [] {
  const std::string bytes = fg::serialize_tensor(fg::tensor<float>({2}, {1, 2}).erased());
  std::cout << fg::parse_tensor(bytes).value().as<float>()[1] << "\n";
  // prints: 2

  std::cout << fg::parse_tensor("no message").error().message() << "\n";
  // error: the bytes are not a serialized tensor: a field is cut, or the type or the shape is unknown
});

// input/serialized_tensor.hpp: serialize_tensor
// x: the tensor
// Returns a handle to the bytes of a TensorProto.
// No error: every tensor can be serialized.
const shown serialize_tensor_op_("input/serialized_tensor.hpp: serialize_tensor", [] {
  fg::graph g;
  const auto bytes = fg::serialize_tensor(g.constant(fg::tensor<float>({2}, {1, 2})));
  std::cout << fg::session(g).run(fg::fetch(bytes)).scalar().size() << "\n";
  // prints: 18
});

// save_v2
// prefix: the prefix of the checkpoint
// names: a name for each tensor
// tensors: the tensors
// Returns a target that writes the files when it runs.
const shown save_v2_("save_v2", [] {
  fg::graph g;
  const auto prefix = g.constant(std::string("by_op"));
  const auto x = g.constant(fg::tensor<float>({2}, {1, 2}));
  const fg::target save = fg::save_v2(prefix, {"x"}, {x});
  fg::session(g).run(save);
  std::cout << fg::tensor_bundle::open("by_op").value().read("x").value().as<float>()[1] << "\n";
  // prints: 2

  const fg::target nowhere = fg::save_v2(g.constant(std::string("by_op.index/x")), {"x"}, {x});
  std::cout << fg::session(g).try_run(nowhere).error().message() << "\n";
  // error: 'by_op.index': cannot be made: Not a directory
});

// restore_v2
// prefix: the prefix of the checkpoint
// names: the names of the tensors
// types: the element types of the tensors
// Returns handles to the tensors, whose types are known at run time.
const shown restore_v2_("restore_v2", [] {
  auto writer = fg::tensor_bundle_writer::create("to_restore").value();
  writer.add("x", fg::tensor<float>({2}, {1, 2}).erased()).value();
  writer.finish().value();
  fg::graph g;
  const auto prefix = g.constant(std::string("to_restore"));
  const fg::any_out_list back = fg::restore_v2(prefix, {"x"}, {fg::dtype::float32});
  fg::session s(g);
  std::cout << s.try_run(fg::run_request{.fetches = back}).value()[0].as<float>()[1] << "\n";
  // prints: 2

  const fg::any_out_list missing = fg::restore_v2(prefix, {"y"}, {fg::dtype::float32});
  std::cout << s.try_run(fg::run_request{.fetches = missing}).error().message() << "\n";
  // error: tensor 'y': is not in the checkpoint
});

// merge_v2_checkpoints
// checkpoint_prefixes: the prefixes of the checkpoints to merge, which are then removed
// destination_prefix: the prefix of the new checkpoint
// Returns a target that merges the files when it runs.
const shown merge_v2_checkpoints_("merge_v2_checkpoints", [] {
  for (const std::string prefix : {"half_a", "half_b"}) {
    auto writer = fg::tensor_bundle_writer::create(prefix).value();
    writer.add(prefix, fg::tensor<float>({2}).erased()).value();
    writer.finish().value();
  }
  fg::graph g;
  const auto prefixes = g.constant(fg::tensor<std::string>({2}, {"half_a", "half_b"}));
  const fg::target merge = fg::merge_v2_checkpoints(prefixes, g.constant(std::string("whole")));
  fg::session s(g);
  s.run(merge);
  std::cout << fg::tensor_bundle::open("whole").value().tensors().size() << "\n";
  // prints: 2

  std::cout << s.try_run(merge).error().message() << "\n";
  // error: 'half_a.index': cannot be read: No such file or directory
});
