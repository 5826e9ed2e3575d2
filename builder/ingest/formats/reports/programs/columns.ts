/** Columns of programs that say which department or class a line is of. */
import type { Dimension, Target } from '../rows/layout.ts'

/** Each target by the first of its headers that is there. */
export const named =
  (targets: readonly (readonly [Target, readonly string[]])[]) =>
  (headers: readonly { readonly text: string; readonly at: number }[]): Dimension[] =>
    targets.flatMap(([target, names]) => {
      const found = names
        .map((name) => headers.find(({ text }) => text === name))
        .find((header) => header !== undefined)
      return found === undefined ? [] : [{ id: found.text, at: found.at, target }]
    })
