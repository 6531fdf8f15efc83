// What a session is connected by, without its header: the compiler's message says which one it is, by namespace.
// expect: include <flowgraph/distributed/tcp.hpp>
#include <flowgraph/flowgraph.hpp>
#ifdef CONTROL
#include <flowgraph/distributed/tcp.hpp>
#endif

namespace fg = flowgraph;

void run() { fg::tcp::connect("127.0.0.1:4000"); }
