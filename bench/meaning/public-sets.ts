// Public sets of tools and requests, read from given clones and never copied.
import type { JsonObject } from '../../src/base/json/json.ts'
import type { Tool } from '../../src/gateway/upstream.ts'
import { list, object, text, texts } from '../../src/upstreams/openapi/spec/read-values.ts'
import { type ToolQuery, type ToolSet, nameOf } from './measure-tools.ts'
import { jsonLines, readFromClone } from './repositories.ts'

type Read = (path: string) => string

/** A clone, and the sets that are read from its files. */
interface Source {
  readonly clone: string
  read(file: Read): Readonly<Record<string, ToolSet>>
}

/** Covers all queries of every set but MetaTool, which has 20,000. */
const MAX_QUERIES = 2_000

/** Returns every set whose clone is in the folder, by name. */
export function publicSets(folder: string): Map<string, ToolSet> {
  const sets = new Map<string, ToolSet>()
  for (const source of SOURCES) {
    const { clone } = source
    if (readFromClone(folder, clone, '') === undefined) continue
    const made = source.read((path) => readFromClone(folder, clone, path) ?? '')
    for (const [name, set] of Object.entries(made)) sets.set(name, set)
  }
  return sets
}

function aTool(server: string, name: string, about: string, inputSchema: unknown = {}): Tool {
  const definition = { name, description: about, inputSchema: object(inputSchema) }
  return { server, name, definition, readOnly: false }
}

/** Keeps only queries with known tools, evenly sampled. */
function aSet(tools: readonly Tool[], queries: readonly ToolQuery[]): ToolSet {
  const known = new Set(tools.map(nameOf))
  const usable = queries
    .map((query) => ({ ...query, tools: [...new Set(query.tools.filter((id) => known.has(id)))] }))
    .filter(({ query, tools: wanted }) => wanted.length > 0 && query.trim() !== '')
  const step = Math.max(1, usable.length / MAX_QUERIES)
  return { tools, queries: usable.filter((_, at) => Math.floor(at % step) === 0) }
}

const all = (query: string, tools: readonly string[]): ToolQuery => ({ query, tools, all: true })

const SOURCES: readonly Source[] = [
  {
    clone: 'icip-cas+LiveMCPBench',
    read(file) {
      const servers = list(JSON.parse(file('tools/LiveMCPTool/tools.json')))
      const tools = servers.flatMap((entry) =>
        Object.entries(object(object(entry)['tools'])).flatMap(([server, listed]) =>
          list(object(listed)['tools'])
            .map(object)
            .map((each) =>
              aTool(server, text(each['name']), text(each['description']), each['inputSchema']),
            ),
        ),
      )
      const ids = (name: string) => tools.filter((tool) => tool.name === name).map(nameOf)
      const run = 'baseline/output/claude-sonnet-4-20250514_Qwen3-Embedding-0.6B.json'
      const tasks = list(JSON.parse(file('annotated_data/all_annotations.json'))).map(object)
      return {
        'LiveMCPBench agent queries': aSet(tools, agentQueries(file(run), ids)),
        'LiveMCPBench tasks': aSet(
          tools,
          tasks.map((task) => {
            const names = text(object(task['Annotator Metadata'])['Tools']).split('\n')
            const wanted = names.flatMap((name) => ids(name.replace(/^\s*\d+\.\s*/, '').trim()))
            return all(text(task['Question']), wanted)
          }),
        ),
      }
    },
  },
  {
    clone: 'smart-mcp-proxy+mcpproxy-go',
    read(file) {
      const corpus = object(
        JSON.parse(file('specs/083-discovery-profiler/datasets/corpus_v2.tools.json')),
      )
      const golden = object(
        JSON.parse(file('specs/065-evaluation-foundation/datasets/retrieval_golden_v1.json')),
      )
      const tools = list(corpus['tools'])
        .map(object)
        .map((each) => {
          const [server = '', name = ''] = text(each['tool_id']).split(/:(.*)/s)
          const schema = text(each['params_json'])
          return aTool(server, name, text(each['description']), schema && JSON.parse(schema))
        })
      const queries = list(golden['queries']).map(object)
      return {
        'mcpproxy golden': aSet(
          tools,
          queries.map((each) => {
            // Relevance 0 marks a similar tool that is not wanted.
            const labels = list(each['labels'])
              .map(object)
              .filter(({ relevance }) => relevance !== 0)
            return all(
              text(each['query']),
              labels.map((label) => text(label['tool_id']).replace(':', '.')),
            )
          }),
        ),
      }
    },
  },
  {
    clone: 'HowieHwong+MetaTool',
    read(file) {
      const described: JsonObject = {
        ...object(JSON.parse(file('dataset/plugin_des.json'))),
        ...object(JSON.parse(file('dataset/big_tool_des.json'))),
      }
      const tools = Object.entries(described).map(([name, about]) =>
        aTool('plugins', name, text(about)),
      )
      const rows = file('dataset/data/all_clean_data.csv').split('\n').slice(1)
      const queries = rows.flatMap((row) => {
        const [, quoted, plain, name = ''] =
          /^(?:"((?:[^"]|"")*)"|([^,]*)),([^,\r]+)/.exec(row) ?? []
        return [all((quoted ?? plain ?? '').replaceAll('""', '"'), [`plugins.${name.trim()}`])]
      })
      return { MetaTool: aSet(tools, queries) }
    },
  },
  {
    clone: 'quchangle1+COLT',
    read(file) {
      const ids = new Map<string, string>()
      const tools = jsonLines(file('datasets/ToolLens/corpus.jsonl')).flatMap((line) => {
        const { _id: id, text: about } = object(line)
        const [, server, name, description, required = '[]', optional = '[]'] =
          TOOL_LENS.exec(text(about)) ?? []
        if (server === undefined || name === undefined) return []
        ids.set(text(id), `${server}.${name}`)
        const parameters = [...listIn(required), ...listIn(optional)].map(object)
        const properties = Object.fromEntries(
          parameters.map((each) => [text(each['name']), { description: each['description'] }]),
        )
        return [aTool(server, name, description ?? '', { properties })]
      })
      const wanted = new Map<string, string[]>()
      for (const line of file('datasets/ToolLens/qrels/test.tsv').split('\n').slice(1)) {
        const [query = '', tool = ''] = line.split('\t')
        wanted.set(query, [...(wanted.get(query) ?? []), ids.get(tool) ?? ''])
      }
      const queries = jsonLines(file('datasets/ToolLens/queries.jsonl')).map((line) => {
        const { _id: id, text: query } = object(line)
        return all(text(query), wanted.get(text(id)) ?? [])
      })
      return { ToolLens: aSet(tools, queries) }
    },
  },
  {
    clone: 'fairyshine+Seal-Tools',
    read(file) {
      const tools = jsonLines(file('Seal-Tools_Dataset/tool.jsonl'))
        .map(object)
        .map((each) =>
          aTool('seal', text(each['api_name']), text(each['api_description']), {
            properties: each['parameters'],
          }),
        )
      const part = (name: string) =>
        jsonLines(file(`Seal-Tools_Dataset/test_${name}_domain.jsonl`))
          .map(object)
          .map((each) =>
            all(
              text(each['query']),
              list(each['calling']).map((call) => `seal.${text(object(call)['api'])}`),
            ),
          )
      return { 'Seal in domain': aSet(tools, part('in')), 'Seal out': aSet(tools, part('out')) }
    },
  },
  {
    clone: 'maximhq+bifrost-benchmarking',
    // Round 3 and its list of tools are not used, so that others can measure with them.
    read(file) {
      const folder = 'mcp-code-mode-benchmark'
      const tools = list(JSON.parse(file(`${folder}/mcp_tools/round2.json`)))
        .map(object)
        .map((each) =>
          aTool(text(each['server']), text(each['tool_name']), text(each['description'])),
        )
      const tasks = ['eval_tasks', 'eval_tasks_r2'].flatMap((name) =>
        list(JSON.parse(file(`${folder}/eval_tasks/${name}.json`))).map(object),
      )
      const queries = tasks.map((task) => {
        const servers = texts(task['expected_servers'])
        const wanted = texts(task['expected_tools']).flatMap((name) => {
          const meant = RENAMED[name] ?? name.replace(/^notion-/, 'notion_').replaceAll('-', '_')
          const same = tools.filter((tool) => tool.name === meant)
          const here = same.filter(({ server }) => servers.includes(server))
          return (here.length > 0 ? here : same).map(nameOf)
        })
        return all(text(task['query']), wanted)
      })
      return { 'Bifrost rounds 1–2': aSet(tools, queries) }
    },
  },
]

const TOOL_LENS =
  /tool_name:(.*?), api_name:(.*?), api_description:([\s\S]*?), required_params: (\[[\s\S]*?\]), optional_params: (\[[\s\S]*?\])(?:, return_schema|$)/

/** Parses a list; some lists of the corpus are cut off and count as empty. */
function listIn(json: string): readonly unknown[] {
  try {
    return list(JSON.parse(json))
  } catch {
    return []
  }
}

/** Tools that the tasks of Bifrost name differently than its list of tools. */
const RENAMED: Readonly<Record<string, string>> = {
  get_hacker_news_item: 'get_hn_item',
  get_hacker_news_frontpage: 'get_frontpage',
  search_hackernews_posts: 'search_hn_posts',
  get_hacker_news_user: 'get_hn_user',
  get_hackernews_today_posts: 'get_today_posts',
  get_hacker_news_updates: 'get_updates',
  get_new_hacker_news_stories: 'get_new_stories',
  create_a_google_sheet: 'create_spreadsheet',
  apollo_people_search: 'people_search',
  search_organizations_in_apollo: 'search_organizations',
  list_apollo_contact_stages: 'list_contact_stages',
  list_apollo_account_stages: 'list_account_stages',
  get_apollo_api_key_status: 'check_api_key_status',
  enrich_organization_data: 'enrich_organization',
}

/** Returns the queries with which an agent searched for tools, and the tools that it then used. */
function agentQueries(run: string, ids: (name: string) => string[]): ToolQuery[] {
  const found: { query: string; tools: string[] }[] = []
  const calls = list(JSON.parse(run))
    .flatMap((task) => ['start', ...list(object(task)['messages'])])
    .flatMap((message) => (message === 'start' ? [{}] : list(object(message)['tool_calls'])))
  let current: { query: string; tools: string[] } | undefined
  for (const call of calls) {
    const { name, arguments: given } = object(object(call)['function'])
    const args = object(typeof given === 'string' ? JSON.parse(given) : given)
    if (name === undefined) current = undefined
    if (name === 'route') {
      const [, inner] =
        /<tool_assistant>([\s\S]*)<\/tool_assistant>/.exec(text(args['query'])) ?? []
      const query = inner?.replaceAll(/\b(?:server|tool):/g, ' ') ?? text(args['query'])
      current = { query: query.trim(), tools: [] }
      found.push(current)
    }
    if (name === 'execute-tool') current?.tools.push(...ids(text(args['tool_name'])))
  }
  return found.map(({ query, tools }) => all(query, tools))
}
