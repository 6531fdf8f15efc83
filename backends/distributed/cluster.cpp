#include "words.hpp"

#include <flowgraph/distributed/cluster.hpp>

#include <set>

namespace flowgraph::inline FLOWGRAPH_ABI {

result<cluster> cluster::parse(std::string_view text) {
  using distributed::each_word, distributed::trimmed;
  std::vector<job> jobs;
  const error malformed = each_word(text, ';', [&](std::string_view one) -> error {
    const auto equals = one.find('=');
    if (one.empty()) return {};  // after the last separator
    if (equals == one.npos)
      return {error_code::invalid_argument,
              message{"'", one, "' is not of the form job=address,address, as in worker=10.0.0.1:4000,10.0.0.2:4000"}};
    job& to = jobs.emplace_back(job{std::string(trimmed(one.substr(0, equals))), {}});
    return each_word(one.substr(equals + 1), ',', [&](std::string_view address) -> error {
      to.addresses.emplace_back(address);
      return {};
    });
  });
  if (malformed) return malformed;
  cluster result(std::move(jobs));
  if (error why = result.check()) return why;
  return result;
}

std::uint32_t cluster::size() const noexcept {
  std::size_t count = 0;
  for (const job& j : jobs_) count += j.addresses.size();
  return static_cast<std::uint32_t>(count);
}

result<std::uint32_t> cluster::task(std::string_view wanted, std::uint32_t index) const {
  std::size_t first = 0;
  std::string existing;
  for (const job& j : jobs_) {
    if (j.name == wanted && index < j.addresses.size()) return static_cast<std::uint32_t>(first + index);
    first += j.addresses.size();
    existing += message{existing.empty() ? "" : ", ",
                        "/job:",
                        j.name,
                        " with ",
                        j.addresses.size(),
                        j.addresses.size() == 1 ? " task" : " tasks"};
  }
  return error(error_code::not_found,
               message{"the cluster has no /job:", wanted, "/task:", index, "; it has ", existing.empty() ? "none" : existing});
}

std::string cluster::name_of(std::uint32_t task) const {
  for (const job& j : jobs_) {
    if (task < j.addresses.size()) return message{"/job:", j.name, "/task:", task};
    task -= static_cast<std::uint32_t>(j.addresses.size());
  }
  return {};
}

const std::string& cluster::address_of(std::uint32_t task) const {
  for (const job& j : jobs_) {
    if (task < j.addresses.size()) return j.addresses[task];
    task -= static_cast<std::uint32_t>(j.addresses.size());
  }
  static const std::string none;
  return none;
}

error cluster::check() const {
  const auto wrong = [](const message& what) { return error(error_code::invalid_argument, what); };
  if (size() == 0) return wrong(message{"a cluster has one task at least"});
  std::set<std::string_view> names, addresses;
  for (const job& j : jobs_) {
    if (j.name.empty() || j.name.find_first_of("/:") != j.name.npos)
      return wrong(message{"'", j.name, "' cannot be the name of a job"});
    if (!names.insert(j.name).second) return wrong(message{"the cluster has two jobs named '", j.name, "'"});
    for (const std::string& a : j.addresses)
      if (a.empty() || !addresses.insert(a).second)
        return wrong(message{"the address '", a, "' of a task of job '", j.name, a.empty() ? "' is empty" : "' is there twice"});
  }
  return {};
}

}  // namespace flowgraph
