/**
 * What clients may rely on of a description of the interface, as lines of text, and what of an older one no longer holds. A line is an
 * operation, a parameter (`?name`), a member of a body, a status, a media type with the schema of the answer, or a member of such a schema; `?:` is what may be absent.
 */
type Node = Readonly<Record<string, unknown>>

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

export function surfaceOf(description: object): string[] {
  const { paths } = description as { paths: Record<string, Record<string, Node>> }
  const lines = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation === undefined
        ? []
        : operationOf(description, `${method.toUpperCase()} ${path}`, operation)
    }),
  )
  const { schemas } = (description as { components: { schemas: Record<string, Node> } }).components
  const members = Object.entries(schemas).flatMap(([id, schema]) =>
    membersOf(description, `→ ${id} `, schema, false),
  )
  return [...new Set([...lines, ...members])].sort()
}

/** Answers have schemas with names; their members stand once. */
const nameOf = ({ $ref }: Node): string => (typeof $ref === 'string' ? ` ${$ref.split('/').at(-1)}` : '')

function operationOf(root: object, name: string, operation: Node): string[] {
  const {
    security = [],
    parameters = [],
    requestBody,
    responses,
  } = operation as {
    security?: Record<string, string[]>[]
    parameters?: { name: string; in: string; required?: boolean; schema: Node }[]
    requestBody?: { content: Record<string, { schema: Node }> }
    responses: Record<string, { content?: Record<string, { schema?: Node }> }>
  }
  return [
    name,
    ...security.flatMap((each) =>
      Object.values(each)
        .flat()
        .map((scope) => `${name} needs ${scope}`),
    ),
    ...parameters.flatMap(({ name: own, required = false, schema }) => [
      `${name} ?${own}${required ? '' : '?'}: ${typeOf(root, schema)}`,
      ...limitsOf(`${name} ?${own}`, schema),
    ]),
    ...Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) =>
      membersOf(root, `${name} {${type}} `, schema, true),
    ),
    ...Object.entries(responses).flatMap(([status, { content = {} }]) => [
      `${name} → ${status}`,
      ...Object.entries(content).map(
        ([type, { schema = {} }]) => `${name} → ${status} ${type}${nameOf(schema)}`,
      ),
    ]),
  ]
}

/** Of what is sent to the server its limits too: of answers a list of values may grow. */
function membersOf(root: object, at: string, given: Node, isRequest: boolean): string[] {
  const schema = resolved(root, given)
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Node>
    required?: string[]
  }
  const inner = itemsOf(schema)
  return [
    ...(inner === null ? [] : membersOf(root, `${at}[]`, inner, isRequest)),
    ...Object.entries(properties).flatMap(([name, member]) => [
      `${at}.${name}${required.includes(name) ? '' : '?'}: ${typeOf(root, member)}`,
      ...(isRequest ? limitsOf(`${at}.${name}`, member) : []),
      ...membersOf(root, `${at}.${name}`, member, isRequest),
    ]),
  ]
}

/** Also of a list whose places have schemas of their own, as descriptions had it once. */
const itemsOf = (schema: Node): Node | null =>
  ((schema.items || (schema.prefixItems as Node[] | undefined)?.[0]) as Node | undefined) ?? null

function limitsOf(at: string, schema: Node): string[] {
  const values = (schema.enum ?? (schema.const === undefined ? [] : [schema.const])) as unknown[]
  return [
    ...values.map((value) => `${at} = ${value}`),
    ...(typeof schema.maximum === 'number' ? [`${at} <= ${schema.maximum}`] : []),
    ...(typeof schema.minimum === 'number' ? [`${at} >= ${schema.minimum}`] : []),
  ]
}

function resolved(root: object, schema: Node): Node {
  if (Array.isArray(schema.anyOf))
    return resolved(root, (schema.anyOf as Node[]).find(({ type }) => type !== 'null')!)
  if (typeof schema.$ref !== 'string') return schema
  const keys = schema.$ref.slice(2).split('/')
  return resolved(
    root,
    keys.reduce<Node>((node, key) => node[key] as Node, root as Node),
  )
}

/** `string`, or `string or null`; of lists what they hold. */
function typeOf(root: object, schema: Node): string {
  const own = resolved(root, schema)
  const types = [own.type ?? (own.enum || own.const ? 'string' : 'any')].flat() as string[]
  const isNullable =
    types.includes('null') || ((schema.anyOf as Node[]) ?? []).some(({ type }) => type === 'null')
  const [type] = types.filter((each) => each !== 'null')
  const inner = itemsOf(own)
  const name = type === 'array' && inner ? `list of ${typeOf(root, inner)}` : `${type}`
  return isNullable ? `${name} or null` : name
}

/** The lines of `before` that do not hold any more, and what is asked for that was not. */
export function broken(before: readonly string[], after: readonly string[]): string[] {
  const now = new Set(after)
  const then = new Set(before)
  const isOperation = (line: string): boolean => /^[A-Z]+ \S+$/.test(line)
  const operations = before.filter(isOperation)
  const isGone = (line: string): boolean => {
    const [, at, sign, bound] = / (<=|>=) (-?\d+)$/.test(line) ? /^(.*) (<=|>=) (-?\d+)$/.exec(line)! : []
    if (sign !== undefined) {
      const limit = after
        .find((each) => each.startsWith(`${at} ${sign} `))
        ?.split(' ')
        .at(-1)
      return (
        limit !== undefined && (sign === '<=' ? Number(limit) < Number(bound) : Number(limit) > Number(bound))
      )
    }
    if (line.includes(' needs ')) return false
    // An answer may promise more, and a request ask for less.
    const other = line.includes('→ ') ? line.replace('?: ', ': ') : line.replace(/(?<!\?): /, '?: ')
    return !now.has(line) && !now.has(other)
  }
  const asks = (line: string): boolean =>
    operations.some((name) => line.startsWith(`${name} `)) &&
    !line.includes('→ ') &&
    !then.has(line) &&
    (line.includes(' needs ') ||
      (/ (?:\?|\{)/.test(line) && /[^?]: /.test(line) && !then.has(line.replace(': ', '?: '))))
  return [...before.filter(isGone), ...after.filter(asks).map((line) => `${line} (new)`)]
}
