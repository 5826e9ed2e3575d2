/** Parses headers that list preferences with weights: Accept, Accept-Encoding (RFC 9110 §12.4.2). */

/** The weight of each item, in lower case and without its other parameters; a malformed weight is 0. */
export function weightsOf(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
    weights.set(name, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0)
  }
  return weights
}
