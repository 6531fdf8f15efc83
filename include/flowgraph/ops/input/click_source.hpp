#pragma once
// A source of clicks in a graph: each run takes the next batch of a file. A thread reads the next batches while the graph computes.
//
//     fg::click_source from(g, "train.txt", {.format = fg::click_format::libffm, .rows = 1024, .seed = 7, .epochs = 5});
//     auto clicks = from.next();                                                // .labels, .splits, .keys, .values, .fields
//     auto rows = fg::embedding_lookup_sparse(table, clicks.keys, lines);
//
// The text is read once and written to a binary cache next to it. Batches do not mix epochs. Checkpoints contain the position, so a
// restored session continues with the following batch.

#include <flowgraph/formats/click_text.hpp>
#include <flowgraph/ops/input/clicks.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the handle of a source of clicks in the session's container.
struct click_source_op : decode_clicks_attributes {
  static constexpr std::string_view name = "ClickSource";
  static constexpr op_facts facts{.stateful = true};
  std::string container = {}, shared_name = {};
  std::string path = {};       // of the text
  bool has_fields = false;     // the format of the text is that of libffm
  std::int64_t rows = 1024;    // the samples of a batch; the last batch of an epoch may be smaller
  std::int64_t ahead = 2;      // the batches that are read in advance
  std::int64_t seed = 0;       // not 0: epoch i, from 0, has the order seed + i
  std::int64_t epochs = 1;     // -1: without end
  bool without_cache = false;  // the text is parsed in each epoch; requires seed = 0
  static constexpr auto attrs = flowgraph::attrs(
      attr("container", &click_source_op::container), attr("shared_name", &click_source_op::shared_name),
      required("path", &click_source_op::path), attr("has_fields", &click_source_op::has_fields),
      attr("hash_keys", &click_source_op::hash_keys), attr("hash_seed", &click_source_op::hash_seed),
      attr("buckets", &click_source_op::buckets), attr("skip_malformed", &click_source_op::skip_malformed),
      attr("rows", &click_source_op::rows), attr("ahead", &click_source_op::ahead), attr("seed", &click_source_op::seed),
      attr("epochs", &click_source_op::epochs), attr("without_cache", &click_source_op::without_cache));

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> handle) const;
};

// Returns the next batch of a source. Features splits[i] to splits[i + 1] belong to sample i. After the last epoch the error is
// out_of_range. `fields` is empty if the text has no fields.
struct click_source_next_op {
  static constexpr std::string_view name = "ClickSourceNext";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .expensive = true};

  shape_list shape(const flowgraph::shape&) const { return {{-1}, {-1}, {-1}, {-1}, {}, {-1}}; }
  void operator()(cpu ctx, view<const resource> source, unsized<float> labels, unsized<std::int64_t> splits,
                  unsized<std::int64_t> keys, unsized<float> values, view<std::int64_t> skipped,
                  unsized<std::int32_t> fields) const;
};

using click_source_ops = type_list<click_source_op, click_source_next_op>;

// Options of a source of clicks. click_options describes the members that both have.
struct click_source_options {
  click_format format = click_format::libsvm;  // the format of the lines
  bool hash_keys = false;                      // true: keys are texts, which are hashed
  std::int64_t hash_seed = 0;                  // the seed of the hash
  std::int64_t buckets = 0;                    // not 0: keys are reduced to 0 ... buckets - 1
  bool skip_malformed = false;                 // true: malformed lines are counted, and skipped
  std::int64_t rows = 1024;                    // the samples of a batch; the last batch of an epoch may be smaller
  std::int64_t ahead = 2;                      // the batches that are read in advance
  std::int64_t seed = 0;                       // not 0: epoch i, from 0, has the order seed + i
  std::int64_t epochs = 1;                     // -1: without end
  bool without_cache = false;                  // the text is parsed in each epoch; requires seed = 0
  std::string container = {};                  // nodes with the same container and shared_name share a source
  std::string shared_name = {};                // the shared name; empty: the node has its own source
};

// A source of clicks in a graph. The object is a handle, which is cheap to copy.
class click_source {
public:
  click_source() = default;
  explicit click_source(const graph& g, std::string path, const click_source_options& o = {}, site s = {});

  // Returns the handle of the source.
  const out<resource>& handle() const { return handle_; }
  // Takes the next batch. After the last epoch, a run ends with the error out_of_range. `skipped` is the number of malformed lines
  // that the cache lacks, or that the epoch has passed so far.
  decoded_clicks next(site s = {}) const;

private:
  out<resource> handle_;
  bool has_fields_ = false;
};

inline click_source::click_source(const graph& g, std::string path, const click_source_options& o, site s)
    : has_fields_(o.format == click_format::libffm) {
  click_source_op op;
  op.hash_keys = o.hash_keys;
  op.hash_seed = o.hash_seed;
  op.buckets = o.buckets;
  op.skip_malformed = o.skip_malformed;
  op.container = o.container;
  op.shared_name = o.shared_name;
  op.path = std::move(path);
  op.has_fields = has_fields_;
  op.rows = o.rows;
  op.ahead = o.ahead;
  op.seed = o.seed;
  op.epochs = o.epochs;
  op.without_cache = o.without_cache;
  handle_ = apply_in<>(g, op, s);
}
inline decoded_clicks click_source::next(site s) const {
  const auto [labels, splits, keys, values, skipped, fields] = apply(click_source_next_op{}, handle_, s);
  return {labels, splits, keys, values, skipped, has_fields_ ? fields : out<std::int32_t>()};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/input/detail/click_source.hpp>
#endif
