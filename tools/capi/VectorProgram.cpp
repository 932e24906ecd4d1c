//===- VectorProgram.cpp - programs of Zhouyi
//------------------------------===//

#include "runtime/zhouyi/Disassemble.h"
#include "runtime/zhouyi/Session.h"
#include "tools/capi/Status.h"

#include <cstring>
#include <nlohmann/json.hpp>

using namespace weft;
using capi::guarded;
using capi::toC;
using Json = nlohmann::ordered_json;
using rt::Code;
using rt::Result;
using rt::Status;

struct weft_zhouyi_program {
  std::shared_ptr<const zhouyi::Program> program;
  zhouyi::Session session;
  std::string tensors, listing;
};

static Status refuse(std::string message) {
  return rt::fail(Code::InvalidArgument, std::move(message));
}

static Json describe(const std::vector<rt::TensorSpec> &tensors) {
  Json rows = Json::array();
  for (const rt::TensorSpec &tensor : tensors)
    rows.push_back({{"name", tensor.name},
                    {"type", numeric::onnxDataType(tensor.type)},
                    {"shape", tensor.shape},
                    {"bytes", tensor.bytes()}});
  return rows;
}

static Result<std::string> listingOf(const zhouyi::Program &program) {
  std::string text;
  Status status = zhouyi::list(program, [&](const std::string &line) {
    text += line;
    return Status();
  });
  if (!status.isOk())
    return status;
  return text;
}

static Status open(const void *bytes, size_t size, const char *name,
                   weft_zhouyi_program **program) {
  if (!bytes || !program)
    return refuse("bytes and program must not be NULL");
  auto context = [&](const Status &status) {
    return name ? status.withContext(name) : status;
  };
  Result<zhouyi::ProgramFile> file =
      zhouyi::parseProgramFile({static_cast<const uint8_t *>(bytes), size});
  if (!file)
    return context(file.status());
  auto shared =
      std::make_shared<const zhouyi::Program>(std::move(file->program));
  Result<std::string> listing = listingOf(*shared);
  if (!listing)
    return context(listing.status());
  Result<zhouyi::Session> session = zhouyi::Session::open(shared);
  if (!session)
    return context(session.status());
  Json tensors = {{"inputs", describe(session->inputs())},
                  {"outputs", describe(session->outputs())},
                  {"instructions", session->machine().instructionsPerRun()}};
  *program = new weft_zhouyi_program{std::move(shared), *std::move(session),
                                     tensors.dump(), *std::move(listing)};
  return {};
}

weft_compiler_status *weft_zhouyi_open(const void *bytes, size_t size,
                                       const char *name,
                                       weft_zhouyi_program **program) {
  return guarded([&] { return toC(open(bytes, size, name, program)); });
}

const char *weft_zhouyi_tensors(const weft_zhouyi_program *program) {
  return program ? program->tensors.c_str() : "";
}

const char *weft_zhouyi_listing(const weft_zhouyi_program *program) {
  return program ? program->listing.c_str() : "";
}

static Status run(weft_zhouyi_program *program, const void *const *inputs,
                  const int32_t *types, void *const *outputs) {
  if (!program)
    return refuse("program must not be NULL");
  const std::vector<rt::TensorSpec> &in = program->session.inputs();
  const std::vector<rt::TensorSpec> &out = program->session.outputs();
  if ((!inputs && !in.empty()) || (!outputs && !out.empty()))
    return refuse("inputs and outputs must not be NULL");
  std::vector<rt::InputElements> elements;
  std::vector<uint8_t *> results;
  for (size_t i = 0; i < in.size(); ++i) {
    std::optional<numeric::ElementType> type = in[i].type;
    if (types)
      type = numeric::fromOnnxDataType(types[i]);
    if (!type || !inputs[i])
      return refuse("input " + std::to_string(i) +
                    " is NULL or has an unknown type");
    elements.push_back({*type, static_cast<const uint8_t *>(inputs[i])});
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (!outputs[i])
      return refuse("output " + std::to_string(i) + " is NULL");
    results.push_back(static_cast<uint8_t *>(outputs[i]));
  }
  return program->session.run(elements, results);
}

weft_compiler_status *weft_zhouyi_run(weft_zhouyi_program *program,
                                      const void *const *inputs,
                                      const int32_t *input_types,
                                      void *const *outputs) {
  return guarded(
      [&] { return toC(run(program, inputs, input_types, outputs)); });
}

void weft_zhouyi_close(weft_zhouyi_program *program) { delete program; }
