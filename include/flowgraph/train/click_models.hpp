#pragma once
// Models of clicks over a sparse table: factorization machines (FM, FFM, NFM), and Wide & Deep.
//
//     fg::graph g;
//     const fg::click_model model(g, {.kind = fg::click_model_kind::fm, .factors = 8});
//     const auto train = fg::adagrad{.rate = 0.1f}.minimize(model.objective);
//     fg::session s(g);
//     s.initialize();
//     while (stream.next(batch).value()) model.step(s, train, batch).value();
//
// A row of the table belongs to a feature: a weight, and its factors. train/saved_click_model.hpp saves models, and predicts with
// saved models. flowgraph.hpp does not include this header.

#include <flowgraph/formats/click_text.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/lookup/sparse_table.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/nn/loss.hpp>
#include <flowgraph/ops/nn/sigmoid_cross_entropy.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/sparse/pair_interactions.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/runtime/session.hpp>

#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The kind of a model of clicks.
//
//     fm         factorization machine: bias + sum of weights + products of the factors of all pairs of features
//     ffm        field-aware factorization machine: a feature has factors for each field
//     nfm        neural factorization machine: layers read the products of the pairs, one number for each factor. The layers begin
//                by returning the sum of these numbers, so the model begins as fm with the same rows
//     wide_deep  Wide & Deep: bias + sum of weights + layers that read the sum of the factors, of each field or of all features
enum class click_model_kind : std::uint8_t { fm, ffm, nfm, wide_deep };

// Returns the name of a kind: "fm", "ffm", "nfm" or "widedeep".
std::string_view name_of(click_model_kind kind);

struct click_model_options {
  click_model_kind kind = click_model_kind::fm;  // the model
  bool regression = false;   // false: labels are classes, and a positive label is a click; true: they are numbers
  bool normalize = false;    // true: the values of each sample are divided by the root of the sum of their squares
  std::int64_t factors = 8;  // the number of factors of a feature; ffm: for each field
  std::int64_t fields = 0;   // ffm: the number of fields. wide_deep: the same, or 0: one vector for all fields
  std::vector<std::int64_t> hidden = {64, 32};  // nfm, wide_deep: the sizes of the hidden layers
  float l2_bias = 0;                            // L2 regularization of the bias
  float l2_linear = 0;                          // L2 regularization of the weights of the features of a batch
  float l2_factors = 0;                         // L2 regularization of the factors of the features of a batch
  float l2_layers = 0;                          // L2 regularization of the weights of layers
  std::int64_t seed = 1;                        // the seed of all initial values
  float initial_scale = 0.02f;                  // weights and factors begin uniform in [-initial_scale, initial_scale)
  std::int64_t expected_rows = 0;               // see sparse_table_options
  std::int64_t memory_limit = -1;               // see sparse_table_options
  bool without_locks = false;                   // see sparse_table_options
};

// A model in a graph. The object contains handles; it is cheap to copy. The graph refuses wrong options.
struct click_model {
  click_model_options options;

  // Inputs, which `feeds` feeds. Features splits[i] to splits[i + 1] belong to sample i.
  out<std::int64_t> keys, splits;
  out<std::int32_t> fields;
  out<std::int64_t> cells;  // wide_deep with fields: sample * fields + field of each feature
  out<float> values, labels;

  // Parameters.
  sparse_table<float> table;
  variable<float> bias;
  std::vector<variable<float>> layers;  // weights and biases of each layer in turn

  // Results for training. They create the rows of new features.
  out<float> logits;     // one number for each sample; in regression the prediction
  out<float> loss;       // the mean over the samples of the logistic loss, or of the squared error in regression
  out<float> objective;  // the loss and the L2 regularization, to be minimized

  // Predictions, one for each sample: the probability of a click, or a number in regression. They create no rows.
  out<float> predictions;

  // Write the table to the file that is fed as `file`, and replace the rows of the table by those of the file.
  out<std::string> file;
  target save, restore;
  target create_rows;  // of `keys`; see `prepare`

  click_model() = default;
  explicit click_model(const graph& g, const click_model_options& o = {}, site s = {});

  // Returns the feeds of a batch: all inputs that the model has. If the batch lacks fields, or a field is out of range, returns an
  // error.
  result<std::vector<fed>> feeds(const click_batch& batch) const;
  // Runs `update` with a batch, and returns the loss. If `to` is not null, it gets the logits that the batch had before the update.
  result<float> step(session& s, const target& update, const click_batch& batch, std::vector<float>* to = nullptr) const;
  result<float> step(session& s, const target& update, const std::vector<fed>& feeds, std::vector<float>* to = nullptr) const;
  // Creates the rows of the features of a later batch, whose feeds are given, so that its step is shorter. Another thread may call
  // this during a step. Results do not change.
  result<void> prepare(session& s, const std::vector<fed>& feeds) const;
  // Returns the predictions for a batch.
  result<std::vector<float>> predict(session& s, const click_batch& batch) const;

private:
  std::int64_t linear_columns() const;
  out<float> logits_of_pairs(const out<float>& y) const;
  out<float> logits_of(const out<float>& rows) const;
  out<float> layers_of(out<float> x) const;
  // One of both is empty: the rows of the features, or half of the sums of their squares.
  out<float> penalty_of(const out<float>& rows, const out<float>& squares) const;
  void add_layers(graph& g, std::int64_t inputs);
};

}  // namespace flowgraph

#include <flowgraph/train/detail/click_models.hpp>
