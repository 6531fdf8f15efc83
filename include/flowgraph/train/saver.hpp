#pragma once
// Saves the variables of a graph to checkpoint files during training, and restores them.
//
//     fg::saver saver(g, {.directory = "checkpoints", .keep = 5});
//     if (auto step = saver.restore_latest(s)) first = *step;       // not_found: no checkpoint exists yet
//     for (...) {
//       s.run(train);
//       saver.save_if_due(s, step).value();
//     }
//
// A checkpoint has TensorFlow's format: the file "<directory>/<name>-<step>.index" and its data files. A checkpoint is written
// completely or not at all. The text file "checkpoint" in the directory names the latest checkpoint, as in TensorFlow. The saver
// adds SaveV2, RestoreV2 and Assign nodes to the graph, so create it after all variables and optimizers, and before the graph is
// exported or run in other processes. The checkpoint also contains the other state of the session (random number positions,
// contents of queues and readers), so that training continues as if it had not been stopped. The session is paused while its
// state is saved, so each step of another thread is saved completely or not at all.

#include <flowgraph/formats/tensor_bundle.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/runtime/session.hpp>

#include <chrono>
#include <map>
#include <optional>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of a saver.
struct saver_options {
  // Directory of the checkpoints. It is created if it does not exist. Default: the current directory.
  std::string directory = ".";
  // Prefix of the file names.
  std::string name = "model";
  // Number of checkpoints to keep, counted from the latest checkpoint. 0: all checkpoints are kept.
  std::size_t keep = 5;
  // In addition, one checkpoint for each period of this length is kept forever. 0: none.
  std::chrono::seconds keep_every = std::chrono::seconds(0);
  // Number of steps after which save_if_due saves again. 0: the number of steps has no effect.
  std::int64_t every_steps = 0;
  // Time after which save_if_due saves again. 0: the time has no effect.
  std::chrono::milliseconds every = std::chrono::milliseconds(0);
  // Variables to save. Empty: all variables of the graph.
  any_out_list variables = {};
  // Names of variables in the checkpoint, if they differ from the names in the graph. Example: {{"layer/w", "old_model/w"}} for
  // the variable "layer/w" that the checkpoint contains under the name "old_model/w".
  std::map<std::string, std::string, std::less<>> names = {};
  // True: variables that are missing from a checkpoint keep their values. False: a missing variable is an error.
  bool allow_missing = false;
  // Whether the session's other state is saved and restored too (see session::save_state), and sparse tables.
  bool state = true;
  // True: the session is paused only until the values are copied, and continues while the values are written. Variables that
  // change meanwhile use additional memory. Sparse tables are written before the session continues.
  bool concurrent = false;
};

// An object that saves and restores the variables of one graph. Only one thread may use it at a time. In one directory, only one
// saver with a given name may write at a time. The first save of a saver removes incomplete files that killed programs have left.
class saver {
public:
  explicit saver(const graph& g, saver_options options = {});

  // Saves all variables and the session's state, and returns the prefix of the checkpoint. Old checkpoints are removed as the
  // options specify. Meanwhile, runs of other threads are paused. Runs that wait, for example at a queue, are not paused; their
  // waiting state is saved.
  result<std::string> save(session& s, std::int64_t step);
  // Saves a checkpoint if the options require it, and returns whether it has saved a checkpoint. The intervals start with the
  // first call.
  result<bool> save_if_due(session& s, std::int64_t step);
  // Returns whether save_if_due would save now.
  bool is_due(std::int64_t step) const noexcept;

  // Restores the latest checkpoint and returns its step. The error not_found means that there is no checkpoint. If the checkpoint
  // is damaged, the error names the file; use `restore` to restore an older checkpoint.
  result<std::int64_t> restore_latest(session& s);
  // Restores the checkpoint with the given prefix, which may be a checkpoint of TensorFlow. The checkpoint is read completely
  // before the first variable changes. For a checkpoint in TensorFlow's first format (the format of the op Save), `prefix` is the
  // name of its file, or the common prefix of its files: "model.ckpt" for model.ckpt-00000-of-00002 and
  // model.ckpt-00001-of-00002.
  result<void> restore(session& s, const std::string& prefix);

  // Returns the prefixes of the checkpoints, oldest first, except those that are kept forever.
  std::vector<std::string> checkpoints();
  // Returns the options of the saver.
  const saver_options& options() const noexcept { return options_; }

private:
  struct saved {
    std::string prefix;
    double seconds;  // time of saving, in seconds since 1970
  };
  struct stored {
    any_out variable;
    std::string name;
    dtype type;
  };
  struct restored {
    any_out_list values;  // read from the checkpoint
    target assigned;      // of these values to the variables
  };

  void add_nodes();
  result<void> write(session& s, const std::string& prefix);
  result<saved_state> state_in(tensor_bundle& from) const;
  result<void> restore_first_version(session& s, const std::string& path, std::span<const std::string> files);
  result<restored> restore_of(const tensor_bundle& from);
  error lacks(const stored& v, const std::string& checkpoint) const;
  result<void> check(const stored& v, dtype type, const shape& extents, const std::string& prefix) const;
  void load_state();
  result<void> remember(std::string prefix);
  std::string state_text() const;
  std::string prefix_of(std::int64_t step) const;

  graph graph_;
  saver_options options_;
  std::vector<stored> stored_;
  out<std::string> prefix_, state_;
  any_out_list values_;  // the values of the variables, as the checkpoint stores them
  target save_;
  std::map<std::string, restored> restores_;  // keys: the names of the variables that they restore
  bool is_cleaned_ = false;                   // whether files of killed programs were removed
  bool is_loaded_ = false;                    // whether the members below were read from the directory
  std::vector<saved> recent_;                 // oldest first
  double preserved_ = 0;                      // time of the last checkpoint that is kept forever
  std::optional<std::int64_t> last_step_;
  std::chrono::steady_clock::time_point last_time_;
};

// Returns the prefix of the latest checkpoint. The file "checkpoint" in the directory names this checkpoint. If this file or the
// named checkpoint does not exist, returns the prefix of the checkpoint with the highest step.
result<std::string> latest_checkpoint(const std::string& directory);

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/saver.hpp>
#endif
