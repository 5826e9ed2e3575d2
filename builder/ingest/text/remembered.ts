/** Reads each text of a column once: dates, periods and names stand in many rows. */

/** So many texts are known at most, so that a column of which each text is another one takes no memory. */
const MOST = 1 << 12

/** The same function, asked once for each text. */
export function remembered<Value>(read: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size === MOST) known.clear()
    const value = read(text)
    known.set(text, value)
    return value
  }
}
