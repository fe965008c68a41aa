# The images of the server and of a worker. `cargo xtask image` builds them; docs/operating.md has the options with which to
# run them. The build's context is a folder with the programs, made on a system whose C library is not newer than the base's.
ARG BASE=debian:bookworm-slim

# hadolint ignore=DL3006
FROM ${BASE} AS engine
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# What the engine needs (server/toolchains/src/system.rs), Python with numpy, and certificates for webhooks and endpoints. Of
# the JDK, only the compiler, the linker and the modules that the engine makes its images of (server/engine/src/toolchain.rs)
# stay, 110 MB of 270 MB. Its packages cannot be installed without the folder man1.
# hadolint ignore=DL3008
RUN mkdir -p /usr/share/man/man1 && apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap ca-certificates default-jdk-headless python3 python3-numpy \
        python3-venv \
    && jdk="$(dirname "$(dirname "$(readlink -f /usr/bin/jlink)")")" \
    && modules=java.base,java.datatransfer,java.desktop,java.logging,java.management,java.naming,java.net.http,java.prefs \
    && modules=$modules,java.scripting,java.sql,java.transaction.xa,java.xml,jdk.charsets,jdk.crypto.ec,jdk.localedata \
    && modules=$modules,jdk.zipfs \
    && jlink --add-modules jdk.compiler,jdk.jlink --strip-java-debug-attributes --no-header-files --no-man-pages --compress 2 \
        --output /opt/jdk \
    && mkdir /opt/jdk/jmods \
    && for module in $(java --limit-modules "$modules,jdk.compiler" --list-modules); do \
        cp "$jdk/jmods/${module%@*}.jmod" /opt/jdk/jmods/; done \
    && cp "$jdk/release" /opt/jdk/release \
    && dpkg-query --show --showformat '${Package}\n' '*-jdk-headless' '*-jre-headless' ca-certificates-java \
        | xargs dpkg --purge \
    && rm -rf /usr/lib/python3/dist-packages/numpy/{,*/}tests \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* /tmp/* \
    && groupadd --gid 10001 aixgrade \
    && useradd --no-create-home --uid 10001 --gid aixgrade --home-dir /var/lib/aixgrade --shell /usr/sbin/nologin aixgrade \
    && install --directory --mode=0700 --owner=aixgrade --group=aixgrade /var/lib/aixgrade /var/cache/aixgrade
COPY aixgrade-sandbox /usr/local/bin/
USER 10001:10001
ENV AIXGRADE_JDK=/opt/jdk \
    AIXGRADE_LOG_FORMAT=json
STOPSIGNAL SIGTERM

# Outputs in progress are finished and reported after SIGTERM: allow 180 seconds.
FROM engine AS worker
COPY aixgrade-worker /usr/local/bin/
ENV AIXGRADE_WORKER_CACHE=/var/cache/aixgrade
VOLUME /var/cache/aixgrade
ENTRYPOINT ["aixgrade-worker"]

FROM engine AS server
COPY aixgrade /usr/local/bin/
ENV AIXGRADE_DATA=/var/lib/aixgrade \
    AIXGRADE_LISTEN=0.0.0.0:3000
VOLUME /var/lib/aixgrade
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/3000 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["aixgrade"]
CMD ["serve"]
