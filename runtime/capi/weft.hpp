//===- weft.hpp - load and run bmodels, C++ wrapper -------------*- C++ -*-===//
//
// Header-only C++17 over weft.h: objects free themselves, failures are
// std::expected-like weft::Outcome values. No exceptions are thrown.
//
//   auto model = weft::Model::load("cls.bmodel");
//   if (!model) return puts(model.error().message().c_str());
//   auto session = model->open("cls");
//   std::vector<float> image(...), scores(2);
//   weft::Error error = session->run({image.data()}, {scores.data()});
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CAPI_WEFT_HPP
#define WEFT_RUNTIME_CAPI_WEFT_HPP

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <weft.h>

namespace weft {

/// Why something failed; converts to true if it did.
class [[nodiscard]] Error {
public:
  Error() = default;
  /// Takes the status over.
  explicit Error(weft_status *status)
      : theCode(weft_status_code(status)),
        theMessage(weft_status_message(status)) {
    weft_status_free(status);
  }

  explicit operator bool() const { return theCode != WEFT_OK; }
  weft_code code() const { return theCode; }
  const std::string &message() const { return theMessage; }

private:
  weft_code theCode = WEFT_OK;
  std::string theMessage;
};

/// A value, or the Error that says why there is none.
template <typename T>
class [[nodiscard]] Outcome {
public:
  Outcome(T value) : value(std::move(value)) {}
  Outcome(Error error) : failure(std::move(error)) {}

  explicit operator bool() const { return value.has_value(); }
  /// Only after a check.
  T &operator*() { return *value; }
  T *operator->() { return &*value; }
  const Error &error() const { return failure; }

private:
  std::optional<T> value;
  Error failure;
};

/// An input or output; see weft_tensor_desc.
struct Tensor {
  std::string name;
  weft_type type = WEFT_F32;
  std::vector<int64_t> shape;
  size_t bytes = 0;
  weft_type storedType = WEFT_F32;
  float scale = 1;
  int32_t zeroPoint = 0;
};

/// One stage of a net on a device.
class Session {
public:
  /// One buffer for every input and output, of their `bytes`.
  Error run(const std::vector<const void *> &inputs,
            const std::vector<void *> &outputs) {
    if (inputs.size() < inputCount || outputs.size() < outputCount)
      return Error(weft_session_run(handle.get(), nullptr, nullptr));
    return Error(weft_session_run(handle.get(), inputs.data(), outputs.data()));
  }
  /// The same with a type for every input; see weft_session_run_typed().
  Error run(const std::vector<const void *> &inputs,
            const std::vector<weft_type> &inputTypes,
            const std::vector<void *> &outputs) {
    if (inputs.size() < inputCount || inputTypes.size() < inputCount ||
        outputs.size() < outputCount)
      return Error(weft_session_run(handle.get(), nullptr, nullptr));
    return Error(weft_session_run_typed(handle.get(), inputs.data(),
                                        inputTypes.data(), outputs.data()));
  }

  /// Any thread may call it while a run goes on; see
  /// weft_session_set_cancelled().
  void setCancelled(bool value) {
    weft_session_set_cancelled(handle.get(), value);
  }

  /// The shape of an output after the last run; empty if nothing has run.
  std::vector<int64_t> outputShape(size_t index) const {
    const int64_t *shape = nullptr;
    size_t rank = 0;
    Error error{weft_session_output_shape(handle.get(), index, &shape, &rank)};
    return error ? std::vector<int64_t>()
                 : std::vector<int64_t>(shape, shape + rank);
  }

private:
  friend class Model;
  struct Free {
    void operator()(weft_session *session) const { weft_session_free(session); }
  };
  std::unique_ptr<weft_session, Free> handle;
  size_t inputCount = 0, outputCount = 0;
};

/// A verified model.
class Model {
public:
  static Outcome<Model> load(const std::string &path) {
    weft_model *model = nullptr;
    if (weft_status *status = weft_model_load(path.c_str(), &model))
      return Error(status);
    return Model(model);
  }

  std::string chip() const { return weft_model_chip(handle.get()); }
  std::vector<std::string> netNames() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < weft_model_net_count(handle.get()); ++i)
      names.push_back(weft_model_net_name(handle.get(), i));
    return names;
  }
  size_t stageCount(size_t net) const {
    return weft_model_stage_count(handle.get(), net);
  }
  Outcome<std::vector<Tensor>> inputs(size_t net, size_t stage = 0) const {
    return describe(weft_model_input_count(handle.get(), net), net, stage,
                    weft_model_input);
  }
  Outcome<std::vector<Tensor>> outputs(size_t net, size_t stage = 0) const {
    return describe(weft_model_output_count(handle.get(), net), net, stage,
                    weft_model_output);
  }

  /// Why no comparison stands behind this stage of these bytes; no error if one
  /// does.
  Error checkCertificate(size_t net, size_t stage = 0) const {
    return Error(weft_model_check_certificate(handle.get(), net, stage));
  }

  /// What a run is predicted to cost.
  Outcome<weft_profile> profile(size_t net, size_t stage = 0) const {
    weft_profile made = {};
    made.struct_bytes = sizeof made;
    if (weft_status *status =
            weft_model_profile(handle.get(), net, stage, &made))
      return Error(status);
    return made;
  }

  /// Makes a stage ready; `options` null: the emulator.
  Outcome<Session> open(const std::string &net, size_t stage = 0,
                        const weft_device_options *options = nullptr) const {
    weft_session *session = nullptr;
    if (weft_status *status = weft_session_open(handle.get(), net.c_str(),
                                                stage, options, &session))
      return Error(status);
    Session result;
    result.handle.reset(session);
    for (size_t i = 0; i < weft_model_net_count(handle.get()); ++i)
      if (net == weft_model_net_name(handle.get(), i)) {
        result.inputCount = weft_model_input_count(handle.get(), i);
        result.outputCount = weft_model_output_count(handle.get(), i);
      }
    return result;
  }

private:
  explicit Model(weft_model *model) : handle(model) {}
  struct Free {
    void operator()(weft_model *model) const { weft_model_free(model); }
  };

  template <typename Describe>
  Outcome<std::vector<Tensor>> describe(size_t count, size_t net, size_t stage,
                                        Describe one) const {
    std::vector<Tensor> tensors;
    // Without a first tensor to ask for, asking still says what is missing.
    if (stage >= stageCount(net))
      count = 1;
    for (size_t i = 0; i < count; ++i) {
      weft_tensor_desc desc = {};
      desc.struct_bytes = sizeof desc;
      if (Error error{one(handle.get(), net, stage, i, &desc)})
        return error;
      tensors.push_back(
          {desc.name, desc.type,
           std::vector<int64_t>(desc.shape, desc.shape + desc.rank), desc.bytes,
           desc.stored_type, desc.scale, desc.zero_point});
    }
    return tensors;
  }

  std::unique_ptr<weft_model, Free> handle;
};

} // namespace weft

#endif // WEFT_RUNTIME_CAPI_WEFT_HPP
