import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Embedder } from './embedder.ts'
import { QueryEmbedder } from './query-embedder.ts'

const NEVER = new Promise<never>(() => undefined)
const VECTOR = Float32Array.of(1, 0)

function anEmbedder(answer: () => Promise<Float32Array[]>) {
  const asked: string[] = []
  const embedder: Embedder = {
    identity: 'test',
    dimension: async () => 2,
    embed: async (texts) => {
      asked.push(...texts)
      return answer()
    },
    close: async () => {},
  }
  return { embedder, asked }
}

describe('the embedder of queries', () => {
  it('gives the vector of a query', async () => {
    const { embedder } = anEmbedder(async () => [VECTOR])
    expect(await new QueryEmbedder(embedder, { budgetMs: 1000 }).vectorOf('q')).toBe(VECTOR)
  })

  it.each([
    ['hangs', async () => NEVER],
    ['fails', async () => Promise.reject(new Error('connect ECONNREFUSED'))],
  ])('gives up on an embedder that %s, and soon does not ask it', async (_, answer) => {
    const { embedder, asked } = anEmbedder(answer)
    const queries = new QueryEmbedder(embedder, { budgetMs: 20 })
    for (const query of ['a', 'b', 'c', 'd']) expect(await queries.vectorOf(query)).toBeUndefined()
    expect(asked).toEqual(['a', 'b'])
  })

  it('does not blame the embedder for one late answer', async () => {
    let calls = 0
    const { embedder } = anEmbedder(async () => (++calls === 2 ? NEVER : [VECTOR]))
    const queries = new QueryEmbedder(embedder, { budgetMs: 100 })
    const answers = []
    for (let n = 0; n < 4; n++) answers.push(await queries.vectorOf('q'))
    expect(answers).toEqual([VECTOR, undefined, VECTOR, VECTOR])
  })

  it('takes half of what its caller has left, which says nothing about the embedder', async () => {
    const { embedder, asked } = anEmbedder(async () => NEVER)
    const queries = new QueryEmbedder(embedder, { budgetMs: 60_000 })
    for (let n = 0; n < 5; n++) expect(await queries.vectorOf('q', 20)).toBeUndefined()
    expect(asked).toHaveLength(5)
  })

  it('says why searches do without it, once, and when it answers again', async () => {
    let isOut = true
    const { embedder } = anEmbedder(async () => {
      if (isOut) throw new Error('connect ECONNREFUSED')
      return [VECTOR]
    })
    const said: string[] = []
    const queries = new QueryEmbedder(embedder, {
      budgetMs: 1000,
      circuit: { failures: 2, openMs: 1 },
      report: (text) => said.push(text),
    })
    for (let n = 0; n < 5; n++) {
      await queries.vectorOf('q')
      await sleep(5)
    }
    expect(said).toEqual([expect.stringMatching(/by words alone: connect ECONNREFUSED$/)])
    isOut = false
    await queries.vectorOf('q')
    expect(said.slice(1)).toEqual([expect.stringContaining('answers again')])
  })

  it('asks again after a while', async () => {
    let isOut = true
    const { embedder, asked } = anEmbedder(async () => (isOut ? NEVER : [VECTOR]))
    const circuit = { failures: 1, openMs: 50 }
    const queries = new QueryEmbedder(embedder, { budgetMs: 20, circuit })
    await queries.vectorOf('q')
    isOut = false
    expect(await queries.vectorOf('q')).toBeUndefined()
    expect(asked).toHaveLength(1)
    await sleep(60)
    expect(await queries.vectorOf('q')).toBe(VECTOR)
  })
})
