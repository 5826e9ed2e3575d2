/** Lines of a text file that is read in parts, for journals and reports with one record on each line. */

/**
 * In characters. No line of a real file comes near it; longer ones are cut, so that a file without line ends is not
 * collected in memory.
 */
export const LONGEST_LINE = 1 << 20

/** How the lines of a text end, by its beginning. */
export const lineEndOf = (head: string): '\n' | '\r' => (head.includes('\n') ? '\n' : '\r')

/**
 * Lines of a text that comes in parts; its line end says enough of its `head`. CR CR LF, which some exports write, is one line end; a CR inside a line of a
 * file whose lines end with LF is a blank. The rest of a line beyond the longest one is dropped; its length shows
 * that it was cut.
 */
export async function* linesOf(
  parts: AsyncIterable<string>,
  head: string,
): AsyncGenerator<readonly string[]> {
  const end = lineEndOf(head)
  let open = ''
  for await (const part of parts) {
    const lines = (open + part).split(end)
    open = lines.pop() ?? ''
    if (open.length > 2 * LONGEST_LINE) open = open.slice(0, LONGEST_LINE + 1)
    yield lines
  }
  if (open !== '') yield [open]
}
