#pragma once

#include <functional>
#include <optional>
#include <utility>

namespace gass {

/// A network that is read from its file when it is first used, and may be given up until it is used again:
/// the file stays mapped, so reading it again costs a copy.
template <class Network>
class Lazy {
  public:
    explicit Lazy(std::function<Network()> load) : load_(std::move(load)) {}

    const Network& get() const {
        if (!network_) network_.emplace(load_());
        return *network_;
    }
    void release() const { network_.reset(); }

  private:
    std::function<Network()> load_;
    mutable std::optional<Network> network_;
};

}  // namespace gass
