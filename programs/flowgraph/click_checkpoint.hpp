#pragma once
// Checkpoints of a training of `flowgraph fm` and its like. A checkpoint is a folder: the model, all variables with the state of
// the optimizer, the gradients that wait, and the position in the samples. The file "latest" contains the name of the folder.

#include "clicks.hpp"

#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/saved_click_model.hpp>

namespace command::clicks {

// How far a training is.
struct training_place {
  std::int64_t epoch = 0;       // passes that are complete
  fg::click_position position;  // in the current pass
  std::uint64_t steps = 0;
  double best_loss = -1;          // of the validation file; -1: none yet
  std::int64_t without_gain = 0;  // evaluations since the best loss
  bool is_finished = false;       // stopped early
};

// Returns the description of a saved model. If its kind, sizes or initial values differ from those of `m`, ends the verb.
fg::click_model_description description_for(const fg::click_model& m, const std::string& folder);

class checkpoints {
public:
  // Keeps the latest checkpoint in a folder, unless its name is empty. `from` describes the samples to which positions refer.
  checkpoints(std::string folder, std::int64_t steps, std::string from)
      : folder_(std::move(folder)), from_(std::move(from)), steps_(static_cast<std::uint64_t>(steps)) {}

  bool are_on() const { return !folder_.empty(); }
  // Adds a table that is not part of the model to the checkpoints.
  void add(const fg::click_model& m, const fg::sparse_table<float>& table) {
    others_.push_back({table.save(m.file), table.restore(m.file)});
  }
  // Loads the latest checkpoint. Returns false if there is none. If it continues in other samples, ends the verb.
  bool restore(fg::session& s, const fg::click_model& m, training_place& at) const;
  // Saves if the number of steps since the last checkpoint is reached.
  void save_if_due(fg::session& s, const fg::click_model& m, const training_place& at) const {
    if (are_on() && at.steps % steps_ == 0) save(s, m, at);
  }

private:
  // Both read the name of the file from `click_model::file`, which is fed.
  struct other_table {
    fg::target save, restore;
  };

  void save(fg::session& s, const fg::click_model& m, const training_place& at) const;

  std::string folder_, from_;
  std::uint64_t steps_;
  std::vector<other_table> others_;
};

}  // namespace command::clicks
