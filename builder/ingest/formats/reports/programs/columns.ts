/** Columns in which programs write the department and the class of a line. */
import type { Dimension, Target } from '../rows/layout.ts'

/** Class and department, each by the first of its headers that the report has. */
export const named =
  (targets: readonly (readonly [Target, readonly string[]])[]) =>
  (headers: readonly { readonly text: string; readonly at: number }[]): Dimension[] =>
    targets.flatMap(([target, names]) => {
      const found = names
        .map((name) => headers.find(({ text }) => text === name))
        .find((header) => header !== undefined)
      return found === undefined ? [] : [{ id: found.text, at: found.at, target }]
    })
