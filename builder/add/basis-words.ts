/** What the file name of a ledger suggests about its basis, accrual or cash. */
import { basename, extname } from 'node:path'

const BASIS_WORDS: { readonly [word: string]: 'accrual' | 'cash' } = {
  accrual: 'accrual',
  cash: 'cash',
  kontant: 'cash',
}
/**
 * Words that may stand beside the basis word. With any other word the name is no hint: a petty cash book is kept on
 * the accrual basis too.
 */
const NEUTRAL_WORD = /^(\d+|ledger|general|gl|journal|entries|transactions|postings|export|basis|huvudbok)$/

const wordsOf = (file: string): string[] =>
  basename(file, extname(file))
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '')

export const basisWord = (file: string): 'accrual' | 'cash' | null =>
  wordsOf(file).flatMap((word) => BASIS_WORDS[word] ?? [])[0] ?? null

/**
 * Adds the basis that the name suggests to the question in company.yaml. It is a hint and not an answer:
 * `ledger-cash-2025.csv` may be the ledger of a cash account.
 */
export function basisGuess(file: string): string {
  const others = wordsOf(file).filter((word) => BASIS_WORDS[word] === undefined)
  const isHint = others.length > 0 && others.every((word) => NEUTRAL_WORD.test(word))
  const word = isHint ? basisWord(file) : null
  return word === null ? '' : `; the file's name suggests ${word}`
}
