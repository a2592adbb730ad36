# The command `forebay` with the viewer in it:
#   docker build -t forebay .
#   docker run --rm -p 8750:8750 -v "$PWD:/data" forebay serve train.tbl --host 0.0.0.0
FROM node:22-bookworm AS build
ENV RUSTUP_HOME=/opt/rustup CARGO_HOME=/opt/cargo PATH=/opt/cargo/bin:$PATH
RUN curl -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal --target wasm32-unknown-unknown
WORKDIR /forebay
COPY . .
RUN npm ci && npm run build:site && cargo build --profile dist --locked -p forebay-cli --bins

# The same C library as above; certificates for addresses.
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
COPY --from=build /forebay/target/dist/forebay /forebay/target/dist/tar_to_tbl /usr/local/bin/
WORKDIR /data
EXPOSE 8750
ENTRYPOINT ["forebay"]
