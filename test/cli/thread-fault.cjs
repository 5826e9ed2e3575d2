/**
 * Loaded before everything else into the command and its threads: what TIEOUT_FAULT names happens when a thread writes its
 * twentieth file, a delay with every file.
 */
const fs = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const { isMainThread } = require('node:worker_threads')

const ONE_CELL = new Int32Array(new SharedArrayBuffer(4))
const MOST_MILLISECONDS = 5
let written = 0

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
  // Outside any order, where nobody waits for it.
  thrown: () => void setImmediate(() => Promise.reject(new Error('thrown in a thread'))),
  changed: (_, bytes) => `${bytes} `,
}

const fault = FAULTS[process.env.TIEOUT_FAULT]
if (!isMainThread && fault) {
  const write = fs.writeFileSync
  fs.writeFileSync = (path, bytes, ...rest) => {
    const isTime = ++written === 20 || process.env.TIEOUT_FAULT === 'delay'
    const instead = isTime ? fault(path, bytes) : undefined
    return write(path, typeof instead === 'string' ? instead : bytes, ...rest)
  }
  syncBuiltinESMExports()
}
