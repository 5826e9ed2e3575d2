/** The settings with which nginx answers with one file of so many bytes at `/body`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Setting {
  readonly bytes: number
  readonly port: number
  readonly workers: number
}

/** Writes them into a folder, which takes all that nginx writes; gives the arguments of the command. */
export function nginxArguments(folder: string, { bytes, port, workers }: Setting): string[] {
  mkdirSync(join(folder, 'www'), { recursive: true })
  writeFileSync(join(folder, 'www', 'body'), Buffer.alloc(bytes, '0'))
  const file = join(folder, `nginx-${port}.conf`)
  const user = process.getuid?.() === 0 ? 'user root; ' : ''
  // Where the program alone was copied to another machine, the folders that its package makes are missing.
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  writeFileSync(
    file,
    `${user}worker_processes ${workers}; daemon off; pid ${folder}/pid-${port}; error_log ${folder}/error.log;
events {}
http { ${temporary.join(' ')} access_log off; keepalive_requests 100000000; server { listen 127.0.0.1:${port}; root ${folder}/www; } }
`,
  )
  return ['-p', folder, '-c', file]
}
