# The image of `numagate serve`: Python, the locked wheels and the package; nothing else can be run in it as numagate.
#
# The base is pinned by tag. For a build that can be repeated, pin it by digest as well, with the digest that your
# registry shows for the tag: --build-arg PYTHON=python:3.13-slim-bookworm@sha256:...
ARG PYTHON=python:3.13-slim-bookworm

FROM ${PYTHON} AS build
WORKDIR /build
# Without pip inside: the environment is filled from outside, and only with wheels whose hashes are locked.
RUN python -m venv --without-pip /opt/numagate
COPY requirements/runtime.txt .
RUN python -m pip --python /opt/numagate/bin/python install \
      --no-cache-dir --no-deps --only-binary :all: --require-hashes --requirement runtime.txt
# The package is pure Python and has no build step: copied, it needs no build tool that would have to be trusted too.
COPY webhook webhook
RUN cp -r webhook "$(/opt/numagate/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
 && printf '%s\n' '#!/opt/numagate/bin/python' 'import sys' 'from webhook.cli.main import main' 'sys.exit(main())' \
      > /opt/numagate/bin/numagate \
 && chmod 0755 /opt/numagate/bin/numagate \
 && /opt/numagate/bin/python -m compileall -q -j 0 /opt/numagate/lib \
 && /opt/numagate/bin/numagate --version

FROM ${PYTHON}
LABEL org.opencontainers.image.title="numagate" \
      org.opencontainers.image.description="Kubernetes admission webhook that makes GPU inference pods NUMA-alignable" \
      org.opencontainers.image.licenses="Apache-2.0"
# What the base brings to install packages with; the running service has no use for it, and an attacker would.
RUN python -m pip uninstall --yes --quiet --root-user-action ignore pip \
 && rm -rf /usr/local/lib/python3.*/ensurepip /usr/local/bin/pip* /root/.cache
COPY --from=build --chown=0:0 /opt/numagate /opt/numagate
COPY LICENSE /usr/share/doc/numagate/LICENSE
ENV PATH=/opt/numagate/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
# By number, so that runAsNonRoot can be checked without a look into /etc/passwd.
USER 10001:10001
EXPOSE 8443 8081
ENTRYPOINT ["numagate"]
CMD ["serve"]
