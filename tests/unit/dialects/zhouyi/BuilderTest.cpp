//===- BuilderTest.cpp - the C++ builder of Zhouyi's functions -----------===//

#include "dialects/zhouyi/Builder.h"
#include "dialects/zhouyi/Constants.h"
#include "dialects/zhouyi/Function.h"
#include "dialects/zhouyi/Memory.h"
#include "dialects/zhouyi/Vector.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using mlir::Value;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using zhouyi::Builder;
using zhouyi::Options;

namespace {
/// A function whose arguments have names, and a builder at its end.
class Workbench {
public:
  Workbench()
      : context(mlir::MLIRContext::Threading::DISABLED), ops(&context),
        handler(&context, [this](mlir::Diagnostic &diagnostic) {
          std::string text;
          llvm::raw_string_ostream(text)
              << diagnostic.getLocation() << ": " << diagnostic.str();
          messages.push_back(text);
          return mlir::success();
        }) {
    context.loadDialect<zhouyi::ZhouyiDialect, mlir::func::FuncDialect,
                        mlir::arith::ArithDialect, mlir::scf::SCFDialect>();
    module = mlir::ModuleOp::create(ops.getUnknownLoc());
    ops.setInsertionPointToEnd(module->getBody());
    auto function = ops.create<mlir::func::FuncOp>(ops.getUnknownLoc(), "f",
                                                   ops.getFunctionType({}, {}));
    block = function.addEntryBlock();
    ops.setInsertionPointToEnd(block);
  }

  mlir::Location location() {
    return mlir::FileLineColLoc::get(&context, "kernel.cpp", 7, 3);
  }
  Value argument(const std::string &name, mlir::Type type) {
    Value value = block->addArgument(type, ops.getUnknownLoc());
    names[value] = name;
    return value;
  }
  mlir::Type vector(mlir::Type element, int64_t lanes) {
    return mlir::VectorType::get(lanes, element);
  }
  /// "vadd x=va, y=3 -> vector<8xsi32>"
  std::string text(mlir::Operation &op);

  mlir::MLIRContext context;
  mlir::OpBuilder ops;
  std::vector<std::string> messages;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Block *block = nullptr;
  llvm::DenseMap<Value, std::string> names;
};

/// What the examples of the document call their arguments.
struct Arguments {
  explicit Arguments(Workbench &w, Builder &b)
      : va(w.argument("va", w.vector(b.si(32), 8))),
        vb(w.argument("vb", w.vector(b.si(32), 8))),
        vc(w.argument("vc", w.vector(b.si(32), 8))),
        n(w.argument("n", w.ops.getIndexType())),
        a16(w.argument("a16", w.vector(b.si(16), 16))),
        b16(w.argument("b16", w.vector(b.si(16), 16))),
        a8(w.argument("a8", w.vector(b.si(8), 32))),
        b8(w.argument("b8", w.vector(b.si(8), 32))),
        mask16(w.argument("mask16", w.vector(w.ops.getI1Type(), 16))),
        mask32(w.argument("mask32", w.vector(w.ops.getI1Type(), 32))),
        mask(w.argument("mask", w.vector(w.ops.getI1Type(), 8))),
        x(w.argument("x", w.vector(w.ops.getF32Type(), 8))),
        y(w.argument("y", w.vector(w.ops.getF32Type(), 8))),
        hx(w.argument("hx", w.vector(w.ops.getF16Type(), 16))),
        hy(w.argument("hy", w.vector(w.ops.getF16Type(), 16))),
        ptr(w.argument("ptr", zhouyi::PtrType::get(w.ops.getF32Type()))),
        sacc(w.argument("sacc", w.vector(w.ops.getF32Type(), 1))),
        sx(w.argument("sx", w.vector(w.ops.getF32Type(), 1))),
        sy(w.argument("sy", w.vector(w.ops.getF32Type(), 1))),
        sa(w.argument("sa", w.vector(b.si(32), 1))) {}
  Value va, vb, vc, n, a16, b16, a8, b8, mask16, mask32, mask, x, y, hx, hy,
      ptr, sacc, sx, sy, sa;
};

/// A call form of the document and the op it becomes.
struct Form {
  const char *call;
  std::function<void(Builder &, const Arguments &)> make;
  const char *op;
};
} // namespace

std::string Workbench::text(mlir::Operation &op) {
  zhouyi::FunctionOp function(&op);
  if (!function)
    return op.getName().getStringRef().str();
  std::string out;
  llvm::raw_string_ostream stream(out);
  stream << op.getName().stripDialect();
  for (const catalog::Slot &slot : function.function().slots) {
    auto given = function.argument({slot.name.data(), slot.name.size()});
    if (!given.value && !given.attribute)
      continue;
    stream << " " << std::string(slot.name) << "=";
    if (given.attribute)
      given.attribute.print(stream, /*elideType=*/true);
    else if (names.count(given.value))
      stream << names[given.value];
    else
      stream << given.value.getDefiningOp()->getName().stripDialect();
  }
  if (op.getNumResults())
    stream << " -> " << op.getResult(0).getType();
  return out;
}

static const Form kForms[] = {
    {"vadd(va, vb)", [](auto &b, auto &a) { b.vadd(a.va, a.vb); },
     "vadd x=va y=vb -> vector<8xsi32>"},
    {"vadd(va, 3)", [](auto &b, auto &a) { b.vadd(a.va, 3); },
     "vadd x=va y=3 -> vector<8xsi32>"},
    {"vadd(va, vb, saturate=True)",
     [](auto &b, auto &a) { b.vadd(a.va, a.vb, Options().saturated()); },
     "vadd x=va y=vb saturate=1 -> vector<8xsi32>"},
    {"vadd(va, vb, out_sign=\"u\")",
     [](auto &b, auto &a) { b.vadd(a.va, a.vb, Options().signedAs("u")); },
     "vadd x=va y=vb out_sign=\"u\" -> vector<8xui32>"},
    {"vadd(va, vb, mask=S.tail_mask(n, 8))",
     [](auto &b, auto &a) { b.vadd(a.va, a.vb, {b.tailMask(a.n, 8)}); },
     "vadd x=va y=vb mask=tail_mask -> vector<8xsi32>"},
    {"vadd(va, vb, mask=\"3T5F\", r=vb)",
     [](auto &b, auto &a) { b.vadd(a.va, a.vb, {"3T5F", false, {}, a.vb}); },
     "vadd x=va y=vb mask=\"3T5F\" r=vb -> vector<8xsi32>"},
    {"vaddh(va, vb)", [](auto &b, auto &a) { b.vaddh(a.va, a.vb); },
     "vaddh x=va y=vb -> vector<8xsi32>"},
    {"vaddh(va, 3)", [](auto &b, auto &a) { b.vaddh(a.va, 3); },
     "vaddh x=va y=3 -> vector<8xsi32>"},
    {"vabs(va)", [](auto &b, auto &a) { b.vabs(a.va); },
     "vabs x=va -> vector<8xsi32>"},
    {"vabs(va, saturate=True)",
     [](auto &b, auto &a) { b.vabs(a.va, {}, /*saturate=*/true); },
     "vabs x=va saturate=1 -> vector<8xsi32>"},
    {"vabs(va, mask=\"3T5F\")", [](auto &b, auto &a) { b.vabs(a.va, "3T5F"); },
     "vabs x=va mask=\"3T5F\" -> vector<8xsi32>"},
    {"vabs(va, mask=S.tail_mask(n, 8))",
     [](auto &b, auto &a) { b.vabs(a.va, b.tailMask(a.n, 8)); },
     "vabs x=va mask=tail_mask -> vector<8xsi32>"},
    {"vsub(va, vb)", [](auto &b, auto &a) { b.vsub(a.va, a.vb); },
     "vsub x=va y=vb -> vector<8xsi32>"},
    {"vsub(va, 3)", [](auto &b, auto &a) { b.vsub(a.va, 3); },
     "vsub x=va y=3 -> vector<8xsi32>"},
    {"vsub(va, vb, saturate=True)",
     [](auto &b, auto &a) { b.vsub(a.va, a.vb, Options().saturated()); },
     "vsub x=va y=vb saturate=1 -> vector<8xsi32>"},
    {"vsub(va, vb, out_sign=\"u\")",
     [](auto &b, auto &a) { b.vsub(a.va, a.vb, Options().signedAs("u")); },
     "vsub x=va y=vb out_sign=\"u\" -> vector<8xui32>"},
    {"vsub(va, vb, mask=S.tail_mask(n, 8))",
     [](auto &b, auto &a) { b.vsub(a.va, a.vb, {b.tailMask(a.n, 8)}); },
     "vsub x=va y=vb mask=tail_mask -> vector<8xsi32>"},
    {"vsub(va, vb, mask=\"3T5F\", r=vb)",
     [](auto &b, auto &a) {
       b.vsub(a.va, a.vb, Options().masked("3T5F").inactive(a.vb));
     },
     "vsub x=va y=vb mask=\"3T5F\" r=vb -> vector<8xsi32>"},
    {"vsubh(va, vb)", [](auto &b, auto &a) { b.vsubh(a.va, a.vb); },
     "vsubh x=va y=vb -> vector<8xsi32>"},
    {"vsubh(va, 3)", [](auto &b, auto &a) { b.vsubh(a.va, 3); },
     "vsubh x=va y=3 -> vector<8xsi32>"},
    {"vmul(va, vb)", [](auto &b, auto &a) { b.vmul(a.va, a.vb); },
     "vmul x=va y=vb -> vector<8xsi32>"},
    {"vmul(va, 3)", [](auto &b, auto &a) { b.vmul(a.va, 3); },
     "vmul x=va y=3 -> vector<8xsi32>"},
    {"vmul(va, vb, out_sign=\"u\")",
     [](auto &b, auto &a) { b.vmul(a.va, a.vb, Options().signedAs("u")); },
     "vmul x=va y=vb out_sign=\"u\" -> vector<8xui32>"},
    {"vmul(va, vb, mask=\"3T5F\")",
     [](auto &b, auto &a) { b.vmul(a.va, a.vb, {"3T5F"}); },
     "vmul x=va y=vb mask=\"3T5F\" -> vector<8xsi32>"},
    {"vmul(va, vb, mask=S.tail_mask(n, 8))",
     [](auto &b, auto &a) { b.vmul(a.va, a.vb, {b.tailMask(a.n, 8)}); },
     "vmul x=va y=vb mask=tail_mask -> vector<8xsi32>"},
    {"vmul(va, vb, mask=\"T7F\", r=vb)",
     [](auto &b, auto &a) { b.vmul(a.va, a.vb, {"T7F", false, {}, a.vb}); },
     "vmul x=va y=vb mask=\"T7F\" r=vb -> vector<8xsi32>"},
    {"vmull(va, vb)", [](auto &b, auto &a) { b.vmull(a.a16, a.b16); },
     "vmull x=a16 y=b16 -> vector<8xsi32>"},
    {"vmull(va, 3)", [](auto &b, auto &a) { b.vmull(a.a16, 3); },
     "vmull x=a16 y=3 -> vector<8xsi32>"},
    {"vmull(va, vb, out_sign=\"u\")",
     [](auto &b, auto &a) { b.vmull(a.a16, a.b16, Options().signedAs("u")); },
     "vmull x=a16 y=b16 out_sign=\"u\" -> vector<8xui32>"},
    {"vmull(va, vb, mask=\"3T5F\")",
     [](auto &b, auto &a) { b.vmull(a.a16, a.b16, {"3T5F"}); },
     "vmull x=a16 y=b16 mask=\"3T5F\" -> vector<8xsi32>"},
    {"vmull(va, vb, mask=S.tail_mask(n, 8))",
     [](auto &b, auto &a) { b.vmull(a.va, a.vb, {b.tailMask(a.n, 8)}); },
     "vmull x=va y=vb mask=tail_mask -> vector<8xsi32>"},
    {"vmull(va, vb, mask=\"T7F\", r=vb)",
     [](auto &b, auto &a) { b.vmull(a.a16, a.b16, {"T7F", false, {}, a.vb}); },
     "vmull x=a16 y=b16 mask=\"T7F\" r=vb -> vector<8xsi32>"},
    {"vmulh(va, vb)", [](auto &b, auto &a) { b.vmulh(a.a16, a.b16); },
     "vmulh x=a16 y=b16 -> vector<8xsi32>"},
    {"vmulh(va, 3)", [](auto &b, auto &a) { b.vmulh(a.a16, 3); },
     "vmulh x=a16 y=3 -> vector<8xsi32>"},
    {"vmulh(va, vb, out_sign=\"u\")",
     [](auto &b, auto &a) { b.vmulh(a.a16, a.b16, Options().signedAs("u")); },
     "vmulh x=a16 y=b16 out_sign=\"u\" -> vector<8xui32>"},
    {"vmulh(va, vb, mask=\"3T5F\")",
     [](auto &b, auto &a) { b.vmulh(a.a16, a.b16, {"3T5F"}); },
     "vmulh x=a16 y=b16 mask=\"3T5F\" -> vector<8xsi32>"},
    {"vmulh(va, vb, mask=S.tail_mask(n, 8))",
     [](auto &b, auto &a) { b.vmulh(a.va, a.vb, {b.tailMask(a.n, 8)}); },
     "vmulh x=va y=vb mask=tail_mask -> vector<8xsi32>"},
    {"vmulh(va, vb, mask=\"T7F\", r=vb)",
     [](auto &b, auto &a) { b.vmulh(a.a16, a.b16, {"T7F", false, {}, a.vb}); },
     "vmulh x=a16 y=b16 mask=\"T7F\" r=vb -> vector<8xsi32>"},
    {"vdiv(va, vb)", [](auto &b, auto &a) { b.vdiv(a.va, a.vb); },
     "vdiv x=va y=vb -> vector<8xsi32>"},
    {"vdiv(va, 3)", [](auto &b, auto &a) { b.vdiv(a.va, 3); },
     "vdiv x=va y=3 -> vector<8xsi32>"},
    {"vdiv(va, vb, mask=\"3T5F\")",
     [](auto &b, auto &a) { b.vdiv(a.va, a.vb, "3T5F"); },
     "vdiv x=va y=vb mask=\"3T5F\" -> vector<8xsi32>"},
    {"vdiv(va, vb, mask=S.tail_mask(n, 8))",
     [](auto &b, auto &a) { b.vdiv(a.va, a.vb, b.tailMask(a.n, 8)); },
     "vdiv x=va y=vb mask=tail_mask -> vector<8xsi32>"},
    {"vmod(va, vb)", [](auto &b, auto &a) { b.vmod(a.va, a.vb); },
     "vmod x=va y=vb -> vector<8xsi32>"},
    {"vmod(va, 3)", [](auto &b, auto &a) { b.vmod(a.va, 3); },
     "vmod x=va y=3 -> vector<8xsi32>"},
    {"vmod(va, vb, mask=\"3T5F\")",
     [](auto &b, auto &a) { b.vmod(a.va, a.vb, "3T5F"); },
     "vmod x=va y=vb mask=\"3T5F\" -> vector<8xsi32>"},
    {"vmod(va, vb, mask=S.tail_mask(n, 8))",
     [](auto &b, auto &a) { b.vmod(a.va, a.vb, b.tailMask(a.n, 8)); },
     "vmod x=va y=vb mask=tail_mask -> vector<8xsi32>"},
    {"vdot(x, y)", [](auto &b, auto &a) { b.vdot(a.a16, a.b16); },
     "vdot x=a16 y=b16 -> vector<8xsi32>"},
    {"vdot(x, 3, mask)", [](auto &b, auto &a) { b.vdot(a.a16, 3, a.mask16); },
     "vdot x=a16 y=3 mask=mask16 -> vector<8xsi32>"},
    {"vqdot(x, y)", [](auto &b, auto &a) { b.vqdot(a.a8, a.b8); },
     "vqdot x=a8 y=b8 -> vector<8xsi32>"},
    {"vqdot(x, 3, mask)", [](auto &b, auto &a) { b.vqdot(a.a8, 3, a.mask32); },
     "vqdot x=a8 y=3 mask=mask32 -> vector<8xsi32>"},
    {"vdpa(S.int32x8(0), x, y)",
     [](auto &b, auto &a) { b.vdpa(b.int32x8(0), a.a16, a.b16); },
     "vdpa acc=constant x=a16 y=b16 -> vector<8xsi32>"},
    {"vdpa(S.int32x8(0), x, y, mask)",
     [](auto &b, auto &a) { b.vdpa(b.int32x8(0), a.a16, a.b16, a.mask16); },
     "vdpa acc=constant x=a16 y=b16 mask=mask16 -> vector<8xsi32>"},
    {"vqdpa(S.int32x8(0), x, y)",
     [](auto &b, auto &a) { b.vqdpa(b.int32x8(0), a.a8, a.b8); },
     "vqdpa acc=constant x=a8 y=b8 -> vector<8xsi32>"},
    {"vqdpa(S.int32x8(0), x, y, mask)",
     [](auto &b, auto &a) { b.vqdpa(b.int32x8(0), a.a8, a.b8, a.mask32); },
     "vqdpa acc=constant x=a8 y=b8 mask=mask32 -> vector<8xsi32>"},
    {"vrpadd(x)", [](auto &b, auto &a) { b.vrpadd(a.va); },
     "vrpadd x=va -> vector<8xsi32>"},
    {"vrpadd(x, mask)", [](auto &b, auto &a) { b.vrpadd(a.hx, a.mask16); },
     "vrpadd x=hx mask=mask16 -> vector<8xf32>"},
    {"vmml(ptr, x, y)",
     [](auto &b, auto &a) {
       EXPECT_TRUE(mlir::succeeded(b.vmml(a.ptr, a.hx, a.hy)));
     },
     "vmml ptr=ptr x=hx y=hy"},
    {"vmma(ptr, x, y)",
     [](auto &b, auto &a) {
       EXPECT_TRUE(mlir::succeeded(b.vmma(a.ptr, a.hx, a.hy)));
     },
     "vmma acc_ptr=ptr x=hx y=hy"},
    {"fma(S.float32x8(10), x, y, mask)",
     [](auto &b, auto &a) { b.fma(b.float32x8(10), a.x, a.y, a.mask); },
     "fma acc=constant x=x y=y mask=mask -> vector<8xf32>"},
    {"fma(scalar_acc, scalar_x, scalar_y)",
     [](auto &b, auto &a) { b.fma(a.sacc, a.sx, a.sy); },
     "fma acc=sacc x=sx y=sy -> vector<1xf32>"},
    {"vfmae(S.float32x8(10), x, y)",
     [](auto &b, auto &a) { b.vfmae(b.float32x8(10), a.hx, a.hy); },
     "vfmae acc=constant x=hx y=hy -> vector<8xf32>"},
    {"vfmae(S.float32x8(10), x, y, mask)",
     [](auto &b, auto &a) { b.vfmae(b.float32x8(10), a.hx, a.hy, a.mask); },
     "vfmae acc=constant x=hx y=hy mask=mask -> vector<8xf32>"},
    {"vfmao(S.float32x8(10), x, y)",
     [](auto &b, auto &a) { b.vfmao(b.float32x8(10), a.hx, a.hy); },
     "vfmao acc=constant x=hx y=hy -> vector<8xf32>"},
    {"vfmao(S.float32x8(10), x, y, mask)",
     [](auto &b, auto &a) { b.vfmao(b.float32x8(10), a.hx, a.hy, a.mask); },
     "vfmao acc=constant x=hx y=hy mask=mask -> vector<8xf32>"},
    {"vrint(va)", [](auto &b, auto &a) { b.vrint(a.x); },
     "vrint x=x -> vector<8xf32>"},
    {"vrint(va, mask=\"3T5F\")", [](auto &b, auto &a) { b.vrint(a.x, "3T5F"); },
     "vrint x=x mask=\"3T5F\" -> vector<8xf32>"},
    {"vrint(va, mask=S.tail_mask(n, 8))",
     [](auto &b, auto &a) { b.vrint(a.x, b.tailMask(a.n, 8)); },
     "vrint x=x mask=tail_mask -> vector<8xf32>"},
    {"clip(a, -10, 10)", [](auto &b, auto &a) { b.clip(a.sa, -10, 10); },
     "clip x=sa min_val=-10 max_val=10 -> vector<1xsi32>"},
    {"clip(va, vb, vc)", [](auto &b, auto &a) { b.clip(a.va, a.vb, a.vc); },
     "clip x=va min_val=vb max_val=vc -> vector<8xsi32>"},
    {"clip(va, 3, 30)", [](auto &b, auto &a) { b.clip(a.va, 3, 30); },
     "clip x=va min_val=3 max_val=30 -> vector<8xsi32>"},
    {"clip(va, vb, vc, mask=\"3T5F\")",
     [](auto &b, auto &a) { b.clip(a.va, a.vb, a.vc, "3T5F"); },
     "clip x=va min_val=vb max_val=vc mask=\"3T5F\" -> vector<8xsi32>"},
    {"clip(va, vb, vc, mask=S.tail_mask(n, 8))",
     [](auto &b, auto &a) { b.clip(a.va, a.vb, a.vc, b.tailMask(a.n, 8)); },
     "clip x=va min_val=vb max_val=vc mask=tail_mask -> vector<8xsi32>"},
};

TEST(ZhouyiBuilder, MakesEveryCallFormOfTheDocument) {
  std::set<std::string_view> seen;
  for (const Form &form : kForms) {
    SCOPED_TRACE(form.call);
    Workbench w;
    Builder b(w.ops, w.location());
    Arguments arguments(w, b);
    form.make(b, arguments);
    EXPECT_FALSE(b.failed());
    EXPECT_THAT(w.messages, IsEmpty());
    ASSERT_FALSE(w.block->empty());
    EXPECT_EQ(w.text(w.block->back()), form.op);
    EXPECT_EQ(w.block->back().getLoc(), w.location());
    EXPECT_TRUE(mlir::succeeded(mlir::verify(&w.block->back())));
    seen.insert(zhouyi::FunctionOp(&w.block->back()).function().name);
  }
  EXPECT_EQ(seen.size(), catalog::operations(catalog::Language::Zhouyi).size());
}

TEST(ZhouyiBuilder, TakesMasksAsLists) {
  Workbench w;
  Builder b(w.ops, w.location());
  Arguments a(w, b);
  b.vabs(a.va, {true, false, true});
  EXPECT_EQ(w.text(w.block->back()),
            "vabs x=va mask=array<i1: true, false, true> -> vector<8xsi32>");
  b.vadd(a.va, 1, {{true, true}});
  EXPECT_EQ(w.text(w.block->back()),
            "vadd x=va y=1 mask=array<i1: true, true> -> vector<8xsi32>");
  b.load(a.ptr, 8, "3T");
  auto load = mlir::cast<zhouyi::LoadOp>(w.block->back());
  auto mask = load.getMask().getDefiningOp<zhouyi::ConstantOp>();
  ASSERT_TRUE(mask);
  EXPECT_THAT(
      zhouyi::lanesOf(mlir::cast<mlir::DenseElementsAttr>(mask.getValue())),
      ElementsAre(1, 1, 1, 0, 0, 0, 0, 0));
}

namespace {
/// A wrong call and the end of its message.
struct Mistake {
  const char *name;
  std::function<Value(Builder &, const Arguments &)> make;
  const char *message;
};
} // namespace

static const Mistake kMistakes[] = {
    {"signs", [](auto &b, auto &a) { return b.vadd(a.va, b.uint32x8(1)); },
     "vadd: x is int32x8, y is uint32x8; "},
    {"number", [](auto &b, auto &a) { return b.vadd(a.a8, 300); },
     "vadd: y is 300"},
    {"all scalars", [](auto &b, auto &) { return b.vadd(1, 2); }, "vadd: "},
    {"out_sign",
     [](auto &b, auto &a) { return b.vadd(a.va, 1, Options().signedAs("x")); },
     "vadd: out_sign is 'x', must be u or s"},
    {"saturate of vmul",
     [](auto &b, auto &a) { return b.vmul(a.va, 1, Options().saturated()); },
     "vmul has no saturate"},
    {"malformed mask", [](auto &b, auto &a) { return b.vabs(a.va, "3X"); },
     "vabs: "},
    {"long mask", [](auto &b, auto &a) { return b.vabs(a.va, "9T"); },
     "vabs: mask has 9 lanes, the vector has 8; "},
    {"type of vmul", [](auto &b, auto &a) { return b.vmul(a.a8, a.b8); },
     "vmul: x is int8x32, must be of "},
    {"constant", [](auto &b, auto &) { return b.int8x32(128); },
     "128 is no value of si8; give one in the range of the type"},
    {"float constant",
     [](auto &b, auto &) { return b.splat(b.si(8), 32, 0.5); },
     "is no value of si8; give one in the range of the type"},
    {"lanes", [](auto &b, auto &) { return b.splat(b.si(8), 5000, 1); },
     "a vector of 5000 si8; must be 1 to 4096 lanes of si8, ui8, si16, ui16, "
     "si32, ui32, f16, bf16 or f32"},
    {"tail mask", [](auto &b, auto &) { return b.tailMask(9, 8); }, "9"},
    {"bits",
     [](auto &b, auto &a) { return b.reinterpret(a.sa, b.ops().getF64Type()); },
     "the 32 bits of vector<1xsi32> are no whole number of f64"},
    {"no such function", [](auto &b, auto &) { return b.call("vsqrt", {}); },
     "there is no function 'vsqrt' of Zhouyi"},
};

TEST(ZhouyiBuilder, ReportsAMistakeOnceAtItsLocation) {
  for (const Mistake &mistake : kMistakes) {
    SCOPED_TRACE(mistake.name);
    Workbench w;
    Builder b(w.ops, w.location());
    Arguments a(w, b);
    Value wrong = mistake.make(b, a);
    EXPECT_FALSE(wrong);
    EXPECT_TRUE(b.failed());
    // What is made of it says nothing more.
    EXPECT_FALSE(b.vadd(wrong, 1));
    EXPECT_FALSE(b.vadd(a.va, 1, {zhouyi::Mask(wrong)}));
    EXPECT_FALSE(b.vadd(a.va, 1, Options().inactive(wrong)));
    EXPECT_TRUE(mlir::failed(b.store(wrong, a.ptr)));
    EXPECT_FALSE(b.cast(wrong, b.si(8)));
    ASSERT_EQ(w.messages.size(), 1u);
    EXPECT_THAT(w.messages[0], HasSubstr("\"kernel.cpp\":7:3"));
    EXPECT_THAT(w.messages[0], HasSubstr(mistake.message));
  }
}

TEST(ZhouyiBuilder, MakesLoopsThatCarryVectors) {
  Workbench w;
  Builder b(w.ops, w.location());
  Arguments a(w, b);
  llvm::SmallVector<Value> sums =
      b.loop(4, {b.int32x8(0)}, [&](Value index, mlir::ValueRange carried) {
        Value mask = b.tailMask({index}, {8}, 30, 8);
        Value pointer = b.reinterpret(b.offset(a.ptr, {index}, {8}), b.si(32));
        Value x = b.load(pointer, 8, mask);
        return llvm::SmallVector<Value>{b.vadd(carried[0], x)};
      });
  ASSERT_EQ(sums.size(), 1u);
  auto loop = sums[0].getDefiningOp<mlir::scf::ForOp>();
  ASSERT_TRUE(loop);
  EXPECT_TRUE(mlir::succeeded(mlir::verify(loop)));
  // A loop without carried values, and one inside.
  b.loop(2, [&](Value i) {
    b.loop(3, [&](Value j) {
      EXPECT_TRUE(
          mlir::succeeded(b.store(a.x, b.offset(a.ptr, {i, j}, {24, 8}))));
    });
  });
  EXPECT_FALSE(b.failed());
  EXPECT_THAT(w.messages, IsEmpty());
  EXPECT_TRUE(mlir::succeeded(mlir::verify(&w.block->back())));
}

TEST(ZhouyiBuilder, ReportsLoopsThatDoNotFit) {
  Workbench w;
  Builder b(w.ops, w.location());
  Arguments a(w, b);
  b.loop(0, [](Value) {});
  b.loop(2, {a.va}, [&](Value, mlir::ValueRange) {
    return llvm::SmallVector<Value>{a.x};
  });
  // An error inside is not followed by another.
  Builder other(w.ops, w.location());
  other.loop(2, {a.va}, [&](Value, mlir::ValueRange carried) {
    return llvm::SmallVector<Value>{other.vadd(carried[0], 1.5)};
  });
  ASSERT_EQ(w.messages.size(), 3u);
  EXPECT_THAT(w.messages[0],
              HasSubstr("a loop runs 0 times; must be 1 or more"));
  EXPECT_THAT(w.messages[1], HasSubstr("the body of a loop gives other values "
                                       "than it gets"));
  EXPECT_THAT(w.messages[2], HasSubstr("vadd: y is 1.5"));
}

TEST(ZhouyiBuilder, MakesBuffers) {
  Workbench w;
  w.ops.setInsertionPointToEnd(w.module->getBody());
  auto program =
      w.ops.create<zhouyi::ProgramOp>(w.location(), "main", "zhouyi");
  w.ops.setInsertionPointToEnd(&program.getBody().front());
  Builder b(w.ops, w.location());
  auto onnx = mlir::RankedTensorType::get({2, 3}, w.ops.getI8Type());
  auto stored = mlir::RankedTensorType::get({2, 3}, b.si(8));
  b.input("x", onnx, stored, 2.0);
  b.output("y", onnx, stored, 0.5, 3);
  auto contents = mlir::DenseElementsAttr::get(
      mlir::RankedTensorType::get({2}, w.ops.getI32Type()),
      llvm::ArrayRef<int32_t>{1, 2});
  Value weight = b.weight("w", contents);
  Value scratch = b.scratch("t", w.ops.getF32Type(), 10);
  b.scratch("v", "relu", onnx, stored);
  EXPECT_TRUE(mlir::succeeded(mlir::verify(program)));
  EXPECT_EQ(weight.getType(), zhouyi::PtrType::get(b.si(32)));
  EXPECT_EQ(scratch.getDefiningOp<zhouyi::BufferOp>().getBytes(), 40u);
  EXPECT_THAT(w.messages, IsEmpty());
}
