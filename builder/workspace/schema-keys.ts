/** Lists the keys that a schema knows in each place, for messages on misspelt keys. */
import { z } from 'zod'
import { editDistance } from '../system/spelling.ts'

/** The schemas inside optional, default, transform and union, as a list. */
function variants(schema: unknown): unknown[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(variants)
  if (schema instanceof z.ZodPipe) return [...variants(schema.in), ...variants(schema.out)]
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return variants(schema.unwrap())
  return [schema]
}

/** The schemas of the value of `key`: of an object's key, a list's entry, or an entry of a map with free names. */
const under = (schema: unknown, key: string): unknown[] =>
  variants(schema).flatMap((each): unknown[] => {
    if (each instanceof z.ZodObject) return Object.hasOwn(each.shape, key) ? [each.shape[key]] : []
    if (each instanceof z.ZodArray) return [each.element]
    return each instanceof z.ZodRecord ? [each.valueType] : []
  })

/** The names of the keys at `path`; none if names are free there. */
export function keysAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  const at = path.reduce<unknown[]>(
    (schemas, key) => schemas.flatMap((each) => under(each, String(key))),
    [schema],
  )
  return at.flatMap(variants).flatMap((each) => (each instanceof z.ZodObject ? Object.keys(each.shape) : []))
}

/** The full path of every key, such as `ledger.*.files`; `*` stands for entries of lists and maps. */
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

/** The known name with the most similar spelling; null if none is similar. */
export function nearestKey(name: string, known: readonly string[]): string | null {
  const [best] = known
    .map((key) => ({ key, far: editDistance(name.toLowerCase(), key.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
  return best !== undefined && best.far <= Math.max(1, Math.floor(name.length / 3)) ? best.key : null
}
