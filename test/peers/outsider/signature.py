"""manifest.json.sig: a detached JWS by Ed25519 (RFC 8032), checked in plain Python."""
import base64
import hashlib
import json

P = 2 ** 255 - 19
ORDER = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def check(report, files):
    """Is the signature one over these bytes, by the key that its header names?"""
    if 'manifest.json.sig' not in files:
        print('(no signature)')
        return
    written = files['manifest.json.sig'].decode('ascii')
    header, between, rest = written.partition('..')
    signature = rest.rstrip('\n')
    report.same('manifest.json.sig (form)', (header + '..' + signature + '\n'), written)
    told = json.loads(decode(header))
    key = told['jwk']
    thumb = json.dumps({k: key[k] for k in ('crv', 'kty', 'x')}, sort_keys=True, separators=(',', ':'))
    report.same('manifest.json.sig kid', encode(hashlib.sha256(thumb.encode()).digest()), told['kid'])
    report.same('manifest.json.sig b64', False, told['b64'])
    good = verify(decode(key['x']), header.encode() + b'.' + files['manifest.json'], decode(signature))
    report.same('manifest.json.sig', 'a good signature', 'a good signature' if good else 'a bad one')


def decode(part):
    return base64.urlsafe_b64decode(part + '=' * (-len(part) % 4))


def encode(raw):
    return base64.urlsafe_b64encode(raw).decode().rstrip('=')


def add(a, b):
    """Points as (x, y, z, t)."""
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    e, f, g, h = f - e, h - g, h + g, f + e
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(n, point):
    out = (0, 1, 1, 0)
    while n:
        if n & 1:
            out = add(out, point)
        point = add(point, point)
        n >>= 1
    return out


def point(raw):
    y = int.from_bytes(raw, 'little')
    odd, y = y >> 255, y & (2 ** 255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if y >= P or (x * x - square) % P or (x == 0 and odd):
        return None
    if x & 1 != odd:
        x = P - x
    return x, y, 1, x * y % P


BASE = point((4 * pow(5, P - 2, P) % P).to_bytes(32, 'little'))


def verify(public, message, signature):
    a, r = point(public), point(signature[:32])
    s = int.from_bytes(signature[32:], 'little')
    if len(signature) != 64 or a is None or r is None or s >= ORDER:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), 'little') % ORDER
    left, right = times(s, BASE), add(r, times(h, a))
    return not ((left[0] * right[2] - right[0] * left[2]) % P or (left[1] * right[2] - right[1] * left[2]) % P)
