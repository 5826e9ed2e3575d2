/**
 * Tests are TypeScript, and what they test is what was compiled of it into dist/: `builder/build/build.ts` means
 * `dist/builder/build/build.js` to whoever imports it. So a test, the command that it calls, and the threads and processes
 * of both are one program, and nothing of it is compiled in each of them again.
 */
import { register } from 'node:module'
import { register as compileTests } from 'tsx/esm/api'

const root = new URL('..', import.meta.url).href
const HOOK = `
const product = new RegExp(${JSON.stringify(`^${root.replace(/[.*+?^$()[\]{}|\\]/g, '\\$&')}((?:builder|cli|serve)/.+)\\.ts$`)})
export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context)
  const [, path] = product.exec(resolved.url) ?? []
  return path === undefined ? resolved : { ...resolved, url: ${JSON.stringify(root)} + 'dist/' + path + '.js' }
}`

compileTests()
register(`data:text/javascript,${encodeURIComponent(HOOK)}`)
