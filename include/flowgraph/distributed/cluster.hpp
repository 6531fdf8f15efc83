#pragma once
// The tasks of a cluster: jobs by name, and the address of each of their tasks.
//
//     const fg::cluster all{{"worker", {"10.0.0.1:4000", "10.0.0.2:4000"}}, {"ps", {"10.0.0.3:4000"}}};
//
// Tasks are numbered over all jobs, in the order of the list. Every process of a cluster is given the same list.

#include <flowgraph/core/error.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// A list of jobs and of the addresses of their tasks. It is kept as it is given: check() says whether it makes sense, and whoever makes a
// task of it asks.
class cluster {
public:
  struct job {
    std::string name;
    std::vector<std::string> addresses;
  };
  cluster() = default;
  cluster(std::initializer_list<job> jobs) : jobs_(jobs) {}
  explicit cluster(std::vector<job> jobs) : jobs_(std::move(jobs)) {}

  // Reads "worker=10.0.0.1:4000,10.0.0.2:4000;ps=10.0.0.3:4000".
  static result<cluster> parse(std::string_view text);

  // In the order in which they were given, which numbers the tasks.
  const std::vector<job>& jobs() const noexcept { return jobs_; }
  // How many tasks all jobs have together.
  std::uint32_t size() const noexcept;
  // The number of a job's task. An error lists what exists.
  result<std::uint32_t> task(std::string_view job, std::uint32_t index) const;
  // "/job:worker/task:1". Precondition: task < size().
  std::string name_of(std::uint32_t task) const;
  // "10.0.0.1:4000". Precondition: task < size().
  const std::string& address_of(std::uint32_t task) const;
  // Errors: no task, a job without a name or named twice, an address that is empty or is there twice.
  error check() const;

private:
  std::vector<job> jobs_;
};

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
