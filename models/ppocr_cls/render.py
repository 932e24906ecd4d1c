#!/usr/bin/env python3
"""Renders text lines as inputs of PP-OCR cls: DIR/test and DIR/calibration, one .npz a line.

Every second line is turned by 180 degrees. The same seed gives the same bytes (Pillow's version is pinned in
scripts/requirements.txt). Each .npz holds `x`, 1x3x48x192 float32, preprocessed as PP-OCR does.

  render.py DIR [--test 128] [--calibration 32] [--seed 20240611] [--png]
  render.py DIR --check MODEL.onnx     also prints how sure ONNX Runtime is of these lines
"""
import argparse
import math
import pathlib
import random
import sys

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONT_FOLDER = pathlib.Path("/usr/share/fonts/truetype")
LATIN_FONTS = [
    "dejavu/DejaVuSans.ttf", "dejavu/DejaVuSans-Bold.ttf", "dejavu/DejaVuSerif.ttf", "dejavu/DejaVuSansMono.ttf",
    "liberation/LiberationSans-Regular.ttf", "liberation/LiberationSans-Bold.ttf",
    "liberation/LiberationSerif-Regular.ttf", "liberation/LiberationSerif-Italic.ttf",
    "liberation/LiberationMono-Regular.ttf", "liberation/LiberationSansNarrow-Bold.ttf",
]
CJK_FONTS = ["wqy/wqy-microhei.ttc"]

CHINESE = """
今天天气很好 欢迎光临 北京市海淀区中关村 上海浦东国际机场 请勿吸烟 小心地滑 安全出口 注意保管好随身物品 营业时间 本店支持扫码支付
身份证号码 增值税普通发票 开户银行及账号 中华人民共和国 收件人姓名 快递单号 保质期十二个月 生产日期见包装 净含量五百克 配料表
请在有效期内使用 火车票二等座 检票口 候车室 地铁一号线 下一站人民广场 出租汽车 高速公路收费站 前方施工请绕行 停车场入口 图书馆阅览室
计算机科学与技术 深度学习编译器 人工智能芯片 张量处理单元 量化误差分析 矩阵乘法 卷积神经网络 性能优化指南 使用说明书 联系电话
医院挂号处 门诊收费单 药品说明 每日三次每次两片 饭后服用 儿童请遵医嘱 体温正常 血压测量 急诊室 住院部三楼 超市购物小票 合计金额 谢谢惠顾
红烧牛肉面 宫保鸡丁 清蒸鲈鱼 西红柿炒鸡蛋 米饭一碗 菊花茶 特价优惠 买一送一 会员积分 春夏秋冬 山水田园 青梅竹马 马到成功 学而时习之
""".split()
ENGLISH = """
the quick brown fox jumps over lazy dog Hello World Invoice Total amount due Please keep this receipt Thank you for shopping
Emergency Exit No Smoking Open daily Closed Monday Baggage claim Terminal Gate Boarding pass Passport control Customs
Compiler Runtime Emulator Tensor Matrix Convolution Network Layer Memory Bandwidth Quantization Accuracy Performance
Warranty card Model number Serial Made in China Battery included Warning Keep away from children Refrigerate after opening
Library Museum University Hospital Pharmacy Restaurant Coffee Breakfast Dinner Garden Street Avenue Bridge River Mountain
""".split()


def number(rng):
    """A price, a date, a telephone number, a plate or a code: the digits that real lines hold."""
    pick = rng.randrange(6)
    digits = lambda n: "".join(rng.choice("0123456789") for _ in range(n))
    if pick == 0:
        return f"{rng.randint(1, 9999)}.{digits(2)}"
    if pick == 1:
        return f"20{digits(2)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    if pick == 2:
        return f"1{rng.choice('3578')}{digits(1)}-{digits(4)}-{digits(4)}"
    if pick == 3:
        return f"No.{digits(rng.randint(4, 8))}"
    if pick == 4:
        return f"{rng.choice('ABCDEFGHJK')}{rng.choice('LMNPQRST')}{digits(5)}"
    return f"{rng.randint(1, 99)}% {rng.randint(0, 23):02}:{rng.randint(0, 59):02}"


def line_text(rng):
    """Returns (text, needs a CJK font)."""
    pick = rng.random()
    if pick < 0.45:
        return rng.choice(CHINESE), True
    if pick < 0.60:
        return rng.choice(CHINESE)[:5] + rng.choice(["", " ", ":"]) + number(rng), True
    if pick < 0.85:
        words = rng.sample(ENGLISH, rng.randint(1, 3))
        return " ".join(words), False
    return rng.choice(ENGLISH) + " " + number(rng), False


def colours(rng, contrast):
    """A background and an ink whose luma differs by at least `contrast` of 255."""
    luma = lambda c: 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]
    while True:
        if rng.random() < 0.6:  # dark on light, as most print
            paper = tuple(rng.randint(190, 255) for _ in range(3))
            ink = tuple(rng.randint(0, 110) for _ in range(3))
        else:
            paper = tuple(rng.randint(0, 255) for _ in range(3))
            ink = tuple(rng.randint(0, 255) for _ in range(3))
        if contrast <= abs(luma(paper) - luma(ink)) <= contrast + 120:
            return paper, ink


def draw_line(rng, turned):
    """One photographed-looking text line as an RGB image of any width."""
    text, cjk = line_text(rng)
    poor = rng.random() < 0.25  # small, pale, blurred: a far sign, a bad fax
    size = rng.randint(9, 15) if poor else rng.randint(18, 56)
    font = ImageFont.truetype(str(FONT_FOLDER / rng.choice(CJK_FONTS if cjk else LATIN_FONTS)), size,
                              layout_engine=ImageFont.Layout.BASIC)
    left, top, right, bottom = font.getbbox(text)
    pad_x, pad_y = rng.randint(2, size // 2), rng.randint(1, max(2, size // 5))
    width, height = right - left + 2 * pad_x, bottom - top + 2 * pad_y
    paper, ink = colours(rng, 30 if poor else 90)
    image = Image.new("RGB", (width, height), paper)
    ImageDraw.Draw(image).text((pad_x - left, pad_y - top), text, font=font, fill=ink)
    image = image.rotate(rng.uniform(-2.0, 2.0), Image.Resampling.BILINEAR, expand=False, fillcolor=paper)
    if poor or rng.random() < 0.4:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.6, 1.3) if poor else rng.uniform(0.3, size / 40)))
    pixels = np.asarray(image, np.float64)
    noise = np.random.Generator(np.random.PCG64(rng.getrandbits(64)))
    shade = np.linspace(rng.uniform(0.85, 1.0), rng.uniform(0.85, 1.0), pixels.shape[1])  # uneven light
    pixels = pixels * shade[None, :, None] + noise.integers(-1, 2, pixels.shape) * rng.uniform(0.0, 14.0)
    image = Image.fromarray(np.clip(np.rint(pixels), 0, 255).astype(np.uint8))
    return image.transpose(Image.Transpose.ROTATE_180) if turned else image


def preprocess(image):
    """RGB image to 1x3x48x192 float32, as PP-OCR's TextClassifier.resize_norm_img (its planes are B, G, R)."""
    width = min(192, math.ceil(48 * image.width / image.height))
    pixels = np.asarray(image.resize((width, 48), Image.Resampling.BILINEAR), np.float32)[:, :, ::-1]
    x = np.zeros((1, 3, 48, 192), np.float32)
    x[0, :, :, :width] = (pixels.transpose(2, 0, 1) / np.float32(255) - np.float32(0.5)) / np.float32(0.5)
    return x


def render(seed, count):
    """Yields (x, turned by 180 degrees, image). Line i depends on the seed and i only."""
    for index in range(count):
        rng = random.Random(seed * 1000003 + index)
        image = draw_line(rng, turned=index % 2 == 1)
        yield preprocess(image), index % 2 == 1, image


def write_lines(folder, seed, count, png=False):
    """Writes line_000.npz .. into `folder` (made if missing) and returns (x, turned) of each."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for index, (x, turned, image) in enumerate(render(seed, count)):
        np.savez(folder / f"line_{index:03}.npz", x=x)
        if png:
            image.save(folder / f"line_{index:03}.png")
        lines.append((x, turned))
    return lines


def print_confidence(model, lines):
    import onnxruntime
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    p = np.concatenate([session.run(None, {"x": x})[0] for x, _ in lines])
    right = p.argmax(1) == np.array([turned for _, turned in lines])
    sure = p.max(1) >= 0.9
    print(f"{len(lines)} lines: ONNX Runtime is right on {right.sum()}, p >= 0.9 on {sure.sum()}, "
          f"both on {(right & sure).sum()}, median p {np.median(p.max(1)):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--test", type=int, default=128)
    parser.add_argument("--calibration", type=int, default=32)
    parser.add_argument("--seed", type=int, default=20240611)
    parser.add_argument("--png", action="store_true", help="also write the pictures")
    parser.add_argument("--check", metavar="MODEL.onnx")
    args = parser.parse_args()
    for name in LATIN_FONTS + CJK_FONTS:
        if not (FONT_FOLDER / name).exists():
            sys.exit(f"render.py: font {FONT_FOLDER / name} is missing; run scripts/setup")
    lines = write_lines(args.dir / "test", args.seed, args.test, args.png)
    write_lines(args.dir / "calibration", args.seed + 1, args.calibration, args.png)
    if args.check:
        print_confidence(args.check, lines)


if __name__ == "__main__":
    main()
