# Builds the gateway and puts it beside node and uv, which most MCP servers are started with.
#   docker build -t toolwright .
#   docker run --rm -p 127.0.0.1:8484:8484 -v toolwright:/var/lib/toolwright \
#     -v "$PWD/toolwright.json:/etc/toolwright/toolwright.json:ro" toolwright
FROM rust:1.95-bookworm AS build
WORKDIR /src
RUN apt-get update && apt-get install -y --no-install-recommends cmake && rm -rf /var/lib/apt/lists/*
COPY . .
RUN cargo build --locked --profile dist --package toolwright --package zwave-mcp-server

FROM node:22-bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates python3-pip \
    && pip install --no-cache-dir --break-system-packages uv \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --create-home --home-dir /var/lib/toolwright toolwright
COPY --from=build /src/target/dist/toolwright /src/target/dist/zwave-mcp-server /usr/local/bin/
USER toolwright
WORKDIR /var/lib/toolwright
ENV XDG_STATE_HOME=/var/lib/toolwright/state
VOLUME /var/lib/toolwright
EXPOSE 8484
# Inside a container loopback reaches nobody: the port is published by `docker run -p`, which should name 127.0.0.1.
# As PID 1 it starts itself once more and collects what servers leave behind: no `tini` is needed.
ENTRYPOINT ["toolwright"]
CMD ["serve", "--listen", "0.0.0.0:8484", "--listen-anywhere", "--config", "/etc/toolwright/toolwright.json"]
HEALTHCHECK --interval=30s --timeout=3s CMD ["node", "-e", "fetch('http://127.0.0.1:8484/healthz').then(answer => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
