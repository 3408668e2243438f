import type { Tool } from '../../gateway/upstream.ts'
import { contentWords } from '../../search/analyse/stop-words.ts'
import type { WordComparison, WordModel } from '../../search/embed/static/word-model.ts'
import { type ToolAction, actionFit, objectOf, toolAction } from './action.ts'
import { isQuestion, verbOf, withoutPoliteWords } from './read-request.ts'
import { synonymsOf } from './tool-synonyms.ts'
import { nameInWords, plainText, subjectText } from './tool-text.ts'

/** How well the words of a request and of a tool match; each value is 0..1. */
export interface WordNearness {
  /** The share of the request that the tool has words for. */
  readonly said: number
  /** The share of the tool's name in the request: `navigate_back` does more than was asked. */
  readonly named: number
  /** Nearness of the request's verb to a word of the tool's name; 0 without a verb. */
  readonly does: number
  /** The share of the thing itself, without what the request says about it, that the tool is about. */
  readonly object: number
  /** Whether its action is the one that is asked for: positive or negative, less in long requests. */
  readonly acts: number
  /** The share of these words, all of the tool's name, that the request asks for. */
  readonly asks: (words: readonly string[]) => number
}

interface ToolWordNumbers {
  readonly text: Uint16Array
  readonly name: Uint16Array
  readonly subject: Uint16Array
  readonly action: ToolAction
}

/** The first verb of a request with more words than this says ever less about all of it. */
const CLEAR_WORDS = 4

/** From this nearness, a word of a tool may stand for a word of a subject. */
const SAME_SUBJECT = 0.35

/** The words of all tools, and how rare each is among them. */
export class ToolVocabulary {
  readonly #model: WordModel
  /** The number of tools that have each word. */
  readonly #counts = new Map<number, number>()
  readonly #tools = new Map<string, ToolWordNumbers>()
  /** The tools about each subject that was asked for since the tools changed. */
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
      action: toolAction(tool),
    })
    this.#count(text, 1)
  }

  delete(id: string): void {
    this.#count(this.#tools.get(id)?.text ?? [], -1)
    this.#tools.delete(id)
    this.#known.clear()
  }

  /** Returns tools whose name, server or first sentence has words near to all of a subject's. */
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

  /** Returns nearness by tool; undefined for an unknown tool or a request without words. */
  near(request: string): (id: string) => WordNearness | undefined {
    const words = contentWords(request)
    const question = this.#compare(words)
    const verb = this.#compare(verbOf(request))
    const object = this.#numbersOf(contentWords(objectOf(request)))
    const actionOf = actionFit(isQuestion(request) ? 'list' : withoutPoliteWords(request))
    const clarity = Math.min(1, CLEAR_WORDS / words.length)
    return (id) => {
      const tool = this.#tools.get(id)
      if (!tool || words.length === 0) return undefined
      return {
        said: question.said(tool.text),
        named: question.asked(tool.name),
        does: verb.said(tool.name),
        object: question.said(tool.subject, object),
        acts: clarity * actionOf(tool.action),
        asks: (some) => question.asked(this.#numbersOf(some)),
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
