/** Options of Node for a process that a test starts with a file of its own, in TypeScript. */
export const CHILD_OPTIONS: readonly string[] = ['--import', new URL('../compiled.mjs', import.meta.url).href]
