import { expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { findCandidates, findMeanings } from './find-candidates.ts'

const VECTOR = Float32Array.of(1)

/** Words find `said` and `both`; of vectors, only `meant` is among the nearest. */
function someDeps(high: number, cosines: Readonly<Record<string, number>>): Deps {
  const deps = {
    index: {
      search: () => [
        { id: 'said', score: 0.5 },
        { id: 'both', score: 0.5 },
      ],
      carrying: () => () => true,
    },
    semantic: {
      nearest: async () => [{ id: 'meant', similarity: 0.6 }],
      similarities: async (_: Float32Array, ids: readonly string[]) =>
        ids.flatMap((id) => (cosines[id] === undefined ? [] : [{ id, similarity: cosines[id] }])),
      closeness: (cosine: number) => Math.min(1, cosine / high),
    },
  }
  // Only what finding candidates looks at.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return deps as unknown as Deps
}

async function relevances(deps: Deps) {
  const { candidates } = await findCandidates(deps, { queries: ['q'], tags: [], limit: 1 }, [
    VECTOR,
  ])
  return Object.fromEntries(candidates.map(({ id, relevance }) => [id, relevance]))
}

it('counts the cosine of what words found, though it is not among the nearest', async () => {
  const found = await relevances(someDeps(0.6, { both: 0.6 }))
  expect(found['both']).toBeCloseTo(0.5 / 3 + 2 / 3)
  expect(found['meant']).toBeCloseTo(2 / 3)
})

it('judges a trace without a vector by its words alone', async () => {
  expect((await relevances(someDeps(0.6, { both: 0 })))['said']).toBeCloseTo(0.5)
  expect((await relevances(someDeps(0.6, { said: 0 })))['said']).toBeCloseTo(0.5 / 3)
})

it('reads a cosine by the range that belongs to the embedder', async () => {
  const [narrow, wide] = [await relevances(someDeps(0.6, {})), await relevances(someDeps(1.2, {}))]
  expect(narrow['meant']).toBeCloseTo(2 / 3)
  expect(wide['meant']).toBeCloseTo(1 / 3)
})

it('takes a trace by the wording that it fits best', async () => {
  const query = { queries: ['q', 'other'], tags: [], limit: 1 }
  const deps = someDeps(0.6, { said: 0 })
  const { candidates } = await findCandidates(deps, query, [VECTOR, undefined])
  const relevance = candidates.find(({ id }) => id === 'said')?.relevance
  expect(relevance).toBeCloseTo(0.5)
  expect(candidates.map(({ id }) => id).toSorted()).toEqual(['both', 'meant', 'said'])
})

it('says what led to each', async () => {
  const deps = someDeps(0.6, { both: 0.6, said: 0 })
  const ask = async (meaning: Float32Array | undefined) => {
    const { candidates } = await findCandidates(deps, { queries: ['q'], tags: [], limit: 1 }, [
      meaning,
    ])
    return Object.fromEntries(candidates.map(({ id, foundBy }) => [id, foundBy]))
  }
  expect(await ask(VECTOR)).toEqual({ said: 'words', both: 'both', meant: 'meaning' })
  expect(await ask(undefined)).toEqual({ said: 'words', both: 'words' })
})

it('is degraded where the model is unusable, and not where nobody wants one', async () => {
  const query = { queries: ['q'], tags: [], limit: 1 }
  const degraded = async (modelProblem: string | undefined) => {
    const deps = { ...someDeps(0.6, {}), semantic: undefined, modelProblem }
    return (await findCandidates(deps, query, await findMeanings(deps, query))).degraded
  }
  expect(await degraded('The model file is damaged')).toBe(true)
  expect(await degraded(undefined)).toBe(false)
})
