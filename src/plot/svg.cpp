#include "core/quote.h"
#include "io/png.h"
#include "plot/scene.h"
#include "sheet/characters.h"
#include "text/base64.h"

#include <fmt/format.h>

#include <iterator>
#include <span>

namespace gass::plot {
namespace {

// The letters are measured in DejaVu Sans; Verdana is as wide, other typefaces narrower.
constexpr std::string_view kFonts = "'DejaVu Sans', Verdana, Helvetica, Arial, sans-serif";

std::string color(Color c) {
    return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue);
}

/// To a hundredth, without the zeros at the end: most of a file is coordinates.
std::string coordinate(double value) {
    std::string text = fmt::format("{:.2f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string attributes(const Paint& paint) {
    std::string text = fmt::format(" fill=\"{}\"", paint.fill ? color(*paint.fill) : "none");
    if (paint.stroke) {
        text += fmt::format(" stroke=\"{}\"", color(*paint.stroke));
        if (paint.width != 1) text += fmt::format(" stroke-width=\"{}\"", coordinate(paint.width));
    }
    return text;
}

class Writer {
  public:
    explicit Writer(std::string& out) : out_(out) {}

    void operator()(const Disc& disc) {
        put("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", coordinate(disc.center.x),
            coordinate(disc.center.y), coordinate(disc.radius), attributes(disc.paint));
    }
    void operator()(const Line& line) {
        put("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{}\" "
            "stroke-linecap=\"round\"/>\n",
            coordinate(line.from.x), coordinate(line.from.y), coordinate(line.to.x), coordinate(line.to.y),
            color(line.color), coordinate(line.width));
    }
    void operator()(const Shape& shape) {
        out_ += "<polygon points=\"";
        for (const Point& corner : shape.corners) {
            if (&corner != shape.corners.data()) out_ += ' ';
            put("{},{}", coordinate(corner.x), coordinate(corner.y));
        }
        put("\"{}/>\n", attributes(shape.paint));
    }
    void operator()(const TextRun& run) {
        constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
        put("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\">{}</text>\n",
            coordinate(run.baseline.x), coordinate(run.baseline.y), run.size, color(run.color),
            kAnchors[static_cast<std::size_t>(run.anchor)], xml_escaped(to_utf8(drawn_characters(run.text))));
    }
    void operator()(const Thumbnail& picture) {
        const std::vector<std::byte> png = encode_png(picture.image, {});
        put("<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" href=\"data:image/png;base64,{}\"/>\n",
            coordinate(picture.corner.x), coordinate(picture.corner.y),
            coordinate(picture.image.width / static_cast<double>(kPixelsPerUnit)),
            coordinate(picture.image.height / static_cast<double>(kPixelsPerUnit)), encode_base64(png));
    }

  private:
    template <class... Args>
    void put(fmt::format_string<Args...> text, Args&&... args) {
        fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
    }

    std::string& out_;
};

}  // namespace

std::string to_svg(const Scene& scene) {
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"{2}\">\n{3}\n<title>{4}</title>\n",
        coordinate(scene.width), coordinate(scene.height), kFonts, kSvgMark,
        xml_escaped(to_utf8(drawn_characters(scene.title))));
    for (const auto& part : scene.parts) std::visit(Writer(out), part);
    return out + "</svg>\n";
}

}  // namespace gass::plot
