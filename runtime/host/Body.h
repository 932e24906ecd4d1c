//===- Body.h - programs that a call of a control kernel runs ---*- C++ -*-===//
//
// The kernels `if_else` and `loop` run graphs of their own: the branches, or
// the body once for each iteration. Such a graph is a host program without
// memory of the chip. It stands as bytes (a tensor of u8) in an attribute of
// the call, so it goes wherever a call goes; its constants are operands of the
// call. Bodies may hold calls with bodies, kMostBodies deep.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_HOST_BODY_H
#define WEFT_RUNTIME_HOST_BODY_H

#include "runtime/host/Program.h"

namespace weft::host {

/// Attributes of the control kernels. `if_else` takes a condition of one
/// element and the inputs that both branches have. `loop` takes a trip count
/// (i64) and a condition, each of one element or absent, then kCarried values
/// that iterations hand on, then what all iterations see; the inputs of its
/// body are the number of the iteration (i64), the condition and the rest, its
/// results the condition, the carried values and the scan outputs. Of each axis
/// of those kEmptySizes, if it is there, says what it is in a scan output
/// without iterations, where data decide it.
inline constexpr std::string_view kThenBranch = "then_branch",
                                  kElseBranch = "else_branch",
                                  kLoopBody = "body", kCarried = "carried",
                                  kEmptySizes = "empty_sizes";

/// Bodies within bodies at most.
inline constexpr unsigned kMostBodies = 64;

/// Its program has Input, Constant, Call and Output steps.
struct Body {
  std::vector<ResultType> inputs, results;
  Program program;
};

HostTensor bodyTensor(const Body &body);
/// Code::BadFile if `bytes` are none; what the steps mean is not checked.
rt::Result<Body> parseBody(const HostTensor &bytes);

/// Checks a body and those within it as checkProgram does; `depth` is the
/// number of bodies that this one stands in.
rt::Status checkBody(const Body &body, unsigned depth = 0);

struct NamedBody {
  std::string_view name; ///< of the attribute
  Body body;
};
/// The bodies of a call, parsed; none if `kernel` is no control kernel.
rt::Result<std::vector<NamedBody>> bodiesOf(std::string_view kernel,
                                            const Attributes &attributes);

} // namespace weft::host

#endif // WEFT_RUNTIME_HOST_BODY_H
