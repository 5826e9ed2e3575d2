/** Stands in for the ad-hoc engine: does what the query's id tells it to. */
process.on('disconnect', () => process.exit())

/** Queries that an interruption ends. */
const sleeping = new Set()

process.on('message', ({ id, company, query, cancel }) => {
  const send = (body) => process.send({ id, memory: 1, ...body })
  const reply = (text, memory = 1) => send({ ok: true, body: Buffer.from(text), memory })
  if (cancel) {
    if (sleeping.delete(id)) send({ ok: false, reason: 'cancelled', message: 'INTERRUPT' })
    return
  }
  const ask = query.classId
  // Loads for ever: never says that its query has begun.
  if (ask === 'load') return
  process.send({ id, begun: true })
  if (ask === 'hang') return
  if (ask === 'die') setTimeout(() => process.exit(7), 20)
  else if (ask === 'hold') setTimeout(() => reply('held'), 200)
  else if (ask === 'sleep') sleeping.add(id)
  else if (ask === 'late') setTimeout(() => reply('late'), 30)
  else if (ask === 'fail') send({ ok: false, reason: 'failed', message: 'no such table' })
  else if (ask === 'memory') send({ ok: false, reason: 'memory', message: 'Out of Memory Error' })
  else if (ask === 'large') reply(String(process.pid), 10 ** 12)
  else if (ask === 'pid') reply(String(process.pid))
  else reply(`${company} ${ask}`)
})
