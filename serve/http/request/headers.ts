/** Reads request headers as they were sent. */

/**
 * All values of one header. node:http keeps only the first or joined values, and `headersDistinct` would index
 * every other header too.
 */
export function headersCalled(name: string, raw: readonly string[]): string[] {
  const values: string[] = []
  // rawHeaders alternates names and values.
  for (let i = 0; i < raw.length; i += 2) {
    const [called, value] = [raw[i], raw[i + 1]]
    if (called?.length === name.length && called.toLowerCase() === name && value !== undefined)
      values.push(value)
  }
  return values
}
