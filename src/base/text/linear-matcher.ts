/** Whether a character, one whole code point, belongs to a class. */
export type CharClass = (char: string) => boolean

/** Whether a position between two characters fits; undefined is the start or end of the text. */
export type Assertion = (before: string | undefined, after: string | undefined) => boolean

/** A part of a pattern. Globs, URI templates and regular expressions are all made of these. */
export type Step =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'one' | 'many'; readonly accepts: CharClass }
  | { readonly type: 'optional' | 'repeated'; readonly steps: readonly Step[] }
  | { readonly type: 'either'; readonly branches: readonly (readonly Step[])[] }
  | { readonly type: 'assertion'; readonly holds: Assertion }

export const anyChar: CharClass = () => true

export function literal(text: string): Step {
  return { type: 'text', text }
}

export function one(accepts: CharClass): Step {
  return { type: 'one', accepts }
}

/** Any number of characters of a class, including none. */
export function many(accepts: CharClass): Step {
  return { type: 'many', accepts }
}

export function optional(...steps: Step[]): Step {
  return { type: 'optional', steps }
}

/** A group any number of times, including none. */
export function repeated(...steps: Step[]): Step {
  return { type: 'repeated', steps }
}

export function either(...branches: (readonly Step[])[]): Step {
  return { type: 'either', branches }
}

export function assertion(holds: Assertion): Step {
  return { type: 'assertion', holds }
}

/**
 * Compiles a pattern that must match a whole text. Patterns and texts come from agents and from
 * other people's sites, so there is no backtracking: all ways to match are followed at once
 * (Thompson's construction), and no step is asked more than once about a character.
 *
 * `spend` receives the number of states that each character took; it may throw to end the work.
 */
export function compileSteps(
  steps: readonly Step[],
  spend?: (states: number) => void,
): (text: string) => boolean {
  // Most texts do not match, and most of those lack the longest literal of the pattern.
  const needed = longestText(steps)
  let machine: Machine | undefined
  return (text) => text.includes(needed) && (machine ??= new Machine(steps)).matches(text, spend)
}

function longestText(steps: readonly Step[]): string {
  const texts = steps.map((step) => (step.type === 'text' ? step.text : ''))
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '')
}

/** A position in a pattern; reading an accepted character leads to the next one. */
interface State {
  readonly accepts: string | CharClass | undefined
  /** Whether it stays at this position after reading a character. */
  readonly repeats: boolean
  /** The positions it may move to without reading anything. */
  readonly skips: readonly number[]
  /** The condition for those moves. */
  readonly holds: Assertion | undefined
}

function addStates(steps: readonly Step[], states: State[]): void {
  for (const step of steps) {
    const at = states.length
    switch (step.type) {
      case 'text':
        for (const char of step.text) states.push(reading(char))
        break
      case 'one':
        states.push(reading(step.accepts))
        break
      case 'many':
        states.push({ ...reading(step.accepts), repeats: true, skips: [at + 1] })
        break
      case 'assertion':
        states.push({ ...skippingTo(at + 1), holds: step.holds })
        break
      case 'optional':
        states.push(skippingTo())
        addStates(step.steps, states)
        states[at] = skippingTo(at + 1, states.length)
        break
      case 'repeated':
        states.push(skippingTo())
        addStates(step.steps, states)
        states.push(skippingTo(at))
        states[at] = skippingTo(at + 1, states.length)
        break
      case 'either':
        addBranches(step.branches, states)
    }
  }
}

function addBranches(branches: readonly (readonly Step[])[], states: State[]): void {
  const at = states.length
  states.push(skippingTo())
  const starts: number[] = []
  const ends: number[] = []
  for (const branch of branches) {
    starts.push(states.length)
    addStates(branch, states)
    ends.push(states.length)
    states.push(skippingTo())
  }
  states[at] = skippingTo(...starts)
  for (const end of ends) states[end] = skippingTo(states.length)
}

function reading(accepts: string | CharClass): State {
  return { accepts, repeats: false, skips: [], holds: undefined }
}

function skippingTo(...skips: readonly number[]): State {
  return { accepts: undefined, repeats: false, skips, holds: undefined }
}

/** The states of a pattern; the index after the last one is the end of the pattern. */
class Machine {
  readonly #states: State[] = []
  /** The state from which any remaining text matches, or -1. */
  readonly #takesTheRest: number
  #here: Places
  #next: Places

  constructor(steps: readonly Step[]) {
    addStates(steps, this.#states)
    const last = steps.at(-1)
    const isOpen = last?.type === 'many' && last.accepts === anyChar
    this.#takesTheRest = isOpen ? this.#states.length - 1 : -1
    this.#here = new Places(this.#states.length + 1)
    this.#next = new Places(this.#states.length + 1)
  }

  matches(text: string, spend?: (states: number) => void): boolean {
    let before: string | undefined
    this.#here.clear()
    this.#here.add(0)
    for (const char of text) {
      this.#next.clear()
      this.#read(before, char)
      spend?.(this.#here.count)
      if (this.#here.has(this.#takesTheRest)) return true
      const past = this.#here
      this.#here = this.#next
      this.#next = past
      if (this.#here.count === 0) return false
      before = char
    }
    this.#read(before, undefined)
    spend?.(this.#here.count)
    return this.#here.has(this.#states.length)
  }

  /** Advances every position by one character, or by none at the end of the text. */
  #read(before: string | undefined, after: string | undefined): void {
    const [here, next, states] = [this.#here, this.#next, this.#states]
    for (let index = 0; index < here.count; index += 1) {
      const at = here.at(index)
      const state = states[at]
      if (!state || state.holds?.(before, after) === false) continue
      for (const skip of state.skips) here.add(skip)
      const { accepts } = state
      if (after === undefined || accepts === undefined) continue
      const reads = typeof accepts === 'string' ? accepts === after : accepts(after)
      if (reads) next.add(state.repeats ? at : at + 1)
    }
  }
}

/** A set of positions in the order they were added; clearing it does not touch its members. */
class Places {
  readonly #members: Uint32Array
  /** The index in `#members` that each position has, if it is a member. */
  readonly #indexes: Uint32Array
  count = 0

  constructor(size: number) {
    this.#members = new Uint32Array(size)
    this.#indexes = new Uint32Array(size)
  }

  at(index: number): number {
    return this.#members[index] ?? 0
  }

  has(place: number): boolean {
    const index = this.#indexes[place]
    return index !== undefined && index < this.count && this.#members[index] === place
  }

  add(place: number): void {
    if (this.has(place)) return
    this.#indexes[place] = this.count
    this.#members[this.count] = place
    this.count += 1
  }

  clear(): void {
    this.count = 0
  }
}
