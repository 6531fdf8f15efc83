#include "address.hpp"

#include <flowgraph/core/message.hpp>
#include <flowgraph/distributed/tcp.hpp>

#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

result<server> server::make(const cluster& all, std::string_view job, std::uint32_t index, const registry& ops,
                            const task_options& options, const transport_options& network) {
  for (std::uint32_t t = 0; t < all.size(); ++t)
    if (const auto parsed = parse_address(all.address_of(t)); !parsed)
      return error(parsed.error().code(), message{"the address of ", all.name_of(t), " in the cluster"}).because(parsed.error());
  auto result = task::make(make_transport(network), all, job, index, ops, options);
  if (!result) return result.error();
  return server(*std::move(result));
}

server::server(const cluster& all, std::string_view job, std::uint32_t index, const registry& ops, const task_options& options,
               const transport_options& network)
    : server(make(all, job, index, ops, options, network).value()) {}

session_target connect(std::string address, const connect_options& options, const transport_options& network) {
  transport_options of_client = network;
  of_client.compute_threads = 1;
  return flowgraph::connect(make_transport(of_client), std::move(address), options);
}

}  // namespace flowgraph::tcp
