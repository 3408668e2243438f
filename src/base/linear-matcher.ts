/** Whether a character, one whole code point, belongs to a class. */
export type CharClass = (char: string) => boolean

/** A part of a pattern: a text, one character, any number of them, or a group that may be left out. */
export type Step =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'one' | 'many'; readonly accepts: CharClass }
  | { readonly type: 'optional'; readonly steps: readonly Step[] }

export const anyChar: CharClass = () => true

export function literal(text: string): Step {
  return { type: 'text', text }
}

export function one(accepts: CharClass): Step {
  return { type: 'one', accepts }
}

export function many(accepts: CharClass): Step {
  return { type: 'many', accepts }
}

export function optional(...steps: Step[]): Step {
  return { type: 'optional', steps }
}

/**
 * Whether a whole text matches a pattern. Patterns and texts come from agents and from other
 * people's sites, so nothing is tried twice: all ways to match are followed at once, and no step is
 * asked more than once about each character.
 */
export function compileSteps(steps: readonly Step[]): (text: string) => boolean {
  const states: State[] = []
  addStates(steps, states)
  // Most texts do not match, and most of those are seen by what every match contains.
  const needed = longestText(steps)
  return (text) => text.includes(needed) && matches(states, text)
}

/** A place in a pattern, as the matcher runs it. */
interface State {
  /** What may be read here: a character, a class, or nothing, as at the start of a group. */
  readonly accepts: string | CharClass | undefined
  /** Whether it stays where it is after it has read a character. */
  readonly repeats: boolean
  /** Where it may go without reading anything: always forward. */
  readonly skips: readonly number[]
}

function addStates(steps: readonly Step[], states: State[]): void {
  for (const step of steps) {
    const at = states.length
    if (step.type === 'text') {
      for (const char of step.text) states.push({ accepts: char, repeats: false, skips: [] })
    } else if (step.type === 'optional') {
      states.push({ accepts: undefined, repeats: false, skips: [] })
      addStates(step.steps, states)
      states[at] = { accepts: undefined, repeats: false, skips: [at + 1, states.length] }
    } else {
      const repeats = step.type === 'many'
      states.push({ accepts: step.accepts, repeats, skips: repeats ? [at + 1] : [] })
    }
  }
}

function longestText(steps: readonly Step[]): string {
  const texts = steps.map((step) => (step.type === 'text' ? step.text : ''))
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '')
}

function matches(states: readonly State[], text: string): boolean {
  const end = states.length
  const last = states[end - 1]
  const takesTheRest = last?.repeats === true && last.accepts === anyChar
  let here = new Places(end)
  let next = new Places(end)
  here.add(0)
  for (const char of text) {
    read(char, states, here, next)
    const past = here
    past.clear()
    here = next
    next = past
    if (here.isEmpty) return false
    if (takesTheRest && here.has(end - 1)) return true
  }
  read('', states, here, next)
  return here.has(end)
}

/** Follows every place of `here` over one character, or over none where there is no more. */
function read(char: string, states: readonly State[], here: Places, next: Places): void {
  for (let at = here.first; at <= here.last; at++) {
    const state = states[at]
    if (!state || !here.has(at)) continue
    for (const skip of state.skips) here.add(skip)
    const { accepts } = state
    const reads = typeof accepts === 'function' ? char !== '' && accepts(char) : accepts === char
    if (reads) next.add(state.repeats ? at : at + 1)
  }
}

/** The places of a pattern that a text has led to; its end is one of them. */
class Places {
  readonly #marks: Uint8Array
  first = Infinity
  last = -1

  constructor(states: number) {
    this.#marks = new Uint8Array(states + 1)
  }

  get isEmpty(): boolean {
    return this.last === -1
  }

  has(at: number): boolean {
    return this.#marks[at] === 1
  }

  add(at: number): void {
    this.#marks[at] = 1
    if (at < this.first) this.first = at
    if (at > this.last) this.last = at
  }

  clear(): void {
    for (let at = this.first; at <= this.last; at++) this.#marks[at] = 0
    this.first = Infinity
    this.last = -1
  }
}
