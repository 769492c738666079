#include "eval/run/job.h"

#include "core/fail.h"
#include "io/model_lookup.h"

#include <dlfcn.h>

#include <array>
#include <cassert>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace gass::eval {
namespace {

/// What mpirun of OpenMPI, and srun through PMIx or PMI, tell the processes that they start.
bool is_in_a_job() {
    constexpr std::array kSigns{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
    for (const char* sign : kSigns) {
        if (std::getenv(sign) != nullptr) return true;
    }
    return false;
}

std::vector<std::uint8_t> packed(const Json& json) {
    return Json::to_msgpack(json);
}

/// What rank 0 says next; nothing if this process is dismissed.
std::optional<Json> next_order(Communicator& communicator) {
    while (true) {
        if (const std::optional<Message> message = communicator.receive()) {
            Json order = Json::from_msgpack(message->bytes);
            if (order.contains("dismissed")) return std::nullopt;
            return order;
        }
        wait_a_moment();
    }
}

}  // namespace

std::unique_ptr<Communicator> open_communicator() {
    if (!is_in_a_job()) return nullptr;
    const std::filesystem::path file = program_folder().parent_path() / "lib" / "libgass-mpi.so";
    // MPI's own plug-ins look for its symbols among those that everybody sees.
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        const char* reason = ::dlerror();
        fail(ErrorCode::failure, "MPI",
             "this run was started by mpirun or srun, but {} cannot be loaded ({}): was gass built with "
             "OpenMPI?",
             file.string(), reason == nullptr ? "no reason given" : reason);
    }
    const auto open = reinterpret_cast<OpenCommunicator>(::dlsym(library, kOpenCommunicator));
    if (open == nullptr) fail(ErrorCode::failure, "MPI", "{} is of another version of gass", file.string());
    return std::unique_ptr<Communicator>(open());
}

void RemoteWorker::begin(std::size_t item) {
    assert(is_idle());
    is_busy_ = true;
    communicator_.send(rank_, packed({{"item", item}}));
}

std::optional<Outcome> RemoteWorker::finished() {
    if (!outcome_) return std::nullopt;
    is_busy_ = false;
    return std::exchange(outcome_, std::nullopt);
}

void RemoteWorker::take(const Message& message, std::string_view plan) {
    const Json json = Json::from_msgpack(message.bytes);
    if (json.contains("refused"))
        fail(ErrorCode::failure, "MPI", "rank {}: {}", rank_, json.at("refused").get<std::string>());
    if (json.contains("plan")) {
        if (json.at("plan").get<std::string>() != plan)
            fail(
                ErrorCode::failure, "MPI",
                "rank {} has another plan: do all machines see the same models, prompts and version of gass?",
                rank_);
        is_ready_ = true;
        return;
    }
    Outcome outcome{.item = json.at("item").get<std::size_t>()};
    if (json.contains("code")) {
        outcome.code = static_cast<ErrorCode>(json.at("code").get<int>());
        outcome.reason = json.at("reason").get<std::string>();
    } else {
        outcome.group = made_group_from_bytes(json.at("group").get_binary());
    }
    outcome_ = std::move(outcome);
}

void RemoteWorker::brief(const Json& remembered) {
    communicator_.send(rank_, packed({{"remembered", remembered}}));
}

void RemoteWorker::dismiss() {
    communicator_.send(rank_, packed({{"dismissed", true}}));
}

RemoteWorkers::RemoteWorkers(Communicator& communicator) : communicator_(communicator) {
    for (int rank = 1; rank < communicator.size(); ++rank)
        workers_.push_back(std::make_unique<RemoteWorker>(communicator, rank));
}

RemoteWorkers::~RemoteWorkers() {
    for (const auto& worker : workers_) worker->dismiss();
}

void RemoteWorkers::brief(const Json& remembered) {
    for (const auto& worker : workers_) worker->brief(remembered);
}

void RemoteWorkers::listen(std::string_view plan) {
    while (const std::optional<Message> message = communicator_.receive())
        workers_.at(static_cast<std::size_t>(message->from - 1))->take(*message, plan);
}

std::optional<Json> wait_for_briefing(Communicator& communicator) {
    std::optional<Json> order = next_order(communicator);
    if (!order) return std::nullopt;
    return std::move(order->at("remembered"));
}

void refuse(Communicator& communicator, std::string_view reason) {
    communicator.send(0, packed({{"refused", reason}}));
    while (next_order(communicator)) {
    }
}

void serve(Communicator& communicator, const std::vector<WorkItem>& items, GroupMaker& maker) {
    communicator.send(0, packed({{"plan", plan_key(items)}}));
    while (const std::optional<Json> order = next_order(communicator)) {
        const auto index = order->at("item").get<std::size_t>();
        const Outcome outcome = outcome_of(maker, items.at(index), index);
        Json answer{{"item", index}};
        if (outcome.code) {
            answer.update({{"code", static_cast<int>(*outcome.code)}, {"reason", outcome.reason}});
        } else {
            answer["group"] = Json::binary(to_bytes(outcome.group));
        }
        communicator.send(0, packed(answer));
    }
}

}  // namespace gass::eval
