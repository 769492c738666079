#pragma once

#include "core/json.h"
#include "server/http/access.h"
#include "server/http/message.h"

#include <gass/error.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace gass::server {

/// How a group of routes words its errors.
enum class Dialect { native, openai, sdapi };

/// A request that found its route, and the ways to answer it.
class Call {
  public:
    Call(std::shared_ptr<http::Exchange> exchange, std::map<std::string, std::string, std::less<>> parts,
         Dialect dialect, std::string owner, std::string cors_origin)
        : exchange_(std::move(exchange)),
          parts_(std::move(parts)),
          dialect_(dialect),
          owner_(std::move(owner)),
          cors_origin_(std::move(cors_origin)) {}

    const http::Request& request() const { return exchange_->request(); }
    http::Exchange& exchange() const { return *exchange_; }
    std::weak_ptr<http::Exchange> weak_exchange() const { return exchange_; }
    /// What stands in the address for "{name}".
    const std::string& part(std::string_view name) const { return parts_.find(name)->second; }
    /// Whose jobs it may see.
    const std::string& owner() const { return owner_; }

    void answer(http::Response response) const;
    void json(int status, const Json& json) const;
    void stream(http::Response head, http::Source source) const;
    /// A file of ours.
    void file(const std::filesystem::path& path, std::string_view type) const;
    /// A file that was made for this answer, and goes with it.
    void made_file(const std::filesystem::path& path, std::string_view type,
                   std::string_view download_name) const;
    void refuse(const Error& error) const;
    void refuse(const http::Refusal& refusal) const;
    /// There is no such thing, or it is not the caller's: nobody learns which.
    void not_found(std::string_view where, std::string_view what) const;

  private:
    void send(std::shared_ptr<std::ifstream> file, http::Response head) const;

    std::shared_ptr<http::Exchange> exchange_;
    std::map<std::string, std::string, std::less<>> parts_;
    Dialect dialect_;
    std::string owner_;
    std::string cors_origin_;
};

/// What every answer carries: no page takes it for another kind of thing, and nobody keeps it who should not.
void add_common_headers(http::Response& response, std::string_view cors_origin);

/// An error as an answer.
http::Response refusal_response(const http::Refusal& refusal, Dialect dialect, std::string_view request_id);
/// The refusal that an error of ours stands for.
http::Refusal refusal_of(const Error& error);

}  // namespace gass::server
