# An image with AixGrade's server and command line, and what tests in Java need. docs/operating.md has the options with
# which to run it. A test (xtask/src/dockerfile.rs) holds it to the repository.

FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
RUN rustup target add wasm32-unknown-unknown x86_64-unknown-linux-musl \
    && cargo xtask build --release

FROM debian:bookworm-slim
# The engine's programs, as in server/toolchains/src/system.rs; certificates for webhooks and endpoints.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends default-jdk-headless bubblewrap ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /var/lib/aixgrade --shell /usr/sbin/nologin aixgrade \
    && install --directory --mode=0700 --owner=aixgrade --group=aixgrade /var/lib/aixgrade
COPY --from=build /src/target/release/aixgrade /src/target/release/aixgrade-sandbox /usr/local/bin/
USER aixgrade
ENV AIXGRADE_DATA=/var/lib/aixgrade \
    AIXGRADE_LISTEN=0.0.0.0:3000 \
    AIXGRADE_LOG_FORMAT=json
VOLUME /var/lib/aixgrade
EXPOSE 3000
# Pending responses get 60 seconds after this signal: docker stop --time 90.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/3000 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["aixgrade"]
CMD ["serve"]
