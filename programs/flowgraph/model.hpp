#pragma once
// A graph of a file, imported and ready to run.

#include "files.hpp"

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/interop/served_model.hpp>
#include <flowgraph/runtime/session.hpp>

#include <algorithm>
#include <array>
#include <memory>

namespace command {

// Returns a registry with all ops that the program has.
const fg::registry& all_ops();

// The options of verbs that run graphs.
inline constexpr option feed_option{"--feed", "NAME=FILE", "feed an edge an array: FILE is .npy, or ARCHIVE.npz:ARRAY", true};
inline constexpr option text_option{"--text", "NAME=TEXT", "feed an edge a text; given several times, that many texts", true};
inline constexpr option fetch_option{"--fetch", "NAME", "compute this output: \"y\" or \"scope/y:1\"", true};
inline constexpr option target_option{"--target", "NAME", "also run this node in each run", true};
inline constexpr option before_option{"--before", "NAME", "run this node once before, for instance an initializer", true};
inline constexpr option checkpoint_option{"--checkpoint", "FILE",
                                          "give the variables the tensors of their names: a checkpoint, safetensors or .npz"};
inline constexpr option signature_option{"--signature", "NAME",
                                         "of a SavedModel: feeds and fetches are its names; serving_default"};
inline constexpr option tag_option{"--tag", "TAG", "of a SavedModel: which graph, serve", true};
inline constexpr option threads_option{"--threads", "N", "threads that compute, 1"};

// Returns the options of a verb that runs graphs: those above, then options of its own.
template <std::size_t n> constexpr std::array<option, 9 + n> options_of_runs(const option (&own)[n]) {
  std::array<option, 9 + n> made{feed_option,       text_option,      fetch_option, target_option, before_option,
                                 checkpoint_option, signature_option, tag_option,   threads_option};
  std::copy(own, own + n, made.begin() + 9);
  return made;
}

// Returns the signature that --signature names, or "serving_default". Null: the file has no signature of that name.
const fg::signature_def* chosen_signature(const std::vector<fg::signature_def>& all, const arguments& given);
// Returns the edge with this name: an input or output of the signature, or the edge of the file itself.
std::string edge_of(const fg::signature_def* signature, const std::string& name, bool is_input);
// Returns the end of an error message: "; signature 'serving_default' has the inputs x, and the outputs scores". Returns an empty
// text if there is no signature.
std::string names_of(const fg::signature_def* signature);

class model {
public:
  // Imports the graph of the file, restores variables, and runs the nodes of --before.
  explicit model(const arguments& given);

  fg::session& session() { return served_ ? served_->session() : *session_; }
  const fg::graph& graph() const { return graph_; }
  // Returns the number of nodes that come from the file.
  std::size_t size_of_file() const { return size_of_file_; }

  // Returns an edge by its name in the file or in the signature.
  fg::any_out edge(const std::string& name, bool is_input) const;
  // Returns the feeds, fetches and targets of the options. Without --fetch, the fetches are the outputs of the signature, or the
  // outputs that no node reads.
  std::vector<fg::fed> feeds() const;
  struct fetch {
    std::string name;
    fg::any_out edge;
  };
  std::vector<fetch> fetches() const;
  std::vector<fg::target> targets() const;
  // Returns the edges of the fetches. If there are neither fetches nor targets, ends the verb.
  static std::vector<fg::any_out> edges_of(const std::vector<fetch>& fetches, const std::vector<fg::target>& targets);
  // Returns the value of a run. If the run failed, ends the verb with its error and the names of the signature.
  template <class T> T run_value(fg::result<T> made) const {
    if (!made) throw failure{failed_run, std::string(made.error().what()) + names_of(signature_)};
    if constexpr (!std::is_void_v<T>) return *std::move(made);
  }

private:
  void load_served();
  void import_file(file_kind kind);
  std::vector<std::string> wanted() const;
  fg::target node(const std::string& name) const;
  fg::any_tensor texts_for(const std::string& name, const fg::any_out& at, const std::vector<std::string>& texts) const;
  // Returns the variables that the fetches and targets need.
  std::vector<fg::any_out> needed_variables() const;
  void restore_by_name(const std::string& path);

  const arguments& given_;
  std::string path_;
  std::vector<fg::signature_def> signatures_;
  const fg::signature_def* signature_ = nullptr;
  std::unique_ptr<fg::thread_pool> pool_;
  std::optional<fg::served_model> served_;  // for a SavedModel
  std::optional<fg::session> session_;      // for other files
  fg::graph graph_;
  std::size_t size_of_file_ = 0;
  fg::imported made_;
};

}  // namespace command
