# The image of `numagate serve` and `numagate controller`: Python, the locked wheels, the package, and what they are linked
# to. No shell, no pip, no package manager: scripts/image_root.sh lays it out.
#
# The base is pinned by digest (of the index, for amd64 and arm64), so that a build can be repeated. Renew both together:
# `docker buildx imagetools inspect python:3.13-slim-bookworm` shows the digest of the day.
ARG PYTHON=python:3.13.14-slim-bookworm@sha256:67a1e1f215ccda113cfc024e8639049257e88f273898f595b61476d128d387e8

FROM ${PYTHON} AS build
WORKDIR /build
COPY pyproject.toml LICENSE ./
COPY requirements requirements
COPY scripts scripts
COPY webhook webhook
# The time of all files, and with it of the layer: `make image` passes that of the commit.
ARG SOURCE_DATE_EPOCH=0
RUN scripts/image_root.sh /image

FROM scratch
LABEL org.opencontainers.image.title="numagate" \
      org.opencontainers.image.description="Kubernetes admission webhook that makes GPU inference pods NUMA-alignable" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /image /
ENV PATH=/opt/numagate/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
# By number, so that runAsNonRoot can be checked without a look into /etc/passwd.
USER 10001:10001
EXPOSE 8443 8081
ENTRYPOINT ["numagate"]
CMD ["serve"]
