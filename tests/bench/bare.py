"""The bare endpoint of the comparison: FastAPI on numagate's server and TLS settings, which reads JSON and allows."""

import argparse
import ssl
from datetime import UTC
from datetime import datetime
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from fastapi import Request

from webhook.tls.context import CertificateStore

APP = FastAPI()


@APP.post("/validate")
async def validate(request: Request) -> dict[str, Any]:
    """Allow."""
    review = await request.json()
    response = {"uid": review["request"]["uid"], "allowed": True}
    return {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "response": response}


def main() -> None:
    """Serve until a signal ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--cert-dir", type=Path, required=True)
    arguments = parser.parse_args()
    store = CertificateStore(arguments.cert_dir, minimum=ssl.TLSVersion.TLSv1_2, clock=lambda: datetime.now(UTC))
    uvicorn.run(
        APP,
        host="127.0.0.1",
        port=arguments.port,
        http="httptools",
        loop="uvloop",
        log_level="warning",
        access_log=False,
        timeout_keep_alive=120,  # as long as numagate's, so that no client of the bench has to connect again
        ssl_context_factory=lambda *_: store.context,  # type: ignore[arg-type]  # a factory that ignores its arguments
    )


if __name__ == "__main__":
    main()
