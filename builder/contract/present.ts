/**
 * Returns a value that earlier checks guarantee. If it is missing nevertheless, the program has a defect, and
 * the error names what was looked for instead of failing with "undefined" some lines later.
 */
export function present<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw new Error(`the program is at fault: there is no ${what}`)
  return value
}
