import { describe, expect, it } from 'vitest'
import type { Embedder } from '../../src/search/embed/embedder.ts'
import { aTrace } from './traces-client.ts'
import { type Fresh, tracesSuite } from './traces-suite.ts'

/** Groups of words with the same meaning, as a minimal model. */
const CONCEPTS = [
  ['car', 'automobile', 'vehicle'],
  ['doctor', 'physician', 'medic'],
  ['error', 'failure', 'fault'],
  ['fast', 'quick', 'rapid'],
]

export function conceptEmbedder(): Embedder & { isOut: boolean; hangs: boolean } {
  return {
    identity: 'concepts-1',
    isOut: false,
    hangs: false,
    dimension: async () => CONCEPTS.length + 1,
    async embed(texts) {
      if (this.isOut) throw new Error('connect ECONNREFUSED')
      if (this.hangs) await new Promise(() => undefined)
      return texts.map((text) => {
        const words = new Set(text.toLowerCase().match(/[a-z]+/g))
        const vector = [
          ...CONCEPTS.map((concept) => (concept.some((word) => words.has(word)) ? 1 : 0)),
          0.05,
        ]
        const length = Math.hypot(...vector)
        return Float32Array.from(vector, (value) => value / length)
      })
    },
    close: async () => {},
  }
}

/** Tests search by meaning, over vectors in a real database of each engine. */
export function testSemanticSearch(engine: string, fresh?: Fresh): void {
  describe(`semantic search on ${engine}`, () => {
    const embedder = conceptEmbedder()
    const on = tracesSuite(fresh, { embedder })
    const titles = async (q: string, tags: string[] = []) => {
      const { body } = await on.author.post('/traces/search', { q, tags })
      return {
        degraded: body.degraded,
        titles: body.results.map(({ title }: { title: string }) => title),
      }
    }

    const search = async (q: string, also: string[] = []) => {
      const { body } = await on.author.post('/traces/search', { q, also })
      return body.results.map(({ title, weak }: { title: string; weak?: true }) => [title, weak])
    }

    it('finds what is said in other words, once it is embedded', async () => {
      await on.author.post(
        '/traces',
        aTrace({ title: 'The automobile would not start', tags: ['garage'] }),
      )
      await on.author.post(
        '/traces',
        aTrace({ title: 'A physician was late again', tags: ['clinic'] }),
      )
      expect((await titles('my car')).titles).toEqual([])
      expect(await on.service.embed()).toBe(2)
      expect(await on.service.embed()).toBe(0)
      expect(await titles('my car')).toEqual({
        degraded: false,
        titles: ['The automobile would not start'],
      })
      expect((await titles('medic', ['garage'])).titles).toEqual([])
    })

    it('shows the nearest as weak rather than nothing, and nothing if all is far', async () => {
      const far = 'The automobile would not start'
      expect(await search('zyxw vutsr')).toEqual([])
      expect(await search('start qwerty')).toEqual([[far, true]])
      expect(await search('zyxw vutsr', ['the automobile would not start'])).toContainEqual([
        far,
        undefined,
      ])
    })

    it('embeds again what an amendment has changed', async () => {
      const { body } = await on.author.post(
        '/traces',
        aTrace({ title: 'Grumble about nothing', tags: ['later'] }),
      )
      await on.service.embed()
      const other = await on.service.account()
      const amendment = await other.post(`/traces/${body.id}/amendments`, {
        improved_solution: 'Make it rapid and small.',
        explanation: 'Speed.',
      })
      await on.author.post(`/amendments/${amendment.body.id}/decision`, { decision: 'apply' })
      expect(await on.service.embed()).toBe(1)
      expect((await titles('quick')).titles).toEqual(['Grumble about nothing'])
    })

    it('says so when the embedder is out, and still answers by words', async () => {
      embedder.isOut = true
      const answer = await titles('automobile')
      expect(answer).toEqual({ degraded: true, titles: ['The automobile would not start'] })
      await expect(on.service.embed()).resolves.toBe(0)
      await on.author.post('/traces', aTrace({ title: 'Another vehicle stood still' }))
      await expect(on.service.embed()).rejects.toThrow('ECONNREFUSED')
      embedder.isOut = false
      expect(await on.service.embed()).toBe(1)
      expect((await titles('car')).titles).toHaveLength(2)
    })

    it('finds by meaning among the tagged, however many others are nearer', async () => {
      for (let n = 0; n < 60; n += 1)
        await on.author.post('/traces', aTrace({ title: `A fault ${n}` }))
      await on.author.post(
        '/traces',
        aTrace({ title: 'One quick failure among many', tags: ['needle', 'rare'] }),
      )
      while ((await on.service.embed()) > 0);
      expect((await titles('error', ['rare', 'needle'])).titles).toEqual([
        'One quick failure among many',
      ])
    })

    it('forgets the vectors of what was deleted', async () => {
      const { body } = await on.author.post('/traces', aTrace({ title: 'A rapid medic' }))
      await on.service.embed()
      expect((await titles('fast doctor')).titles[0]).toBe('A rapid medic')
      const moderator = await on.service.account({ moderator: true })
      await moderator.delete(`/moderation/traces/${body.id}`)
      expect((await titles('fast doctor')).titles).not.toContain('A rapid medic')
    })
  })
}
