import type { ApiPort, ApiResources, JsonObject, ServiceContext } from 'portolan'
import { list, object, text } from './values.ts'
import { midparent, round, scoreBy, valuesOf } from './breeding/selection-index.ts'
import { inbreeding, weightsOf } from './breeding/tools.ts'
import { knowledge, lookUpKnowledge } from './knowledge.ts'
import { regionOf } from './shepherd/regions.ts'

type Read = (
  values: Readonly<Record<string, string>>,
  api: ApiPort,
  context: ServiceContext,
) => Promise<unknown>

const SECTIONS = {
  heritabilities: 'breed',
  traits: 'code',
  indexes: 'name',
  regions: 'id',
} as const

/** The URI, name and reader of each resource; `{names}` are variable parts. */
const RESOURCES: readonly (readonly [uri: string, name: string, read: Read])[] = [
  ...Object.entries(SECTIONS).flatMap(([section, key]) => [
    [`nsip://static/${section}`, section, async () => lookUpKnowledge(section)] as const,
    [
      `nsip://static/${section}/{${key}}`,
      `${section}, one entry`,
      async (values: Readonly<Record<string, string>>) =>
        lookUpKnowledge(section, values[key] ?? ''),
    ] as const,
  ]),
  [
    'nsip://static/diseases/{region}',
    'diseases of a region',
    async ({ region = '' }) => diseases(region),
  ],
  [
    'nsip://static/nutrition/{region}/{season}',
    'nutrition',
    async ({ region = '', season = '' }) => nutrition(region, season),
  ],
  [
    'nsip://static/calendar/{task_type}',
    'tasks of the year',
    async ({ task_type: type = '' }) => lookUpKnowledge('calendar', type),
  ],
  [
    'nsip://static/economics/{category}',
    'economics',
    async ({ category = '' }) => lookUpKnowledge('economics', category),
  ],
  [
    'nsip://animals/{lpn}/details',
    'an animal',
    async ({ lpn }, api, context) => api.call('nsip_get_animal', { search_string: lpn }, context),
  ],
  [
    'nsip://animals/{lpn}/lineage',
    'a pedigree',
    async ({ lpn }, api, context) => api.call('nsip_get_lineage', { lpn_id: lpn }, context),
  ],
  [
    'nsip://animals/{lpn}/progeny',
    'offspring',
    async ({ lpn }, api, context) => api.call('nsip_get_progeny', { lpn_id: lpn }, context),
  ],
  [
    'nsip://animals/{lpn}/profile',
    'all about an animal',
    async ({ lpn }, api, context) => api.call('nsip_search_by_lpn', { lpn_id: lpn }, context),
  ],
  [
    'nsip://breeding/{ram}/{ewe}/inbreeding',
    'inbreeding of a mating',
    async ({ ram = '', ewe = '' }, api, context) => inbreeding(ram, ewe, api, context),
  ],
  ['nsip://breeding/{ram}/{ewe}/projection', 'expected breeding values', projection],
  ['nsip://breeding/{ram}/{ewe}/recommendation', 'whether to mate', recommendation],
  [
    'nsip://flock/search',
    'how to search a flock',
    async () => ({
      tool: 'nsip_search_animals',
      search_criteria: { flockId: 'the id of the flock' },
    }),
  ],
  [
    'nsip://flock/{id}/summary',
    'a flock',
    async ({ id = '' }, api, context) => flock(id, api, context),
  ],
  [
    'nsip://flock/{id}/ebv_averages',
    'average breeding values of a flock',
    async ({ id = '' }, api, context) => {
      const { animals, averages } = await flock(id, api, context)
      return { flock_id: id, animals, averages }
    },
  ],
]

export const nsipResources: ApiResources = {
  resources: RESOURCES.filter(([uri]) => !uri.includes('{')).map(([uri, name]) =>
    described({ uri }, name),
  ),
  templates: RESOURCES.filter(([uri]) => uri.includes('{')).map(([uriTemplate, name]) =>
    described({ uriTemplate }, name),
  ),
  async read(uri, api, context) {
    for (const [template, , read] of RESOURCES) {
      const values = match(template, uri)
      if (values) return read(values, api, context)
    }
    return undefined
  },
}

function described(address: JsonObject, name: string): JsonObject {
  return { ...address, name, mimeType: 'application/json' }
}

function match(template: string, uri: string): Record<string, string> | undefined {
  const [wanted, given] = [template, uri].map((each) => each.split('/'))
  if (!wanted || !given || wanted.length !== given.length) return undefined
  const values: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const found = given[index] ?? ''
    if (part.startsWith('{') && found !== '') values[part.slice(1, -1)] = decode(found)
    else if (part !== found) return undefined
  }
  return values
}

/** Decodes percent-encoded text; returns invalid text, such as a bare `%`, unchanged. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

async function diseases(region: string): Promise<unknown> {
  const known = await knowledge()
  const { name } = regionOf(known, region) ?? {}
  if (typeof name !== 'string') return undefined
  return Object.fromEntries(
    Object.entries(object(known['diseases'])).map(([disease, raw]) => {
      const { risk, advice } = object(raw)
      return [disease, { risk: object(risk)[name] ?? object(risk)['default'] ?? 'low', advice }]
    }),
  )
}

async function nutrition(region: string, season: string): Promise<unknown> {
  const known = await knowledge()
  const where = regionOf(known, region)
  return where && { region: where, season, stages: known['nutrition'] }
}

async function projection(
  { ram, ewe }: Readonly<Record<string, string>>,
  api: ApiPort,
  context: ServiceContext,
) {
  const [sire, dam] = await Promise.all(
    [ram, ewe].map(async (id) => api.call('nsip_get_animal', { search_string: id }, context)),
  )
  const expected = midparent(valuesOf(sire), valuesOf(dam))
  return {
    ram,
    ewe,
    expected,
    balanced: scoreBy(await weightsOf('balanced', 'nsip_selection_index'), expected),
  }
}

async function recommendation(
  values: Readonly<Record<string, string>>,
  api: ApiPort,
  context: ServiceContext,
) {
  const { ram = '', ewe = '' } = values
  const [related, projected] = await Promise.all([
    inbreeding(ram, ewe, api, context),
    projection(values, api, context),
  ])
  const advice = { low: 'suitable', moderate: 'only with a reason', high: 'not advisable' }
  return { ...projected, inbreeding: related, recommendation: advice[related.risk] }
}

/** Summarises a flock from its first 100 animals; the API selects them by flock. */
async function flock(id: string, api: ApiPort, context: ServiceContext) {
  const args = { page_size: 100, search_criteria: { flockId: id } }
  const found = object(await api.call('nsip_search_animals', args, context))
  const rows = list(found['results']).map(object)
  const sums = new Map<string, number[]>()
  for (const row of rows)
    for (const [trait, value] of Object.entries(valuesOf(row)))
      sums.set(trait, [...(sums.get(trait) ?? []), value])
  return {
    flock_id: id,
    total_count: found['total_count'],
    animals: rows.length,
    by_sex: countBy(rows, 'sex'),
    by_status: countBy(rows, 'status'),
    averages: Object.fromEntries(
      [...sums].map(([trait, all]) => [trait, round(all.reduce((a, b) => a + b, 0) / all.length)]),
    ),
  }
}

function countBy(rows: readonly JsonObject[], field: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const row of rows) {
    const value = text(row[field]) || 'unknown'
    counts[value] = (counts[value] ?? 0) + 1
  }
  return counts
}
