import { afterAll, beforeAll, expect, it } from 'vitest'
import { aContext } from '../../test/support/service-context.ts'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import type { OpenApiService } from '../../src/upstreams/openapi/create-openapi-service.ts'
import { loadApi } from '../../src/upstreams/openapi/load/load-api.ts'
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

it('names the tool and the parameter of an index that it does not know', async () => {
  const { ram, ewe } = halfSibs()
  const plan = { rams: [ram.lpnId], ewes: [ewe.lpnId], goal: 'wool' }
  expect(await call('nsip_mating_plan', plan)).toMatchObject({
    error: { data: { tool: 'nsip_mating_plan', parameter: 'goal', value: 'wool' } },
  })
})

it('says that there is no resource under a URI that is badly encoded', async () => {
  const reading = service.handle('resources/read', { uri: 'nsip://static/traits/%' }, aContext())
  await expect(reading).rejects.toThrow(/not found/i)
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
  const weights = { wwt: 1, PWWT: 1.5, YWT: 1 }
  expect(await call('nsip_selection_index', { lpn_ids: ids, weights })).toEqual({
    ...ranked,
    index: 'own weights',
  })
  expect(ranked).toHaveProperty(
    'ranking',
    [10, 25, null, null, null].map((top) => expect.objectContaining({ top_percent: top })),
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
  const vaccination = { question: 'What next?', task_type: 'vaccination' }
  expect(await call('shepherd_calendar', vaccination)).toMatchObject({
    guidance: { task: 'health' },
  })
  expect(await call('shepherd_consult', { question: 'What does a ram cost?' })).toMatchObject({
    guidance: { index: 'balanced', economics: expect.any(Object) },
  })
})

it('refuses a region that nobody knows, with the code of the contract', async () => {
  const asked = { question: 'How do I control worms?', region: 'atlantis' }
  expect(await call('shepherd_health', asked)).toMatchObject({
    error: {
      code: -32008,
      data: { parameter: 'region', expected: expect.stringContaining('midwest') },
    },
  })
  expect(await call('shepherd_consult', { ...asked, region: '' })).toHaveProperty('guidance')
})

it('analyses a flock given by ids, by a CSV file or by its id', async () => {
  const ids = demo.flock.slice(0, 3).map(({ lpnId }) => lpnId)
  const byIds = await call('nsip_analyze_flock', { lpn_ids: ids, index: 'growth_only' })
  expect(byIds).toMatchObject({ animals: [{ rank: 1 }, { rank: 2 }, { rank: 3 }] })
  const csv = `Name;Animal ID\nBella;${ids[0]}\nAda;${ids[1]}\nCleo;${ids[2]}\n?;0000000000XXX000\n`
  expect(await call('nsip_analyze_flock', { csv, index: 'growth_only' })).toEqual({
    ...byIds,
    not_found: ['0000000000XXX000'],
  })
  const own = demo.flock.filter(({ lpnId }) => lpnId.slice(3, 7) === '1492')
  expect(await call('nsip_analyze_flock', { flock_id: '1492' })).toMatchObject({
    statistics: { count: Math.min(100, own.length) },
  })
  expect(await call('nsip_analyze_flock', { csv: 'name\nBella\n' })).toMatchObject({
    error: { code: -32602, message: 'No animals are named' },
  })
})

it('compares sires by the averages of all their offspring', async () => {
  const sires = demo.flock.filter(({ male, progeny }) => male && progeny.length > 2).slice(0, 2)
  const { sires: compared } = await call('nsip_compare_sires', {
    sires: sires.map(({ lpnId }) => lpnId),
    index: 'growth_only',
  })
  const expected = sires.map(({ lpnId, progeny }) => {
    const values = progeny.flatMap(({ traits }) => traits['WWT']?.value ?? [])
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const averages = expect.objectContaining({ WWT: expect.closeTo(mean, 2) })
    return expect.objectContaining({ sire: lpnId, offspring: progeny.length, averages })
  })
  expect(compared).toHaveLength(2)
  expect(compared).toEqual(expect.arrayContaining(expected))
})

it('explains the pedigree and plans the trait of an animal that the API knows', async () => {
  const { ram } = halfSibs()
  expect(await call('nsip_ancestry', { lpn_id: ram.lpnId })).toMatchObject({
    generations: [{ ancestors: [ram.sire?.lpnId, ram.dam?.lpnId] }],
    diversity: 1,
  })
  const goal = { current_average: 1, target_value: 2, standard_deviation: 2 }
  expect(await call('nsip_trait_plan', { trait: 'wwt', ...goal })).toMatchObject({
    heritability: 0.25,
    generations_needed: 2,
    years: 6,
  })
  expect(await call('nsip_trait_plan', { trait: 'XYZ', ...goal })).toMatchObject({
    error: { code: -32602, data: { expected: expect.stringContaining('NLW') } },
  })
})

it.each([
  [
    {
      calculation: 'breakeven',
      numbers: { cost_per_ewe: 150, lambs_per_ewe: 1.5, weight_per_lamb: 50 },
    },
    { price_per_lamb: 100, price_per_unit_of_weight: 2 },
  ],
  [
    {
      calculation: 'ram_roi',
      numbers: { price: 1000, extra_value_per_lamb: 10, lambs_per_year: 45, years: 4 },
    },
    { gain: 1800, salvage: 200, net: 1000, roi_percent: 100 },
  ],
  [
    {
      calculation: 'profitability',
      numbers: { ewes: 50, lambs_per_ewe: 1.6, price_per_lamb: 120, cost_per_ewe: 140 },
    },
    { revenue: 9600, cost: 7000, profit: 2600, profit_per_ewe: 52 },
  ],
  [
    {
      calculation: 'marketing',
      numbers: { lambs: 10 },
      channels: { auction: { price: 100, cost: 5 }, direct: { price: 140, cost: 30 } },
    },
    { best: 'direct', channels: [{ net: 1100 }, { net: 950 }] },
  ],
  [
    { calculation: 'breeding_dates', date: '2026-10-01' },
    { lambing_begins: '2027-02-25', to_lamb_on_that_day_rams_in: '2026-05-07' },
  ],
  [
    { calculation: 'vaccination', date: '2027-03-01' },
    { ewes_cdt: '2027-02-01', lambs_cdt_from: '2027-04-12' },
  ],
  [
    { calculation: 'parasite_risk', numbers: { month: 7 }, region: 'GA' },
    { region: 'southeast', in_season: true, risk: 'high' },
  ],
  [
    { calculation: 'parasite_risk', numbers: { month: 1 }, region: 'GA' },
    { in_season: false, risk: 'moderate' },
  ],
])('calculates %o', async (args, result) => {
  expect(await call('shepherd_calculate', args)).toMatchObject({ result })
})

it('says which numbers a calculation still needs', async () => {
  const args = { calculation: 'breakeven', numbers: { cost_per_ewe: 1 } }
  expect(await call('shepherd_calculate', args)).toMatchObject({
    error: {
      code: -32602,
      message: 'The calculation needs numbers.lambs_per_ewe, numbers.weight_per_lamb',
    },
  })
})

it('measures prompts and resources, and counts what it knows', async () => {
  const fresh = await loadApi('nsip', { config: { baseUrl: demo.url, allowPrivate: true } })
  const health = async () => {
    const params = { name: 'get_server_health', arguments: {} }
    return (await fresh.handle('tools/call', params, aContext()))['structuredContent']
  }
  expect(await health()).toMatchObject({
    prompts: { count: 0, success_rate_percent: null },
    success_criteria: { 'SC-008 resource <2 s': null, 'SC-009 prompts >=90 %': null },
  })
  await fresh.handle('resources/read', { uri: 'nsip://static/traits' }, aContext())
  const prompt = { name: 'ancestry', arguments: { lpn_id: 'A' } }
  await fresh.handle('prompts/get', prompt, aContext())
  await expect(fresh.handle('prompts/get', { name: 'ancestry' }, aContext())).rejects.toThrow(
    'needs lpn_id',
  )
  expect(await health()).toMatchObject({
    resources: { count: 1, failed: 0, success_rate_percent: 100 },
    prompts: { count: 2, failed: 1, success_rate_percent: 50 },
    knowledge_base: { indexes: 8, regions: 6, diseases: 8, nutrition: 9 },
    success_criteria: { 'SC-008 resource <2 s': true, 'SC-009 prompts >=90 %': false },
  })
  await fresh.close()
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
