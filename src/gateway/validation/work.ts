/** Thrown out of a check that would take longer than the event loop can spare. */
class TooMuchWork extends Error {}

let left = 0

/** Pays for a part of the check that is running; throws when nothing is left to pay with. */
export function spend(steps: number): void {
  left -= steps
  if (left < 0) throw new TooMuchWork('The check takes too much work')
}

/** Grants a number of steps to all that is checked from here until the next grant. */
export function grantWork(steps: number): void {
  left = steps
}

/** What `check` answers; undefined when it takes too much work, or more stack than there is. */
export function withinWork<T>(check: () => T): T | undefined {
  try {
    return check()
  } catch (error) {
    if (error instanceof TooMuchWork || error instanceof RangeError) return undefined
    throw error
  }
}
