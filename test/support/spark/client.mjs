/** Hands a script to driver.py, as `spark-sql -f FILE` would run it: `client.mjs PORT -f FILE`. */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

const [port, , script] = process.argv.slice(2)
const socket = connect(Number(port), '127.0.0.1')
socket.write(`${script}\n`)
const lines = (await text(socket)).trimEnd().split('\n')
const code = lines.pop()
if (lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`)
process.exit(code === '0' ? 0 : 1)
