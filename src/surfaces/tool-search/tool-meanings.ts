import type { Tool } from '../../gateway/upstream.ts'
import { withTimeout } from '../../base/time.ts'
import { splitIdentifier } from '../../search/analyse/split-identifier.ts'
import type { Embedder } from '../../search/embed/embedder.ts'
import { VectorIndex } from '../../search/vector/vector-index.ts'
import { toolKey } from '../../gateway/tool-ref.ts'

/** Tools near a question in meaning, nearest first. */
export type Nearest = (accept: (tool: Tool) => boolean) => readonly Tool[]

export interface ToolMeanings {
  /** Replaces the set of tools; new ones are embedded in the background. */
  update(tools: readonly Tool[]): void
  /** One ranking for each question, over the tools that are embedded by now. */
  near(questions: readonly string[]): Promise<readonly Nearest[]>
}

/** A person waits for the answer, and words alone give a good one. */
const WAIT_MS = 1500
const BATCH = 64
const RANKED = 30
const LONGEST_TEXT = 2000
/** Hits much farther than the nearest one are dropped. */
const NEAR_ENOUGH = 0.8

/** Ranks tools by what they mean, for an installation that has an embedder. */
export function createToolMeanings(embedder: Embedder): ToolMeanings {
  const known = new Map<string, Tool>()
  const waiting = new Map<string, Tool>()
  let vectors: VectorIndex | undefined
  let working = false

  async function work(): Promise<void> {
    vectors ??= new VectorIndex({ dimension: await embedder.dimension() })
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, BATCH)
      const found = await embedder.embed(
        batch.map(([, tool]) => toText(tool)),
        'document',
      )
      for (const [at, [id, tool]] of batch.entries()) {
        const vector = found[at]
        if (waiting.get(id) !== tool || !vector) continue
        waiting.delete(id)
        vectors.set(id, vector)
        known.set(id, tool)
      }
    }
  }

  function start(): void {
    if (working || waiting.size === 0) return
    working = true
    // What failed is tried again with the next question; until then ranking uses words alone.
    work()
      .catch(() => undefined)
      .finally(() => {
        working = false
      })
  }

  function forget(id: string): void {
    waiting.delete(id)
    known.delete(id)
    vectors?.delete(id)
  }

  return {
    update(tools) {
      const gone = new Set([...known.keys(), ...waiting.keys()])
      for (const tool of tools) {
        const id = toolKey(tool)
        gone.delete(id)
        const before = waiting.get(id) ?? known.get(id)
        if (before?.definition !== tool.definition) waiting.set(id, tool)
      }
      for (const id of gone) forget(id)
      start()
    },
    async near(questions) {
      start()
      const asked = await withTimeout(embedder.embed(questions, 'query'), WAIT_MS, () => {
        throw new Error(`the embedder did not answer within ${WAIT_MS} ms`)
      })
      return asked.map((vector) => (accept) => {
        const hits = vectors?.search(vector, {
          limit: RANKED,
          accept: (id) => {
            const tool = known.get(id)
            return tool !== undefined && accept(tool)
          },
        })
        const best = hits?.[0]?.score ?? 0
        return (hits ?? [])
          .filter(({ score }) => score >= best * NEAR_ENOUGH)
          .flatMap(({ id }) => known.get(id) ?? [])
      })
    },
  }
}

function toText({ server, name, definition }: Tool): string {
  const { title, description } = definition
  const about = [title, description].filter((text) => typeof text === 'string').join('. ')
  return `${splitIdentifier(name).join(' ')} (${server}): ${about}`.slice(0, LONGEST_TEXT)
}
