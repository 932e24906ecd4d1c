#include "runtime/capi/weft.h"
#include "runtime/bmodel/Certificate.h"
#include "runtime/capi/Guarded.h"
#include "runtime/device/Session.h"
#include "runtime/device/StageChoice.h"
#include "runtime/device/TensorConversion.h"
#include "runtime/numeric/ConvertValues.h"
#include "runtime/profile/Profile.h"
#include "runtime/status/Quote.h"
#include "runtime/zhouyi/Session.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

using namespace weft;
using rt::Code;
using rt::Result;
using rt::Status;

// The C enum and the table of codes are one.
#define WEFT_STATUS_CODE(name, value, cname, text)                             \
  static_assert(WEFT_##cname == value, "weft.h and Codes.def differ");
#include "runtime/status/Codes.def"

struct weft_status {
  Status status;
};
/// A bmodel, or a program of vector operations: then one net of one stage.
struct weft_model {
  std::optional<rt::Bmodel> bmodel;
  std::shared_ptr<const zhouyi::Program> program;
  std::vector<rt::NetSpec> programNets;
  std::string path;

  const std::vector<rt::NetSpec> &nets() const {
    return bmodel ? bmodel->nets() : programNets;
  }
};
/// Of the one or the other.
struct weft_session {
  std::optional<rt::Session> onDevice;
  std::optional<zhouyi::Session> onMachine;
  std::vector<std::vector<int64_t>> programShapes; ///< of outputs, after a run

  const std::vector<rt::TensorSpec> &inputs() const {
    return onDevice ? onDevice->stage().inputs : onMachine->inputs();
  }
  const std::vector<rt::TensorSpec> &outputs() const {
    return onDevice ? onDevice->stage().outputs : onMachine->outputs();
  }
};

// Their addresses are all that matters: they exist when nothing can be
// allocated any more, and are never freed.
static weft_status outOfMemory, unexpected;

static weft_status *toC(Status status) {
  if (status.isOk())
    return nullptr;
  // Names from files are in it; strings of this interface are UTF-8.
  return new weft_status{
      Status(status.code(), rt::printableLines(status.message()))};
}

static weft_status *failure(Code code, const char *message) {
  return toC(rt::fail(code, message));
}

/// The boundary that no exception crosses: `body` returns a weft_status*.
template <typename Body>
static weft_status *guarded(Body body) noexcept {
  return weft::capi::guardedBy(outOfMemory, unexpected, body);
}

int weft_api_version(void) { return WEFT_API_VERSION; }
const char *weft_version(void) { return WEFT_VERSION_TEXT; }

weft_code weft_status_code(const weft_status *status) {
  if (status == &outOfMemory)
    return WEFT_OUT_OF_MEMORY;
  if (status == &unexpected)
    return WEFT_INTERNAL;
  return status ? weft_code(status->status.code()) : WEFT_OK;
}

const char *weft_status_message(const weft_status *status) {
  if (status == &outOfMemory)
    return "out of memory";
  if (status == &unexpected)
    return "internal error: an exception reached the C interface";
  return status ? status->status.message().c_str() : "";
}

void weft_status_free(weft_status *status) {
  if (status != &outOfMemory && status != &unexpected)
    delete status;
}

const char *weft_code_text(weft_code code) { return rt::codeText(Code(code)); }

static weft_status *giveModel(Result<rt::Bmodel> loaded, weft_model **model) {
  if (!loaded)
    return toC(loaded.status());
  *model = new weft_model{*loaded, nullptr, {}, loaded->path()};
  return nullptr;
}

static weft_status *giveProgram(Result<zhouyi::ProgramFile> loaded,
                                const char *path, weft_model **model) {
  if (!loaded)
    return toC(loaded.status());
  auto program =
      std::make_shared<const zhouyi::Program>(std::move(loaded->program));
  rt::NetSpec net;
  net.name = program->name;
  rt::StageSpec &stage = net.stages.emplace_back();
  for (const zhouyi::Buffer &buffer : program->buffers) {
    if (buffer.role == zhouyi::BufferRole::Input)
      stage.inputs.push_back(*buffer.value);
    else if (buffer.role == zhouyi::BufferRole::Output)
      stage.outputs.push_back(*buffer.value);
  }
  *model = new weft_model{std::nullopt, std::move(program), {net}, path};
  return nullptr;
}

weft_status *weft_model_load(const char *path, weft_model **model) {
  return guarded([&] {
    if (!path || !model)
      return failure(Code::InvalidArgument, "path and model must not be NULL");
    if (zhouyi::isProgramFile(std::string(path)))
      return giveProgram(zhouyi::loadProgramFile(path), path, model);
    return giveModel(rt::Bmodel::load(path), model);
  });
}

weft_status *weft_model_load_bytes(const void *bytes, size_t size,
                                   const char *name, weft_model **model) {
  return guarded([&] {
    if ((!bytes && size) || !name || !model)
      return failure(Code::InvalidArgument,
                     "bytes, name and model must not be NULL");
    const auto *begin = static_cast<const uint8_t *>(bytes);
    if (rt::ByteSpan span{begin, size}; zhouyi::isProgramFile(span)) {
      Result<zhouyi::ProgramFile> file = zhouyi::parseProgramFile(span);
      if (!file)
        return toC(file.status().withContext(name));
      return giveProgram(std::move(file), name, model);
    }
    return giveModel(
        rt::Bmodel::load(std::vector<uint8_t>(begin, begin + size), name),
        model);
  });
}

void weft_model_free(weft_model *model) { delete model; }

const char *weft_model_chip(const weft_model *model) {
  if (!model)
    return nullptr;
  if (model->program)
    return model->program->target.c_str();
  // Chip names are literals, so they end in a zero byte.
  return model->bmodel->chip().name.data();
}

size_t weft_model_net_count(const weft_model *model) {
  return model ? model->nets().size() : 0;
}

static const rt::NetSpec *netAt(const weft_model *model, size_t net) {
  return model && net < model->nets().size() ? &model->nets()[net] : nullptr;
}

const char *weft_model_net_name(const weft_model *model, size_t net) {
  const rt::NetSpec *spec = netAt(model, net);
  return spec ? spec->name.c_str() : nullptr;
}

size_t weft_model_stage_count(const weft_model *model, size_t net) {
  const rt::NetSpec *spec = netAt(model, net);
  return spec ? spec->stages.size() : 0;
}

size_t weft_model_input_count(const weft_model *model, size_t net) {
  const rt::NetSpec *spec = netAt(model, net);
  return spec ? spec->stages[0].inputs.size() : 0;
}

size_t weft_model_output_count(const weft_model *model, size_t net) {
  const rt::NetSpec *spec = netAt(model, net);
  return spec ? spec->stages[0].outputs.size() : 0;
}

/// Bytes of the structs of API version 1, up to their last field. They never
/// change: an older program must always be understood.
static constexpr size_t kTensorDescV1 =
    offsetof(weft_tensor_desc, zero_point) + sizeof(int32_t);
static constexpr size_t kDeviceOptionsV1 =
    offsetof(weft_device_options, time_limit_seconds) + sizeof(double);
static constexpr size_t kProfileV1 =
    offsetof(weft_profile, bound_cycles) + sizeof(double);
static_assert(sizeof(void *) != 8 ||
                  (kTensorDescV1 == 60 && kDeviceOptionsV1 == 32 &&
                   kProfileV1 == 80),
              "fields of version 1 must stay where they are");

static Result<const rt::StageSpec *> stageAt(const weft_model *model,
                                             size_t net, size_t stage) {
  const rt::NetSpec *spec = netAt(model, net);
  if (!spec || stage >= spec->stages.size())
    return rt::fail(Code::NotFound, "there is no such net or stage");
  return &spec->stages[stage];
}

/// The same of a bmodel, which alone has `what`.
static Result<const rt::StageSpec *> stageOfBmodel(const weft_model *model,
                                                   size_t net, size_t stage,
                                                   const char *what) {
  Result<const rt::StageSpec *> found = stageAt(model, net, stage);
  if (!found || model->bmodel)
    return found;
  return rt::fail(Code::Unsupported,
                  "unsupported: " + model->path +
                      " is a program of vector operations; " + what +
                      " are for bmodels");
}

static weft_status *describe(const weft_model *model, size_t net, size_t stage,
                             size_t index, bool input, weft_tensor_desc *desc) {
  if (!desc || desc->struct_bytes < kTensorDescV1)
    return failure(Code::InvalidArgument,
                   "desc must not be NULL and desc->struct_bytes must be "
                   "sizeof(weft_tensor_desc)");
  Result<const rt::StageSpec *> found = stageAt(model, net, stage);
  if (!found)
    return toC(found.status());
  const std::vector<rt::TensorSpec> &tensors =
      input ? (*found)->inputs : (*found)->outputs;
  if (index >= tensors.size())
    return failure(Code::NotFound, "there is no such input or output");
  const rt::TensorSpec &tensor = tensors[index];
  weft_tensor_desc full = {};
  full.struct_bytes = desc->struct_bytes;
  full.name = tensor.name.c_str();
  full.type = tensor.isText ? WEFT_STRING
                            : weft_type(numeric::onnxDataType(tensor.type));
  full.rank = tensor.shape.size();
  full.shape = tensor.shape.data();
  full.bytes = tensor.bytes();
  full.stored_type = weft_type(numeric::onnxDataType(tensor.storedType));
  full.scale = tensor.scale;
  full.zero_point = tensor.zeroPoint;
  full.batch_axis = tensor.batchAxis;
  // Only what both sides know.
  std::memcpy(desc, &full, std::min(desc->struct_bytes, sizeof full));
  return nullptr;
}

weft_status *weft_model_input(const weft_model *model, size_t net, size_t stage,
                              size_t index, weft_tensor_desc *desc) {
  return guarded(
      [&] { return describe(model, net, stage, index, true, desc); });
}

weft_status *weft_model_output(const weft_model *model, size_t net,
                               size_t stage, size_t index,
                               weft_tensor_desc *desc) {
  return guarded(
      [&] { return describe(model, net, stage, index, false, desc); });
}

static weft_status *profileOf(const weft_model *model, size_t net, size_t stage,
                              weft_profile *profile) {
  if (!profile || profile->struct_bytes < kProfileV1)
    return failure(Code::InvalidArgument,
                   "profile must not be NULL and profile->struct_bytes must be "
                   "sizeof(weft_profile)");
  Result<const rt::StageSpec *> found =
      stageOfBmodel(model, net, stage, "profiles");
  if (!found)
    return toC(found.status());
  Result<profile::Profile> made =
      profile::profileStage(*model->bmodel, **found);
  if (!made)
    return toC(made.status().withContext(model->path));
  const profile::Sum &tiu = made->engines[0], &gdma = made->engines[1];
  weft_profile full = {};
  full.struct_bytes = profile->struct_bytes;
  full.total_cycles = made->totalCycles;
  full.cycles_per_second = made->cyclesPerSecond;
  full.tiu_busy_cycles = tiu.cycles;
  full.gdma_busy_cycles = gdma.cycles;
  full.dram_read_bytes = gdma.dramReadBytes;
  full.dram_write_bytes = gdma.dramWriteBytes;
  full.macs = tiu.macs;
  full.extrapolated_cycles = tiu.extrapolatedCycles + gdma.extrapolatedCycles;
  full.bound_cycles = made->roofline.cycles();
  // Only what both sides know.
  std::memcpy(profile, &full, std::min(profile->struct_bytes, sizeof full));
  return nullptr;
}

weft_status *weft_model_profile(const weft_model *model, size_t net,
                                size_t stage, weft_profile *profile) {
  return guarded([&] { return profileOf(model, net, stage, profile); });
}

static weft_status *checkCertificate(const weft_model *model, size_t net,
                                     size_t stage) {
  Result<const rt::StageSpec *> found =
      stageOfBmodel(model, net, stage, "certificates");
  if (!found)
    return toC(found.status());
  return toC(rt::checkCertificate(*model->bmodel, *netAt(model, net), stage));
}

weft_status *weft_model_check_certificate(const weft_model *model, size_t net,
                                          size_t stage) {
  return guarded([&] { return checkCertificate(model, net, stage); });
}

const char *weft_model_dimension_name(const weft_model *model, size_t net,
                                      size_t input, size_t axis) {
  const rt::NetSpec *spec = netAt(model, net);
  if (!spec || input >= spec->stages[0].inputs.size())
    return nullptr;
  const rt::TensorSpec &tensor = spec->stages[0].inputs[input];
  if (axis >= tensor.shape.size())
    return nullptr;
  return axis < tensor.symbols.size() ? tensor.symbols[axis].c_str() : "";
}

static weft_status *findStage(const weft_model *model, size_t net,
                              const int64_t *const *shapes, const size_t *ranks,
                              size_t *stage, int64_t *entries) {
  const rt::NetSpec *spec = netAt(model, net);
  if (!spec)
    return failure(Code::NotFound, "there is no such net");
  size_t count = spec->stages[0].inputs.size();
  if (!stage || !entries || (count != 0 && (!shapes || !ranks)))
    return failure(Code::InvalidArgument,
                   "shapes, ranks, stage and entries must not be NULL");
  std::vector<std::vector<int64_t>> all;
  for (size_t i = 0; i < count; ++i) {
    if (!shapes[i] && ranks[i] != 0)
      return toC(rt::failf(Code::InvalidArgument, "shapes[%zu] is NULL", i));
    all.emplace_back(shapes[i], shapes[i] + ranks[i]);
  }
  Result<rt::StageChoice> choice = rt::chooseStage(*spec, all);
  if (!choice)
    return toC(choice.status().withContext(model->path));
  *stage = choice->stage;
  *entries = choice->entries;
  return nullptr;
}

weft_status *weft_model_find_stage(const weft_model *model, size_t net,
                                   const int64_t *const *shapes,
                                   const size_t *ranks, size_t *stage,
                                   int64_t *entries) {
  return guarded(
      [&] { return findStage(model, net, shapes, ranks, stage, entries); });
}

static Result<rt::DeviceOptions> readOptions(const weft_device_options *from) {
  rt::DeviceOptions options;
  if (!from)
    return options;
  if (from->struct_bytes < kDeviceOptionsV1)
    return rt::fail(Code::InvalidArgument, "options->struct_bytes must be "
                                           "sizeof(weft_device_options)");
  // Fields that the caller does not know stay 0, their default.
  weft_device_options known = {};
  std::memcpy(&known, from, std::min(from->struct_bytes, sizeof known));
  if (known.kind != WEFT_EMULATOR && known.kind != WEFT_BMRT)
    return rt::failf(Code::InvalidArgument,
                     "options->kind is %d, must be 0 or 1", int(known.kind));
  options.kind = known.kind == WEFT_BMRT ? rt::DeviceOptions::Kind::Bmrt
                                         : rt::DeviceOptions::Kind::Emulator;
  if (known.bmrt_library)
    options.bmrtLibrary = known.bmrt_library;
  if (!(known.time_limit_seconds >= 0)) // NaN, too
    return rt::failf(Code::InvalidArgument,
                     "options->time_limit_seconds is %g, must be 0 (the "
                     "default) or more",
                     known.time_limit_seconds);
  options.timeLimitSeconds = known.time_limit_seconds;
  if (known.threads > 1024)
    return rt::failf(Code::InvalidArgument,
                     "options->threads is %u, must be at most 1024",
                     unsigned(known.threads));
  options.threads = known.threads;
  return options;
}

static weft_status *openProgram(const weft_model &model,
                                const rt::DeviceOptions &options, size_t stage,
                                weft_session **session) {
  if (options.kind == rt::DeviceOptions::Kind::Bmrt || stage != 0)
    return failure(Code::InvalidArgument,
                   "a program of vector operations has one stage and a machine "
                   "of its own; open it with stage 0 and WEFT_EMULATOR");
  Result<zhouyi::Session> opened = zhouyi::Session::open(model.program);
  if (!opened)
    return toC(opened.status().withContext(model.path));
  opened->setTimeLimit(options.timeLimitSeconds);
  *session = new weft_session{std::nullopt, *std::move(opened), {}};
  return nullptr;
}

static weft_status *openSession(const weft_model *model, const char *net,
                                size_t stage,
                                const weft_device_options *options,
                                weft_session **session) {
  if (!model || !session)
    return failure(Code::InvalidArgument, "model and session must not be NULL");
  Result<rt::DeviceOptions> chosen = readOptions(options);
  if (!chosen)
    return toC(chosen.status());
  const rt::NetSpec *spec = nullptr;
  for (const rt::NetSpec &one : model->nets())
    if (net ? one.name == net : model->nets().size() == 1)
      spec = &one;
  if (!spec)
    return failure(Code::NotFound,
                   net ? "the model has no net of this name"
                       : "the model has several nets; name one");
  if (model->program)
    return openProgram(*model, *chosen, stage, session);
  Result<rt::Session> opened =
      rt::Session::open(*chosen, *model->bmodel, *spec, stage);
  if (!opened)
    return toC(opened.status());
  *session = new weft_session{*std::move(opened), std::nullopt, {}};
  return nullptr;
}

weft_status *weft_session_open(const weft_model *model, const char *net,
                               size_t stage, const weft_device_options *options,
                               weft_session **session) {
  return guarded(
      [&] { return openSession(model, net, stage, options, session); });
}

/// Turns numbers of another type than `tensor` takes into its own, which `kept`
/// then has; a value that it does not have is Code::OutOfRange. Integers for a
/// quantized input may be codes or reals, so that they are neither.
static Status convertNumbers(const rt::TensorSpec &tensor, int64_t entries,
                             rt::InputElements &given,
                             numeric::HostTensor &kept) {
  const bool isOfStage =
      entries == 0 || tensor.batchAxis < 0 ||
      (entries > 0 && entries <= tensor.shape[tensor.batchAxis]);
  // What is neither is for the session to refuse.
  if (tensor.isText || tensor.isQuantized() || !isOfStage ||
      rt::acceptsType(tensor, given.type) ||
      !numeric::convertsByValue(given.type, tensor.type))
    return Status::ok();
  kept = numeric::HostTensor(given.type, entries ? rt::shapeFor(tensor, entries)
                                                 : tensor.shape);
  if (size_t size = kept.sizeBytes())
    std::memcpy(kept.bytes(), given.data, size);
  if (std::optional<int64_t> place = numeric::convertValues(kept, tensor.type))
    return rt::fail(Code::OutOfRange,
                    "input " + rt::quoteName(tensor.name) + " is " +
                        numeric::elementText(kept, *place) + " at " +
                        numeric::placeText(kept.shape(), *place) + ", which " +
                        numeric::elementTypeName(tensor.type) +
                        " does not have");
  given = {tensor.type, kept.bytes()};
  return Status::ok();
}

static weft_status *runSession(weft_session *session, const void *const *inputs,
                               const weft_type *input_types,
                               void *const *outputs, int64_t entries) {
  if (!session)
    return failure(Code::InvalidArgument, "session must not be NULL");
  const std::vector<rt::TensorSpec> &takes = session->inputs();
  if ((!inputs && !takes.empty()) || !outputs)
    return failure(Code::InvalidArgument,
                   "inputs and outputs must not be NULL");
  std::vector<rt::InputElements> elements;
  std::vector<numeric::HostTensor> converted(takes.size());
  std::vector<uint8_t *> results;
  for (size_t i = 0; i < takes.size(); ++i) {
    std::optional<numeric::ElementType> type = takes[i].type;
    bool isText = takes[i].isText;
    if (input_types && (!isText || input_types[i] != WEFT_STRING))
      type = numeric::fromOnnxDataType(int(input_types[i]));
    if (!type || !inputs[i])
      return toC(rt::failf(Code::InvalidArgument,
                           "input %zu is NULL or has an unknown type", i));
    elements.push_back({*type, static_cast<const uint8_t *>(inputs[i])});
    if (Status status =
            convertNumbers(takes[i], entries, elements[i], converted[i]);
        !status)
      return toC(std::move(status));
  }
  for (size_t i = 0; i < session->outputs().size(); ++i) {
    if (!outputs[i])
      return toC(rt::failf(Code::InvalidArgument, "output %zu is NULL", i));
    results.push_back(static_cast<uint8_t *>(outputs[i]));
  }
  if (session->onDevice)
    return toC(session->onDevice->run(elements, results, entries));
  if (entries != 0)
    return toC(rt::failf(Code::InvalidArgument,
                         "a run with %lld entries of the batch; a program of "
                         "vector operations takes its whole shapes only",
                         static_cast<long long>(entries)));
  session->programShapes.clear();
  Status status = session->onMachine->run(elements, results);
  for (const rt::TensorSpec &output : session->outputs())
    if (status)
      session->programShapes.push_back(output.shape);
  return toC(std::move(status));
}

weft_status *weft_session_run_typed(weft_session *session,
                                    const void *const *inputs,
                                    const weft_type *input_types,
                                    void *const *outputs) {
  return guarded(
      [&] { return runSession(session, inputs, input_types, outputs, 0); });
}

weft_status *weft_session_run_entries(weft_session *session,
                                      const void *const *inputs,
                                      const weft_type *input_types,
                                      void *const *outputs, int64_t entries) {
  return guarded([&] {
    return runSession(session, inputs, input_types, outputs, entries);
  });
}

weft_status *weft_session_run(weft_session *session, const void *const *inputs,
                              void *const *outputs) {
  return weft_session_run_typed(session, inputs, nullptr, outputs);
}

weft_status *weft_session_output_shape(const weft_session *session,
                                       size_t index, const int64_t **shape,
                                       size_t *rank) {
  return guarded([&]() -> weft_status * {
    if (!session || !shape || !rank)
      return failure(Code::InvalidArgument,
                     "session, shape and rank must not be NULL");
    const std::vector<int64_t> *found =
        session->onDevice ? session->onDevice->outputShape(index)
        : index < session->programShapes.size() ? &session->programShapes[index]
                                                : nullptr;
    if (!found)
      return failure(Code::NotFound,
                     "there is no such output, or nothing has run yet");
    *shape = found->data();
    *rank = found->size();
    return nullptr;
  });
}

void weft_session_set_cancelled(weft_session *session, int cancelled) {
  if (session && session->onDevice)
    session->onDevice->device().setCancelled(cancelled != 0);
  else if (session)
    session->onMachine->setCancelled(cancelled != 0);
}

void weft_session_free(weft_session *session) { delete session; }
