//===- LayerCapture.h - ONNX values seen inside a running model -*- C++ -*-===//

#ifndef WEFT_RUNTIME_DEVICE_LAYERCAPTURE_H
#define WEFT_RUNTIME_DEVICE_LAYERCAPTURE_H

#include "runtime/device/EmulatorDevice.h"
#include "runtime/numeric/HostTensor.h"

namespace weft::rt {

/// One value of the ONNX graph as the program computed it.
struct CapturedValue {
  std::string name;
  /// Reals as f32: half floats widened, quantized values as
  /// (stored - zero point) * scale. Integers without scale as stored. ONNX's
  /// shape if the map has it, else n,c,h,w.
  numeric::HostTensor tensor;
  /// The same elements as the program stores them.
  numeric::HostTensor stored;
  numeric::ElementType storedType = numeric::ElementType::F32;
  /// Of the ONNX value, if it is known.
  std::optional<numeric::ElementType> onnxType;
  /// real = (stored - zeroPoint) * scale.
  float scale = 1;
  int32_t zeroPoint = 0;
  /// Distance of neighbouring codes in reals; 0: not quantized.
  double step = 0;
  /// Of the codes there are, in reals; of quantized values.
  double least = 0, most = 0;
  /// False if the pieces in the debug map do not cover the value.
  bool complete = false;
  /// Of each element whether they do, in the order of `tensor`; empty if they
  /// cover all.
  std::vector<bool> covered;
};

/// Collects every tensor of a stage's debug map during runs on the emulator.
/// The program runs unchanged: pieces are read out when the command that
/// completes them has run. Must outlive the runs; the device must belong to the
/// stage.
class LayerCapture {
public:
  /// Code::NotFound if the stage has no debug map.
  static Result<std::unique_ptr<LayerCapture>> attach(EmulatorDevice &device,
                                                      const StageSpec &stage);
  ~LayerCapture();

  /// The values of the last run, in the map's order.
  std::vector<CapturedValue> values() const;

private:
  struct Slot {
    const wire::DebugTensor *table = nullptr;
    numeric::HostTensor stored; ///< n,c,h,w
    std::vector<bool> covered;
  };
  LayerCapture(EmulatorDevice &device, const StageSpec &stage);
  Status readPiece(Slot &slot, const wire::DebugPiece &piece,
                   const emulator::Emulator &machine);
  void readGlobal(const wire::DebugPiece &piece, numeric::HostTensor &box);

  EmulatorDevice &device;
  std::vector<std::unique_ptr<Slot>> slots;
};

} // namespace weft::rt

#endif // WEFT_RUNTIME_DEVICE_LAYERCAPTURE_H
