#include "runtime/device/LayerCapture.h"
#include "runtime/bmodel/WireNumbers.h"
#include "runtime/numeric/Float16.h"
#include "runtime/status/Quote.h"

#include <algorithm>
#include <cstring>

namespace weft::rt {

using numeric::ElementType;
using numeric::HostTensor;

static std::vector<int64_t> shapeOf(const wire::Extent &extent) {
  return {extent.n(), extent.c(), extent.h(), extent.w()};
}

Result<std::unique_ptr<LayerCapture>>
LayerCapture::attach(EmulatorDevice &device, const StageSpec &stage) {
  if (!stage.debugMap)
    return fail(Code::NotFound,
                "the model has no debug map; convert it again without --strip");
  return std::unique_ptr<LayerCapture>(new LayerCapture(device, stage));
}

LayerCapture::LayerCapture(EmulatorDevice &device, const StageSpec &stage)
    : device(device) {
  std::vector<emulator::Tap> taps;
  const auto *tensors = stage.debugMap->tensors();
  for (unsigned i = 0; tensors && i < tensors->size(); ++i) {
    auto slot = std::make_unique<Slot>();
    slot->table = tensors->Get(i);
    slot->stored = HostTensor(*fromWire(slot->table->data_type()),
                              shapeOf(*slot->table->shape()));
    slot->covered.resize(size_t(slot->stored.elements()));
    const auto *pieces = slot->table->pieces();
    for (unsigned k = 0; pieces && k < pieces->size(); ++k) {
      const wire::DebugPiece *piece = pieces->Get(k);
      emulator::Tap tap;
      tap.group = piece->group();
      tap.engine = piece->engine() == wire::Engine::Tiu ? isa::Engine::Tiu
                                                        : isa::Engine::Gdma;
      // Ids count the commands of a group from 1.
      tap.commandId = piece->complete_after() + 1;
      tap.observe = [this, target = slot.get(),
                     piece](const emulator::Emulator &machine) {
        return readPiece(*target, *piece, machine);
      };
      taps.push_back(std::move(tap));
    }
    slots.push_back(std::move(slot));
  }
  device.setTaps(std::move(taps));
}

LayerCapture::~LayerCapture() { device.setTaps({}); }

void LayerCapture::readGlobal(const wire::DebugPiece &piece, HostTensor &box) {
  size_t bytes = numeric::elementBytes(box.type());
  const wire::Strides &strides = *piece.strides();
  // The verifier has checked that the whole box lies in one area.
  const uint8_t *base = device.dram(piece.address(), 1);
  uint8_t *to = box.bytes();
  for (uint64_t n = 0; n < piece.size()->n(); ++n)
    for (uint64_t c = 0; c < piece.size()->c(); ++c)
      for (uint64_t h = 0; h < piece.size()->h(); ++h)
        for (uint64_t w = 0; w < piece.size()->w(); ++w, to += bytes)
          std::memcpy(to,
                      base + bytes * (n * strides.n() + c * strides.c() +
                                      h * strides.h() + w * strides.w()),
                      bytes);
}

Status LayerCapture::readPiece(Slot &slot, const wire::DebugPiece &piece,
                               const emulator::Emulator &machine) {
  HostTensor box(slot.stored.type(), shapeOf(*piece.size()));
  if (piece.memory() == wire::MemorySpace::Local) {
    emulator::LocalTensor place;
    place.address = uint32_t(piece.address());
    place.lane = piece.lane();
    place.type = slot.stored.type();
    place.shape = {piece.size()->n(), piece.size()->c(), piece.size()->h(),
                   piece.size()->w()};
    place.layout = emulator::LocalLayout::Strided;
    place.strides = {piece.strides()->n(), piece.strides()->c(),
                     piece.strides()->h(), piece.strides()->w()};
    Result<HostTensor> read = machine.readLocal(place);
    if (!read)
      return read.status().withContext(
          "value " + quoteName(slot.table->value_name()->string_view()));
    box = *std::move(read);
  } else {
    readGlobal(piece, box);
  }
  size_t bytes = numeric::elementBytes(box.type());
  const wire::Extent &whole = *slot.table->shape(), &at = *piece.offset(),
                     &size = *piece.size();
  const uint8_t *from = box.bytes();
  for (uint64_t n = 0; n < size.n(); ++n)
    for (uint64_t c = 0; c < size.c(); ++c)
      for (uint64_t h = 0; h < size.h(); ++h) {
        uint64_t row =
            ((at.n() + n) * whole.c() + at.c() + c) * whole.h() + at.h() + h;
        uint64_t first = row * whole.w() + at.w();
        std::memcpy(slot.stored.bytes() + first * bytes, from,
                    size.w() * bytes);
        for (uint64_t w = 0; w < size.w(); ++w)
          slot.covered[first + w] = true;
        from += size.w() * bytes;
      }
  return Status::ok();
}

static bool isQuantized(const wire::DebugTensor &table) {
  return table.scale() != 1 || table.zero_point() != 0;
}

static void describeCodes(const wire::DebugTensor &table,
                          CapturedValue &value) {
  value.step = table.scale();
  HostTensor ends(value.storedType, {2});
  // The type saturates.
  ends.setFromDouble(0, -1e12);
  ends.setFromDouble(1, 1e12);
  auto real = [&](int64_t end) {
    return (ends.toDouble(end) - table.zero_point()) * double(table.scale());
  };
  value.least = real(0);
  value.most = real(1);
}

/// Stored elements as what they stand for.
static HostTensor toReals(const wire::DebugTensor &table,
                          const HostTensor &stored) {
  if (!numeric::isFloatType(stored.type()) && !isQuantized(table))
    return stored;
  HostTensor reals(ElementType::F32, stored.shape());
  for (int64_t i = 0; i < stored.elements(); ++i)
    reals.as<float>()[i] = static_cast<float>(
        (stored.toDouble(i) - table.zero_point()) * double(table.scale()));
  return reals;
}

/// A tensor n,h,w,c of elements in the order n,c,h,w, put in order.
static HostTensor withChannelsLast(const HostTensor &tensor) {
  HostTensor turned(tensor.type(), tensor.shape());
  size_t bytes = numeric::elementBytes(tensor.type());
  const std::vector<int64_t> &shape = tensor.shape();
  int64_t pixels = shape[1] * shape[2], channels = shape[3];
  uint8_t *to = turned.bytes();
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t pixel = 0; pixel < pixels; ++pixel)
      for (int64_t c = 0; c < channels; ++c, to += bytes)
        std::memcpy(to,
                    tensor.bytes() +
                        size_t((n * channels + c) * pixels + pixel) * bytes,
                    bytes);
  return turned;
}

/// `flags` as a tensor of bytes of `shape`.
static HostTensor asTensor(const std::vector<bool> &flags,
                           const std::vector<int64_t> &shape) {
  HostTensor tensor(ElementType::U8, shape);
  std::copy(flags.begin(), flags.end(), tensor.bytes());
  return tensor;
}

std::vector<CapturedValue> LayerCapture::values() const {
  std::vector<CapturedValue> values;
  for (const std::unique_ptr<Slot> &slot : slots) {
    CapturedValue value;
    value.name = slot->table->value_name()->str();
    value.storedType = slot->stored.type();
    value.stored = slot->stored;
    value.scale = slot->table->scale();
    value.zeroPoint = slot->table->zero_point();
    if (isQuantized(*slot->table))
      describeCodes(*slot->table, value);
    value.complete = std::find(slot->covered.begin(), slot->covered.end(),
                               false) == slot->covered.end();
    if (!value.complete)
      value.covered = slot->covered;
    if (const wire::OnnxView *view = slot->table->onnx()) {
      value.onnxType = numeric::fromOnnxDataType(view->element_type());
      std::vector<int64_t> shape;
      for (unsigned i = 0; view->dims() && i < view->dims()->size(); ++i)
        shape.push_back(int64_t(numberAt(*view->dims(), i)));
      // The verifier has compared the element counts.
      [[maybe_unused]] bool fits = value.stored.reshape(std::move(shape));
      assert(fits);
      if (slot->table->channels_last()) {
        if (!value.complete) {
          HostTensor turned =
              withChannelsLast(asTensor(slot->covered, value.stored.shape()));
          value.covered.assign(turned.bytes(),
                               turned.bytes() + turned.elements());
        }
        value.stored = withChannelsLast(value.stored);
      }
    }
    value.tensor = toReals(*slot->table, value.stored);
    values.push_back(std::move(value));
  }
  return values;
}

} // namespace weft::rt
