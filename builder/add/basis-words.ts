/** What the name of a ledger says of its basis. */
import { basename, extname } from 'node:path'

const BASIS_WORDS: { readonly [word: string]: 'accrual' | 'cash' } = {
  accrual: 'accrual',
  cash: 'cash',
  kontant: 'cash',
}
/** What may stand beside it in the name of a ledger: a petty cash book is kept on the accrual basis too. */
const NEUTRAL_WORD = /^(\d+|ledger|general|gl|journal|entries|transactions|postings|export|basis|huvudbok)$/

const wordsOf = (file: string): string[] =>
  basename(file, extname(file))
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '')

export const basisWord = (file: string): 'accrual' | 'cash' | null =>
  wordsOf(file).flatMap((word) => BASIS_WORDS[word] ?? [])[0] ?? null

/** A name is a hint for whoever answers, and no answer: `ledger-cash-2025.csv` may well be the ledger of a cash account. */
export function basisGuess(file: string): string {
  const others = wordsOf(file).filter((word) => BASIS_WORDS[word] === undefined)
  const isHint = others.length > 0 && others.every((word) => NEUTRAL_WORD.test(word))
  const word = isHint ? basisWord(file) : null
  return word === null ? '' : `; the file's name suggests ${word}`
}
