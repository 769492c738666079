#pragma once

#include <c10/core/Device.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace gass {

/// Lets threads that want one device have it one after another, in the order in which they ask. Two at the
/// same time would be no faster: each uses all of it.
class Turns {
  public:
    void take();
    void give_back();
    /// How many ask for a turn and do not have it.
    std::uint64_t waiting() const;

  private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t next_ = 0;     // the number that who asks next gets
    std::uint64_t current_ = 0;  // whose turn it is; next_ if nobody's
};

/// Those of a device, for all models on it.
Turns& turns_of(c10::Device device);

/// A turn that is held while this lives, but for pauses.
class Turn {
  public:
    explicit Turn(Turns& turns) : turns_(turns) { turns_.take(); }
    ~Turn() {
        if (is_held_) turns_.give_back();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// Does what needs no device, a caller's own code above all, while others have their turns.
    template <class Work>
    auto pause(const Work& work) {
        turns_.give_back();
        is_held_ = false;
        struct Retake {
            Turn& turn;
            ~Retake() {
                turn.turns_.take();
                turn.is_held_ = true;
            }
        } const retake{*this};
        return work();
    }

  private:
    Turns& turns_;
    bool is_held_ = true;
};

}  // namespace gass
