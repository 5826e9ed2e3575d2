/** Headers as they were sent. */

/** Every value of one header, where node:http keeps only some; `headersDistinct` would index all other headers too. */
export function headersCalled(name: string, raw: readonly string[]): string[] {
  const values: string[] = []
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]!.length === name.length && raw[i]!.toLowerCase() === name) values.push(raw[i + 1]!)
  return values
}
