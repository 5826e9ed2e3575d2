/** Finds what can be changed in a compiled file so that it means something else. */
import { type Node, parse } from 'acorn'
import { full } from 'acorn-walk'

export interface Change {
  /** Places in the text, the second behind the last character. */
  readonly start: number
  readonly end: number
  readonly line: number
  readonly before: string
  readonly after: string
}

const OPERATORS: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
}

/** The members of nodes that are looked at here. */
interface Parsed extends Node {
  readonly operator?: string
  readonly left?: Node
  readonly right?: Node
  readonly test?: Node | null
  readonly argument?: Parsed | null
  readonly value?: unknown
  readonly raw?: string
}

/** Every change of a file, in its order. Texts that are joined by + are left alone. */
export function changesIn(text: string): Change[] {
  const changes: Change[] = []
  const change = (start: number, end: number, after: string): void => {
    const line = text.slice(0, start).split('\n').length
    changes.push({ start, end, line, before: text.slice(start, end), after })
  }
  const between = ({ left, right, operator }: Parsed): void => {
    const other = OPERATORS[operator ?? '']
    if (!left || !right || !operator || other === undefined) return
    if (operator === '+' && [left, right].some(isText)) return
    const at = text.indexOf(operator, left.end)
    change(at, at + operator.length, other)
  }
  full(parse(text, { ecmaVersion: 'latest', sourceType: 'module' }), (node) => {
    const at = node as Parsed
    const { argument, test } = at
    if (at.type === 'BinaryExpression' || at.type === 'LogicalExpression') between(at)
    else if ((at.type === 'IfStatement' || at.type === 'ConditionalExpression') && test)
      change(test.start, test.end, `!(${text.slice(test.start, test.end)})`)
    else if (at.type === 'UnaryExpression' && argument && (at.operator === '-' || at.operator === '!'))
      change(at.start, at.end, text.slice(argument.start, argument.end))
    else if (at.type === 'ReturnStatement' && argument?.type === 'Literal') {
      const { value, raw = '' } = argument
      if (typeof value === 'boolean') change(argument.start, argument.end, String(!value))
      if (typeof value === 'number') change(argument.start, argument.end, `${raw} + 1`)
    } else if (at.type === 'Literal' && typeof at.value === 'number' && Math.abs(at.value) < 3)
      change(at.start, at.end, `(${at.raw} + 1)`)
  })
  return changes
}

const isText = (node: Node): boolean =>
  node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof (node as Parsed).value === 'string')
