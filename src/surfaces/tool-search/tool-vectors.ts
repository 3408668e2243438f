import type { Tool } from '../../gateway/upstream.ts'
import { toolKey } from '../../gateway/tools/tool-ref.ts'
import { type Embedder, nearness } from '../../search/embed/embedder.ts'
import { unitVector } from '../../search/embed/unit-vector.ts'
import { VectorIndex } from '../../search/vector/vector-index.ts'
import { SUBJECTS } from './product-purposes.ts'
import { sentencesOf } from './read-request.ts'
import type { WeightedText } from './tool-text.ts'
import { ToolVocabulary, type WordNearness } from './tool-vocabulary.ts'

/** The nearness of tools, by their keys, to a request. */
export interface Nearness {
  /** Nearness as a whole: 0 or less is unrelated, 1 or more the same. */
  readonly whole: (tool: string) => number
  /** The tools that are nearer as a whole than the least value, which may rise meanwhile. */
  readonly above: (least: () => number) => Iterable<string>
  /** Nearness to subjects of other software and of none of these tools; absent if unknown. */
  readonly elsewhere?: (isSeen: (tool: string) => boolean) => number
  /** Nearness word by word, if the model has vectors of single words. */
  readonly words?: (tool: string) => WordNearness | undefined
}

const BATCH = 64
/** One sentence of a request says less than the whole. */
const SENTENCE_WEIGHT = 0.85
/** Subjects with less nearness than this do not count against any tool. */
const MIN_ELSEWHERE = 0.4

/** The vectors of all tools by one embedder; each is kept until the tool's definition changes. */
export class ToolVectors {
  readonly #embedder: Embedder
  readonly #textsOf: (tool: Tool) => readonly WeightedText[]
  readonly #known = new Map<string, Tool>()
  readonly #waiting = new Map<string, Tool>()
  readonly #vocabulary: ToolVocabulary | undefined
  #index: VectorIndex | undefined
  #subjects: VectorIndex | undefined
  #working: Promise<void> | undefined

  constructor(embedder: Embedder, textsOf: (tool: Tool) => readonly WeightedText[]) {
    this.#embedder = embedder
    this.#textsOf = textsOf
    this.#vocabulary = embedder.words && new ToolVocabulary(embedder.words)
  }

  /** Whether every tool has its vector; until then, tools without one would lose to the others. */
  get isComplete(): boolean {
    return this.#waiting.size === 0
  }

  update(tools: readonly Tool[]): void {
    const gone = new Set([...this.#known.keys(), ...this.#waiting.keys()])
    for (const tool of tools) {
      const id = toolKey(tool)
      gone.delete(id)
      const before = this.#waiting.get(id) ?? this.#known.get(id)
      if (before?.definition !== tool.definition) this.#waiting.set(id, tool)
    }
    for (const id of gone) {
      this.#waiting.delete(id)
      this.#known.delete(id)
      this.#index?.delete(id)
      this.#vocabulary?.delete(id)
    }
  }

  /** Embeds tools without a vector; concurrent callers share the work. */
  async complete(): Promise<void> {
    this.#working ??= this.#embedWaiting().finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  /**
   * Returns one result per request; a request of several sentences is near if one of them is.
   * Undefined for a request of which the model knows no word, such as one in another script.
   */
  async near(requests: readonly string[]): Promise<(Nearness | undefined)[]> {
    const sentences = requests.map((request) => sentencesOf(request))
    const vectors = await this.#embedder.embed([...requests, ...sentences.flat()], 'query')
    let next = requests.length
    return requests.map((request, at) => {
      const parts = (sentences[at] ?? []).map(() => vectors[next++])
      if (vectors[at]?.every((value) => value === 0)) return undefined
      const whole = this.#nearnessTo(vectors[at], parts)
      const vocabulary = this.#vocabulary
      if (!vocabulary) return whole
      const subjects = this.#subjectsNear(vectors[at])
      return {
        ...whole,
        words: vocabulary.near(request),
        elsewhere: (isSeen) =>
          subjects.find(({ subject }) => !vocabulary.about(subject).some(isSeen))?.near ?? 0,
      }
    })
  }

  #subjectsNear(request: Float32Array | undefined) {
    const cosines = (request && this.#subjects?.cosines(request)) ?? NONE
    return Array.from(cosines, (cosine, row) => ({
      subject: SUBJECTS[row] ?? '',
      near: nearness(cosine, this.#embedder),
    }))
      .filter(({ near }) => near >= MIN_ELSEWHERE)
      .toSorted((one, other) => other.near - one.near)
  }

  #nearnessTo(
    whole: Float32Array | undefined,
    sentences: readonly (Float32Array | undefined)[],
  ): Pick<Nearness, 'whole' | 'above'> {
    const index = this.#index
    if (!index || !whole) return { whole: () => 0, above: () => [] }
    const best = index.cosines(whole)
    for (const sentence of sentences) {
      const cosines = sentence ? index.cosines(sentence) : NONE
      for (let row = 0; row < cosines.length; row++)
        best[row] = Math.max(best[row] ?? 0, SENTENCE_WEIGHT * (cosines[row] ?? 0))
    }
    for (let row = 0; row < best.length; row++) best[row] = nearness(best[row] ?? 0, this.#embedder)
    return {
      whole: (tool) => best[index.rowOf(tool) ?? -1] ?? 0,
      *above(least) {
        for (let row = 0; row < best.length; row++)
          if ((best[row] ?? 0) > least()) yield index.idAt(row) ?? ''
      },
    }
  }

  async #indexOf(texts: readonly string[]): Promise<VectorIndex> {
    const index = new VectorIndex({ dimension: await this.#embedder.dimension() })
    const vectors = await this.#embedder.embed(texts, 'document')
    for (const [at, vector] of vectors.entries()) index.set(texts[at] ?? '', vector)
    return index
  }

  async #embedWaiting(): Promise<void> {
    this.#index ??= new VectorIndex({ dimension: await this.#embedder.dimension() })
    if (this.#vocabulary) this.#subjects ??= await this.#indexOf(SUBJECTS)
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, BATCH)
      const texts = batch.map(([, tool]) => this.#textsOf(tool))
      const vectors = await this.#embedder.embed(
        texts.flatMap((parts) => parts.map(([text]) => text)),
        'document',
      )
      let next = 0
      for (const [at, [id, tool]] of batch.entries()) {
        const parts = (texts[at] ?? []).map(([, weight]) => [vectors[next++], weight] as const)
        // A newer definition may have arrived meanwhile.
        if (this.#waiting.get(id) !== tool) continue
        this.#waiting.delete(id)
        this.#index.set(id, sumOf(parts))
        this.#vocabulary?.set(id, tool)
        this.#known.set(id, tool)
      }
    }
  }
}

const NONE = new Float32Array(0)

function sumOf(parts: readonly (readonly [Float32Array | undefined, number])[]): Float32Array {
  const sum = new Float32Array(parts[0]?.[0]?.length ?? 0)
  for (const [vector, weight] of parts)
    for (let axis = 0; axis < sum.length; axis++)
      sum[axis] = (sum[axis] ?? 0) + weight * (vector?.[axis] ?? 0)
  return unitVector(sum)
}
