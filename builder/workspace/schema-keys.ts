/** The keys that a schema knows, by their place: for the message on a misspelt one. */

import { z } from 'zod'
import { editDistance } from './spelling.ts'

/** Schemas below optional, default, transform and union; each on its own. */
function variants(schema: unknown): unknown[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(variants)
  if (schema instanceof z.ZodPipe) return [...variants(schema.in), ...variants(schema.out)]
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return variants(schema.unwrap())
  return [schema]
}

/** What may stand under `key`: an object's own keys, an entry of a list or of a map with free names. */
const under = (schema: unknown, key: string): unknown[] =>
  variants(schema).flatMap((each): unknown[] => {
    if (each instanceof z.ZodObject) return Object.hasOwn(each.shape, key) ? [each.shape[key]] : []
    if (each instanceof z.ZodArray) return [each.element]
    return each instanceof z.ZodRecord ? [each.valueType] : []
  })

/** Names of the keys at `path`; none where names are free. */
export function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  const at = path.reduce<unknown[]>(
    (schemas, key) => schemas.flatMap((each) => under(each, String(key))),
    [schema],
  )
  return at.flatMap(variants).flatMap((each) => (each instanceof z.ZodObject ? Object.keys(each.shape) : []))
}

/** Every key, each with those that it stands under; `*` for the names of a map and the entries of a list. */
export function allKeys(schema: unknown, prefix = ''): string[] {
  const found = variants(schema).flatMap((each): string[] => {
    if (each instanceof z.ZodObject)
      return Object.entries(each.shape).flatMap(([key, value]) => {
        const path = prefix === '' ? key : `${prefix}.${key}`
        return [path, ...allKeys(value, path)]
      })
    if (each instanceof z.ZodArray) return allKeys(each.element, `${prefix}.*`)
    return each instanceof z.ZodRecord ? allKeys(each.valueType, `${prefix}.*`) : []
  })
  return [...new Set(found)]
}

/** The known name that is spelled most alike; null where none is near. */
export function nearestKey(name: string, known: readonly string[]): string | null {
  const [best] = known
    .map((key) => ({ key, far: editDistance(name.toLowerCase(), key.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
  return best !== undefined && best.far <= Math.max(1, Math.floor(name.length / 3)) ? best.key : null
}
