"""JSON Web Tokens (RFC 7519) signed with HMAC SHA-256, which expire after a minute."""

import base64
import hashlib
import hmac
import json
import os
import secrets
import time

LIFETIME_SECONDS = 60
KEY = (os.environ.get("ACCOUNTS_JWT_KEY") or secrets.token_hex()).encode()


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def signature(signed):
    return encode(hmac.new(KEY, signed.encode(), hashlib.sha256).digest())


def issue(user):
    now = int(time.time())
    claims = {"sub": user, "iat": now, "exp": now + LIFETIME_SECONDS, "jti": secrets.token_hex(8)}
    signed = ".".join(encode(json.dumps(part).encode())
                      for part in ({"alg": "HS256", "typ": "JWT"}, claims))
    return f"{signed}.{signature(signed)}"


def user_of(token):
    """Whose token it is, or None where it is none of ours or has expired."""
    signed, _, given = token.rpartition(".")
    if not hmac.compare_digest(signature(signed).encode(), given.encode()):
        return None
    claims = json.loads(decode(signed.partition(".")[2]))
    return claims["sub"] if claims["exp"] > time.time() else None
