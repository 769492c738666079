#pragma once

#include <gass/methods.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gass {

/// Goes through the knobs of a method. Each knob stands once, in its method's `visit`, with its default (the
/// value it has there), its range and one sentence of consequence; parsing, the record and the help come from
/// that.
class ParameterVisitor {
  public:
    virtual ~ParameterVisitor() = default;
    ParameterVisitor() = default;
    ParameterVisitor(const ParameterVisitor&) = delete;
    ParameterVisitor& operator=(const ParameterVisitor&) = delete;

    struct Range {
        double minimum;
        double maximum;
    };
    virtual void number(std::string_view name, double& value, Range range, std::string_view help) = 0;
    virtual void integer(std::string_view name, std::int64_t& value, Range range, std::string_view help) = 0;
    virtual void boolean(std::string_view name, bool& value, std::string_view help) = 0;
    /// `choices` are separated by "|".
    virtual void choice(std::string_view name, std::string& value, std::string_view choices,
                        std::string_view help) = 0;
};

/// A method as the user writes it: "gass:candidates=4,push=off".
struct MethodSpec {
    std::string name;
    std::vector<std::pair<std::string, std::string>> parameters;

    /// A parameter's text; null if the spec does not say it.
    const std::string* find(std::string_view key) const;
    void set(std::string_view key, std::string value);
    /// Sets what the spec does not say itself.
    void set_if_open(std::string_view key, std::string value);
};

/// Methods that act together, in that order: "cads:scale=0.2+gass".
using MethodSpecs = std::vector<MethodSpec>;

/// Throws usage, as the setting `method`, for what cannot be read.
MethodSpecs parse_methods(std::string_view text);
std::string to_string(const MethodSpecs& specs);

/// Sets knobs from a spec; throws usage for a value out of range and, in `finish`, for a name that no knob
/// has.
class ParameterSetter final : public ParameterVisitor {
  public:
    explicit ParameterSetter(const MethodSpec& spec) : spec_(spec), used_(spec.parameters.size(), false) {}

    void number(std::string_view name, double& value, Range range, std::string_view help) override;
    void integer(std::string_view name, std::int64_t& value, Range range, std::string_view help) override;
    void boolean(std::string_view name, bool& value, std::string_view help) override;
    void choice(std::string_view name, std::string& value, std::string_view choices,
                std::string_view help) override;
    void finish() const;

  private:
    const std::string* find(std::string_view name);
    [[noreturn]] void refuse(std::string_view name, const std::string& value,
                             const std::string& expected) const;

    const MethodSpec& spec_;
    std::vector<bool> used_;
    std::vector<std::string> known_;
};

/// Writes every knob's value down as a spec has it.
class ParameterWriter final : public ParameterVisitor {
  public:
    void number(std::string_view name, double& value, Range range, std::string_view help) override;
    void integer(std::string_view name, std::int64_t& value, Range range, std::string_view help) override;
    void boolean(std::string_view name, bool& value, std::string_view help) override;
    void choice(std::string_view name, std::string& value, std::string_view choices,
                std::string_view help) override;

    std::vector<std::pair<std::string, std::string>> values;
};

/// Says what the knobs are.
class ParameterDescriber final : public ParameterVisitor {
  public:
    void number(std::string_view name, double& value, Range range, std::string_view help) override;
    void integer(std::string_view name, std::int64_t& value, Range range, std::string_view help) override;
    void boolean(std::string_view name, bool& value, std::string_view help) override;
    void choice(std::string_view name, std::string& value, std::string_view choices,
                std::string_view help) override;

    std::vector<ParameterDescription> parameters;

  private:
    ParameterDescription& add(std::string_view name, ParameterDescription::Type type, std::string_view help);
};

/// Methods without the knobs that gass got after 0.1.0, where they change nothing: two texts of the same
/// method are the same then, whichever version wrote them.
std::string without_later_knobs(std::string_view methods);

}  // namespace gass
