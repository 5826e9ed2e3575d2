/**
 * A value that is there by what was checked before. Where it is missing after all, the program is at fault: the error says
 * what was looked for, instead of "undefined" some lines later.
 */
export function present<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw new Error(`the program is at fault: there is no ${what}`)
  return value
}
