//===- ControlTest.cpp - branches and loops of the host -------------------===//

#include "runtime/host/Body.h"
#include "runtime/status/Stop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::host;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const ResultType kNumber = staticResult(ElementType::I64, {});
const ResultType kFlag = staticResult(ElementType::Bool, {});
const ResultType kPair = staticResult(ElementType::F32, {2});

HostTensor number(int64_t value) {
  HostTensor tensor(ElementType::I64, {});
  *tensor.as<int64_t>() = value;
  return tensor;
}

HostTensor flag(bool value) {
  HostTensor tensor(ElementType::Bool, {});
  *tensor.bytes() = value;
  return tensor;
}

HostTensor pair(float first, float second) {
  HostTensor tensor(ElementType::F32, {2});
  tensor.as<float>()[0] = first;
  tensor.as<float>()[1] = second;
  return tensor;
}

std::vector<float> floatsOf(const HostTensor &tensor) {
  return {tensor.as<float>(), tensor.as<float>() + tensor.elements()};
}

CallStep binary(const char *kind, ValueId lhs, ValueId rhs, ValueId result,
                ResultType type) {
  CallStep step;
  step.kernel = "binary";
  step.node = kind;
  step.attributes.set("kind", std::string(kind));
  step.operands = {lhs, rhs};
  step.results = {result};
  step.types = {type};
  return step;
}

/// Fails when it runs: the matrix is none.
CallStep wrong(ValueId input, ValueId result) {
  CallStep step;
  step.kernel = "det";
  step.node = "wrong";
  step.operands = {input};
  step.results = {result};
  step.types = {kPair};
  return step;
}

/// (x, y) -> x op y, or what fails.
Body branch(const char *kind) {
  Step step = kind ? Step(binary(kind, 0, 1, 2, kPair)) : Step(wrong(0, 2));
  return {{kPair, kPair},
          {kPair},
          {{InputStep{0, 0}, InputStep{1, 1}, step, OutputStep{2, 0}}}};
}

Call ifElse(const HostTensor &condition, const HostTensor &x,
            const HostTensor &y, const Body &yes, const Body &no) {
  Call call;
  call.kernel = "if_else";
  call.attributes.set("then_branch", bodyTensor(yes));
  call.attributes.set("else_branch", bodyTensor(no));
  call.operands = {&condition, &x, &y};
  call.results = {kPair};
  return call;
}

/// (i, go, sum, limit, x) -> (i < limit, sum + x, sum + x)
Body addingBody() {
  return {{kNumber, kFlag, kPair, kNumber, kPair},
          {kFlag, kPair, kPair},
          {{InputStep{0, 0}, InputStep{1, 1}, InputStep{2, 2}, InputStep{3, 3},
            InputStep{4, 4}, binary("less", 0, 3, 5, kFlag),
            binary("add", 2, 4, 6, kPair), OutputStep{5, 0}, OutputStep{6, 1},
            OutputStep{6, 2}}}};
}

/// A loop of that body and what it reads.
struct Adding {
  explicit Adding(int64_t room = 10) {
    call.kernel = "loop";
    call.attributes.set("body", bodyTensor(addingBody()));
    call.attributes.set("carried", int64_t(1));
    call.operands = {&count, &go, &sum, &limit, &x};
    call.results = {kPair, {ElementType::F32, {kUnknownSize, 2}, {room, 2}}};
  }
  rt::Status run() {
    results.clear();
    return host::run(call, results);
  }

  HostTensor count = number(4), go = flag(true), sum = pair(0, 0),
             limit = number(100), x = pair(1, 2);
  Call call;
  std::vector<HostTensor> results;
};

TEST(HostControl, runsTheBranchOfTheConditionAlone) {
  HostTensor x = pair(1, 2), y = pair(3, 5);
  for (bool condition : {true, false}) {
    HostTensor chosen = flag(condition);
    std::vector<HostTensor> results;
    Call call = condition
                    ? ifElse(chosen, x, y, branch("add"), branch(nullptr))
                    : ifElse(chosen, x, y, branch(nullptr), branch("mul"));
    rt::Status status = run(call, results);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(floatsOf(results[0]), condition ? std::vector<float>({4, 7})
                                              : std::vector<float>({3, 10}));
  }
  HostTensor chosen = flag(true);
  std::vector<HostTensor> results;
  EXPECT_THAT(run(ifElse(chosen, x, y, branch(nullptr), branch("mul")), results)
                  .message(),
              HasSubstr("node 'wrong': det on the host"));
}

TEST(HostControl, loopsAsOftenAsCountAndConditionSay) {
  Adding adding;
  ASSERT_TRUE(adding.run().isOk());
  EXPECT_THAT(floatsOf(adding.results[0]), ElementsAre(4, 8));
  EXPECT_THAT(adding.results[1].shape(), ElementsAre(4, 2));
  EXPECT_THAT(floatsOf(adding.results[1]), ElementsAre(1, 2, 2, 4, 3, 6, 4, 8));
  adding.limit = number(1); // true in iteration 0, false in the next one
  ASSERT_TRUE(adding.run().isOk());
  EXPECT_THAT(floatsOf(adding.results[0]), ElementsAre(2, 4));
  adding.call.operands[0] = nullptr;
  ASSERT_TRUE(adding.run().isOk());
  EXPECT_THAT(floatsOf(adding.results[0]), ElementsAre(2, 4));
  adding.go = flag(false);
  ASSERT_TRUE(adding.run().isOk());
  EXPECT_THAT(floatsOf(adding.results[0]), ElementsAre(0, 0));
  EXPECT_THAT(adding.results[1].shape(), ElementsAre(0, 2));
  adding.call.operands[1] = nullptr;
  adding.call.operands[0] = &adding.count;
  adding.count = number(-3);
  ASSERT_TRUE(adding.run().isOk());
  EXPECT_THAT(floatsOf(adding.results[0]), ElementsAre(0, 0));
}

TEST(HostControl, givesEmptyScanOutputsTheSizesDeclared) {
  Adding adding;
  adding.count = number(0);
  adding.call.results[1] = {
      ElementType::F32, {kUnknownSize, kUnknownSize}, {10, 2}};
  ASSERT_TRUE(adding.run().isOk());
  EXPECT_THAT(adding.results[1].shape(), ElementsAre(0, 0));
  for (int64_t size : {1, 2, 3, -1}) {
    adding.call.attributes.set("empty_sizes", std::vector<int64_t>{size});
    ASSERT_TRUE(adding.run().isOk());
    EXPECT_THAT(adding.results[1].shape(),
                ElementsAre(0, std::clamp<int64_t>(size, 0, 2)));
  }
}

TEST(HostControl, endsWhenItIsAsked) {
  Adding adding;
  adding.call.results.pop_back(); // a loop without an end, nothing collected
  Body body = addingBody();
  body.results.pop_back();
  body.program.steps.pop_back();
  adding.call.attributes.set("body", bodyTensor(body));
  adding.count = adding.limit = number(INT64_MAX);
  rt::Stop stop;
  stop.begin(0.05);
  rt::StopScope scope(&stop);
  EXPECT_EQ(adding.run().code(), rt::Code::Timeout);
  stop.begin(0);
  stop.setCancelled(true);
  EXPECT_EQ(adding.run().code(), rt::Code::Cancelled);
}

TEST(HostControl, refusesCallsThatDoNotFit) {
  Adding few(3);
  EXPECT_THAT(few.run().message(),
              HasSubstr("runs more than the 3 times that scan output 0 has "
                        "room for"));
  auto message = [](auto change) {
    Adding adding;
    change(adding);
    return adding.run().message();
  };
  EXPECT_THAT(
      message([](Adding &a) { a.call.attributes.set("carried", int64_t(9)); }),
      HasSubstr("9 carried values"));
  EXPECT_THAT(message([](Adding &a) { a.call.operands.pop_back(); }),
              HasSubstr("the body has 5 inputs and 3 results, the call 4"));
  EXPECT_THAT(message([](Adding &a) { a.call.operands[2] = nullptr; }),
              HasSubstr("operand 2 is absent but required"));
  EXPECT_THAT(message([](Adding &a) { a.count = flag(true); }),
              HasSubstr("the trip count is bool scalar; it must be one i64"));
  EXPECT_THAT(message([](Adding &a) { a.go = pair(1, 1); }),
              HasSubstr("the condition is f32 2; it must be one bool"));
  EXPECT_THAT(message([](Adding &a) { a.x = number(1); }),
              HasSubstr("iteration 0: input 4 of the graph is i64 scalar but "
                        "declared as f32 2"));
  EXPECT_THAT(message([](Adding &a) {
                a.call.results[1] = staticResult(ElementType::F32, {10});
              }),
              HasSubstr("scan output 0 is made of f32 2"));
  EXPECT_THAT(message([](Adding &a) {
                a.call.attributes.set("body", HostTensor(ElementType::U8, {3}));
              }),
              HasSubstr("graph 'body': it does not begin with WHB1"));
  EXPECT_THAT(message([](Adding &a) { a.call.attributes.set("body", 1.0); }),
              HasSubstr("graph 'body' is missing"));
}

TEST(HostControl, takesNoBytesOnTrust) {
  HostTensor bytes = bodyTensor(addingBody());
  rt::Result<Body> read = parseBody(bytes);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_EQ(bodyTensor(*read), bytes);
  auto setBytes = [](Adding &adding, const uint8_t *from, size_t size) {
    HostTensor tensor(ElementType::U8, {int64_t(size)});
    std::copy(from, from + size, tensor.bytes());
    adding.call.attributes.set("body", tensor);
  };
  Adding adding;
  for (size_t size = 0; size < bytes.sizeBytes(); ++size) {
    setBytes(adding, bytes.bytes(), size);
    EXPECT_FALSE(adding.run().isOk()) << size;
  }
  for (size_t at = 0; at < bytes.sizeBytes(); ++at)
    for (uint8_t change : {0x01, 0x80, 0xff}) {
      bytes.bytes()[at] ^= change;
      setBytes(adding, bytes.bytes(), bytes.sizeBytes());
      (void)adding.run().isOk(); // must only stay inside
      bytes.bytes()[at] ^= change;
    }
}

/// `body` as a branch of a body, which is a branch ..
Body within(Body body, unsigned depth) {
  for (unsigned i = 0; i < depth; ++i) {
    CallStep step;
    step.kernel = "if_else";
    step.attributes.set("then_branch", bodyTensor(body));
    step.attributes.set("else_branch", bodyTensor(body));
    step.operands = {2, 0, 1};
    step.results = {3};
    step.types = {kPair};
    HostTensor yes = flag(true);
    body = {{kPair, kPair},
            {kPair},
            {{InputStep{0, 0}, InputStep{1, 1}, ConstantStep{2, yes}, step,
              OutputStep{3, 0}}}};
  }
  return body;
}

TEST(HostControl, goesIntoBodiesOfBodies) {
  HostTensor x = pair(1, 2), y = pair(3, 5), yes = flag(true);
  std::vector<HostTensor> results;
  Body inner = within(branch("add"), 6);
  ASSERT_TRUE(run(ifElse(yes, x, y, inner, inner), results).isOk());
  EXPECT_EQ(floatsOf(results[0]), std::vector<float>({4, 7}));
  Body bad = branch("add");
  bad.program.steps.pop_back();
  EXPECT_THAT(
      checkBody(within(bad, 2)).message(),
      HasSubstr("graph 'then_branch': step 3 of the host program: graph "
                "'then_branch': does not give result 0"));
  bad = branch("add");
  bad.program.steps[0] =
      LoadStep{0, {0, ElementType::F32, 2}, ElementType::F32, {2}};
  EXPECT_THAT(checkBody(bad).message(), HasSubstr("loads 2 elements at 0x0"));
}

TEST(HostControl, preparesBodiesOfBodiesOnce) {
  constexpr int64_t kIterations = 1000;
  Body body = branch("add");
  for (unsigned i = 0; i < 60; ++i) {
    CallStep step;
    step.kernel = "if_else";
    step.attributes.set("then_branch", bodyTensor(body));
    step.attributes.set("else_branch", bodyTensor(branch("mul")));
    step.operands = {2, 0, 1};
    step.results = {3};
    step.types = {kPair};
    body = {{kPair, kPair},
            {kPair},
            {{InputStep{0, 0}, InputStep{1, 1}, ConstantStep{2, flag(true)},
              step, OutputStep{3, 0}}}};
  }
  // The outermost of them, of other numbers.
  CallStep step = std::get<CallStep>(body.program.steps[3]);
  step.operands = {1, 2, 3};
  step.results = {4};
  body = {{kNumber, kFlag, kPair, kPair},
          {kFlag, kPair},
          {{InputStep{0, 0}, InputStep{1, 1}, InputStep{2, 2}, InputStep{3, 3},
            step, OutputStep{1, 0}, OutputStep{4, 1}}}};
  HostTensor count = number(kIterations), go = flag(true), sum = pair(0, 0),
             x = pair(1, 2);
  Call call;
  call.kernel = "loop";
  call.attributes.set("body", bodyTensor(body));
  call.attributes.set("carried", int64_t(1));
  call.operands = {&count, &go, &sum, &x};
  call.results = {kPair};
  // Prepared in each iteration, they would take 15 s.
  rt::Stop stop;
  stop.begin(5);
  rt::StopScope scope(&stop);
  std::vector<HostTensor> results;
  rt::Status status = run(call, results);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_THAT(floatsOf(results[0]), ElementsAre(kIterations, 2 * kIterations));
}

TEST(HostControl, doesNotGoAsDeepAsAFileLikes) {
  // A chain, not a tree as above, which would double with each level.
  Body body = branch("add");
  for (unsigned i = 0; i <= kMostBodies; ++i) {
    ASSERT_EQ(checkBody(body).isOk(), i < kMostBodies) << i;
    CallStep step;
    step.kernel = "loop";
    step.attributes.set("body", bodyTensor(body));
    step.results = {0};
    step.types = {kPair};
    body = {{}, {kPair}, {{step, OutputStep{0, 0}}}};
  }
  EXPECT_THAT(checkBody(body).message(),
              HasSubstr("more than 64 graphs within graphs"));
}

TEST(HostControl, isCheckedWithTheProgramThatCallsIt) {
  Body inner = branch("add");
  std::get<CallStep>(inner.program.steps[2]).kernel = "no_such";
  CallStep step;
  step.kernel = "if_else";
  step.attributes.set("then_branch", bodyTensor(branch("add")));
  step.attributes.set("else_branch", bodyTensor(inner));
  step.operands = {0};
  step.results = {1};
  step.types = {kPair};
  StageView stage;
  ProgramState state;
  Program program{{ConstantStep{0, flag(true)}, step}};
  rt::Status status = checkProgram(program, stage, state);
  EXPECT_EQ(status.code(), rt::Code::Unsupported);
  EXPECT_THAT(status.message(),
              HasSubstr("step 1 of the host program: graph 'else_branch': step "
                        "2 of the host program: unsupported: host kernel "
                        "'no_such'"));
}

} // namespace
