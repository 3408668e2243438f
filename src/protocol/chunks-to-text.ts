/** The text of a body that came in parts; most come in one, which need not be copied first. */
export function chunksToText(chunks: readonly Buffer[]): string {
  const [only] = chunks
  return (chunks.length === 1 && only ? only : Buffer.concat(chunks)).toString('utf8')
}
