#pragma once
// Checkpoints of objects, as tf.train.Checkpoint and Keras write them: under which keys the values of variables stand.
//
//     auto from = fg::tensor_bundle::open("training/ckpt-3").value();
//     const auto objects = fg::checkpoint_objects(from).value();
//     for (const fg::checkpoint_object& o : objects)
//       if (o.name == "dense/kernel") w = from.read(o.key).value();      // "model/layer-0/kernel/.ATTRIBUTES/VARIABLE_VALUE"
//
// The same names let a saver take such a checkpoint: saver_options::names = fg::keys_of_objects(objects).

#include <flowgraph/formats/tensor_bundle.hpp>

#include <map>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// A value in a checkpoint of objects.
struct checkpoint_object {
  std::string name;  // of the variable; empty where the file does not say it
  std::string path;  // by which objects have it: "model/layer-0/kernel"; a value of an optimizer: the variable's, '/', its slot
  std::string key;   // in the checkpoint
};

// The values that the objects of a checkpoint have, in the order of the file. not_found: it is not a checkpoint of objects; data_loss: what it says of
// them is broken.
result<std::vector<checkpoint_object>> checkpoint_objects(tensor_bundle& from);

// The keys by the names of the variables; of a name that several have, the first.
std::map<std::string, std::string, std::less<>> keys_of_objects(std::span<const checkpoint_object> objects);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/object_checkpoint.hpp>
#endif
