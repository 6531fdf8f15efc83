#pragma once
// Finds the keys under which object-based checkpoints store the values of variables. tf.train.Checkpoint and Keras write such
// checkpoints.
//
//     auto from = fg::tensor_bundle::open("training/ckpt-3").value();
//     const auto objects = fg::checkpoint_objects(from).value();
//     for (const fg::checkpoint_object& o : objects)
//       if (o.name == "dense/kernel") w = from.read(o.key).value();      // "model/layer-0/kernel/.ATTRIBUTES/VARIABLE_VALUE"
//
// A saver can restore such a checkpoint with these names: saver_options::names = fg::keys_of_objects(objects).

#include <flowgraph/formats/tensor_bundle.hpp>

#include <map>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A value in an object-based checkpoint.
struct checkpoint_object {
  std::string name;  // name of the variable; empty if the file does not contain it
  // Path in the objects: "model/layer-0/kernel"; for a value that an optimizer keeps for a variable: the path of the variable,
  // '/', and the name of the value.
  std::string path;
  std::string key;  // key in the checkpoint
};

// Returns the values in the objects of a checkpoint, in the order of the file. Errors: not_found if the checkpoint is not
// object-based, data_loss if its object graph is damaged.
result<std::vector<checkpoint_object>> checkpoint_objects(tensor_bundle& from);

// Returns a map from the names of variables to their keys. If several variables have the same name, the map contains the key of
// the first.
std::map<std::string, std::string, std::less<>> keys_of_objects(std::span<const checkpoint_object> objects);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/object_checkpoint.hpp>
#endif
