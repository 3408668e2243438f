import { messageOf } from '../../base/errors.ts'
import { withTimeout } from '../../base/flow/time.ts'
import type { Tool } from '../../gateway/upstream.ts'
import type { Embedder } from '../../search/embed/embedder.ts'
import { type WeightedText, meaningTexts, wholeText } from './tool-text.ts'
import type { Nearness, ToolVectors } from './tool-vectors.ts'

export interface ToolMeanings {
  /** Replaces the set of tools; nothing is embedded before the first question. */
  update(tools: readonly Tool[]): void
  near(requests: readonly string[]): Promise<Meanings>
  /** The model that ranked the last answer, and why it was not another; for the status. */
  readonly state: MeaningState
}

/** Nearness for each request; only words count for a request without it. */
export interface Meanings {
  readonly nearness?: readonly (Nearness | undefined)[]
  readonly note?: string
}

export interface MeaningState {
  readonly model: string | undefined
  readonly problem?: string
}

export interface ToolMeaningsOptions {
  /** The built-in model, opened with the first question; undefined if only words are wanted. */
  readonly own?: () => Promise<Embedder>
  /** Another model, which replaces it while it answers. */
  readonly other?: () => Promise<Embedder>
}

/** A person waits for the answer, and the built-in vectors give a good one. */
const WAIT_MS = 1500

/** Ranks tools by meaning: with the configured embedder, else with the built-in model. */
export function createToolMeanings(options: ToolMeaningsOptions): ToolMeanings {
  const own = lazyVectors(options.own, meaningTexts)
  const other = lazyVectors(options.other, wholeText)
  let state: MeaningState = { model: undefined }

  /** Throws if the embedder does not answer, or does not know every tool yet. */
  async function askOther(
    requests: readonly string[],
  ): Promise<readonly (Nearness | undefined)[] | undefined> {
    const opened = await other.open()
    if (!opened) return undefined
    if (!opened.vectors.isComplete) {
      opened.vectors.complete().catch(() => undefined)
      throw new Error('its vectors of the tools are not complete yet')
    }
    const answer = await withTimeout(opened.vectors.near(requests), WAIT_MS, () => {
      throw new Error(`it did not answer within ${WAIT_MS} ms`)
    })
    state = { model: opened.model }
    return answer
  }

  async function askOwn(
    requests: readonly string[],
  ): Promise<readonly (Nearness | undefined)[] | undefined> {
    const opened = await own.open()
    if (!opened) return undefined
    await opened.vectors.complete()
    state = { model: opened.model }
    return opened.vectors.near(requests)
  }

  return {
    get state() {
      return state
    },
    update(tools) {
      own.update(tools)
      other.update(tools)
    },
    async near(requests) {
      let problem: string | undefined
      for (const ask of [askOther, askOwn]) {
        try {
          const nearness = await ask(requests)
          if (!nearness) continue
          if (problem === undefined) return { nearness }
          state = { ...state, problem }
          return { nearness, note: `Ranked with the built-in model: ${problem}.` }
        } catch (error) {
          problem = `${ask === askOther ? 'the configured embedder cannot be used' : 'there are no vectors'}: ${messageOf(error)}`
        }
      }
      state = { model: undefined, ...(problem !== undefined && { problem }) }
      return problem === undefined ? {} : { note: `Ranked by words alone: ${problem}.` }
    },
  }
}

/** Vectors whose embedder is opened with the first question, and retried if that failed. */
function lazyVectors(
  open: (() => Promise<Embedder>) | undefined,
  textsOf: (tool: Tool) => readonly WeightedText[],
) {
  let tools: readonly Tool[] = []
  let opened: Opened | undefined
  let opening: Promise<Opened> | undefined

  async function start(from: () => Promise<Embedder>): Promise<Opened> {
    // Loaded with the first question, like the model, since the start needs neither.
    const { ToolVectors: Vectors } = await import('./tool-vectors.ts')
    const embedder = await from()
    opened = { vectors: new Vectors(embedder, textsOf), model: embedder.identity }
    // Those of now: servers may have listed others meanwhile.
    opened.vectors.update(tools)
    return opened
  }

  return {
    update(now: readonly Tool[]) {
      tools = now
      opened?.vectors.update(now)
    },
    async open(): Promise<Opened | undefined> {
      if (opened || !open) return opened
      opening ??= start(open).finally(() => {
        opening = undefined
      })
      return opening
    },
  }
}

interface Opened {
  readonly vectors: ToolVectors
  readonly model: string
}
