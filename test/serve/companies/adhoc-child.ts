/** Stands in for the ad-hoc engine: does what the query's id tells it to. */
process.on('disconnect', () => process.exit())

process.on(
  'message',
  ({ id, company, query }: { id: number; company: string; query: { classId: string } }) => {
    const reply = (body: object): boolean => process.send!({ id, ...body })
    const ask = query.classId
    if (ask === 'hang') return
    if (ask === 'die') process.exit(7)
    if (ask === 'late') setTimeout(() => reply({ ok: true, body: Buffer.from('late') }), 30)
    else if (ask === 'fail') reply({ ok: false, message: 'no such table' })
    else if (ask === 'pid') reply({ ok: true, body: Buffer.from(String(process.pid)) })
    else reply({ ok: true, body: Buffer.from(`${company} ${ask}`) })
  },
)
