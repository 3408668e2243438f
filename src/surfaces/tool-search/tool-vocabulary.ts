import type { Tool } from '../../gateway/upstream.ts'
import { contentWords } from '../../search/analyse/stop-words.ts'
import type { WordComparison, WordModel } from '../../search/embed/static/word-model.ts'
import { verbOf } from './read-request.ts'
import { synonymsOf } from './tool-synonyms.ts'
import { nameInWords, plainText, subjectText } from './tool-text.ts'

/** How well the words of a request and those of a tool answer each other; each 0..1. */
export interface WordNearness {
  /** The part of the request that the tool has words for. */
  readonly said: number
  /** The part of the tool's name that the request has words for: `navigate_back` does more than was asked. */
  readonly named: number
  /** How near what the request wants done is to a word of the tool's name; 0 where it does not say. */
  readonly does: number
}

interface ToolWordNumbers {
  readonly text: Uint16Array
  readonly name: Uint16Array
  readonly subject: Uint16Array
}

/** A word of a tool this near to one of a subject may stand for it. */
const SAME_SUBJECT = 0.35

/** The words of all tools, and how rare each is among them. */
export class ToolVocabulary {
  readonly #model: WordModel
  /** In how many tools each word is. */
  readonly #counts = new Map<number, number>()
  readonly #tools = new Map<string, ToolWordNumbers>()
  /** The tools about a subject, as far as it was asked since the tools changed. */
  readonly #known = new Map<string, readonly string[]>()

  constructor(model: WordModel) {
    this.#model = model
  }

  set(id: string, tool: Tool): void {
    this.delete(id)
    const text = this.#numbersOf(contentWords(plainText(tool)))
    this.#tools.set(id, {
      text,
      name: this.#numbersOf(contentWords(nameInWords(tool))),
      subject: this.#numbersOf(contentWords(subjectText(tool))),
    })
    this.#count(text, 1)
  }

  delete(id: string): void {
    this.#count(this.#tools.get(id)?.text ?? [], -1)
    this.#tools.delete(id)
    this.#known.clear()
  }

  /** The tools about it: with words near to all of its words in their name, their server's or their first sentence. */
  about(subject: string): readonly string[] {
    const known = this.#known.get(subject) ?? this.#covering(contentWords(subject))
    this.#known.set(subject, known)
    return known
  }

  #covering(words: readonly string[]): string[] {
    const comparisons = words.map((word) => this.#compare([word]))
    return [...this.#tools]
      .filter(([, tool]) => comparisons.every((word) => word.said(tool.subject) >= SAME_SUBJECT))
      .map(([id]) => id)
  }

  /** Undefined for a request without words, or for a tool that is not known. */
  near(request: string): (id: string) => WordNearness | undefined {
    const words = contentWords(request)
    const question = this.#compare(words)
    const verb = this.#compare(verbOf(request))
    return (id) => {
      const tool = this.#tools.get(id)
      if (!tool || words.length === 0) return undefined
      return {
        said: question.said(tool.text),
        named: question.asked(tool.name),
        does: verb.said(tool.name),
      }
    }
  }

  #compare(words: readonly string[]): WordComparison {
    const synonyms = new Map(
      words.map((word) => [this.#numbersOf([word])[0] ?? -1, this.#numbersOf(synonymsOf(word))]),
    )
    // A word that many tools have says little about any of them.
    const weightOf = (word: number) =>
      Math.log(1 + this.#tools.size / (1 + (this.#counts.get(word) ?? 0)))
    return this.#model.compare(this.#numbersOf(words), { synonyms, weightOf })
  }

  #count(words: Iterable<number>, change: number): void {
    for (const word of words) this.#counts.set(word, (this.#counts.get(word) ?? 0) + change)
  }

  #numbersOf(words: readonly string[]): Uint16Array {
    return this.#model.wordsOf(words.join(' '))
  }
}
