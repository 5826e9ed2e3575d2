/** Loaded before everything else into each process of a server: SIGUSR2 blocks the event loop of a serving process for good. */
const cluster = require('node:cluster')
const { writeSync } = require('node:fs')

if (cluster.isWorker)
  process.on('SIGUSR2', () => {
    writeSync(2, `${JSON.stringify({ event: 'blocked', process: process.pid })}\n`)
    for (;;);
  })
