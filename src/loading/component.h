#pragma once

#include "catalog/model.h"
#include "core/fail.h"
#include "core/quote.h"
#include "loading/lazy.h"
#include "nn/parameters.h"
#include "text/tokenizer.h"

#include <initializer_list>
#include <memory>
#include <string_view>

namespace gass {

/// The pipeline's component of that name, which must be there and of one of these classes.
const ModelComponent& component_of(const Model& model, std::string_view name,
                                   std::initializer_list<std::string_view> classes);

/// The tokenizer in the folder of that name.
std::unique_ptr<Tokenizer> tokenizer_of(const Model& model, std::string_view name);

/// The configuration of a network.
template <class Config>
Config config_of(const ModelComponent& component) {
    return Config::from_json(component.folder.json("config.json"), component.folder.shown("config.json"));
}

/// The network itself, to be read when it is used. What its files hold is checked at once.
template <class Network, class Config>
Lazy<Network> network_of(const ModelComponent& component, const Config& config, nn::Placement placement) {
    nn::check_network<Network>(*component.weights, config, component.class_name);
    return Lazy<Network>([component, config, placement] {
        nn::WeightLoader loader(*component.weights, placement);
        return Network(nn::Parameters(loader), config);
    });
}

}  // namespace gass
