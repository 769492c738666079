#pragma once

#include "diffusion/method.h"
#include "guidance/dial.h"
#include "guidance/method_setup.h"
#include "guidance/method_traits.h"
#include "guidance/text/parameters.h"

#include <gass/methods.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

struct MethodRow;

/// A method's parameters as values, of whichever method they are.
class MethodParameters {
  public:
    virtual ~MethodParameters() = default;
    MethodParameters() = default;
    MethodParameters(const MethodParameters&) = delete;
    MethodParameters& operator=(const MethodParameters&) = delete;

    virtual void visit(ParameterVisitor& visitor) const = 0;
    virtual MethodTraits traits() const = 0;
    virtual std::unique_ptr<Method> make(const MethodSetup& setup) const = 0;
};

/// The methods that a text names, read and checked once: "none" is plain classifier-free guidance,
/// "gass-paper:r_dep=0.05,basis=ip" a method with parameters, "cads+gass" two that act together from left to
/// right. A value: copies are cheap and share what never changes.
class Methods {
  public:
    /// Throws usage, as the setting `method`, for a name, key or value that is wrong, and for methods that
    /// cannot be combined whatever their parameters.
    explicit Methods(std::string_view text);

    /// Sets a dial of the method that has one: strength, dep or ind. Throws usage, as that setting, if none
    /// has.
    void set_dial(std::string_view key, double value);
    /// For variations of one image: whoever spreads starting noise leaves it alone, as the images share it on
    /// purpose, and chooses none, unless the text says otherwise itself.
    void keep_noise();
    /// Whether a parameter is left to the model's dial.
    bool need_dial() const;
    /// With every parameter set, those that a dial stands for by this one, so that the text still means the
    /// same when a default or a calibration changes. Throws usage for what cannot be combined.
    Methods completed(const Dial& dial, bool can_look) const;

    /// Without parameters: "cads+gass".
    std::string name() const;
    /// As it can be read again.
    std::string text() const;

    bool look() const;
    bool have_dial() const;
    bool take_axes() const;
    bool take_shield() const;
    bool keep_away() const;
    bool weaken() const;
    /// The guidance scale that they set in place of the request's, if they do.
    std::optional<double> cfg_scale() const;
    /// How many seeds a group of `images` starts from; with or without pictures that it keeps away from.
    std::int64_t candidates(std::int64_t images, bool has_company = false) const;
    bool choose(std::int64_t images, bool has_company = false) const {
        return candidates(images, has_company) > images;
    }

    std::unique_ptr<Method> make(const MethodSetup& setup) const;

  private:
    struct Part {
        const MethodRow* row;
        MethodSpec spec;  ///< what was said of it
        std::shared_ptr<const MethodParameters> parameters;

        MethodTraits traits() const { return parameters->traits(); }
    };
    static Part part_of(MethodSpec spec);
    void check_names() const;
    void check_traits() const;
    Part* dial_owner();
    template <class Trait>
    bool any(const Trait& trait) const;

    std::vector<Part> parts_;
};

}  // namespace gass
