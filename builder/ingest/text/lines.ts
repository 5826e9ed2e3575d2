/** Lines of a text file that is read chunk by chunk, for journals and reports with one record on each line. */

/**
 * In characters. No line of a real file comes near it; longer ones are cut, so that a file without line ends is not
 * collected in memory.
 */
export const LONGEST_LINE = 1 << 20

/** How the lines of a text end, by its beginning. */
export const lineEndOf = (head: string): '\n' | '\r' => (head.includes('\n') ? '\n' : '\r')

/**
 * Lines of a text that comes in chunks; `head` is its beginning, which shows how its lines end. CR CR LF, which some exports
 * write, is one line end; a CR inside a line of a file whose lines end with LF is a blank. The rest of a line beyond the longest
 * one is dropped; its length shows that it was cut.
 */
export async function* linesOf(
  chunks: AsyncIterable<string>,
  head: string,
): AsyncGenerator<readonly string[]> {
  const end = lineEndOf(head)
  let open = ''
  for await (const chunk of chunks) {
    const lines = (open + chunk).split(end)
    open = lines.pop() ?? ''
    if (open.length > 2 * LONGEST_LINE) open = open.slice(0, LONGEST_LINE + 1)
    yield lines
  }
  if (open !== '') yield [open]
}
