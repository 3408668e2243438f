/** A few seconds; half a million files with the usual rules take a fifth of it. */
const MAX_WORK = 300_000_000

/** Thrown where ignore files are made, or have grown, to take for ever. */
export class RulesTooCostly extends Error {
  override readonly name = 'RulesTooCostly'
}

/** How much work the ignore rules of one walk may cause, so that no folder holds up the others. */
export class MatchingWork {
  #left = MAX_WORK

  spend(cost: number): void {
    this.#left -= cost
    if (this.#left < 0)
      throw new RulesTooCostly(
        'its ignore rules take too long to match; make them fewer or simpler',
      )
  }

  startAgain(): void {
    this.#left = MAX_WORK
  }
}
