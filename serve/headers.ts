/** Headers as they were sent. */

/** Every value of one header, where node:http keeps only some; `headersDistinct` would index all other headers too. */
export function headersCalled(name: string, raw: readonly string[]): string[] {
  const values: string[] = []
  // Names and values take turns.
  for (let i = 0; i < raw.length; i += 2) {
    const [called, value] = [raw[i], raw[i + 1]]
    if (called?.length === name.length && called.toLowerCase() === name && value !== undefined)
      values.push(value)
  }
  return values
}
