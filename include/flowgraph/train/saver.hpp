#pragma once
// Variables saved to files while a program trains, and restored when it goes on.
//
//     fg::saver saver(g, {.directory = "checkpoints", .keep = 5});
//     if (auto step = saver.restore_latest(s)) first = *step;       // not_found: nothing was saved yet
//     for (...) {
//       s.run(train);
//       saver.save_if_due(s, step).value();
//     }
//
// A checkpoint is TensorFlow's, "<directory>/<name>-<step>.index" and its data, which appear as a whole or not at all; the text file "checkpoint"
// beside it names the latest one, as TensorFlow's does. The saver is made of SaveV2, RestoreV2 and Assign nodes of the graph, so make it before the
// graph is exported or run elsewhere, and after all variables and optimizers. What the session holds besides, how many random numbers were
// drawn, and what is in queues and readers, is saved with them, so that a program goes on as if it had not been stopped. The session rests
// meanwhile: each step of other threads is saved whole or not at all.

#include <flowgraph/formats/tensor_bundle.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/runtime/session.hpp>

#include <chrono>
#include <map>
#include <optional>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct saver_options {
  // Where the checkpoints stand; made when there is none.
  std::string directory = ".";
  // How their names begin.
  std::string name = "model";
  // So many of the latest are kept; 0: all.
  std::size_t keep = 5;
  // Besides, one for every so much time is kept for ever; 0: none.
  std::chrono::seconds keep_every = std::chrono::seconds(0);
  // save_if_due saves where so many steps have gone by since the last one; 0: not for that reason.
  std::int64_t every_steps = 0;
  // The same of time.
  std::chrono::milliseconds every = std::chrono::milliseconds(0);
  // These variables; none: all that the graph has.
  any_out_list variables = {};
  // Names that variables have in the checkpoint, where those differ: {{"layer/w", "old_model/w"}}.
  std::map<std::string, std::string, std::less<>> names = {};
  // Variables that a checkpoint lacks keep their values.
  bool allow_missing = false;
  // Saves and restores what the session holds besides variables: session::save_state.
  bool state = true;
  // The session goes on as soon as the values are known, while they are written: what is trained meanwhile is memory of its own.
  bool concurrent = false;
};

// Saves and restores the variables of one graph. Used by one thread at a time; one saver at a time saves to a folder under a name, and its first
// save removes what killed programs left there half written.
class saver {
public:
  explicit saver(const graph& g, saver_options options = {});

  // Saves all variables, and the session's state; the prefix of the checkpoint. Older ones are removed as the options say. Other threads' runs
  // stand still meanwhile, but for those that wait, as at a queue: these are saved as they stand.
  result<std::string> save(session& s, std::int64_t step);
  // Saves where it is time to: whether it did. The first call is the beginning.
  result<bool> save_if_due(session& s, std::int64_t step);
  // Whether save_if_due would save now.
  bool is_due(std::int64_t step) const noexcept;

  // Gives the variables the values of the latest checkpoint: its step. not_found: there is none. One that is damaged is an error, which
  // names the file; the others are still there for `restore`.
  result<std::int64_t> restore_latest(session& s);
  // The same of any checkpoint, by its prefix; of TensorFlow's, too. It is read before the first variable changes. A first checkpoint
  // of TensorFlow is named by its file, or by what the names of its files begin with: "model.ckpt" for model.ckpt-00000-of-00002 and the other.
  result<void> restore(session& s, const std::string& prefix);

  // The prefixes of the checkpoints that are kept, the oldest first, without those that are kept for ever.
  std::vector<std::string> checkpoints();
  // The options that it was made with.
  const saver_options& options() const noexcept { return options_; }

private:
  struct saved {
    std::string prefix;
    double seconds;  // since 1970, when it was saved
  };
  struct stored {
    any_out variable;
    std::string name;
    dtype type;
  };

  void add_nodes();
  result<void> write(session& s, const std::string& prefix);
  result<saved_state> state_in(tensor_bundle& from) const;
  result<void> restore_first_version(session& s, const std::string& path, std::span<const std::string> files);
  result<target> restore_of(const tensor_bundle& from);
  error lacks(const stored& v, const std::string& checkpoint) const;
  result<void> check(const stored& v, dtype type, const shape& extents, const std::string& prefix) const;
  void load_state();
  result<void> remember(std::string prefix);
  std::string prefix_of(std::int64_t step) const;

  graph graph_;
  saver_options options_;
  std::vector<stored> stored_;
  out<std::string> prefix_, state_;
  any_out_list values_;  // of the variables, as the checkpoint has them
  target save_;
  std::map<std::string, target> restores_;  // by the names of what they restore
  bool is_loaded_ = false;                  // what follows was read from the folder
  std::vector<saved> recent_;               // the oldest first
  double preserved_ = 0;                    // when the last one was saved that is kept for ever
  std::optional<std::int64_t> last_step_;
  std::chrono::steady_clock::time_point last_time_;
};

// The prefix of the latest checkpoint: the one that the file "checkpoint" in the folder names, or else, where that file or what it names is not
// there, the one of the highest step.
result<std::string> latest_checkpoint(const std::string& directory);

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/saver.hpp>
#endif
