import { afterAll, beforeAll, expect, it } from 'vitest'
import { aContext } from '../../../../../test/support/service-context.ts'
import { type JsonObject, isObject } from '../../../../base/json/json.ts'
import type { OpenApiService } from '../../create-openapi-service.ts'
import { loadApi } from '../../load/load-api.ts'
import { type DemoServer, startDemoServer } from './demo/server.ts'
import type { Sheep } from './demo/sheep.ts'

let demo: DemoServer
let service: OpenApiService

beforeAll(async () => {
  demo = await startDemoServer({ animals: 1_500 })
  service = await loadApi('nsip', { config: { baseUrl: demo.url, allowPrivate: true } })
})

afterAll(async () => {
  await service.close()
  await demo[Symbol.asyncDispose]()
})

async function call(name: string, args: JsonObject): Promise<JsonObject> {
  const result = await service.handle('tools/call', { name, arguments: args }, aContext())
  return isObject(result['structuredContent']) ? result['structuredContent'] : result
}

async function read(uri: string): Promise<unknown> {
  const { contents } = await service.handle('resources/read', { uri }, aContext())
  const [first] = Array.isArray(contents) ? contents : []
  return JSON.parse(String(isObject(first) ? first['text'] : ''))
}

/** Two lambs of one sire and different dams, whose parents are otherwise unrelated founders. */
function halfSibs(): { ram: Sheep; ewe: Sheep } {
  for (const ram of demo.flock) {
    if (!ram.male || !ram.sire || ram.sire.sire || ram.dam?.sire) continue
    const ewe = ram.sire.progeny.find(
      (other) => !other.male && other.dam !== ram.dam && other.dam && !other.dam.sire,
    )
    if (ewe) return { ram, ewe }
  }
  throw new Error('no half sibs')
}

it('calculates the inbreeding of a mating from both pedigrees', async () => {
  const { ram, ewe } = halfSibs()
  expect(await call('nsip_inbreeding', { ram_lpn: ram.lpnId, ewe_lpn: ewe.lpnId })).toMatchObject({
    inbreeding_percent: 12.5,
    risk: 'high',
    common_ancestors: [ram.sire?.lpnId],
  })
})

it('pairs nobody too closely, and says whom it left out and why', async () => {
  const { ram, ewe } = halfSibs()
  const plan = { rams: [ram.lpnId], ewes: [ewe.lpnId] }
  expect(await call('nsip_mating_plan', plan)).toMatchObject({
    matings: [],
    unassigned_ewes: [ewe.lpnId],
    too_close: [{ ram: ram.lpnId, ewe: ewe.lpnId, inbreeding_percent: 12.5 }],
  })
  expect(await call('nsip_mating_plan', { ...plan, max_inbreeding_percent: 25 })).toMatchObject({
    matings: [{ ram: ram.lpnId, ewe: ewe.lpnId, inbreeding_percent: 12.5, risk: 'high' }],
    unassigned_ewes: [],
  })
})

it('ranks animals by an index with the weights that it names', async () => {
  const ids = demo.flock.slice(0, 5).map(({ lpnId }) => lpnId)
  const ranked = await call('nsip_selection_index', { lpn_ids: ids, index: 'growth_only' })
  const expected = demo.flock
    .slice(0, 5)
    .map(({ traits }) => ['WWT', 'PWWT', 'YWT'].map((name) => traits[name]?.value ?? 0))
    .map(([wwt = 0, pwwt = 0, ywt = 0]) => Math.round((wwt + 1.5 * pwwt + ywt) * 1000) / 1000)
    .toSorted((a, b) => b - a)
  expect(ranked['ranking']).toEqual(
    expected.map((score) => expect.objectContaining({ score, missing: [] })),
  )
  expect(await call('nsip_selection_index', { lpn_ids: ids, index: 'none' })).toMatchObject({
    error: { code: -32602, data: { expected: expect.stringContaining('hair') } },
  })
})

it('gives advice that depends on question and region', async () => {
  const question = 'How do I control worms?'
  const risk = async (region: string) => {
    const { guidance } = await call('shepherd_health', { question, region })
    return isObject(guidance) ? guidance['diseases'] : undefined
  }
  const parasites = { name: 'internal parasites', advice: expect.stringContaining('FAMACHA') }
  expect(await risk('southeast')).toEqual([{ ...parasites, risk: 'high' }])
  // A state and a ZIP code name a region as well.
  expect(await risk('AZ')).toEqual([{ ...parasites, risk: 'low' }])
  expect(await risk('30301')).toEqual([{ ...parasites, risk: 'high' }])
  expect(await call('shepherd_calendar', { question: 'When do I wean?' })).toMatchObject({
    guidance: { task: 'weaning' },
  })
  expect(await call('shepherd_consult', { question: 'What does a ram cost?' })).toMatchObject({
    guidance: { index: 'balanced', economics: expect.any(Object) },
  })
})

it('has the fifteen prompts of the contract, and fills them in', async () => {
  const { prompts } = await service.handle('prompts/list', {}, aContext())
  expect(prompts).toHaveLength(15)
  const get = async (args: JsonObject) =>
    service.handle('prompts/get', { name: 'selection_index', arguments: args }, aContext())
  expect(JSON.stringify(await get({ lpn_ids: 'A, B' }))).toContain('Rank A, B with')
  expect(JSON.stringify(await get({ lpn_ids: 'A', index_name: 'hair' }))).toContain('index hair')
  await expect(get({})).rejects.toThrow('needs lpn_ids')
})

it('has the resources of the contract', async () => {
  const { resources } = await service.handle('resources/list', {}, aContext())
  const { resourceTemplates } = await service.handle('resources/templates/list', {}, aContext())
  expect(
    [resources, resourceTemplates].map((all) => (Array.isArray(all) ? all.length : 0)),
  ).toEqual([5, 17])
  const { ram, ewe } = halfSibs()
  const mating = `nsip://breeding/${ram.lpnId}/${ewe.lpnId}`
  expect(await read('nsip://static/indexes/Hair')).toMatchObject({ NLW: 2, FEC: -1 })
  expect(await read('nsip://static/heritabilities')).toMatchObject({ default: { BWT: 0.3 } })
  expect(await read('nsip://static/diseases/midwest')).toHaveProperty('foot rot.risk', 'moderate')
  expect(await read(`nsip://animals/${ram.lpnId}/details`)).toMatchObject({ lpn_id: ram.lpnId })
  expect(await read(`nsip://animals/${ram.lpnId}/profile`)).toHaveProperty('lineage.sire.lpn_id')
  expect(await read(`${mating}/inbreeding`)).toMatchObject({ inbreeding_percent: 12.5 })
  expect(await read(`${mating}/recommendation`)).toMatchObject({
    recommendation: 'not advisable',
    expected: { BWT: expect.any(Number) },
  })
  await expect(read('nsip://static/nothing')).rejects.toThrow('Resource not found')
  await expect(read('nsip://static/indexes/none')).rejects.toThrow('Resource not found')
  await expect(read('nsip://animals/0000000000XXX000/details')).rejects.toThrow(/404|No animal/)
})
