"""Draws curves of points as SVG, by hand: one picture does not justify a plotting library."""

import dataclasses
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 900, 624
LEFT, RIGHT, TOP, BOTTOM = 78, 24, 132, 66
FONT = 14
# Okabe and Ito's colours, which the colour-blind can tell apart, and a shape for each.
STYLES = {"interval": ("#0072b2", "square"), "cfg": ("#009e73", "diamond"), "cads": ("#b5568f", "triangle"),
          "gass": ("#d55e00", "circle"), "gass-paper": ("#333333", "cross"), "ablation": ("#8a8a8a", "dot"),
          "plain": ("#000000", "star"), "pg": ("#b07d00", "down"), "pg-naive": ("#b07d00", "cross"),
          "pg-features": ("#3d9bd6", "down"), "spell": ("#6a3d9a", "square"), "dpp": ("#882255", "diamond"),
          "coarse": ("#5b8c00", "triangle"), "noise": ("#5b8c00", "dot"), "combination": ("#a65628", "dot"),
          "weaken": ("#0072b2", "diamond"), "before": ("#e8a077", "circle")}


@dataclasses.dataclass
class Point:
    x: float
    y: float
    label: str


@dataclasses.dataclass
class Curve:
    name: str
    role: str
    points: list[Point]
    line: bool = False
    labelled: bool = True


@dataclasses.dataclass
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: "Box") -> float:
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(wide, 0) * max(high, 0)

    def grown(self, by: float) -> "Box":
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)


def ticks(low: float, high: float, about: int) -> list[float]:
    """Round numbers, and one beyond each end unless it is round itself."""
    raw = (high - low) / about
    power = 10 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw)
    return [round(i * step, 10) for i in range(math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9) + 1)]


class Axis:
    """From values to pixels."""

    def __init__(self, values: list[float], start: float, end: float, about: int):
        low, high = min(values), max(values)
        margin = 0.04 * (high - low) or 0.01
        self.ticks = ticks(low - margin, high + margin, about)
        self.low, self.high, self.start, self.end = self.ticks[0], self.ticks[-1], start, end
        steps = [f"{tick:g}" for tick in self.ticks]
        self.digits = max(len(text.partition(".")[2]) for text in steps)

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def marker(shape: str, x: float, y: float, colour: str) -> str:
    edge = f'fill="{colour}" stroke="#fff" stroke-width="1"'
    polygon = lambda corners: f'<polygon points="{" ".join(f"{x + a:.1f},{y + b:.1f}" for a, b in corners)}" {edge}/>'
    if shape == "square":
        return polygon([(-5, -5), (5, -5), (5, 5), (-5, 5)])
    if shape == "diamond":
        return polygon([(0, -7), (7, 0), (0, 7), (-7, 0)])
    if shape == "triangle":
        return polygon([(0, -7), (6.5, 5), (-6.5, 5)])
    if shape == "down":
        return polygon([(0, 7), (6.5, -5), (-6.5, -5)])
    if shape == "star":
        corners = [(math.sin(i * math.pi / 5), -math.cos(i * math.pi / 5)) for i in range(10)]
        return polygon([((10, 4.5)[i % 2] * a, (10, 4.5)[i % 2] * b) for i, (a, b) in enumerate(corners)])
    if shape == "cross":
        return f'<path d="M{x - 6:.1f} {y - 6:.1f}l12 12m0 -12l-12 12" stroke="{colour}" stroke-width="3" fill="none"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{4.5 if shape == "dot" else 7}" {edge}/>'


def text(x: float, y: float, words: str, extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {extra}>{escape(words)}</text>'


def width_of(words: str) -> float:
    """About what DejaVu Sans, the widest of the fonts asked for, needs."""
    return FONT * sum(0.34 if letter in "ijltf.,:- " else 0.95 if letter in "mw" else 0.7 if letter.isupper() else 0.62 for letter in words)


def along(points: list[tuple[float, float]]) -> list[Box]:
    """Small boxes on a polyline, which labels keep clear of."""
    boxes = []
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        count = max(1, int(math.hypot(x1 - x0, y1 - y0) / 6))
        for i in range(count):
            x, y = x0 + (x1 - x0) * i / count, y0 + (y1 - y0) * i / count
            boxes.append(Box(x - 2, y - 2, x + 2, y + 2))
    return boxes


def nearest(box: Box, x: float, y: float) -> tuple[float, float]:
    """Where a line from a point to its label ends."""
    return min(max(x, box.left), box.right), min(max(y, box.top + 2), box.bottom - 2)


def place(x: float, y: float, words: str, taken: list[Box], written: list[Box], frame: Box) -> Box:
    """Where around a point its label, and the line to it, hide least; nearer is better."""
    wide, high = width_of(words), FONT * 1.1
    best = None
    for distance in (11, 18, 28, 42, 58, 78, 100, 125, 150):
        for turn in range(16):
            angle = turn * math.pi / 8
            dx, dy = math.cos(angle), -math.sin(angle)
            left = x + dx * distance + (dx - 1) / 2 * wide
            top = y + dy * distance + (dy - 1) / 2 * high
            box = Box(left, top, left + wide, top + high)
            cost = 3 * (wide * high - box.overlap(frame)) + sum(box.overlap(other) for other in taken)
            cost += 2 * sum(part.overlap(other) for part in along([(x, y), nearest(box, x, y)]) for other in written)
            cost += 0.5 * distance + (0.5 if dx < 0 else 0)
            if best is None or cost < best[0]:
                best = (cost, box)
    return best[1]


def labels(curves: list[Curve], across: Axis, up: Axis, frame: Box) -> list[str]:
    at = lambda point: (across(point.x), up(point.y))
    taken = [Box(x - 8, y - 8, x + 8, y + 8) for curve in curves for x, y in map(at, curve.points)]
    for curve in curves:
        taken += along([at(point) for point in curve.points]) if curve.line else []
    parts, written = [], []
    order = sorted((curve for curve in curves if curve.labelled), key=lambda curve: curve.role == "ablation")
    for curve in order:
        colour = "#5f5f5f" if curve.role == "ablation" else STYLES[curve.role][0]
        bold = ' font-weight="bold"' if curve.role == "gass" else ""
        for point in curve.points:
            x, y = at(point)
            box = place(x, y, point.label, taken, written, frame)
            end = nearest(box, x, y)
            written.append(box)
            taken.append(box.grown(1))
            if math.dist(end, (x, y)) > 16:
                taken += along([(x, y), end])
                parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" stroke="{colour}" '
                             'stroke-width="0.8" opacity="0.7"/>')
            parts.append(text(box.left, box.bottom - 0.24 * FONT, point.label, f'fill="{colour}"{bold}'))
    return parts


def grid(across: Axis, up: Axis, x_name: str, y_name: str) -> list[str]:
    parts = []
    for tick in across.ticks:
        parts.append(f'<line x1="{across(tick):.1f}" y1="{up.start}" x2="{across(tick):.1f}" y2="{up.end}" stroke="#e4e4e4"/>')
        parts.append(text(across(tick), up.start + 20, f"{tick:.{across.digits}f}", 'text-anchor="middle"'))
    for tick in up.ticks:
        parts.append(f'<line x1="{across.start}" y1="{up(tick):.1f}" x2="{across.end}" y2="{up(tick):.1f}" stroke="#e4e4e4"/>')
        parts.append(text(across.start - 8, up(tick) + 5, f"{tick:.{up.digits}f}", 'text-anchor="end"'))
    parts.append(f'<path d="M{across.start} {up.end}V{up.start}H{across.end}" fill="none" stroke="#444"/>')
    parts.append(text((across.start + across.end) / 2, HEIGHT - 16, x_name, 'text-anchor="middle" font-size="15"'))
    middle = (up.start + up.end) / 2
    parts.append(text(20, middle, y_name, f'text-anchor="middle" font-size="15" transform="rotate(-90 20 {middle})"'))
    return parts


def legend(curves: list[Curve]) -> list[str]:
    parts, x, y = [], float(LEFT), 58
    for curve in curves:
        if len(curve.points) == 1:  # its label says it already
            continue
        colour, shape = STYLES[curve.role]
        wide = 34 + width_of(curve.name) + 20
        if x + wide > WIDTH - RIGHT:
            x, y = float(LEFT), y + 24
        if curve.line:
            parts.append(f'<line x1="{x}" y1="{y}" x2="{x + 28}" y2="{y}" stroke="{colour}" stroke-width="2.5"/>')
        parts.append(marker(shape, x + 14, y, colour))
        parts.append(text(x + 34, y + 5, curve.name))
        x += wide
    return parts


def draw(title: str, x_name: str, y_name: str, curves: list[Curve]) -> str:
    """Its own white ground, so that it reads the same on a dark page."""
    points = [point for curve in curves for point in curve.points]
    across = Axis([point.x for point in points], LEFT, WIDTH - RIGHT, 8)
    up = Axis([point.y for point in points], HEIGHT - BOTTOM, TOP, 7)
    frame = Box(LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
             f'font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif" font-size="{FONT}" fill="#222">',
             f"<title>{escape(title)}</title>", f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#fff"/>',
             text(LEFT, 32, title, 'font-size="18" font-weight="bold"'), *legend(curves), *grid(across, up, x_name, y_name)]
    for curve in curves:
        colour, _ = STYLES[curve.role]
        if curve.line:
            way = " ".join(f"{across(point.x):.1f},{up(point.y):.1f}" for point in curve.points)
            thick = 3 if curve.role == "gass" else 2
            parts.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="{thick}" stroke-linejoin="round"/>')
    for curve in curves:
        colour, shape = STYLES[curve.role]
        parts += [marker(shape, across(point.x), up(point.y), colour) for point in curve.points]
    parts += labels(curves, across, up, frame)
    return "\n".join(parts) + "\n</svg>\n"
