/** Writes SQL for Spark: texts, names, and conditions that the books state for DuckDB. */

/**
 * A text as an SQL literal. It is written as bytes unless it is plain, so that no quote, semicolon, backslash or `${…}` in it means
 * anything to the shell of Spark SQL.
 */
export const sparkText = (text: string): string =>
  /^[\w .,:/+=()-]*$/.test(text) ? `'${text}'` : `CAST(X'${Buffer.from(text).toString('hex')}' AS STRING)`

/** An address as an SQL literal, where Spark takes no expression. */
export const addressText = (address: string): string => `'${address.replace(/[\\']/g, '\\$&')}'`

/** The address of a file or folder of this machine, as a pattern of Hadoop that matches nothing else. */
export const readAddress = (path: string): string => `file:${path.replace(/[{}[\]*?\\]/g, '\\$&')}`

/** A name as an SQL identifier. */
export const sparkName = (name: string): string => `\`${name.replaceAll('`', '``')}\``

/** As {@link sparkName}, for a column of any name: the shell of Spark SQL would see quotes, semicolons and comments inside the name. */
export const sparkColumn = (name: string): string =>
  /['";\\\n\r]|--|\/\*/.test(name) ? `IDENTIFIER(${sparkText(sparkName(name))})` : sparkName(name)

const LITERAL = /'(?:[^']|'')*'/g
const FULL_MATCH = /regexp_full_match\(([\w.]+), ('(?:[^']|'')*')\)/g

/**
 * A condition or expression of DuckDB for Spark. They share all functions and operators that the books use there but one: a match of
 * a whole text. Literals are written anew.
 */
export function fromDuckDb(sql: string): string {
  return sql
    .replace(FULL_MATCH, (_, text: string, pattern: string) => `${text} RLIKE '^(?:${unquoted(pattern)})$'`)
    .replace(LITERAL, (literal) => sparkText(unquoted(literal)))
}

const unquoted = (literal: string): string => literal.slice(1, -1).replaceAll("''", "'")
