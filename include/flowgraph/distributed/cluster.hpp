#pragma once
// The tasks of a cluster: named jobs, and the address of each of their tasks.
//
//     const fg::cluster all{{"worker", {"10.0.0.1:4000", "10.0.0.2:4000"}}, {"ps", {"10.0.0.3:4000"}}};
//
// Tasks are numbered over all jobs, in the order of the list. Each process of a cluster must get the same list.

#include <flowgraph/core/error.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A list of jobs, with the addresses of their tasks. The constructor does not check the list. check() does, and is called when a
// task is created.
class cluster {
public:
  struct job {
    std::string name;
    std::vector<std::string> addresses;
  };
  cluster() = default;
  cluster(std::initializer_list<job> jobs) : jobs_(jobs) {}
  explicit cluster(std::vector<job> jobs) : jobs_(std::move(jobs)) {}

  // Parses "worker=10.0.0.1:4000,10.0.0.2:4000;ps=10.0.0.3:4000".
  static result<cluster> parse(std::string_view text);

  // Returns the jobs in the given order, which determines the numbering of the tasks.
  const std::vector<job>& jobs() const noexcept { return jobs_; }
  // Returns the number of tasks of all jobs.
  std::uint32_t size() const noexcept;
  // Returns the number of a task of a job. If there is no such task, the error lists the existing tasks.
  result<std::uint32_t> task(std::string_view job, std::uint32_t index) const;
  // Returns "/job:worker/task:1". Precondition: task < size().
  std::string name_of(std::uint32_t task) const;
  // Returns "10.0.0.1:4000". Precondition: task < size().
  const std::string& address_of(std::uint32_t task) const;
  // Returns an error if there is no task, if a job has no name or a duplicate name, or if an address is empty or occurs twice.
  error check() const;

private:
  std::vector<job> jobs_;
};

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
