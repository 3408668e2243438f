import type { Upstream } from '../../gateway/upstream.ts'
import { listUnlisted, isUnlisted } from '../unlisted.ts'
import { searchTools } from '../tool-search/search-tools.ts'
import type { Nearest } from '../tool-search/tool-meanings.ts'
import { type World, permittedServers } from '../world.ts'
import { type MetaTool, answerWith, inputSchema } from './meta-tool.ts'

export const findToolsTool: MetaTool = {
  definition: {
    name: 'find_tools',
    description:
      'Search the tools of all servers by what they do. Gives signatures for execute_tool.',
    inputSchema: inputSchema(
      {
        query: { type: 'string', description: 'What to do; several things between ";"' },
        limit: { type: 'integer', description: '5 when not given' },
        servers: { type: 'array', items: { type: 'string' } },
        max_tokens: { type: 'integer' },
      },
      ['query'],
    ),
    annotations: { readOnlyHint: true },
  },
  async answer(args, call, world) {
    const { queries, cut } = questionsOf(args.required('query'))
    const servers = args.names('servers')
    const permitted = permittedServers(world, call.agent)
    await listUnlisted(call.agent, call.client, world)
    const names = new Set(permitted.map(({ name }) => name))
    const index = world.toolIndex()
    const { meanings, note } = await meaningsOf(queries, world)
    const notes = [note, stillStarting(permitted), cut ? ONLY_FIRST : undefined].filter(
      (text) => text !== undefined,
    )
    const answer = searchTools(index, {
      queries,
      meanings,
      servers,
      limit: args.positive('limit'),
      maxTokens: args.positive('max_tokens'),
      permits: (tool) =>
        names.has(tool.server) &&
        world.policy.tool(call.agent, tool.server, tool.name).effect === 'allow',
    })
    if (Array.isArray(answer['tools'])) call.event.toolsReturned = answer['tools'].length
    const noted = { ...answer, ...(notes.length > 0 && { note: notes.join(' ') }) }
    return answerWith(noted, noted)
  },
}

/** More than a person would ask at once; each is a search of its own on the thread that serves everybody. */
const MOST_QUESTIONS = 20
const LONGEST_QUESTION = 1_000
const ONLY_FIRST = `Only the first ${MOST_QUESTIONS} questions were searched, and of each ${LONGEST_QUESTION} characters.`

export function questionsOf(text: string): {
  readonly queries: readonly string[]
  readonly cut: boolean
} {
  const asked = text.split(/[;\n]/).filter((query) => query.trim() !== '')
  const queries = asked.slice(0, MOST_QUESTIONS).map((query) => query.slice(0, LONGEST_QUESTION))
  return {
    queries,
    cut: asked.length > MOST_QUESTIONS || asked.some(({ length }) => length > LONGEST_QUESTION),
  }
}

/** A note on servers that are not searched, because they have not been listed yet. */
function stillStarting(servers: readonly Upstream[]): string | undefined {
  const names = servers.filter(isUnlisted).map(({ name }) => name)
  if (names.length === 0) return undefined
  return `Still starting, so not searched: ${names.join(', ')}. Ask again in a moment.`
}

/** An embedder that fails costs quality, not the answer. */
async function meaningsOf(
  queries: readonly string[],
  { toolMeanings }: World,
): Promise<{ meanings?: readonly Nearest[]; note?: string }> {
  if (!toolMeanings) return {}
  try {
    return { meanings: await toolMeanings.near(queries) }
  } catch {
    return { note: 'Ranked by words alone: the embedder does not answer.' }
  }
}
