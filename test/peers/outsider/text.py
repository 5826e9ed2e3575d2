"""How things are written: money, names of files, JSON."""
import hashlib
import json

PLACES = {}
for code in 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split():
    PLACES[code] = 0
for code in 'BHD IQD JOD KWD LYD OMR TND'.split():
    PLACES[code] = 3
for code in 'CLF UYW'.split():
    PLACES[code] = 4

PLAIN = set(b'abcdefghijklmnopqrstuvwxyz0123456789_-')


def places_of(currency):
    return PLACES.get(currency, 2)


def money(minor, places):
    """An integer of minor units as text; None is null."""
    if minor is None:
        return 'null'
    sign = '-' if minor < 0 else ''
    digits = str(abs(minor)).rjust(places + 1, '0')
    return sign + (digits if places == 0 else digits[:-places] + '.' + digits[-places:])


def file_name(identifier):
    """An id as part of a path."""
    raw = identifier.encode('utf-8')
    written = ''.join(chr(b) if b in PLAIN else '%%%02x' % b for b in raw)
    return written if len(written) <= 120 else '~' + hashlib.sha256(raw).hexdigest()


class Raw(str):
    """Text that is JSON already."""


def js(value):
    """JSON without blanks, members in the order of the dictionary."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return '{' + ','.join(js(k) + ':' + js(v) for k, v in value.items()) + '}'
    if isinstance(value, (list, tuple)):
        return '[' + ','.join(map(js, value)) + ']'
    return json.dumps(value, ensure_ascii=False)


def lines(items):
    """An array with one item per line."""
    return Raw('[\n' + ',\n'.join(map(js, items)) + '\n]' if items else '[]')


def values(figures, places):
    return Raw('[' + ','.join(money(f, places) for f in figures) + ']')
