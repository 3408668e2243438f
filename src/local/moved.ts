/**
 * The start of the line with which a gateway sends a bridge to another gateway. No message of the
 * protocol looks like it.
 */
export const MOVED = Buffer.from('{"portolan":"moved","why":')

/** Asks bridges to look for another gateway only when their client needs it. */
export const STOPPED = 'stopped'

export function movedLine(why: string): string {
  return `${MOVED.toString()}${JSON.stringify(why)}}\n`
}
