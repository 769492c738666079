#pragma once

#include "eval/run/communicator.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace gass::eval {

/// Ranks that are threads of one process, and send through memory.
class FakeNetwork {
  public:
    explicit FakeNetwork(int size) : boxes_(static_cast<std::size_t>(size)) {}

    class Rank : public Communicator {
      public:
        Rank(FakeNetwork& network, int rank) : network_(network), rank_(rank) {}
        int rank() const override { return rank_; }
        int size() const override { return static_cast<int>(network_.boxes_.size()); }
        int local_rank() const override { return rank_; }
        int local_size() const override { return size(); }
        void send(int to, const std::vector<std::uint8_t>& bytes) override {
            const std::lock_guard lock(network_.mutex_);
            network_.boxes_[static_cast<std::size_t>(to)].push_back({rank_, bytes});
        }
        std::optional<Message> receive() override {
            const std::lock_guard lock(network_.mutex_);
            auto& box = network_.boxes_[static_cast<std::size_t>(rank_)];
            if (box.empty()) return std::nullopt;
            Message message = std::move(box.front());
            box.pop_front();
            return message;
        }
        void abort(int) override { std::terminate(); }

      private:
        FakeNetwork& network_;
        int rank_;
    };

  private:
    std::mutex mutex_;
    std::vector<std::deque<Message>> boxes_;
};

}  // namespace gass::eval
