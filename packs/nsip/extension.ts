import type { ApiDemo, ApiExtension, CompositeTool, JsonObject } from 'portolan'
import { isObject, isRefusal, refusal } from './values.ts'
import { analysisTools } from './breeding/analysis-tools.ts'
import { breedingTools } from './breeding/tools.ts'
import { explainProblem, suggestArgument } from './explain-problem.ts'
import { prompts } from './knowledge.ts'
import { readAnimal, readBreedGroups, readPage, unwrap } from './read-animal.ts'
import { readLineage } from './read-lineage.ts'
import { nsipResources } from './resources.ts'
import { serverHealth } from './server-health.ts'
import { shepherdTools } from './shepherd/tools.ts'

type Reshapers = NonNullable<ApiExtension['reshape']>
type Reshape = Reshapers[string]

/** The code of the NSIP pack: two dialects of answers, HTML pedigrees, composite tools, advice. */
const nsip: ApiExtension = {
  explain: explainProblem,
  suggest: suggestArgument,
  reshape: {
    nsip_get_animal: (value, args) => readAnimal(value) ?? notFound('nsip_get_animal', args),
    nsip_get_lineage: (value, args) => readLineage(value) ?? notFound('nsip_get_lineage', args),
    ...unlessRefused({
      nsip_get_last_update: (value) => unwrap(value),
      nsip_get_trait_ranges: (value) => unwrap(value),
      nsip_list_breeds: (value) => ({ success: true, data: readBreedGroups(value) }),
      nsip_get_statuses: (value) => ({ success: true, data: unwrap(value) }),
      nsip_search_animals: (value, args) => {
        const { rows, total } = readPage(value)
        return { total_count: total, ...paging(args, 15), results: rows }
      },
      nsip_get_progeny: (value, args) => {
        const { rows, total } = readPage(value)
        return { total_count: total, ...paging(args, 10), animals: rows }
      },
    }),
  },
  tools: [searchByLpn(), ...breedingTools, ...analysisTools, ...shepherdTools, health()],
  prompts,
  resources: nsipResources,
  demo: startDemo,
  command: async (words, api) => (await import('./command.ts')).searchCommand(words, api),
}

export default nsip

async function startDemo(): Promise<ApiDemo> {
  const { startDemoServer } = await import('./demo/server.ts')
  const demo = await startDemoServer()
  return {
    url: demo.url,
    contents: `${demo.flock.length} synthetic animals`,
    close: async () => demo[Symbol.asyncDispose](),
  }
}

function paging(args: JsonObject, pageSize: number): JsonObject {
  return { page: args['page'] ?? 0, page_size: args['page_size'] ?? pageSize }
}

/** Throws if the API refuses with 200 and `success: false`, which would look like an empty list. */
function unlessRefused(reshapers: Reshapers): Reshapers {
  const checked = Object.entries(reshapers).map(([tool, reshape]): [string, Reshape] => [
    tool,
    (value, args) => {
      if (!isObject(value) || value['success'] !== false) return reshape(value, args)
      const why = value['message'] ?? value['error']
      const message = `The API refused${typeof why === 'string' ? `: ${why}` : ' and gave no reason'}`
      throw refusal('status', message, { tool, arguments: args })
    },
  ])
  return Object.fromEntries(checked)
}

function notFound(tool: string, args: JsonObject): never {
  const id = args['lpn_id'] ?? args['search_string']
  const message = `No animal is known as ${String(id)}`
  throw refusal('status', message, { tool, status: 404, arguments: args })
}

function searchByLpn(): CompositeTool {
  return {
    definition: {
      name: 'nsip_search_by_lpn',
      description: 'All about one animal: details, pedigree and progeny in one call.',
      inputSchema: {
        type: 'object',
        properties: {
          lpn_id: { type: 'string', minLength: 5 },
          summarize: {
            type: 'boolean',
            description:
              'true for a summary, false for everything; by default only over 2,000 tokens',
          },
        },
        required: ['lpn_id'],
      },
      annotations: { readOnlyHint: true },
    },
    rules: {
      flags: { summarize: {} },
      summarizeFlag: 'summarize',
      cacheSeconds: 3_600,
      // Offspring are listed without their traits, which nsip_get_progeny returns.
      omit: ['animals.top_traits'],
      keep: [
        ...['lpn_id', 'sire', 'dam', 'breed', 'gender', 'date_of_birth', 'status'].map(inDetails),
        ...['registration_number', 'total_progeny', 'contact_info', 'indexes'].map(inDetails),
        'lpn_id',
        'progeny.total_count',
        'animals.sire',
        'animals.dam',
      ],
      top: [
        {
          field: 'traits',
          by: 'accuracy',
          count: 3,
          atLeast: 50,
          as: 'top_traits',
          keyAs: 'trait',
          pick: ['value', 'accuracy', 'units'],
        },
      ],
    },
    /** Makes three calls at once. Without details there is no animal; the rest may be missing. */
    async run({ lpn_id: id }, api, context) {
      const [details, lineage, progeny] = await Promise.allSettled([
        api.call('nsip_get_animal', { search_string: id }, context),
        api.call('nsip_get_lineage', { lpn_id: id }, context),
        api.call('nsip_get_progeny', { lpn_id: id }, context),
      ])
      if (details.status === 'rejected') throw details.reason
      const missing = { ...reason('lineage', lineage), ...reason('progeny', progeny) }
      return {
        details: details.value,
        lineage: lineage.status === 'fulfilled' ? lineage.value : null,
        progeny: progeny.status === 'fulfilled' ? progeny.value : null,
        ...(Object.keys(missing).length > 0 && { missing }),
      }
    },
  }
}

function inDetails(name: string): string {
  return `details.${name}`
}

function reason(part: string, outcome: PromiseSettledResult<unknown>): JsonObject {
  if (outcome.status === 'fulfilled') return {}
  if (isRefusal(outcome.reason)) return { [part]: outcome.reason.message }
  throw outcome.reason
}

function health(): CompositeTool {
  return {
    definition: {
      name: 'get_server_health',
      description: 'Measured health of this server and whether it meets its success criteria.',
      inputSchema: { type: 'object', properties: {} },
      annotations: { readOnlyHint: true },
    },
    rules: { cacheSeconds: 0 },
    run: async (_, api) => serverHealth(api),
  }
}
