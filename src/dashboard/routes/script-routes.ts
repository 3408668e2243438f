import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { HttpError } from '../../http/http-error.ts'
import { type SavedScript, type SavedScripts, ScriptError } from '../../protocol/saved-scripts.ts'
import { limit } from '../inputs.ts'
import { recordChange } from '../record-change.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'
import { DASHBOARD } from '../../telemetry/ledger.ts'
import type { Visitor } from '../access/visitor.ts'
import { findRun, recentRuns } from '../views/run-tree.ts'

type ScriptSources = Pick<Sources, 'auditSearch' | 'savedScripts' | 'world' | 'ledger'>

const toPropose = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.string(),
})

export function scriptRoutes(sources: ScriptSources): Route[] {
  const { auditSearch, savedScripts } = sources
  const sourceOf = (run: string) => sources.world.scripts.recent.find(run)

  async function propose(
    visitor: Visitor,
    about: Readonly<Record<keyof z.output<typeof toPropose>, string | undefined>>,
    source: string,
  ) {
    const { name = '', description = '', inputSchema = '' } = about
    return explained(async () => {
      const draft = { name, description, inputSchema: toSchema(inputSchema), source }
      const { digest } = await (await savedScripts()).propose(draft, authorOf(visitor))
      recordChange(sources, visitor, 'scripts.propose', { script: name, digest })
      return { message: `${name} waits for a decision` }
    })
  }

  return [
    defineRoute('GET /runs', {
      role: 'viewer',
      query: z.object({ limit: limit(200, 50) }),
      answer: async ({ query: { limit: most = 50 } }) => ({
        runs: await recentRuns(auditSearch, most),
      }),
    }),
    defineRoute('GET /runs/:id', {
      role: 'viewer',
      async answer({ visitor, params: { id = '' } }) {
        const run = /^[\w-]{1,100}$/.test(id) ? await findRun(auditSearch, id) : undefined
        if (!run)
          throw new HttpError(
            404,
            'RUN_NOT_FOUND',
            'The audit has no such run',
            'Runs are kept for as long as the audit is.',
          )
        const mayRead = visitor.role === 'admin' && visitor.mayChange
        const source = mayRead ? sourceOf(id) : undefined
        return { ...run, source: source ?? null }
      },
    }),
    defineRoute('POST /runs/:id/save', {
      role: 'admin',
      body: toPropose,
      async answer({ visitor, params: { id = '' }, body }) {
        const source = sourceOf(id)
        if (source === undefined)
          throw new HttpError(
            404,
            'RUN_NOT_FOUND',
            'This gateway does not have the script of that run any more',
            'Run it again, or save it from a file with `portolan scripts save`.',
          )
        return propose(visitor, body, source)
      },
    }),
    defineRoute('GET /scripts', {
      role: 'viewer',
      answer: async () => ({ scripts: await (await savedScripts()).list() }),
    }),
    defineRoute('POST /scripts', {
      role: 'admin',
      body: toPropose.extend({ source: z.string() }),
      answer: async ({ visitor, body: { source = '', ...about } }) =>
        propose(visitor, about, source),
    }),
    defineRoute('POST /scripts/decide', {
      role: 'admin',
      body: z.object({ action: z.enum(['approve', 'reject', 'remove']), script: z.string() }),
      answer: async ({ visitor, body: { action = 'reject', script = '' } }) =>
        explained(async () => {
          const [scripts, by] = [await savedScripts(), authorOf(visitor)]
          const decided =
            action === 'remove'
              ? await removed(scripts, script)
              : await (action === 'approve' ? scripts.approve(script, by) : scripts.reject(script))
          const { name, digest } = decided
          recordChange(sources, visitor, `scripts.${action}`, { script: name, digest })
          return { message: DONE[action] }
        }),
    }),
  ]
}

async function removed(scripts: SavedScripts, name: string): Promise<SavedScript> {
  const script = (await scripts.list()).find((one) => one.name === name && one.state === 'approved')
  if (script && (await scripts.remove(name))) return script
  throw new ScriptError(`There is no script '${name}'`, 'Load the page again to see what there is.')
}

function authorOf({ actAs: [agent = DASHBOARD] }: Visitor): string {
  return agent
}

const DONE = {
  approve: 'It is a tool now',
  reject: 'The proposal is removed',
  remove: 'It is no longer a tool',
}

function toSchema(text: string): JsonObject {
  try {
    const schema: unknown = JSON.parse(text)
    return isObject(schema) ? schema : {}
  } catch (cause) {
    throw new ScriptError(
      `The input schema is not JSON: ${messageOf(cause)}`,
      'Give a JSON Schema such as {"type":"object","properties":{"month":{"type":"integer"}}}.',
    )
  }
}

/** Turns a `ScriptError` into an HTTP error with its hint. */
async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error
    throw new HttpError(400, 'INVALID_PARAMS', error.message, error.hint)
  }
}
