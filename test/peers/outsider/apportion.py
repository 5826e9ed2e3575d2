"""The remainder rule. Amounts, p and g are integers of minor units."""


def apportion(amounts, p, g):
    if p == g:
        return list(amounts)
    if p == 0:
        return [0] * len(amounts)
    turn = -1 if sum(amounts) < 0 else 1
    amounts, p, g = [turn * a for a in amounts], abs(p), abs(g)
    shares = [a * p // g for a in amounts]
    remainders = [a * p % g for a in amounts]
    whole = (2 * sum(amounts) * p + g) // (2 * g)
    missing = whole - sum(shares)
    for i in sorted(range(len(amounts)), key=lambda i: (-remainders[i], i))[:missing]:
        shares[i] += 1
    return [turn * s for s in shares]
