/**
 * Loaded into the process that runs a command, and into its threads: what TIEOUT_FAULT names happens when a thread writes its
 * twentieth file, or hashes its twentieth document where it writes none; a delay with every one; or it is about a thread or process
 * that cannot be started. Each thread adds a line to the file that TIEOUT_THREADS names.
 */
const childProcess = require('node:child_process')
const crypto = require('node:crypto')
const fs = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const workerThreads = require('node:worker_threads')

const { isMainThread } = workerThreads

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

/** Of a process of its own. */
const OF_STARTS = {
  // One that never says anything, and does not keep its parent waiting either.
  'silent process': () => {
    const { EventEmitter } = require('node:events')
    const state = { pid: 1, connected: true, exitCode: null, signalCode: null }
    const nothing = () => {}
    childProcess.fork = () =>
      Object.assign(new EventEmitter(), state, { send: nothing, kill: nothing, disconnect: nothing })
  },
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

if (isMainThread) {
  OF_STARTS[name]?.()
  let started = 0
  workerThreads.Worker = class extends workerThreads.Worker {
    constructor(module, options) {
      const { TIEOUT_FAULT } = process.env
      if (TIEOUT_FAULT === 'second thread' && ++started % 2 === 0)
        throw Object.assign(new Error('Worker initialization failure: EAGAIN'), {
          code: 'ERR_WORKER_INIT_FAILED',
        })
      const execArgv = [...process.execArgv, '--require', __filename]
      super(module, TIEOUT_FAULT === undefined ? options : { ...options, execArgv })
    }
  }
  syncBuiltinESMExports()
}

const { TIEOUT_THREADS } = process.env
if (!isMainThread && TIEOUT_THREADS) fs.appendFileSync(TIEOUT_THREADS, `${process.pid}\n`)
