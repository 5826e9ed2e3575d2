/**
 * Loaded before everything else into the command and its threads: what TIEOUT_FAULT names happens when a thread writes its
 * twentieth file, or hashes its twentieth document where it writes none; a delay with every one. Each thread adds a line to the file
 * that TIEOUT_THREADS names.
 */
const crypto = require('node:crypto')
const fs = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const { isMainThread } = require('node:worker_threads')

const ONE_CELL = new Int32Array(new SharedArrayBuffer(4))
const MOST_MILLISECONDS = 5

const FAULTS = {
  delay: () => void Atomics.wait(ONE_CELL, 0, 0, Math.random() * MOST_MILLISECONDS),
  exit: () => process.exit(7),
  memory: () => {
    const all = []
    for (;;) all.push(Array.from({ length: 10_000 }, (_, i) => ({ i })))
  },
  full: (path) => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', path })
  },
  files: (path) => {
    const refused = 'EMFILE: too many open files'
    const problem = Object.assign(new Error(refused), { code: 'EMFILE', errno: -24, syscall: 'open', path })
    setImmediate(() => Promise.reject(problem))
  },
  // Outside any order, where nobody waits for it.
  thrown: () => void setImmediate(() => Promise.reject(new Error('thrown in a thread'))),
  changed: (_, bytes) => `${bytes} `,
}

const name = process.env.TIEOUT_FAULT
const fault = FAULTS[name]

/** Puts the fault before a function, which takes what it gives in the place of its second argument. */
function before(module, method) {
  const original = module[method]
  let calls = 0
  module[method] = (first, second, ...rest) => {
    const instead = ++calls === 20 || name === 'delay' ? fault(first, second) : undefined
    return original(first, typeof instead === 'string' ? instead : second, ...rest)
  }
}

if (!isMainThread && fault) {
  before(fs, 'writeFileSync')
  if (!['full', 'changed', 'files'].includes(name)) before(crypto, 'createHash')
  syncBuiltinESMExports()
}

const { TIEOUT_THREADS } = process.env
if (!isMainThread && TIEOUT_THREADS) fs.appendFileSync(TIEOUT_THREADS, `${process.pid}\n`)
