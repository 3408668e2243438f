import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCall, anUpstream } from '../../test/support/a-call.ts'
import { aContext } from '../../test/support/service-context.ts'
import { GatewayError } from '../../src/gateway/errors.ts'
import { createPolicy } from '../../src/gateway/agents/policy.ts'
import { validate } from '../../src/gateway/layers/validate.ts'
import type { Tool } from '../../src/gateway/upstream.ts'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { toToolError } from '../../src/surfaces/failure.ts'
import type { ApiConfigInput } from '../../src/upstreams/openapi/load/api-config.ts'
import type { OpenApiService } from '../../src/upstreams/openapi/create-openapi-service.ts'
import { loadApi } from '../../src/upstreams/openapi/load/load-api.ts'
import { type DemoServer, type DemoServerOptions, startDemoServer } from './demo/server.ts'

const EWE = '6401492020FLE249'
const RAM = '6402382024NCS310'

async function anNsip(demo: DemoServer, config: Partial<ApiConfigInput> = {}) {
  return loadApi('nsip', {
    config: { baseUrl: demo.url, allowPrivate: true, backoffMs: 1, ...config },
  })
}

/** As the gateway calls it: arguments are checked before they reach the service. */
async function call(service: OpenApiService, name: string, args: JsonObject = {}) {
  const result = await validate(createPolicy(undefined))(async ({ params }) =>
    service.handle('tools/call', params, aContext()),
  )(
    aCall({
      tool: await toolOf(service, name),
      upstream: anUpstream({ inProcess: { rules: (tool) => service.rules(tool) } }),
      params: { name, arguments: args },
    }),
  ).catch((error: unknown) => {
    if (error instanceof GatewayError && error.code === 'INVALID_PARAMS') return toToolError(error)
    throw error
  })
  const content = isObject(result['structuredContent']) ? result['structuredContent'] : result
  const { error } = content
  return isObject(error) ? { ...error, isError: result['isError'] } : content
}

async function toolOf(service: OpenApiService, name: string): Promise<Tool> {
  const { tools } = await service.handle('tools/list', {}, aContext())
  const all: JsonObject[] = Array.isArray(tools) ? tools : []
  const definition = all.find((tool) => tool['name'] === name) ?? {}
  return { server: 'nsip', name, definition, readOnly: true }
}

/** An NSIP that goes with the test. */
async function aShortNsip(options: DemoServerOptions, config: Partial<ApiConfigInput> = {}) {
  const demo = await startDemoServer({ animals: 200, ...options })
  const service = await anNsip(demo, config)
  return {
    demo,
    service,
    async [Symbol.asyncDispose]() {
      await service.close()
      await demo[Symbol.asyncDispose]()
    },
  }
}

it('offers the tools of the contract in about two and a half thousand tokens', async () => {
  await using nsip = await aShortNsip({})
  const { tools } = await nsip.service.handle('tools/list', {}, aContext())
  const names = Array.isArray(tools) ? tools.map((tool: JsonObject) => tool['name']) : []
  expect(names.join(' ')).toBe(
    'nsip_get_last_update nsip_list_breeds nsip_get_statuses nsip_get_trait_ranges ' +
      'nsip_search_animals nsip_get_animal nsip_get_lineage nsip_get_progeny nsip_search_by_lpn ' +
      'nsip_inbreeding nsip_selection_index nsip_mating_plan nsip_analyze_flock ' +
      'nsip_compare_sires nsip_ancestry nsip_trait_plan shepherd_consult shepherd_breeding ' +
      'shepherd_health shepherd_calendar shepherd_economics shepherd_calculate get_server_health',
  )
  expect(JSON.stringify(tools).length).toBeLessThan(10_000)
  expect(tools).toMatchSnapshot()
})

describe.each(['envelope', 'legacy'] as const)('in the %s dialect', (dialect) => {
  let demo: DemoServer
  let service: OpenApiService

  beforeAll(async () => {
    demo = await startDemoServer({ dialect, animals: 1_500 })
    service = await anNsip(demo)
  })

  afterAll(async () => {
    await service.close()
    await demo[Symbol.asyncDispose]()
  })

  it('tells when the data was updated, the breeds, the statuses and the ranges', async () => {
    expect(await call(service, 'nsip_get_last_update')).toMatchObject({ date: '09/23/2025' })
    expect(await call(service, 'nsip_list_breeds')).toMatchObject({
      success: true,
      data: expect.arrayContaining([
        {
          id: 64,
          name: 'Hair',
          breeds: [
            { id: 640, name: 'Katahdin' },
            { id: 641, name: 'St. Croix' },
          ],
        },
      ]),
    })
    expect(await call(service, 'nsip_get_statuses')).toMatchObject({
      data: ['CURRENT', 'SOLD', 'DEAD', 'COMMERCIAL', 'CULL', 'EXPORTED'],
    })
    expect(await call(service, 'nsip_get_trait_ranges', { breed_id: 640 })).toMatchObject({
      BWT: { min: expect.any(Number), max: expect.any(Number) },
    })
  })

  it('gives an animal with every trait, accuracy in percent, and null where there is none', async () => {
    expect(await call(service, 'nsip_get_animal', { search_string: EWE })).toMatchObject({
      lpn_id: EWE,
      breed: 'Katahdin',
      date_of_birth: '2/5/2020',
      gender: 'Female',
      total_progeny: 6,
      traits: {
        BWT: { name: 'BWT', value: 0.246, accuracy: 74, units: 'kg' },
        NLW: { value: 0.097, accuracy: 52 },
        WFEC: { value: -29.26, accuracy: null },
        PFEC: { value: -34.23, accuracy: null },
      },
      contact_info: { farm_name: 'Farm 7 & Sons', phone: '555-0107', zip_code: '43210' },
    })
  })

  it('gives the pedigree as a tree whose parents are those of the details', async () => {
    const lineage = await call(service, 'nsip_get_lineage', { lpn_id: RAM })
    expect(lineage).toMatchObject({
      subject: {
        lpn_id: RAM,
        farm_name: 'Farm 7 & Sons',
        us_index: 101.5,
        src_index: 112.4,
        date_of_birth: '2/14/2024',
        sex: 'Male',
        status: 'CURRENT',
      },
      sire: { lpn_id: '6400462020VPI007', sire: { sex: 'Male' } },
      dam: { lpn_id: '6402382022NCS087', dam: { sex: 'Female' } },
      generations: [['6400462020VPI007', '6402382022NCS087'], expect.any(Array)],
    })
  })

  it('searches with criteria in the body and counts exactly', async () => {
    const found = await call(service, 'nsip_search_animals', {
      breed_id: 640,
      page_size: 5,
      sorted_trait: 'BWT',
      reverse: true,
      search_criteria: { gender: 'Male' },
    })
    const rams = demo.flock.filter(({ breedId, male }) => breedId === 640 && male)
    const best = Math.max(...rams.map(({ traits }) => traits['BWT']?.value ?? -Infinity))
    expect(found).toMatchObject({
      total_count: rams.length,
      page: 0,
      page_size: 5,
      results: [{ sex: 'Male', traits: { BWT: { value: best } } }, {}, {}, {}, {}],
    })
  })

  it('finds the animals of one flock', async () => {
    const found = await call(service, 'nsip_search_animals', {
      page_size: 100,
      search_criteria: { flockId: '1492' },
    })
    const own = demo.flock.filter(({ lpnId }) => lpnId.slice(3, 7) === '1492')
    expect(own.length).toBeGreaterThan(0)
    expect(found['total_count']).toBe(own.length)
  })

  it('pages through progeny', async () => {
    const page = await call(service, 'nsip_get_progeny', { lpn_id: EWE, page: 1, page_size: 4 })
    expect(page).toMatchObject({ total_count: 6, page: 1, page_size: 4, animals: [{}, {}] })
  })

  it('answers a composite with three requests at once', async () => {
    const before = demo.requests
    expect(await call(service, 'nsip_search_by_lpn', { lpn_id: EWE })).toMatchObject({
      details: { lpn_id: EWE, total_progeny: 6 },
      lineage: { lpn_id: EWE },
      progeny: { total_count: 6 },
    })
    expect(demo.requests - before).toBe(3)
  })

  it('says that an animal is unknown', async () => {
    expect(await call(service, 'nsip_get_animal', { search_string: 'nobody' })).toMatchObject({
      isError: true,
      code: -32005,
      data: { suggestion: expect.stringContaining('nsip_search_animals') },
    })
  })
})

it.each([
  ['nsip_get_animal', { search_string: 'abc' }, 'search_string'],
  ['nsip_get_animal', {}, 'search_string'],
  ['nsip_get_lineage', { lpn_id: '   ' }, 'lpn_id'],
  ['nsip_get_trait_ranges', { breed_id: 0 }, 'breed_id'],
  ['nsip_search_animals', { page: -1 }, 'page'],
  ['nsip_search_animals', { page_size: 101 }, 'page_size'],
  ['nsip_search_animals', { breed_group_id: 64 }, 'breed_group_id'],
  ['nsip_search_animals', { search_criteria: { gender: 'ram' } }, 'search_criteria.gender'],
])('refuses %s with %o before it asks the API', async (tool, args, parameter) => {
  await using nsip = await aShortNsip({})
  expect(await call(nsip.service, tool, args)).toMatchObject({
    isError: true,
    code: -32602,
    data: { parameter, expected: expect.any(String), suggestion: expect.any(String) },
  })
  expect(nsip.demo.requests).toBe(0)
})

it('understands breed ids as text, words in any case, and null as nothing', async () => {
  await using nsip = await aShortNsip({})
  const found = await call(nsip.service, 'nsip_search_animals', {
    breed_id: '640',
    page_size: '2',
    sorted_trait: null,
    search_criteria: { gender: 'male' },
  })
  expect(found).toMatchObject({ page_size: 2, results: [{ sex: 'Male' }, { sex: 'Male' }] })
})

it('names all mistakes of a call at once', async () => {
  await using nsip = await aShortNsip({})
  const result = await call(nsip.service, 'nsip_search_animals', { page: -1, page_size: 0 })
  expect(result).toMatchObject({
    data: { parameter: 'page', others: [expect.objectContaining({ parameter: 'page_size' })] },
  })
})

it('retries the search, which is a POST but changes nothing', async () => {
  let failures = 2
  await using nsip = await aShortNsip({ fault: () => (failures-- > 0 ? 503 : undefined) })
  expect(await call(nsip.service, 'nsip_search_animals')).toMatchObject({ page_size: 15 })
  expect(nsip.demo.requests).toBe(3)
})

it('throws an outage in the words of the contract, so that nothing caches it as a result', async () => {
  await using nsip = await aShortNsip({ fault: () => 500 })
  const failure = await call(nsip.service, 'nsip_list_breeds').catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(GatewayError)
  expect(failure instanceof GatewayError && failure.toObject()).toMatchObject({
    code: -32000,
    retryable: true,
    data: { http_status: 500, suggestion: expect.any(String) },
  })
})

it('gives what it could get when only a part of a composite fails', async () => {
  await using nsip = await aShortNsip({
    fault: (path) => (path.endsWith('getLineage') ? 500 : undefined),
  })
  expect(await call(nsip.service, 'nsip_search_by_lpn', { lpn_id: EWE })).toMatchObject({
    details: { lpn_id: EWE },
    lineage: null,
    missing: { lineage: 'The API answered 500: The demo was set to fail' },
  })
})

it('answers fifty callers at once without standing still', async () => {
  await using nsip = await aShortNsip({})
  let ticks = 0
  const clock = setInterval(() => ticks++, 1)
  const ids = nsip.demo.flock.slice(0, 50).map(({ lpnId }) => lpnId)
  const answers = await Promise.all(
    ids.map(async (id) => call(nsip.service, 'nsip_search_by_lpn', { lpn_id: id })),
  )
  clearInterval(clock)
  expect(answers.map((each) => each['details'])).toEqual(
    ids.map((id) => expect.objectContaining({ lpn_id: id })),
  )
  expect(ticks).toBeGreaterThan(3)
  expect(await call(nsip.service, 'get_server_health')).toMatchObject({
    calls: { api_requests: 150 },
    connections: { peak: 50 },
    success_criteria: { 'SC-005 50+ concurrent': true },
  })
})

it('measures its health and says null of what it has not seen', async () => {
  await using nsip = await aShortNsip({})
  await nsip.service.handle('tools/list', {}, aContext())
  await call(nsip.service, 'nsip_get_animal', { search_string: 'x' })
  expect(await call(nsip.service, 'get_server_health')).toMatchObject({
    discovery: { count: expect.any(Number), max_ms: expect.any(Number) },
    validation: { checked: 1, refused: 0, success_rate_percent: 100 },
    cache: { hits: 0, misses: 0, hit_rate_percent: null },
    success_criteria: {
      'SC-001 discovery <5 s': true,
      'SC-003 validation >=95 %': true,
      'SC-005 50+ concurrent': null,
      'SC-006 cache >=40 %': null,
      'SC-007 startup <3 s': true,
    },
  })
})

it('tells the layers around it how to summarize and cache', async () => {
  await using nsip = await aShortNsip({})
  expect(nsip.service.rules('nsip_get_animal')).toMatchObject({
    maxTokens: 2_000,
    cacheTtlMs: 3_600_000,
    summarizeFlag: 'summarize',
    summary: {
      keep: expect.arrayContaining(['lpn_id', 'sire', 'dam', 'contact_info']),
      top: [{ field: 'traits', by: 'accuracy', count: 3, atLeast: 50 }],
    },
  })
  expect(nsip.service.rules('get_server_health').cacheTtlMs).toBe(0)
})
