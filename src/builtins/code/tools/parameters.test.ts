import { describe, expect, it } from 'vitest'
import { aCodeClient, aContext, aFolder } from '../../../../test/support/code-project.ts'

const REQUIRED = Symbol('required')
const FILE = { file: REQUIRED, index_name: null, depth: 1, dep_type: null }
const FILES = { files: REQUIRED, index_name: null, depth: 1, dep_type: null }
const QUERY = {
  query: REQUIRED,
  index_name: null,
  limit: 10,
  language: null,
  use_hybrid_search: null,
  symbol_type: null,
  symbol_name: null,
  index_names: null,
}

/** Every parameter of the contract, with what it is when it is left out. */
const CONTRACT: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  search_code: {
    ...QUERY,
    context_before: null,
    context_after: null,
    // The contract has true: an answer of 10,000 tokens by default costs an agent more than it helps.
    smart_context: false,
    include_deps: false,
    rewrite_query: true,
  },
  analyze_query: QUERY,
  list_indexes: {},
  open_dashboard: {},
  index_stats: { index_name: null, include_failures: false },
  clear_index: { index_name: null, index_names: null },
  index_codebase: { path: REQUIRED, index_name: null },
  get_file_dependencies: FILE,
  get_file_impact: { ...FILE, depth: 3 },
  get_batch_dependencies: FILES,
  get_batch_impact: { ...FILES, depth: 3 },
}

const TYPES: Readonly<Record<string, readonly string[]>> = {
  limit: ['integer'],
  depth: ['integer'],
  index_names: ['array', 'null'],
  symbol_type: ['array', 'null', 'string'],
  context_before: ['integer', 'null'],
  context_after: ['integer', 'null'],
  smart_context: ['boolean'],
  include_deps: ['boolean'],
  rewrite_query: ['boolean'],
  include_failures: ['boolean'],
  use_hybrid_search: ['boolean', 'null'],
  query: ['string'],
  file: ['string'],
  path: ['string'],
  files: ['array'],
}

interface Parameter {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Parameter[]
  readonly default?: unknown
  readonly description?: string
}

const typesOf = ({ type, anyOf = [] }: Parameter): string[] =>
  [...(type === undefined ? [] : [type].flat()), ...anyOf.flatMap(typesOf)].toSorted()

async function listed(): Promise<Map<string, Record<string, Parameter>>> {
  const folder = aFolder()
  const { tools } = await aCodeClient(folder).service.handle('tools/list', {}, aContext(folder))
  const all: unknown[] = Array.isArray(tools) ? tools : []
  return new Map(
    all.map((tool) => [Object(tool).name, Object(tool).inputSchema.properties ?? {}] as const),
  )
}

describe('the parameters of the contract', () => {
  it.each(Object.entries(CONTRACT))('%s', async (tool, expected) => {
    const given = (await listed()).get(tool) ?? {}
    for (const [name, fallback] of Object.entries(expected)) {
      const parameter = given[name] ?? {}
      expect({ name, default: 'default' in parameter ? parameter.default : REQUIRED }).toEqual({
        name,
        default: fallback,
      })
      expect({ name, types: typesOf(parameter) }).toEqual({
        name,
        types: TYPES[name] ?? ['null', 'string'],
      })
      expect(`${name}: ${parameter.description ?? ''}`).toMatch(/: ./)
    }
  })
})
