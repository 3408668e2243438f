import { describe, expect, it } from 'vitest'
import type { Embedder } from '../../src/search/embed/embedder.ts'
import { updateTrace } from '../../src/storage/traces/trace-rows.ts'
import { aTracesService } from './a-traces-service.ts'
import { storeTraces } from './store-traces.ts'
import { conceptEmbedder } from './test-semantic-search.ts'
import type { Fresh } from './traces-suite.ts'

const LONG =
  'First stop the scheduler and drain its queue then move every pending row to the archive table with one statement and rebuild the partial index before the workers start again because otherwise each of them locks the whole relation while planning and the outage returns within minutes of the next deployment'

/** Rewords the text: too different to be refused, too similar to be worth two traces. */
function reworded(...changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((text, [from, to]) => text.replace(from, to), LONG)
}

const REPEATED = {
  title: 'Scheduler outage after deployment',
  context_text: 'Workers hang at start.',
}

async function aService(fresh: Fresh, embedder?: Embedder) {
  const service = await aTracesService({ place: await fresh(), embedder })
  const health = async () => (await service.owner('GET', '/analytics/knowledge-health')).body
  return { service, health, author: await service.account() }
}

/** Tests the health report for the owner, over a real database of each engine. */
export function testKnowledgeHealth(engine: string, fresh: Fresh): void {
  describe(`knowledge health on ${engine}`, () => {
    it('is full marks for nothing, and for what is sound', async () => {
      const { health, author } = await aService(fresh)
      expect(await health()).toMatchObject({ score: 100, checked: 0, compared: 0 })
      await author.contribute()
      expect(await health()).toMatchObject({ score: 100, checked: 1, duplicates: [], stale: [] })
    })

    it('names what says the same once, with the one to keep first', async () => {
      const { health, author } = await aService(fresh)
      const short = await author.contribute({ ...REPEATED, solution_text: LONG, tags: [] })
      const tagged = await author.contribute({
        ...REPEATED,
        solution_text: reworded(['scheduler', 'planner'], ['archive', 'history']),
        tags: ['a', 'b', 'c'],
      })
      const best = await author.contribute({
        ...REPEATED,
        solution_text: `${reworded(['minutes', 'hours'], ['whole', 'entire'], ['partial', 'covering'])} with \`reindex\``,
        tags: ['a'],
      })
      await author.contribute()
      const { duplicates, counts, score } = await health()
      expect(duplicates).toHaveLength(1)
      expect(duplicates[0].keep).toEqual({ id: best, title: REPEATED.title })
      expect(duplicates[0].copies.map(({ id }: { id: string }) => id)).toEqual([tagged, short])
      // Two of the four could be removed.
      expect([counts.duplicates, score]).toEqual([2, 90])
    })

    it('leaves out what was replaced, and what is hidden', async () => {
      const { service, health, author } = await aService(fresh)
      const old = await author.contribute({ ...REPEATED, solution_text: LONG })
      const now = await author.contribute({
        ...REPEATED,
        solution_text: reworded(['archive', 'history']),
        supersedes_trace_id: old,
      })
      expect(await health()).toMatchObject({ counts: { duplicates: 0 }, score: 100 })
      await updateTrace(service.storage.db, old, { valid_until: null })
      expect(await health()).toMatchObject({ counts: { duplicates: 1 }, score: 90 })
      await updateTrace(service.storage.db, now, { is_flagged: 1 })
      expect(await health()).toMatchObject({ counts: { duplicates: 0, flagged: 1 }, score: 87.5 })
    })

    it('names two answers to one problem, and says how they differ', async () => {
      const { service, health, author } = await aService(fresh)
      const problem = {
        title: 'Upload of large files times out behind the proxy',
        context_text: 'Files over a hundred megabytes fail after sixty seconds with status 504.',
      }
      const one = await author.contribute({
        ...problem,
        solution_text: 'Raise proxy_read_timeout to ten minutes and reload nginx gracefully.',
        metadata_json: { environment: 'production' },
      })
      const other = await author.contribute({
        ...problem,
        solution_text: 'Never stream through it: hand out presigned addresses of the object store.',
      })
      await updateTrace(service.storage.db, one, { trust_score: 1.5 })
      const { conflicts, counts, score } = await health()
      expect([counts.conflicts, counts.duplicates, score]).toEqual([1, 0, 98.5])
      const [first, second] = conflicts[0].traces.map(({ id }: { id: string }) => id)
      expect(new Set([first, second])).toEqual(new Set([one, other]))
      const [trusted, untrusted] = first === one ? ['first', 'second'] : ['second', 'first']
      expect(conflicts[0].summary).toMatch(
        new RegExp(`Only the ${trusted} names proxy_read_timeout, gracefully`),
      )
      expect(conflicts[0].summary).toMatch(
        new RegExp(`Only the ${untrusted} names addresses, presigned`),
      )
      expect(conflicts[0].summary).toMatch(new RegExp(`The ${trusted} is trusted more`))
      expect(conflicts[0].summary).toMatch(/production/)
    })

    it('names what was written for another time, and why it thinks so', async () => {
      const { health, author } = await aService(fresh)
      const dated = await author.contribute({
        context_text: 'As of March 2023 there is no such option in the compiler.',
      })
      const young = await author.contribute()
      await author.contribute({ solution_text: 'Install react@99 and use it as of today.' })
      const { stale, score } = await health()
      const signs = new Map(
        stale.map((trace: { id: string; signs: string[] }) => [trace.id, trace.signs]),
      )
      expect(signs.get(dated)).toEqual(['says “As of March 2023”'])
      expect([signs.has(young), stale.length, score]).toEqual([false, 1, 90])
    })

    it('finds what means the same in other words, once there is an embedder', async () => {
      const { service, health, author } = await aService(fresh, conceptEmbedder())
      await author.contribute({
        title: 'A fast car',
        context_text: 'Needs an automobile today',
        solution_text: 'Ask for the quick vehicle',
      })
      await author.contribute({
        title: 'Rapid vehicle',
        context_text: 'Where would one find some',
        solution_text: 'Take that automobile instead',
      })
      await author.contribute({
        title: 'The late physician',
        context_text: 'No doctor could be found',
        solution_text: 'Call another medic please',
      })
      expect((await health()).counts.duplicates).toBe(0)
      await service.embed()
      const { duplicates } = await health()
      const titles = duplicates.flatMap(
        ({ keep, copies }: { keep: { title: string }; copies: { title: string }[] }) =>
          [keep, ...copies].map(({ title }) => title),
      )
      expect(new Set(titles)).toEqual(new Set(['A fast car', 'Rapid vehicle']))
    })

    it('compares ever more pairs as traces come in, but not their square', async () => {
      const { service, health, author } = await aService(fresh)
      await storeTraces(service, author.id, 100)
      const few = await health()
      await storeTraces(service, author.id, 300)
      const many = await health()
      expect([few.checked, many.checked]).toEqual([100, 400])
      expect(many.compared / few.compared).toBeLessThan(4.2)
      // All of them are similar, but each is compared with a limited number only.
      expect(many.compared / many.checked).toBeLessThan(130)
    })
  })
}
