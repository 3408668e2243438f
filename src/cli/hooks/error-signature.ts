/** The same for two runs of one mistake: without paths, numbers, addresses and times. */
export function errorSignature(text: string): string {
  return text
    .slice(-500)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*/g, '<time>')
    .replaceAll(/0x[0-9a-f]+/gi, '<address>')
    .replaceAll(/(?:[A-Za-z]:)?(?:[\w.@-]*[/\\])+([\w.@-]+)/g, '$1')
    .replaceAll(/\d+/g, '<n>')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

const STRONG =
  /^(?:Error|[A-Z]\w*Error|error\[E\d+\]|fatal|panic):|\bFAIL(?:ED)?\b|Traceback \(most recent call last\)|\b[1-9]\d* (?:failed|errors?)\b|\bexit (?:code|status) [1-9]/m

/** Non-zero exit; without a known exit, only a strong sign in the output. */
export function hasFailed(exitCode: number | undefined, output: string): boolean {
  return exitCode === undefined ? STRONG.test(output) : exitCode !== 0
}
