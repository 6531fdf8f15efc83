// Full entries of the reference: checkpoints, files of weights, the state of a session as bytes.

// saver
const shown saver_("saver", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>({2}, {1, 2}));
  fg::session s(g);
  s.initialize();
  fg::saver saver(g, {.directory = "saved", .keep = 2});
  std::cout << saver.save(s, 100).value() << "\n";
  s.assign({{w, fg::tensor<float>({2})}});
  std::cout << saver.restore_latest(s).value() << " " << s.run(fg::fetch(w * 1.f))[1] << "\n";
  // prints: saved/model-100
  // prints: 100 2

  std::cout << saver.restore(s, "saved/model-7").error().message() << "\n";
  // error: 'saved/model-7.index': cannot be read: No such file or directory

  fg::graph other;
  other.variable("v", fg::zeros<float>({2}));
  fg::session of_other(other);
  fg::saver saver_of_other(other, {.directory = "saved"});
  std::cout << saver_of_other.restore_latest(of_other).error().message() << "\n";
  // error: 'saved/model-100': has no tensor 'v' for variable 'v'; saver_options::allow_missing passes over such
});

// latest_checkpoint
// directory: the folder
// Returns the prefix of the latest checkpoint, which can be passed to saver::restore.
const shown latest_checkpoint_("latest_checkpoint", [] {
  fg::graph g;
  g.variable("w", fg::tensor<float>(1.f));
  fg::session s(g);
  s.initialize();
  fg::saver saver(g, {.directory = "latest"});
  saver.save(s, 1).value();
  saver.save(s, 2).value();
  std::cout << fg::latest_checkpoint("latest").value() << "\n";
  // prints: latest/model-2

  std::cout << fg::latest_checkpoint("nowhere").error().message() << "\n";
  // error: 'nowhere': there is no checkpoint in this folder
});

// save_variables
// s: the session whose variables are saved
// path: the file, whose name ends in ".safetensors" or ".npz"
// options: the selected variables, and their names in the file
// Returns a report that lists the saved variables.
const shown save_variables_("save_variables", [] {
  fg::graph g;
  g.variable("layer/w", fg::ones<float>({2, 3}));
  fg::session s(g);
  s.initialize();
  const fg::weights_report saved = fg::save_variables(s, "weights.safetensors").value();
  std::cout << saved.done.size() << " " << saved.done[0] << " " << saved.is_complete() << "\n";
  // prints: 1 layer/w 1

  std::cout << fg::save_variables(s, "weights.bin").error().message() << "\n";
  // error: 'weights.bin': a file of weights has a name that ends in '.safetensors' or '.npz'
});

// load_variables
// s: the session whose variables receive the values
// path: the file, whose name ends in ".safetensors" or ".npz"
// options: the selected variables, and their names in the file
// Returns a report that lists the loaded variables, the variables missing from the file and the unused tensors.
const shown load_variables_("load_variables", [] {
  fg::graph g;
  const auto w = g.variable("layer/w", fg::zeros<float>({2}));
  g.variable("layer/b", fg::zeros<float>({2}));
  fg::save_npz("old.npz", {{"old/w", fg::tensor<float>({2}, {3, 4}).erased()}}).value();
  fg::session s(g);
  s.initialize();
  const fg::weights_report loaded = fg::load_variables(s, "old.npz", {.names = {{"layer/w", "old/w"}}}).value();
  std::cout << s.run(fg::fetch(w * 1.f))[1] << ", missing " << loaded.missing[0] << "\n";
  // prints: 4, missing layer/b

  std::cout << fg::load_variables(s, "nothing.npz").error().message() << "\n";
  // error: 'nothing.npz': cannot be read: No such file or directory
});

// weights_report
// No error: reading a count cannot fail.
const shown weights_report_("weights_report", [] {
  fg::graph g;
  g.variable("w", fg::zeros<float>({2}));
  fg::save_npz("of_other.npz", {{"w", fg::tensor<float>({3}).erased()}, {"v", fg::tensor<float>({3}).erased()}}).value();
  fg::session s(g);
  s.initialize();
  const fg::weights_report report = fg::load_variables(s, "of_other.npz").value();
  std::cout << report.is_complete() << report.done.size() << report.missing.size() << report.unused.size()
            << report.misfits.size() << "\n";
  // prints: 00011
});

// train/weights.hpp: to_string
// report: the report of save_variables or load_variables
// Returns a line with the counts and a line for each omitted name.
// No error: writing the text cannot fail.
const shown text_of_weights("train/weights.hpp: to_string", [] {
  fg::graph g;
  g.variable("w", fg::zeros<float>({2}));
  fg::save_npz("other.npz", {{"v", fg::tensor<float>({3}).erased()}}).value();
  fg::session s(g);
  s.initialize();
  std::cout << fg::to_string(fg::load_variables(s, "other.npz").value()) << "\n";
  // prints: 0 variables, 1 missing, 1 unused tensors, 0 that do not fit
  // prints:   missing in the file: w
  // prints:   no variable takes: v
});

// to_bytes
// state: the result of session::save_state
// Returns the bytes, which are the same on every machine.
// No error: every state can be written as bytes.
const shown to_bytes_("to_bytes", [] {
  fg::graph g;
  g.set_seed(1);
  const auto x = fg::random_uniform<float>(g, fg::shape{1});
  fg::session a(g), b(g);
  a.run(fg::fetch(x));
  const std::string bytes = fg::to_bytes(a.save_state());
  b.load_state(fg::parse_saved_state(bytes).value());
  std::cout << (a.run(fg::fetch(x))[0] == b.run(fg::fetch(x))[0]) << "\n";
  // prints: 1
});

// parse_saved_state
// bytes: the result of to_bytes, possibly from another process
// Returns the state, which can be passed to session::load_state.
const shown parse_saved_state_("parse_saved_state", [] {
  fg::graph g;
  g.set_seed(1);
  const auto x = fg::random_uniform<float>(g, fg::shape{1});
  fg::session s(g);
  s.run(fg::fetch(x));
  const std::string bytes = fg::to_bytes(s.save_state());
  std::cout << fg::parse_saved_state(bytes).has_value() << "\n";
  // prints: 1

  std::cout << fg::parse_saved_state(bytes.substr(0, bytes.size() - 1)).error().message() << "\n";
  // error: the bytes of a session's state are damaged
});
