#include "server/http/server.h"

#include "core/fail.h"
#include "core/quote.h"
#include "server/http/target.h"

#include <boost/asio.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <utility>

namespace gass::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr double kMegabyte = 1 << 20U;
constexpr auto kSweep = std::chrono::milliseconds(250);
constexpr auto kGlance = std::chrono::milliseconds(10);
constexpr auto kLinger = std::chrono::seconds(2);
constexpr std::size_t kMostUnread = std::size_t{16} << 20U;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

std::int64_t ticks_from_now(double seconds) {
    const auto later =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    return later.time_since_epoch().count();
}

std::string_view reason_of(int status) {
    const beast::string_view reason =
        beast::http::obsolete_reason(static_cast<beast::http::status>(static_cast<unsigned>(status)));
    return {reason.data(), reason.size()};
}

/// What stands in a header's line: nothing that could begin another.
std::string header_value(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (static_cast<unsigned char>(c) >= 0x20 && c != '\x7F') out += c;
    }
    return out;
}

std::string new_id() {
    thread_local std::mt19937_64 random{std::random_device{}()};
    return fmt::format("{:016x}", random());
}

/// The caller's own name for its request, if it is one that may stand in a log.
bool is_request_id(std::string_view text) {
    return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '_' || c == '.';
    });
}

/// An answer to a request that could not be read.
struct Malformed {
    int status = 400;
    std::string message;
};

/// None for a connection that is simply over.
std::optional<Malformed> malformed_by(const boost::system::error_code& error) {
    using Error = beast::http::error;
    if (error == Error::header_limit) return Malformed{431, "the headers are too large"};
    if (error == Error::body_limit) return Malformed{413, "the body is too large"};
    if (error == Error::bad_version) return Malformed{505, "expected HTTP/1.0 or HTTP/1.1"};
    if (error == Error::end_of_stream || error == Error::partial_message) return std::nullopt;
    if (error.category() == beast::http::make_error_code(Error::bad_method).category())
        return Malformed{400, "this is no HTTP request: " + error.message()};
    return std::nullopt;
}

}  // namespace

class Connection;

/// What connections share, and what outlives them.
class Server::Impl : public std::enable_shared_from_this<Server::Impl> {
  public:
    Impl(const std::string& address, std::uint16_t port, const Limits& limits, Handlers handlers,
         unsigned threads);
    ~Impl() { stop(std::chrono::milliseconds(0)); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void start();
    void aside(std::function<void()> work) { asio::post(pool_, std::move(work)); }
    void stop_accepting();
    void stop(std::chrono::milliseconds patience);
    std::uint16_t port() const { return port_; }
    std::size_t connections() const {
        const std::lock_guard lock(mutex_);
        return connections_.size();
    }

    const Limits& limits() const { return limits_; }
    const Handlers& handlers() const { return handlers_; }
    bool is_closing() const { return is_closing_; }
    void begin_exchange() { ++exchanges_; }
    void end_exchange() { --exchanges_; }
    void remove(Connection* connection) {
        const std::lock_guard lock(mutex_);
        connections_.erase(connection);
    }

  private:
    void accept();
    void sweep();
    template <class Visit>
    void each(const Visit& visit);

    Limits limits_;
    Handlers handlers_;
    unsigned thread_count_;
    asio::io_context context_;
    asio::thread_pool pool_;
    tcp::acceptor acceptor_;
    asio::steady_timer sweeper_;
    std::uint16_t port_ = 0;
    std::vector<std::thread> threads_;
    std::atomic<bool> is_closing_{false};
    std::atomic<std::int64_t> exchanges_{0};
    mutable std::mutex mutex_;
    std::set<Connection*> connections_;
};

/// One connection, and the exchange that goes on over it. Its members belong to its strand, but for the
/// deadlines.
class Connection final : public Exchange, public std::enable_shared_from_this<Connection> {
  public:
    Connection(tcp::socket socket, std::shared_ptr<Server::Impl> server, std::string peer)
        : socket_(std::move(socket)), server_(std::move(server)), peer_(std::move(peer)) {}
    ~Connection() override { server_->remove(this); }

    void run() {
        asio::dispatch(socket_.get_executor(), [self = shared_from_this()] {
            boost::system::error_code ignored;
            self->socket_.set_option(tcp::no_delay(true), ignored);
            self->read_head(self->server_->limits().head_seconds);
        });
    }

    /// Called every now and then.
    void look_at_clock() {
        const std::int64_t now = Clock::now().time_since_epoch().count();
        if (now > read_deadline_ || now > write_deadline_) {
            asio::post(socket_.get_executor(), [self = shared_from_this()] { self->close(); });
        } else if (now > next_beat_) {
            asio::post(socket_.get_executor(), [self = shared_from_this()] { self->beat(); });
        }
    }

    /// Of a server that stops: who asks for nothing is let go, who listens is told to look.
    void begin_closing() {
        asio::post(socket_.get_executor(), [self = shared_from_this()] {
            if (!self->is_busy_) return self->close();
            self->pump_if_waiting();
        });
    }

    void let_go() {
        asio::post(socket_.get_executor(), [self = shared_from_this()] { self->close(); });
    }

    const Request& request() const override { return request_; }

    void answer(Response response) override {
        asio::dispatch(socket_.get_executor(), [self = shared_from_this(), response = std::move(response)] {
            self->write_answer(response);
        });
    }
    void stream(Response head, Source source) override {
        asio::dispatch(socket_.get_executor(), [self = shared_from_this(), head = std::move(head),
                                                source = std::move(source)]() mutable {
            self->begin_stream(head, std::move(source));
        });
    }
    void wake() override {
        asio::post(socket_.get_executor(), [self = shared_from_this()] { self->pump_if_waiting(); });
    }
    void when_gone(std::function<void()> gone) override {
        asio::dispatch(socket_.get_executor(), [self = shared_from_this(), gone = std::move(gone)]() mutable {
            if (self->is_closed_) return gone();
            self->gone_ = std::move(gone);
        });
    }

  private:
    using Error = boost::system::error_code;

    void read_head(double seconds) {
        parser_.emplace();
        parser_->header_limit(static_cast<std::uint32_t>(server_->limits().header_bytes));
        parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // known once the head is
        request_ = Request{};
        is_hosts_doubled_ = is_lingering_ = false;
        read_deadline_ = ticks_from_now(seconds);
        beast::http::async_read_header(
            socket_, buffer_, *parser_,
            [self = shared_from_this()](Error error, std::size_t) { self->on_head(error); });
    }

    void on_head(const Error& error) {
        read_deadline_ = kNever;
        began_ = Clock::now();
        if (error && !malformed_by(error)) return close();
        server_->begin_exchange();
        is_busy_ = true;
        is_answered_ = false;
        const auto& message = parser_->get();
        is_kept_ = message.keep_alive() && !server_->is_closing();
        is_chunked_ = message.version() >= 11;
        request_.peer = peer_;
        request_.id = new_id();
        request_.method = std::string(message.method_string());
        request_.target = std::string(message.target());
        for (const auto& field : message) take_header(field.name_string(), field.value());
        if (const std::string* id = request_.header("x-request-id"); id != nullptr && is_request_id(*id))
            request_.id = *id;
        if (error) return refuse(*malformed_by(error));
        const auto target = parse_target(request_.target);
        if (!target) return refuse({400, "the address is no path of this server"});
        if (is_hosts_doubled_) return refuse({400, "more than one Host"});
        request_.path = target->path;
        request_.query = target->query;
        admit();
    }

    void take_header(beast::string_view name, beast::string_view value) {
        std::string key(name);
        for (char& c : key) {
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        }
        const auto [at, is_new] = request_.headers.try_emplace(key, std::string(value));
        if (!is_new && key == "host") is_hosts_doubled_ = true;
    }

    void admit() {
        Admission admission = server_->handlers().admit(request_);
        if (admission.refusal) {
            is_lingering_ = !parser_->is_done();
            is_kept_ = is_kept_ && parser_->is_done();
            return write_answer(*admission.refusal);
        }
        const auto length = parser_->content_length();
        if (length && *length > admission.body_bytes) return refuse({413, "the body is too large"});
        parser_->body_limit(admission.body_bytes);
        if (parser_->is_done()) return on_body({});
        read_deadline_ = ticks_from_now(server_->limits().body_seconds *
                                        (1 + static_cast<double>(admission.body_bytes) / kMegabyte / 8));
        const std::string* expect = request_.header("expect");
        if (expect == nullptr) return read_body();
        out_ = "HTTP/1.1 100 Continue\r\n\r\n";
        asio::async_write(socket_, asio::buffer(out_), [self = shared_from_this()](Error error, std::size_t) {
            if (error) return self->close();
            self->read_body();
        });
    }

    void read_body() {
        beast::http::async_read(
            socket_, buffer_, *parser_,
            [self = shared_from_this()](Error error, std::size_t) { self->on_body(error); });
    }

    void on_body(const Error& error) {
        read_deadline_ = kNever;
        if (error) {
            if (const auto malformed = malformed_by(error)) return refuse(*malformed);
            return close();
        }
        request_.body = std::move(parser_->get().body());
        parser_.reset();
        server_->handlers().handle(shared_from_this());
        if (!is_answered_ && !is_watching_) watch();
    }

    /// Sees the client go while its answer is being made. What it sends meanwhile is its next request.
    void watch() {
        is_watching_ = true;
        socket_.async_read_some(buffer_.prepare(4096),
                                [self = shared_from_this()](Error error, std::size_t bytes) {
                                    self->is_watching_ = false;
                                    if (error) return self->close();
                                    self->buffer_.commit(bytes);
                                    if (!self->is_busy_ && !self->is_closed_)
                                        self->read_head(self->server_->limits().head_seconds);
                                });
    }

    void refuse(const Malformed& malformed) {
        is_kept_ = false;
        is_lingering_ = true;
        write_answer(server_->handlers().malformed(request_, malformed.status, malformed.message));
    }

    std::string head_of(const Response& response, const std::string& framing) {
        std::string head =
            fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\n{}X-Request-Id: {}\r\n", response.status,
                        reason_of(response.status), header_value(response.type), framing, request_.id);
        for (const auto& [name, value] : response.headers)
            head += fmt::format("{}: {}\r\n", name, header_value(value));
        is_kept_ = is_kept_ && !server_->is_closing();
        head += is_kept_ ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
        status_ = response.status;
        return head;
    }

    void write_answer(const Response& response) {
        if (is_closed_ || std::exchange(is_answered_, true)) return;
        const bool is_bodiless = response.status == 204 || response.status == 304;
        out_ = head_of(response, is_bodiless ? std::string()
                                             : fmt::format("Content-Length: {}\r\n", response.body.size()));
        if (request_.method != "HEAD" && !is_bodiless) out_ += response.body;
        write_out([](Connection& self) { self.end_exchange(); });
    }

    void begin_stream(const Response& head, Source source) {
        if (is_closed_ || std::exchange(is_answered_, true)) return;
        is_chunked_ = is_chunked_ && !head.length;
        if (!is_chunked_ && !head.length) is_kept_ = false;
        out_ = head_of(head, head.length   ? fmt::format("Content-Length: {}\r\n", *head.length)
                             : is_chunked_ ? std::string("Transfer-Encoding: chunked\r\n")
                                           : std::string());
        if (request_.method == "HEAD") return write_out([](Connection& self) { self.end_exchange(); });
        source_ = std::move(source);
        heartbeat_ = head.heartbeat;
        write_out([](Connection& self) { self.pump(); });
        if (!is_watching_) watch();
    }

    /// Writes what the source has.
    void pump() {
        if (is_closed_ || !source_) return;
        std::optional<std::string> text;
        try {
            text = source_();
        } catch (const std::exception&) {
            return close();  // a file that went away: the client sees that its answer is cut off
        }
        if (!text) {
            source_ = nullptr;
            next_beat_ = kNever;
            if (!is_chunked_) return end_exchange();
            out_ = "0\r\n\r\n";
            return write_out([](Connection& self) { self.end_exchange(); });
        }
        if (text->empty()) {
            is_waiting_ = true;
            next_beat_ = heartbeat_.empty() ? kNever : ticks_from_now(server_->limits().heartbeat_seconds);
            return;
        }
        write_piece(*text);
    }
    void pump_if_waiting() {
        if (std::exchange(is_waiting_, false)) pump();
    }
    void beat() {
        if (std::exchange(is_waiting_, false)) write_piece(heartbeat_);
    }
    void write_piece(const std::string& text) {
        next_beat_ = kNever;
        out_ = is_chunked_ ? fmt::format("{:x}\r\n{}\r\n", text.size(), text) : text;
        write_out([](Connection& self) { self.pump(); });
    }

    template <class Next>
    void write_out(Next next) {
        write_deadline_ = ticks_from_now(server_->limits().write_seconds *
                                         (1 + static_cast<double>(out_.size()) / kMegabyte));
        bytes_ += out_.size();
        asio::async_write(socket_, asio::buffer(out_),
                          [self = shared_from_this(), next](Error error, std::size_t) {
                              self->write_deadline_ = kNever;
                              if (error) return self->close();
                              next(*self);
                          });
    }

    void tell_done(int status) {
        server_->handlers().done(request_, status, std::exchange(bytes_, 0),
                                 std::chrono::duration<double>(Clock::now() - began_).count());
        is_busy_ = false;
        server_->end_exchange();
    }

    void end_exchange() {
        gone_ = nullptr;
        source_ = nullptr;
        std::string().swap(out_);
        request_.body = {};
        tell_done(status_);
        if (!is_kept_ || server_->is_closing()) return linger();
        if (!is_watching_) return read_head(server_->limits().idle_seconds);
        read_deadline_ = ticks_from_now(server_->limits().idle_seconds);
    }

    /// Who is refused while it still sends would lose the answer with the connection: what it sends is read
    /// for a while, and forgotten.
    void linger() {
        if (!is_lingering_ || is_watching_) return close();
        Error ignored;
        socket_.shutdown(tcp::socket::shutdown_send, ignored);
        read_deadline_ = (Clock::now() + kLinger).time_since_epoch().count();
        drain();
    }
    void drain() {
        buffer_.consume(buffer_.size());
        socket_.async_read_some(buffer_.prepare(65536),
                                [self = shared_from_this()](Error error, std::size_t bytes) {
                                    self->drained_ += bytes;
                                    if (error || self->drained_ > kMostUnread || self->is_closed_)
                                        return self->close();
                                    self->drain();
                                });
    }

    void close() {
        if (std::exchange(is_closed_, true)) return;
        Error ignored;
        socket_.shutdown(tcp::socket::shutdown_both, ignored);
        socket_.close(ignored);
        read_deadline_ = write_deadline_ = next_beat_ = kNever;
        source_ = nullptr;
        if (is_busy_) tell_done(is_answered_ ? status_ : 499);
        if (const auto gone = std::exchange(gone_, nullptr)) gone();
    }

    tcp::socket socket_;
    std::shared_ptr<Server::Impl> server_;
    std::string peer_;
    beast::flat_buffer buffer_;
    std::optional<beast::http::request_parser<beast::http::string_body>> parser_;
    Request request_;
    std::string out_;
    Source source_;
    std::string heartbeat_;
    std::function<void()> gone_;
    Clock::time_point began_;
    std::uint64_t bytes_ = 0;
    std::size_t drained_ = 0;
    int status_ = 0;
    bool is_hosts_doubled_ = false;
    bool is_kept_ = false;
    bool is_chunked_ = true;
    bool is_busy_ = false;
    bool is_answered_ = false;
    bool is_watching_ = false;
    bool is_waiting_ = false;
    bool is_lingering_ = false;
    bool is_closed_ = false;
    std::atomic<std::int64_t> read_deadline_{kNever};
    std::atomic<std::int64_t> write_deadline_{kNever};
    std::atomic<std::int64_t> next_beat_{kNever};
};

constexpr unsigned kAsideThreads = 4;

Server::Impl::Impl(const std::string& address, std::uint16_t port, const Limits& limits, Handlers handlers,
                   unsigned threads)
    : limits_(limits),
      handlers_(std::move(handlers)),
      thread_count_(threads),
      context_(static_cast<int>(threads)),
      pool_(kAsideThreads),
      acceptor_(context_),
      sweeper_(context_) {
    try {
        const tcp::endpoint endpoint(asio::ip::make_address(address == "localhost" ? "127.0.0.1" : address),
                                     port);
        acceptor_.open(endpoint.protocol());
        acceptor_.set_option(asio::socket_base::reuse_address(true));
        acceptor_.bind(endpoint);
        acceptor_.listen(asio::socket_base::max_listen_connections);
        port_ = acceptor_.local_endpoint().port();
    } catch (const boost::system::system_error& error) {
        fail(ErrorCode::device, SettingKey("host"), "cannot listen on {} port {}: {}", in_quotes(address),
             port, error.code().message());
    }
}

void Server::Impl::start() {
    accept();
    sweep();
    for (unsigned i = 0; i < thread_count_; ++i) threads_.emplace_back([this] { context_.run(); });
}

void Server::Impl::accept() {
    acceptor_.async_accept(
        asio::make_strand(context_), [this](const boost::system::error_code& error, tcp::socket socket) {
            if (error == asio::error::operation_aborted || is_closing_) return;
            // Too many open files, for instance: those who are here go on, and the next is accepted a little
            // later.
            if (error) {
                auto pause = std::make_shared<asio::steady_timer>(context_, std::chrono::milliseconds(100));
                pause->async_wait([this, pause](const boost::system::error_code&) { accept(); });
                return;
            }
            boost::system::error_code gone;
            const tcp::endpoint peer = socket.remote_endpoint(gone);
            if (!gone && connections() < limits_.connections) {
                const auto connection = std::make_shared<Connection>(std::move(socket), shared_from_this(),
                                                                     peer.address().to_string());
                {
                    const std::lock_guard lock(mutex_);
                    connections_.insert(connection.get());
                }
                connection->run();
            }
            accept();
        });
}

template <class Visit>
void Server::Impl::each(const Visit& visit) {
    std::vector<std::shared_ptr<Connection>> held;
    {
        const std::lock_guard lock(mutex_);
        for (Connection* connection : connections_) {
            if (auto one = connection->weak_from_this().lock()) held.push_back(std::move(one));
        }
    }
    for (const auto& one : held) visit(*one);
}

void Server::Impl::sweep() {
    sweeper_.expires_after(kSweep);
    sweeper_.async_wait([this](const boost::system::error_code& error) {
        if (error) return;
        each([](Connection& connection) { connection.look_at_clock(); });
        sweep();
    });
}

void Server::Impl::stop_accepting() {
    if (is_closing_.exchange(true)) return;
    asio::post(context_, [this] {
        boost::system::error_code ignored;
        acceptor_.close(ignored);
        each([](Connection& connection) { connection.begin_closing(); });
    });
}

void Server::Impl::stop(std::chrono::milliseconds patience) {
    if (threads_.empty()) return;
    stop_accepting();
    each([](Connection& connection) { connection.begin_closing(); });
    const auto end = Clock::now() + patience;
    while (exchanges_ > 0 && Clock::now() < end) std::this_thread::sleep_for(kGlance);
    pool_.join();
    context_.stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    // What still waits for something is let go here, so that nothing holds what it belongs to.
    each([](Connection& connection) { connection.let_go(); });
    context_.restart();
    context_.poll();
}

Server::Server(const std::string& address, std::uint16_t port, const Limits& limits, Handlers handlers,
               unsigned threads)
    : impl_(std::make_shared<Impl>(address, port, limits, std::move(handlers), threads)) {
}
Server::~Server() {
    impl_->stop(std::chrono::milliseconds(0));
}
std::uint16_t Server::port() const {
    return impl_->port();
}
std::size_t Server::connections() const {
    return impl_->connections();
}
void Server::start() {
    impl_->start();
}
void Server::aside(std::function<void()> work) {
    impl_->aside(std::move(work));
}
void Server::stop_accepting() {
    impl_->stop_accepting();
}
void Server::stop(std::chrono::milliseconds patience) {
    impl_->stop(patience);
}

}  // namespace gass::http
