// Full entries of the reference: files of tensors.

// safetensors
const shown safetensors_("safetensors", [] {
  fg::save_safetensors("model.safetensors", {{"w", fg::tensor<float>({2}, {1, 2}).erased()}}, {.metadata = {{"by", "me"}}})
      .value();
  const fg::safetensors file = fg::safetensors::open("model.safetensors").value();
  const auto* w = file.find("w");
  std::cout << file.tensors().size() << " " << fg::to_string(w->shape) << " " << file.read("w").value().as<float>()[1] << " "
            << file.metadata().find("by")->second << "\n";
  // prints: 1 [2] 2 me

  const std::string bytes = fg::read_file("model.safetensors").value();
  const auto in_memory = fg::safetensors::over(std::as_bytes(std::span(bytes))).value();
  std::cout << in_memory.read("w").value().as<float>()[0] << "\n";
  // prints: 1

  std::cout << file.read("v").error().message() << "\n";
  // error: 'model.safetensors': has no tensor 'v'

  std::ofstream("broken.safetensors") << "no tensors here";
  std::cout << fg::safetensors::open("broken.safetensors").error().message() << "\n";
  // error: 'broken.safetensors': at byte 0: expected a header of up to 100000000 bytes, found 8030883942550761326
});

// save_safetensors
// path: the path of the file
// tensors: the tensors with their names
// options: metadata to add, and whether to wait until the file is on disk
// Returns the error, if there is one, in which case an existing file is unchanged.
const shown save_safetensors_("save_safetensors", [] {
  const auto saved =
      fg::save_safetensors("two.safetensors", {{"a", fg::tensor<float>({2}).erased()}, {"b", fg::tensor<bool>({3}).erased()}});
  std::cout << saved.has_value() << " " << fg::safetensors::open("two.safetensors").value().tensors().size() << "\n";
  // prints: 1 2

  const auto refused = fg::save_safetensors("texts.safetensors", {{"a", fg::tensor<std::string>({1}).erased()}});
  std::cout << refused.error().message() << "\n";
  // error: 'texts.safetensors': tensor 'a': safetensors has no elements of type string
});

// has_safetensors_elements
// type: an element type
// Returns true if safetensors files support elements of this type.
// No error: the answer is known for every type.
const shown has_safetensors_elements_("has_safetensors_elements", [] {
  std::cout << fg::has_safetensors_elements(fg::dtype::float32) << fg::has_safetensors_elements(fg::dtype::string) << "\n";
  // prints: 10
});

// load_npy
// path: the path of the file
// Returns the array, or the error.
const shown load_npy_("load_npy", [] {
  fg::save_npy("array.npy", fg::tensor<double>({2, 1}, {1, 2}).erased()).value();
  const fg::any_tensor array = fg::load_npy("array.npy").value();
  std::cout << fg::name_of(array.type()) << fg::to_string(array.shape()) << " " << array.as<double>()[1] << "\n";
  // prints: double[2,1] 2

  std::cout << fg::load_npy("nothing.npy").error().message() << "\n";
  // error: 'nothing.npy': cannot be read: No such file or directory
});

// save_npy
// path: the path of the file
// value: the tensor
// sync: whether to wait until the file is on disk
// Returns the error, if there is one, in which case an existing file is unchanged.
const shown save_npy_("save_npy", [] {
  std::cout << fg::save_npy("row.npy", fg::tensor<float>({3}, {1, 2, 3}).erased()).has_value() << "\n";
  // prints: 1

  std::cout << fg::save_npy("texts.npy", fg::tensor<std::string>({1}).erased()).error().message() << "\n";
  // error: 'texts.npy': NumPy has no elements of type string
});

// parse_npy
// file: the bytes of the file
// name: the name of the file in error messages
// Returns a copy of the array, or the error.
const shown parse_npy_("parse_npy", [] {
  fg::save_npy("small.npy", fg::tensor<float>({2}, {1, 2}).erased()).value();
  const std::string bytes = fg::read_file("small.npy").value();
  std::cout << fg::parse_npy(std::as_bytes(std::span(bytes))).value().as<float>()[1] << "\n";
  // prints: 2

  std::cout << fg::parse_npy(std::as_bytes(std::span(bytes)).first(20)).error().message() << "\n";
  // error: '(memory)': at byte 8: the header has 118 bytes: the file is cut
});

// has_numpy_elements
// type: an element type
// Returns true if NumPy files support elements of this type.
// No error: the answer is known for every type.
const shown has_numpy_elements_("has_numpy_elements", [] {
  std::cout << fg::has_numpy_elements(fg::dtype::int64) << fg::has_numpy_elements(fg::dtype::string) << "\n";
  // prints: 10
});

// load_npz
// path: the path of the file
// Returns the arrays by name, or the error.
const shown load_npz_("load_npz", [] {
  fg::save_npz("two.npz", {{"a", fg::tensor<float>({2}, {1, 2}).erased()}, {"b", fg::tensor<bool>({3}).erased()}}).value();
  const fg::named_tensors arrays = fg::load_npz("two.npz").value();
  std::cout << arrays.size() << " " << arrays.find("a")->second.as<float>()[1] << "\n";
  // prints: 2 2

  std::ofstream("broken.npz") << "no archive";
  std::cout << fg::load_npz("broken.npz").error().message() << "\n";
  // error: 'broken.npz': at byte 10: expected the end of an archive: is the file cut?
});

// parse_npz
// Reads an archive from bytes in memory.
// file: the bytes of the file
// name: the name of the file in error messages
// Returns copies of the arrays by name, or the error.
const shown parse_npz_("parse_npz", [] {
  fg::save_npz("one.npz", {{"a", fg::tensor<float>({2}, {1, 2}).erased()}}).value();
  const std::string bytes = fg::read_file("one.npz").value();
  const fg::named_tensors arrays = fg::parse_npz(std::as_bytes(std::span(bytes))).value();
  std::cout << arrays.begin()->first << " " << arrays.begin()->second.as<float>()[1] << "\n";
  // prints: a 2

  std::cout << fg::parse_npz(std::as_bytes(std::span(bytes)).first(20)).error().message() << "\n";
  // error: '(memory)': at byte 20: expected the end of an archive: is the file cut?
});

// save_npz
// Writes an archive of arrays. The new file replaces an existing file only when it is complete.
// path: the path of the file
// values: the tensors with their names, without ".npy"
// sync: whether to wait until the file is on disk
// Returns the error, if there is one, in which case an existing file is unchanged.
const shown save_npz_("save_npz", [] {
  std::cout << fg::save_npz("saved.npz", {{"w", fg::tensor<float>({2}, {1, 2}).erased()}}).has_value() << "\n";
  // prints: 1

  std::cout << fg::save_npz("texts.npz", {{"w", fg::tensor<std::string>({1}).erased()}}).error().message() << "\n";
  // error: 'texts.npz/w': NumPy has no elements of type string
});

// npz
const shown npz_("npz", [] {
  fg::save_npz("open.npz", {{"a", fg::tensor<float>({2}, {1, 2}).erased()}}).value();
  const fg::npz archive = fg::npz::open("open.npz").value();
  std::cout << archive.arrays().size() << " " << (archive.find("b") == nullptr) << " " << archive.read("a").value().as<float>()[1]
            << "\n";
  // prints: 1 1 2

  const std::string bytes = fg::read_file("open.npz").value();
  std::cout << fg::npz::over(std::as_bytes(std::span(bytes))).value().find("a")->name << "\n";
  // prints: a

  std::cout << archive.read("b").error().message() << "\n";
  // error: 'open.npz': has no array 'b'
});

// tensor_bundle
const shown tensor_bundle_("tensor_bundle", [] {
  auto writer = fg::tensor_bundle_writer::create("model.ckpt").value();
  writer.add("w", fg::tensor<float>({2, 2}, {1, 2, 3, 4}).erased()).value();
  writer.finish().value();
  auto checkpoint = fg::tensor_bundle::open("model.ckpt").value();
  std::cout << checkpoint.prefix() << " " << checkpoint.shards() << " " << checkpoint.tensors().size() << " "
            << fg::to_string(checkpoint.find("w")->extents) << "\n";
  // prints: model.ckpt 1 1 [2,2]

  const fg::tensor_slice second_row{{1, 0}, {1, -1}};
  std::cout << checkpoint.read("w").value().as<float>()[3] << checkpoint.read("w", second_row).value().as<float>()[0] << "\n";
  // prints: 43

  std::cout << checkpoint.read("v").error().message() << "\n";
  // error: 'model.ckpt.index': has no tensor 'v'

  std::cout << fg::tensor_bundle::open("nothing.ckpt").error().message() << "\n";
  // error: 'nothing.ckpt.index': cannot be read: No such file or directory
});

// tensor_bundle_writer
const shown tensor_bundle_writer_("tensor_bundle_writer", [] {
  auto writer = fg::tensor_bundle_writer::create("parts.ckpt").value();
  writer.add("b", fg::tensor<float>({2}).erased()).value();
  writer.add_slice("w", {2, 2}, {{0, 0}, {1, -1}}, fg::tensor<float>({1, 2}, {1, 2}).erased()).value();
  writer.add_slice("w", {2, 2}, {{1, 0}, {1, -1}}, fg::tensor<float>({1, 2}, {3, 4}).erased()).value();
  writer.finish().value();
  std::cout << fg::tensor_bundle::open("parts.ckpt").value().read("w").value().as<float>()[3] << "\n";
  // prints: 4

  auto twice = fg::tensor_bundle_writer::create("twice.ckpt").value();
  twice.add("b", fg::tensor<float>({2}).erased()).value();
  std::cout << twice.add("b", fg::tensor<float>({2}).erased()).error().message() << "\n";
  // error: 'twice.ckpt': tensor 'b' was added before
});

// merge_tensor_bundles
// prefixes: the prefixes of the checkpoints to merge, which are then removed
// destination: the prefix of the new checkpoint
// options: whether to sync the files, and whether to remove the old files
// Returns the error, if there is one.
const shown merge_tensor_bundles_("merge_tensor_bundles", [] {
  const std::vector<std::string> parts{"part_a", "part_b"};
  for (const std::string& prefix : parts) {
    auto writer = fg::tensor_bundle_writer::create(prefix).value();
    writer.add(prefix + "/w", fg::tensor<float>({2}).erased()).value();
    writer.finish().value();
  }
  fg::merge_tensor_bundles(parts, "merged").value();
  std::cout << fg::tensor_bundle::open("merged").value().tensors().size() << "\n";
  // prints: 2

  std::cout << fg::merge_tensor_bundles(parts, "again").error().message() << "\n";
  // error: 'part_a.index': cannot be read: No such file or directory
});

// bundle_data_path
// prefix: the prefix of the checkpoint
// shard: the index of the data file
// shards: the number of data files
// Returns the path of the data file.
// No error: the function only composes the path.
const shown bundle_data_path_("bundle_data_path", [] {
  std::cout << fg::bundle_data_path("model", 2, 4) << "\n";
  // prints: model.data-00002-of-00004
});

// checkpoint_objects
// from: an open checkpoint
// Returns the values of the objects, with variable names and checkpoint keys, or the error.
const shown checkpoint_objects_("checkpoint_objects", [] {
  auto writer = fg::tensor_bundle_writer::create("of_graph").value();
  writer.add("w", fg::tensor<float>({2}).erased()).value();
  writer.finish().value();
  auto checkpoint = fg::tensor_bundle::open("of_graph").value();
  const auto objects = fg::checkpoint_objects(checkpoint);
  if (!objects) std::cout << fg::name_of(objects.error().code()) << "\n";
  // prints: not found

  std::cout << objects.error().message() << "\n";
  // error: 'of_graph': is not a checkpoint of objects
});

// keys_of_objects
// objects: the result of checkpoint_objects
// Returns the keys by variable name. If several objects have the same name, the first object is used.
// No error: objects without a name are omitted.
const shown keys_of_objects_("keys_of_objects", [] {
  const std::vector<fg::checkpoint_object> objects{{"w", "model/w", "model/w/.ATTRIBUTES/VARIABLE_VALUE"}};
  std::cout << fg::keys_of_objects(objects).find("w")->second << "\n";
  // prints: model/w/.ATTRIBUTES/VARIABLE_VALUE
});
