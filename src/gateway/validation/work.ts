/** Thrown by a check that would take longer than the event loop can spare. */
class TooMuchWork extends Error {}

let left = 0

/** Charges the running check for its work; throws when no steps are left. */
export function spend(steps: number): void {
  left -= steps
  if (left < 0) throw new TooMuchWork('The check takes too much work')
}

/** Grants a number of steps to all checks until the next grant. */
export function grantWork(steps: number): void {
  left = steps
}

/** Returns the result of `check`; undefined if it takes too much work or overflows the stack. */
export function withinWork<T>(check: () => T): T | undefined {
  try {
    return check()
  } catch (error) {
    if (error instanceof TooMuchWork || error instanceof RangeError) return undefined
    throw error
  }
}
