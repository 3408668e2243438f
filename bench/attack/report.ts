/** The attempts of one field, and those that did not hold. */
export interface FieldReport {
  readonly field: string
  readonly tried: number
  readonly held: number
  readonly failed: readonly string[]
}

/** Counts the attempts of one field. An attempt that throws counts as not held. */
export class Field {
  readonly #name: string
  readonly #failed: string[] = []
  #tried = 0

  constructor(name: string) {
    this.#name = name
  }

  async try(name: string, holds: () => Promise<boolean> | boolean): Promise<void> {
    this.#tried += 1
    try {
      if (!(await holds())) this.#failed.push(name)
    } catch (error) {
      this.#failed.push(`${name} (${error instanceof Error ? error.message : String(error)})`)
    }
  }

  report(): FieldReport {
    const [tried, failed] = [this.#tried, this.#failed]
    return { field: this.#name, tried, held: tried - failed.length, failed }
  }
}

/** A field of attacks; `run` tries all of them and must leave nothing running. */
export interface Attack {
  readonly name: string
  run(field: Field): Promise<void>
}
