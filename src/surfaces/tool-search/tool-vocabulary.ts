import type { Tool } from '../../gateway/upstream.ts'
import { splitIdentifier } from '../../search/analyse/split-identifier.ts'
import { STOP_WORDS } from '../../search/analyse/stop-words.ts'
import { unitVector } from '../../search/embed/unit-vector.ts'
import { VectorIndex } from '../../search/vector/vector-index.ts'
import { synonymsOf } from './tool-synonyms.ts'
import { nameInWords, wholeText } from './tool-text.ts'

/** How well the words of a request and those of a tool answer each other; both 0..1. */
export interface WordNearness {
  /** The part of the request that the tool has words for. */
  readonly said: number
  /** The part of the tool's name that the request has words for: `navigate_back` does more than was asked. */
  readonly named: number
}

interface ToolWordRows {
  readonly text: Uint32Array
  readonly name: Uint32Array
}

/** Half of the model's axes lose next to nothing for single words, and take half of the time. */
const AXES = 128
const MOST_WORDS = 60
const MOST_ASKED = 40
/** People and makers of tools use these words for the same thing, whatever their vectors say. */
const SYNONYM_NEARNESS = 0.6

/**
 * The words of all tools with a vector each. The vector of a whole text says what it is about; which
 * word of a request finds its like in a tool, and which finds none, only single words can say.
 */
export class ToolVocabulary {
  readonly #embed: (text: string) => Float32Array
  #vectors = new VectorIndex({ dimension: AXES })
  readonly #rows = new Map<string, number>()
  /** In how many tools the word of each row is. */
  readonly #counts: number[] = []
  readonly #tools = new Map<string, ToolWordRows>()

  constructor(embed: (text: string) => Float32Array) {
    this.#embed = embed
  }

  set(id: string, tool: Tool): void {
    this.delete(id)
    const whole = wholeText(tool).map(([text]) => text)
    const text = this.#rowsOf(whole.join(' '))
    const name = this.#rowsOf(nameInWords(tool))
    for (const row of text) this.#counts[row] = (this.#counts[row] ?? 0) + 1
    this.#tools.set(id, { text, name })
  }

  delete(id: string): void {
    for (const row of this.#tools.get(id)?.text ?? [])
      this.#counts[row] = (this.#counts[row] ?? 1) - 1
    this.#tools.delete(id)
    if (this.#tools.size === 0) this.#clear()
  }

  /** Undefined for a request without words, or for a tool that is not known. */
  near(request: string): (id: string) => WordNearness | undefined {
    const asked = wordsIn(request).slice(0, MOST_ASKED)
    const rows = asked.map((word) => this.#nearnessTo(word))
    const weights = asked.map((word) => this.#weightOf(this.#rows.get(word)))
    const whole = weights.reduce((sum, weight) => sum + weight, 0)
    return (id) => {
      const tool = this.#tools.get(id)
      if (!tool || whole === 0) return undefined
      let said = 0
      for (let at = 0; at < rows.length; at++)
        said += (weights[at] ?? 0) * nearest(tool.text, rows[at] ?? NONE)
      let named = 0
      let all = 0
      for (const row of tool.name) {
        const weight = this.#weightOf(row)
        all += weight
        let most = 0
        for (const nearness of rows) most = Math.max(most, nearness[row] ?? 0)
        named += weight * most
      }
      return { said: said / whole, named: all === 0 ? 0 : named / all }
    }
  }

  /** How near each word of the vocabulary is, by its row. */
  #nearnessTo(word: string): Float32Array {
    const nearness = this.#vectors.cosines(this.#vectorOf(word))
    for (const other of synonymsOf(word)) {
      const row = this.#rows.get(other)
      if (row !== undefined) nearness[row] = Math.max(nearness[row] ?? 0, SYNONYM_NEARNESS)
    }
    const own = this.#rows.get(word)
    if (own !== undefined) nearness[own] = 1
    return nearness
  }

  /** A word that many tools have says little about any of them. */
  #weightOf(row: number | undefined): number {
    const count = row === undefined ? 0 : (this.#counts[row] ?? 0)
    return Math.log(1 + this.#tools.size / (1 + count))
  }

  #rowsOf(text: string): Uint32Array {
    const words = wordsIn(text).slice(0, MOST_WORDS)
    return Uint32Array.from(words, (word) => this.#rowOf(word))
  }

  #rowOf(word: string): number {
    const known = this.#rows.get(word)
    if (known !== undefined) return known
    const row = this.#rows.size
    this.#rows.set(word, row)
    this.#counts[row] = 0
    this.#vectors.set(word, this.#vectorOf(word))
    return row
  }

  #vectorOf(word: string): Float32Array {
    return unitVector(this.#embed(word).slice(0, AXES))
  }

  #clear(): void {
    this.#vectors = new VectorIndex({ dimension: AXES })
    this.#rows.clear()
    this.#counts.length = 0
  }
}

/** Each word once, parts of identifiers apart. */
function wordsIn(text: string): string[] {
  return [...new Set(splitIdentifier(text))].filter((word) => !STOP_WORDS.has(word))
}

const NONE = new Float32Array(0)

/** A plain loop: it runs a hundred times for every word of a request. */
function nearest(rows: Uint32Array, nearness: Float32Array): number {
  let most = 0
  for (let at = 0; at < rows.length; at++) {
    const near = nearness[rows[at] ?? 0] ?? 0
    if (near > most) most = near
  }
  return most
}
