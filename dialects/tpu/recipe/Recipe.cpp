//===- Recipe.cpp - how an op becomes calls of PPL functions --------------===//

#include "dialects/tpu/recipe/Recipe.h"

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/Tpu.h"
#include "runtime/catalog/Strides.h"
#include "runtime/chips/Chip.h"
#include "runtime/ppl/Commands.h"
#include "llvm/ADT/StringExtras.h"

using namespace weft;
using namespace weft::tpu;
using catalog::AlignMode;
using catalog::DataType;

DataType weft::tpu::machineTypeOf(mlir::Type element) {
  if (element.isF32())
    return DataType::Fp32;
  if (element.isF16())
    return DataType::Fp16;
  if (element.isBF16())
    return DataType::Bf16;
  auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(element);
  auto integer = llvm::dyn_cast<mlir::IntegerType>(element);
  bool isSigned = quantized ? quantized.isSigned() : !integer.isUnsigned();
  return catalog::integerType(
      quantized ? quantized.getStorageTypeIntegralWidth() : integer.getWidth(),
      isSigned);
}

AlignMode weft::tpu::alignModeOf(LocalLayout layout) {
  switch (layout) {
  case LocalLayout::Aligned:
    return AlignMode::Aligned;
  case LocalLayout::Compact:
    return AlignMode::Compact;
  case LocalLayout::LineAligned:
    return AlignMode::RowAligned;
  }
  llvm_unreachable("covered switch");
}

static catalog::Tensor localTensor(const Chip &chip, const Dims &dims,
                                   DataType type, AlignMode layout) {
  catalog::Tensor tensor;
  tensor.type = type;
  tensor.layout = layout;
  tensor.shape = dims;
  tensor.strides = catalog::stridesOf(layout, type, dims, /*lane=*/0, chip);
  return tensor;
}

catalog::Tensor weft::tpu::alignedTile(const Chip &chip, const Dims &dims,
                                       DataType type) {
  return localTensor(chip, dims, type, AlignMode::Aligned);
}

static Tile makeTile(const catalog::Tensor &tensor, Tile::Kind kind,
                     unsigned index) {
  Tile tile;
  static_cast<catalog::Tensor &>(tile) = tensor;
  tile.kind = kind;
  tile.index = index;
  return tile;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

Tile RecipeBuilder::operand(unsigned number) const {
  return makeTile(operands[number], Tile::Operand, number);
}

Tile RecipeBuilder::result() const {
  return makeTile(resultTensor, Tile::Result, 0);
}

Tile RecipeBuilder::scratch(llvm::StringRef name, const Dims &dims,
                            DataType type, LocalLayout layout) {
  unsigned index = recipe.scratch.size();
  recipe.scratch.push_back({name,
                            {LocalBuffer::Scratch,
                             {dims, catalog::bitsOf(type), layout},
                             0,
                             false}});
  return makeTile(localTensor(chip, dims, type, alignModeOf(layout)),
                  Tile::Scratch, index);
}

Tile RecipeBuilder::apart(llvm::StringRef name, const Tile &tile) {
  int64_t bytes =
      bytesPerLane(chip, {dimsOf(op->getResult(0)), catalog::bitsOf(tile.type),
                          LocalLayout::Aligned});
  return bytes <= int64_t(chip.laneBytes / 2)
             ? scratch(name, tile.shape, tile.type)
             : tile;
}

Tile RecipeBuilder::constant(llvm::StringRef name, const LocalBuffer &buffer,
                             DataType type, ConstantBytes bytes) {
  unsigned index = recipe.constants.size();
  recipe.constants.push_back({name, buffer, std::move(bytes)});
  return makeTile(localTensor(chip, buffer.tensor.dims, type,
                              alignModeOf(buffer.tensor.layout)),
                  Tile::Constant, index);
}

Tile RecipeBuilder::table(llvm::StringRef name, Dims dims, DataType type,
                          ConstantBytes bytes) {
  dims[kAxisC] = chip.lanes;
  return constant(name,
                  {LocalBuffer::Constant,
                   {dims, catalog::bitsOf(type), LocalLayout::Aligned},
                   0,
                   /*broadcast=*/true},
                  type, std::move(bytes));
}

Tile RecipeBuilder::perChannel(llvm::StringRef name, const Dims &dims,
                               DataType type, LocalLayout layout,
                               ConstantBytes bytes, bool hasShortRows) {
  return constant(name,
                  {LocalBuffer::Constant,
                   {dims, catalog::bitsOf(type), layout},
                   box.offset[kAxisC],
                   /*broadcast=*/false,
                   hasShortRows},
                  type, std::move(bytes));
}

Tile RecipeBuilder::matrix(llvm::StringRef name, const Dims &dims,
                           DataType type, ConstantBytes bytes,
                           LocalLayout layout) {
  return constant(name,
                  {LocalBuffer::Constant,
                   {dims, catalog::bitsOf(type), layout},
                   0,
                   /*broadcast=*/false,
                   /*hasShortRows=*/layout == LocalLayout::Compact,
                   /*isMatrix=*/true},
                  type, std::move(bytes));
}

Tile RecipeBuilder::numberPerChannel(llvm::StringRef name, unsigned number) {
  return perChannel(name, {1, resultTensor.shape[kAxisC], 1, 1},
                    resultTensor.type, LocalLayout::Compact, weight(number));
}

ConstantBytes RecipeBuilder::weight(unsigned number) const {
  return [op = op, number] { return weightBytes(op, op->getOperand(number)); };
}

Tile RecipeBuilder::as(const Tile &tile, DataType type,
                       const Dims &shape) const {
  Tile seen = tile;
  static_cast<catalog::Tensor &>(seen) =
      localTensor(chip, shape, type, tile.layout);
  return seen;
}

Tile RecipeBuilder::entries(const Tile &row, int64_t first,
                            int64_t count) const {
  Tile part = as(row, row.type, {1, row.shape[1], 1, count});
  part.byte = row.byte + first * catalog::bytesOf(row.type);
  return part;
}

Tile RecipeBuilder::part(const Tile &tile, unsigned axis, int64_t begin,
                         int64_t count, int64_t step) const {
  if (begin == 0 && step == 1 && count == tile.shape[axis])
    return tile;
  Tile view = every(tile, axis, begin, 1);
  view.shape[axis] = count;
  view.strides[axis] *= step;
  return view;
}

Tile RecipeBuilder::channels(const Tile &tile, int64_t begin,
                             int64_t count) const {
  int64_t lanes = chip.lanes, round = begin / lanes;
  assert((begin + count - 1) / lanes == round && "one round over the lanes");
  Tile view = tile;
  view.layout = AlignMode::Free;
  view.lane = unsigned(begin % lanes);
  view.byte += round * tile.strides[kAxisC] * catalog::bytesOf(tile.type);
  view.shape[kAxisC] = count;
  return view;
}

Tile RecipeBuilder::flatRow(const Tile &channels, int64_t first,
                            int64_t count) const {
  Tile row = channels;
  static_cast<catalog::Tensor &>(row) =
      alignedTile(chip, {1, channels.shape[kAxisC], 1, count}, channels.type);
  row.lane = channels.lane;
  row.byte += first * int64_t(catalog::bytesOf(channels.type));
  return row;
}

Tile RecipeBuilder::every(const Tile &tile, unsigned axis, int64_t begin,
                          int64_t step) const {
  assert(axis != kAxisC && "channels lie in lanes");
  Tile view = tile;
  view.layout = AlignMode::Free;
  view.byte += begin * tile.strides[axis] * catalog::bytesOf(tile.type);
  view.shape[axis] /= step;
  view.strides[axis] *= step;
  return view;
}

Tile RecipeBuilder::rowForEach(const Tile &row, int64_t channels) const {
  Tile view = row;
  view.layout = AlignMode::Free;
  view.shape[kAxisC] = channels;
  view.strides[kAxisC] = 0;
  return view;
}

Tile RecipeBuilder::repeated(const Tile &tile, const Tile &like) const {
  if (tile.shape == like.shape)
    return tile;
  Tile view = tile;
  view.layout = AlignMode::Free;
  view.shape = like.shape;
  for (unsigned axis : {kAxisN, kAxisH, kAxisW})
    if (tile.shape[axis] == 1)
      view.strides[axis] = 0;
  return view;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void RecipeBuilder::call(llvm::StringRef function,
                         llvm::ArrayRef<Given> arguments) {
  if (!wantsCalls)
    return;
  RecipeCall &made = recipe.calls.emplace_back();
  made.function = catalog::find({function.data(), function.size()});
  assert(made.function && "recipes call functions of the catalog");
  for (const Given &given : arguments) {
    int slot = made.function->slotIndex({given.slot.data(), given.slot.size()});
    assert(slot >= 0 && "recipes name slots of the function");
    made.arguments.emplace_back(slot, given.argument);
  }
}

/// True if a command reads the operand by strides beside a result `dst`.
static bool isStrided(const RecipeArgument &operand, const Tile &dst) {
  const Tile *tile = operand.tile();
  if (!tile)
    return false;
  if (tile->shape == dst.shape)
    return tile->layout != AlignMode::Aligned &&
           tile->layout != AlignMode::Compact;
  // Repeated: one element a channel has a code of its own.
  bool isPerChannel = tile->shape[kAxisN] == 1 && tile->shape[kAxisH] == 1 &&
                      tile->shape[kAxisW] == 1 && tile->strides[kAxisC] == 1;
  return !isPerChannel;
}

/// Whether the operands may change places. Float max and min may not: the order
/// decides which zero comes out, and which operand beside a NaN.
static bool commutes(llvm::StringRef function) {
  return llvm::is_contained(
      llvm::ArrayRef<llvm::StringRef>{
          "tiu.fadd", "tiu.fmul", "tiu.fmac", "tiu.fsub_abs", "tiu.add",
          "tiu.mul", "tiu.max", "tiu.min", "tiu.bitwise_and", "tiu.bitwise_or",
          "tiu.bitwise_xor", "tiu.eq"},
      function);
}

void RecipeBuilder::binary(llvm::StringRef function, const Tile &dst,
                           RecipeArgument src0, RecipeArgument src1,
                           llvm::ArrayRef<Given> more) {
  if (commutes(function) && isStrided(src1, dst) && !isStrided(src0, dst))
    std::swap(src0, src1);
  llvm::SmallVector<Given, 4> arguments{
      {"dst", dst}, {"src0", std::move(src0)}, {"src1", std::move(src1)}};
  arguments.append(more.begin(), more.end());
  call(function, arguments);
}

void RecipeBuilder::scale(const Tile &dst, const Tile &src, double factor,
                          double offset) {
  // LIN has no strides. It rounds after the product and after the sum, too.
  if (isStrided(src, dst)) {
    binary("tiu.fmul", dst, src, factor);
    return binary("tiu.fadd", dst, dst, offset);
  }
  call("tiu.fscale",
       {{"dst", dst}, {"src", src}, {"scale", factor}, {"bias", offset}});
}

void RecipeBuilder::cast(const Tile &dst, const Tile &src,
                         numeric::Rounding rounding) {
  call(dst.type == src.type ? "tiu.round" : "tiu.cast",
       {{"dst", dst}, {"src", src}, {"round_mode", int64_t(rounding)}});
}

void RecipeBuilder::moveAcrossLanes(const Tile &dst, const Tile &src) {
  call("tiu.move_cross_lane", {{"dst", dst}, {"src", src}});
  if (wantsCalls)
    recipe.calls.back().insideLanes = catalog::find("tiu.move");
}

void RecipeBuilder::repeatChannel(const Tile &dst, const Tile &src) {
  int64_t channels = dst.shape[kAxisC], lanes = chip.lanes;
  if (channels <= lanes)
    return call("tiu.broadcast", {{"dst", dst}, {"src", src}});
  // A round over the lanes of an image with each call.
  for (int64_t n = 0; n < dst.shape[kAxisN]; ++n) {
    Tile image = part(dst, kAxisN, n, 1);
    for (int64_t begin = 0; begin < channels; begin += lanes)
      call("tiu.broadcast",
           {{"dst",
             this->channels(image, begin, std::min(lanes, channels - begin))},
            {"src", part(src, kAxisN, n, 1)}});
  }
}

static bool stepsFar(const Tile &tile) {
  return tile.layout == AlignMode::Free &&
         (tile.strides[kAxisN] > catalog::kMostStride ||
          tile.strides[kAxisC] > catalog::kMostStride);
}

/// One image and one round over the lanes: steps to the next have no meaning.
static Tile withoutFarSteps(Tile one) {
  for (unsigned axis : {kAxisN, kAxisC})
    one.strides[axis] = std::min(one.strides[axis], catalog::kMostStride);
  return one;
}

void RecipeBuilder::copy(const Tile &dst, const RecipeArgument &src) {
  std::optional<Tile> from;
  if (const Tile *source = src.tile())
    from = repeated(*source, dst);
  bool isFar = stepsFar(dst) || (from && stepsFar(*from));
  auto copyPiece = [&](const Tile &to, const std::optional<Tile> &piece) {
    if (piece)
      call("tiu.move", {{"dst", to}, {"src", *piece}});
    else
      call("tiu.fill", {{"dst", to}, {"scalar", src}});
  };
  int64_t lanes = chip.lanes, count = dst.shape[kAxisC];
  // Rounds of channels are counted from lane 0.
  if (!isFar || (count > lanes && dst.lane != 0))
    return copyPiece(dst, from);
  auto pieceOf = [&](const Tile &all, int64_t n, int64_t channel) {
    Tile image = part(all, kAxisN, n, 1);
    return withoutFarSteps(
        count > lanes
            ? channels(image, channel, std::min(lanes, count - channel))
            : image);
  };
  for (int64_t n = 0; n < dst.shape[kAxisN]; ++n)
    for (int64_t channel = 0; channel < count; channel += lanes)
      copyPiece(pieceOf(dst, n, channel),
                from ? std::optional(pieceOf(*from, n, channel)) : from);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

llvm::SmallVector<const Alternative *, 2>
weft::tpu::alternativesOf(mlir::Operation *op) {
  llvm::SmallVector<const Alternative *, 2> ways;
  for (const Alternative &way : llvm::cast<TilingInterface>(op).recipes())
    if (way.isOpenTo(op))
      ways.push_back(&way);
  return ways;
}

/// The way of that name; null if there is none.
static const Alternative *findWay(llvm::ArrayRef<Alternative> ways,
                                  llvm::StringRef name) {
  const Alternative *found = llvm::find_if(
      ways, [&](const Alternative &way) { return way.name == name; });
  return found == ways.end() ? nullptr : found;
}

/// The way that `tpu.recipe` names.
static const Alternative &chosenWay(mlir::Operation *op) {
  llvm::ArrayRef<Alternative> ways = llvm::cast<TilingInterface>(op).recipes();
  if (ways.size() == 1)
    return ways.front();
  auto name = op->getAttrOfType<mlir::StringAttr>(kRecipeAttr);
  if (!name)
    return ways.front();
  const Alternative *way = findWay(ways, name.getValue());
  assert(way && "the dialect verifies the name");
  return *way;
}

llvm::LogicalResult
TpuDialect::verifyOperationAttribute(mlir::Operation *op,
                                     mlir::NamedAttribute attribute) {
  if (attribute.getName() != kRecipeAttr)
    return verifyDecision(op, attribute);
  auto tiling = llvm::dyn_cast<TilingInterface>(op);
  auto name = llvm::dyn_cast<mlir::StringAttr>(attribute.getValue());
  if (!tiling || !name)
    return op->emitOpError()
           << kRecipeAttr << " must be a string on an op that has recipes";
  llvm::SmallVector<llvm::StringRef> names;
  for (const Alternative *way : alternativesOf(op))
    names.push_back(way->name);
  if (llvm::is_contained(names, name.getValue()))
    return mlir::success();
  bool exists = findWay(tiling.recipes(), name.getValue());
  return op->emitOpError() << (exists ? "cannot take recipe '"
                                      : "has no recipe '")
                           << name.getValue() << "'; this one can take "
                           << llvm::join(names, ", ");
}

static Recipe write(mlir::Operation *op, const Chip &chip, const Box &result,
                    llvm::ArrayRef<catalog::Tensor> operands,
                    const Alternative *way, bool wantsCalls) {
  Recipe recipe;
  catalog::Tensor tile = alignedTile(
      chip, result.size, machineTypeOf(elementOf(op->getResult(0))));
  RecipeBuilder builder(op, chip, result, tile, operands, wantsCalls, recipe);
  (way ? *way : chosenWay(op)).build(op, builder);
  return recipe;
}

/// The tiles of the operands if each is just what the result needs.
static llvm::SmallVector<catalog::Tensor, 3>
neededTiles(mlir::Operation *op, const Chip &chip, const Box &result) {
  auto tiling = llvm::cast<TilingInterface>(op);
  llvm::SmallVector<catalog::Tensor, 3> tiles(op->getNumOperands());
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (!tiling.isPackedOperand(i))
      tiles[i] = alignedTile(chip, tiling.inputNeed(i, result).box.size,
                             machineTypeOf(elementOf(operand)));
  return tiles;
}

Recipe weft::tpu::recipeOf(mlir::Operation *op, const Chip &chip,
                           const Box &result,
                           llvm::ArrayRef<catalog::Tensor> operands,
                           const Alternative *way) {
  return write(op, chip, result, operands, way, /*wantsCalls=*/true);
}

Recipe weft::tpu::recipeOf(mlir::Operation *op, const Chip &chip,
                           const Box &result, const Alternative *way) {
  return recipeOf(op, chip, result, neededTiles(op, chip, result), way);
}

std::vector<RecipeConstant> weft::tpu::constantsOf(mlir::Operation *op,
                                                   const Chip &chip) {
  Box whole = Box::whole(dimsOf(op->getResult(0)));
  return write(op, chip, whole, neededTiles(op, chip, whole), /*way=*/nullptr,
               /*wantsCalls=*/false)
      .constants;
}

llvm::SmallVector<LocalBuffer>
weft::tpu::localBuffersOf(mlir::Operation *op, const Chip &chip,
                          const Box &result, const Alternative *way) {
  llvm::SmallVector<LocalBuffer> buffers;
  Recipe recipe = write(op, chip, result, neededTiles(op, chip, result), way,
                        /*wantsCalls=*/false);
  for (const RecipeConstant &constant : recipe.constants)
    buffers.push_back(constant.buffer);
  for (const RecipeScratch &scratch : recipe.scratch)
    buffers.push_back(scratch.buffer);
  return buffers;
}
