// Full entries of the reference: click models, saved and served.

// click_model_kind
// No error: it names the four kinds.
const shown click_model_kind_("click_model_kind", [] {
  std::cout << fg::name_of(fg::click_model_kind::wide_deep) << "\n";
  // prints: widedeep
});

// click_model_options
const shown click_model_options_("click_model_options", [] {
  fg::graph g;
  const fg::click_model model(g, {.kind = fg::click_model_kind::ffm, .factors = 4, .fields = 3});
  std::cout << model.table.anchor().shape()[1] << " columns\n";
  // prints: 13 columns

  try {
    const fg::click_model wrong(g, {.kind = fg::click_model_kind::ffm});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: ffm needs the number of fields, found 0
});

// click_model
const shown click_model_("click_model", [] {
  fg::graph g;
  const fg::click_model model(g, {.factors = 2, .initial_scale = 0});
  const fg::target train = fg::sgd{.rate = 4}.minimize(model.objective);
  fg::session s(g);
  s.initialize();
  fg::click_batch batch;
  fg::parse_clicks("1 17:1", {}, batch);
  fg::parse_clicks("0 204:1", {}, batch);
  std::cout << model.step(s, train, batch).value() << "\n";
  std::cout << model.predict(s, batch).value()[0] << " " << model.feeds(batch).value().size() << " feeds\n";
  // prints: 0.693147
  // prints: 0.731059 4 feeds

  fg::graph h;
  const fg::click_model by_field(h, {.kind = fg::click_model_kind::ffm, .fields = 3});
  std::cout << by_field.feeds(batch).error().message() << "\n";
  // error: the model needs the field of each feature, as in libffm
});

// save_click_model_options
// No error: it contains options.
const shown save_click_model_options_("save_click_model_options", [] {
  fg::graph g;
  const fg::click_model model(g, {.factors = 2});
  fg::session s(g);
  s.initialize();
  fg::save_click_model(s, model, "of_texts", {.reading = {.hash_keys = true}, .texts = {{"author", "me"}}}).value();
  const auto found = fg::describe_click_model("of_texts").value();
  std::cout << found.reading.hash_keys << " " << found.texts.at("author") << "\n";
  // prints: 1 me
});

// save_click_model
// s: a session of the graph of the model
// model: the model
// folder: the folder to write
// options: the rules for lines, and further texts
// Returns the error if the folder cannot be written.
const shown save_click_model_("save_click_model", [] {
  fg::graph g;
  const fg::click_model model(g, {.factors = 2});
  fg::session s(g);
  s.initialize();
  fg::save_click_model(s, model, "saved_clicks").value();
  std::cout << fg::safetensors::open("saved_clicks/model.safetensors").value().metadata().at("model") << "\n";
  // prints: fm

  fg::session empty(g);
  std::cout << fg::save_click_model(empty, model, "saved_clicks").error().message() << "\n";
  // error: attempting to use uninitialized value 'bias': run its initializer (session::initialize) first
});

// click_model_description
// No error: describe_click_model fills it.
const shown click_model_description_("click_model_description", [] {
  const fg::click_model_description nothing;
  std::cout << nothing.options.factors << " " << nothing.texts.size() << "\n";
  // prints: 8 0
});

// describe_click_model
// folder: the folder of a saved model
// Returns the description, or the error.
const shown describe_click_model_("describe_click_model", [] {
  fg::graph g;
  const fg::click_model model(g, {.kind = fg::click_model_kind::nfm, .factors = 3, .hidden = {5}});
  fg::session s(g);
  s.initialize();
  fg::save_click_model(s, model, "described").value();
  const fg::click_model_description found = fg::describe_click_model("described").value();
  std::cout << fg::name_of(found.options.kind) << " " << found.options.factors << " " << found.options.hidden[0] << "\n";
  // prints: nfm 3 5

  fg::save_safetensors("described/model.safetensors", {{"w", fg::tensor<float>(1.f).erased()}}).value();
  std::cout << fg::describe_click_model("described").error().message() << "\n";
  // error: 'described/model.safetensors' is not a model of clicks of this version
});

// load_click_model
// s: a session that is initialized
// model: a model of the same kind and sizes
// folder: the folder of a saved model
// Returns the error if the files cannot be read or do not fit.
const shown load_click_model_("load_click_model", [] {
  fg::graph g;
  const fg::click_model model(g, {.factors = 2});
  fg::session s(g), later(g);
  s.initialize();
  later.initialize();
  s.assign({{fg::out<float>(model.bias), fg::tensor<float>(0.5f)}});
  fg::save_click_model(s, model, "loaded").value();
  fg::load_click_model(later, model, "loaded").value();
  std::cout << later.run(fg::fetch(fg::out<float>(model.bias))).scalar() << "\n";
  // prints: 0.5

  fg::graph h;
  const fg::click_model deep(h, {.kind = fg::click_model_kind::nfm, .factors = 2});
  fg::session t(h);
  t.initialize();
  std::cout << fg::load_click_model(t, deep, "loaded").error().message() << "\n";
  // error: 'loaded/model.safetensors': has no tensor 'layer_0/weights'
});

// served_click_model
const shown served_click_model_("served_click_model", [] {
  fg::graph g;
  const fg::click_model model(g, {.factors = 2, .initial_scale = 0});
  fg::session s(g);
  s.initialize();
  fg::save_click_model(s, model, "served_clicks").value();
  auto served = fg::served_click_model::load("served_clicks").value();
  std::cout << served.predict("17:1 204:0.5").value() << " " << served.description().options.factors << "\n";
  // prints: 0.5 2

  std::cout << served.predict("17:1 204").error().message() << "\n";
  // error: expected ':' after the key, found the end of the line, in '17:1 204'
});

// screening_options
// No error: it contains a number.
const shown screening_options_("screening_options", [] {
  std::cout << fg::screening_options{.threshold = 0.5f}.threshold << "\n";
  // prints: 0.5
});

// screened_gradients
// No error: screen_gradients makes it.
const shown screened_gradients_("screened_gradients", [] {
  std::cout << fg::screened_gradients().list.size() << "\n";
  // prints: 0
});

// screen_gradients
// list: gradients, for example those of the function `gradients` of an optimizer
// options: the threshold
// Returns the gradients that are large enough, and the update of those that wait.
const shown screen_gradients_("screen_gradients", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::zeros<float>({2}));
  const auto loss = fg::sum(w * g.constant(fg::tensor<float>({2}, {1, 3})));
  const fg::sgd method{.rate = 1};
  const auto parts = fg::screen_gradients(method.gradients(loss), {.threshold = 2});
  const auto train = fg::group(method.apply(parts.list), parts.feedback);
  fg::session s(g);
  s.initialize();
  for (int i = 0; i < 2; ++i) {
    s.run(train);
    const auto now = s.run(fg::fetch(fg::out<float>(w)));
    std::cout << now[0] << " " << now[1] << "\n";
  }
  // prints: 0 -3
  // prints: -2 -6

  try {
    const auto some = g.placeholder<float>("some", {fg::any});
    fg::screen_gradients({{some, {fg::any_grad(some)}}}, {});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: variable 'some' has shape [?]; the optimizer's own variables need a known shape
});
