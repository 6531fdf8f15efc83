#include <distributed/launching/host_list.hpp>
#include <distributed/launching/launchers.hpp>
#include <distributed/proving/keyed_hash.hpp>
#include <distributed/task_meeting.hpp>
#include <flowgraph/distributed/launch.hpp>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>

#include <cstdlib>
#include <unistd.h>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

namespace {

using namespace distributed;
using asio_tcp = asio::ip::tcp;

std::optional<std::string> variable_of_process(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return {};
  return std::string(value);
}

// A port that is bound but not listening: the system gives it to no other process, and the task can still listen there.
struct reserved_port {
  asio::io_context io;
  asio_tcp::acceptor socket{io};
  std::uint16_t port = 0;
};

result<std::shared_ptr<reserved_port>> reserve(bool is_one_machine) {
  auto result = std::make_shared<reserved_port>();
  const auto on = is_one_machine ? asio::ip::address_v4::loopback() : asio::ip::address_v4::any();
  asio::error_code why;
  result->socket.open(asio_tcp::v4(), why);
  if (!why) result->socket.set_option(asio_tcp::acceptor::reuse_address(true), why);
  if (!why) result->socket.bind({on, 0}, why);
  if (why) return error(error_code::unavailable, message{"no port can be had for the task: ", why.message()});
  result->port = result->socket.local_endpoint().port();
#ifndef __linux__
  result->socket.close(why);  // this system does not allow two sockets to be bound to a port
#endif
  return result;
}

// Returns the first port of a run. It depends on the run, so that two runs on one machine rarely use the same port.
std::uint32_t port_of(const std::string& run) {
  if (run.empty()) return 4000;
  const hash_bytes h = keyed_hash("port", {run});
  return 20000 + (std::uint32_t{h[0]} << 8 | h[1]) % 10000;
}

bool is_here(std::string_view address) { return address.starts_with("127.") || address.starts_with("localhost:"); }

// Returns the address to listen at: on all networks of the machine, since the machine's own name may only mean its loopback.
std::string listen_for(const std::string& address) { return is_here(address) ? address : address.substr(address.rfind(':')); }

result<launched_task> made_of(cluster all, std::uint32_t number, std::string launcher) {
  launched_task result;
  result.all = std::move(all);
  result.launcher = std::move(launcher);
  std::uint32_t left = number;
  for (const cluster::job& j : result.all.jobs()) {
    const auto count = static_cast<std::uint32_t>(j.addresses.size());
    if (left < count) {
      result.job = j.name;
      result.index = left;
      break;
    }
    left -= count;
  }
  result.listen = listen_for(result.all.address_of(number));
  return result;
}

result<launched_task> of_named(named_task given, const std::optional<ranked_task>& counted) {
  std::uint32_t number = 0;
  if (given.job) {
    const auto own = given.all.task(*given.job, given.index);
    if (!own)
      return error(own.error().code(), message{given.told_by, " names a task that is not in its cluster"}).because(own.error());
    number = *own;
  } else if (!counted) {
    const std::string_view remedy = given.told_by == "TF_CONFIG"
                                        ? "add its member 'task'"
                                        : "set FLOWGRAPH_TASK and, if the job is not 'worker', FLOWGRAPH_JOB";
    return error(error_code::not_found, message{given.told_by, " lists the tasks, but does not name the task of this process: ",
                                                remedy, ", or start the process by a launcher"});
  } else if (counted->rank >= given.all.size() || (counted->size != 0 && counted->size != given.all.size())) {
    return error(error_code::failed_precondition,
                 message{given.told_by, " has ", given.all.size(), " tasks, but by ", counted->launcher, " (", counted->told_by,
                         ") this is task ", counted->rank, " of ", counted->size});
  } else {
    number = counted->rank;
  }
  return made_of(std::move(given.all), number, std::move(given.told_by));
}

// Returns the address where rank 0 waits for the other tasks.
result<std::string> meeting_of(const ranked_task& t, const variable_source& variables) {
  if (!t.meeting.empty()) return t.meeting;
  if (!t.is_one_machine && t.size != 1)
    return error(error_code::failed_precondition,
                 message{t.launcher, " does not report the addresses of its ", t.size,
                         " tasks: set FLOWGRAPH_MEETING to a host:port of the machine of rank 0, where the tasks announce "
                         "themselves, or FLOWGRAPH_HOSTS to the host of each task"});
  std::optional<std::uint32_t> port;
  if (error why = number_variable(variables, "FLOWGRAPH_PORT", port)) return why;
  return message{"127.0.0.1:", port.value_or(port_of(t.run))}.string();
}

result<std::vector<std::string>> addresses_by_meeting(const ranked_task& t, const launch_options& options,
                                                      const transport_options& network, const variable_source& variables,
                                                      std::shared_ptr<void>& reserved) {
  const auto at = meeting_of(t, variables);
  if (!at) return at.error();
  const auto port = reserve(is_here(*at));
  if (!port) return port.error();
  reserved = *port;
  const std::string own = message{is_here(*at) ? "127.0.0.1:" : ":", (*port)->port};
  if (t.size == 1) return std::vector<std::string>{own};
  transport_options of_meeting = network;
  of_meeting.compute_threads = 1;
  return meet(make_transport(of_meeting), {.run = t.run,
                                           .rank = t.rank,
                                           .size = t.size,
                                           .at = *at,
                                           .own = own,
                                           .token = options.token,
                                           .patience = options.patience,
                                           .on_waiting = options.on_waiting});
}

}  // namespace

result<launched_task> cluster_from_environment(const launch_options& options, const transport_options& network) {
  const bool is_of_process = !options.variables;
  const variable_source variables = is_of_process ? variable_source(variable_of_process) : options.variables;
  auto counted = launcher_of(variables);
  auto named = named_task_of(variables);
  if (!named) return named.error();
  // A task that is named explicitly needs no launcher that numbers tasks.
  if (*named && (*named)->job) return of_named(**std::move(named), {});
  if (!counted) return counted.error();
  if (*named) return of_named(**std::move(named), *counted);
  if (!*counted)
    return error(error_code::not_found,
                 "the environment does not name the task of this process: expected the variables of mpirun, srun, torchrun, "
                 "PMIx or an indexed job of Kubernetes, or TF_CONFIG, FLOWGRAPH_CLUSTER or FLOWGRAPH_CLUSTER_FILE");
  ranked_task t = **std::move(counted);
  if (t.size == 0)
    return error(
        error_code::not_found,
        message{"by ", t.launcher, " (", t.told_by, ") this is task ", t.rank,
                ", but the number of tasks is not known: set FLOWGRAPH_TASKS to it, or FLOWGRAPH_HOSTS to the host of each "
                "task"});
  if (!options.meeting.empty()) t.meeting = options.meeting;
  if (t.run.empty() && is_of_process && t.is_one_machine) t.run = message{"process ", static_cast<std::int64_t>(::getppid())};

  std::shared_ptr<void> reserved;
  std::optional<std::uint32_t> first;
  if (error why = number_variable(variables, "FLOWGRAPH_PORT", first)) return why;
  const auto addresses = t.hosts.empty() ? addresses_by_meeting(t, options, network, variables, reserved)
                                         : with_ports(t.hosts, first.value_or(port_of(t.run)));
  if (!addresses) return addresses.error();
  const std::string roles = options.roles.empty() ? text_variable(variables, "FLOWGRAPH_ROLES").value_or("") : options.roles;
  auto all = with_roles(*addresses, roles);
  if (!all) return all.error();
  std::uint32_t number = 0;
  while (all->address_of(number) != (*addresses)[t.rank]) ++number;
  auto result = made_of(*std::move(all), number, t.launcher);
  if (result) result->reserved = std::move(reserved);
  return result;
}

}  // namespace flowgraph::tcp
