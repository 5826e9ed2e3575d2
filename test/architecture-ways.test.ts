/**
 * The ways that a reader follows, of an amount from its file to the books and from there to a statement, and of a request from the
 * socket to the answer: at most ten files, each reached from one above it.
 */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { suite } from './suite.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * The files that an amount or a request is handed to, in the order in which a reader meets them, with the function of each. What they
 * look up on the way (accounts, grants, companies, limits) is asked by an id, and is no part of it.
 */
const WAYS: Readonly<Record<string, readonly (readonly [file: string, name: string])[]>> = {
  'an amount, from its file to the sums of months': [
    ['builder/books/books.ts', 'makeBooks'],
    ['builder/books/read/read-lines.ts', 'readLines'],
    ['builder/books/read/ledger.ts', 'loadLedger'],
    ['builder/books/post/postings.ts', 'createPostings'],
    ['builder/books/sums/monthly-sums.ts', 'createLeaves'],
  ],
  'a sum of a month, from the books to a statement': [
    ['builder/build/documents.ts', 'writeDocuments'],
    ['builder/build/document-workers.ts', 'composer'],
    ['builder/build/batch-maker.ts', 'batchMaker'],
    ['builder/statements/slice.ts', 'slicesOfClass'],
    ['builder/statements/compose.ts', 'documentOf'],
    ['builder/contract/encode.ts', 'encode'],
  ],
  'a published statement': [
    ['serve/http/listen.ts', 'listen'],
    ['serve/http/listener.ts', 'handle'],
    ['serve/http/limits/load.ts', 'admit'],
    ['serve/http/company-endpoint.ts', 'companyEndpoint'],
    ['serve/http/guard.ts', 'admit'],
    ['serve/oauth/tokens/bearer.ts', 'authenticate'],
    ['serve/http/routes.ts', 'answer'],
    ['serve/companies/answers.ts', 'statement'],
    ['serve/http/reply.ts', 'send'],
    ['builder/contract/slice.ts', 'sliceStatement'],
  ],
  'a request for tokens': [
    ['serve/http/listen.ts', 'listen'],
    ['serve/http/listener.ts', 'handle'],
    ['serve/http/limits/load.ts', 'admit'],
    ['serve/oauth/oauth.ts', 'handle'],
    ['serve/oauth/tokens/token.ts', 'token'],
    ['serve/oauth/client-authentication.ts', 'authenticateClient'],
    ['serve/oauth/tokens/families.ts', 'redeemCode'],
    ['serve/oauth/tokens/access-token.ts', 'sign'],
    ['serve/oauth/tokens/refresh-token.ts', 'formatRefreshToken'],
    ['serve/oauth/reply.ts', 'sendJson'],
  ],
}

const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const importsOf = (file: string): string[] =>
  [...read(file).matchAll(/\bfrom '(\.[^']+)'/g)].map(([, path]) => posix.join(posix.dirname(file), path!))

const ways = suite('ways')

for (const [name, way] of Object.entries(WAYS))
  ways(`${name} goes through at most ten files, none twice`, () => {
    const files = way.map(([file]) => file)
    assert.ok(files.length <= 10)
    assert.is(new Set(files).size, files.length)
    const unreached = way.filter(([file, called], i) => {
      const above = files.slice(0, i)
      const isDefined = new RegExp(`\\b${called}\\b`).test(read(file))
      const isReached = above.some(
        (each) => importsOf(each).includes(file) || new RegExp(`[#.\\s]${called}\\(`).test(read(each)),
      )
      return !isDefined || (i > 0 && !isReached)
    })
    assert.equal(
      unreached.map(([file]) => file),
      [],
    )
  })

ways('nothing private of node:http is touched', () => {
  for (const file of ['serve/http/listen.ts', 'serve/http/listener.ts', 'serve/http/request/request-body.ts'])
    assert.not.match(read(file), /\.parser\b|onIncoming|\._header\b|_httpMessage|\._handle\b/, file)
})
