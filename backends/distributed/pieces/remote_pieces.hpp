#pragma once
// A partial run at a master: one request for the run, which is answered when it ends, and one for each piece.

#include "../remote_run.hpp"

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

class remote_pieces final : public remote_run {
public:
  remote_pieces(std::shared_ptr<const detail::plan> whole, const remote_parts& parts)
      : remote_run(std::move(whole), parts), fetches_(parts.fetches()) {}

  void start(const run_options& options, bool) override;
  void feed(std::size_t index, const any_tensor& value) override;
  void want(std::span<const std::size_t> fetches) override { wanted_.assign(fetches.begin(), fetches.end()); }
  error drive() override;
  result<any_tensor> take(std::size_t f) override;
  error missing(std::size_t f) const override { return fetches_[f].why; }
  void end(bool) override;

private:
  struct fetch {
    bool is_there = false;
    error why;  // of the last piece that has asked for it
    any_tensor value;
  };
  error next_piece();
  // The run has been answered.
  error hear_of_end();

  const run_options* options_ = nullptr;
  std::chrono::nanoseconds until_ = {};  // what was given as a length counts from the beginning
  error refused_;                        // why it has not begun
  remote_session::handle at_;
  std::uint64_t asked_ = 0;
  std::shared_ptr<awaited> run_;  // null: it has not begun
  bool has_pieces_ = false;
  std::size_t fed_ = 0, fetched_ = 0;
  std::vector<fetch> fetches_;
  // Of the piece to come.
  std::vector<std::uint32_t> feeds_;
  std::vector<any_tensor> values_;
  std::vector<std::size_t> wanted_;
};

}
}
}  // namespace flowgraph::distributed
