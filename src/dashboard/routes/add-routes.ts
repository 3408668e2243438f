import { z } from 'zod'
import { hideFields } from '../../base/secrets/hide-fields.ts'
import { digestOf } from '../../config/history/change-file.ts'
import { userFile } from '../../config/paths.ts'
import type { ServerPlan } from '../../config/servers/add/server-plan.ts'
import { HttpError } from '../../http/http-error.ts'
import type { AddPlan, NewServer } from '../contract/additions.ts'
import { maybe, text } from '../inputs.ts'
import { recordChange } from '../record-change.ts'
import { type Route, defineRoute } from '../route.ts'
import type { ServerAdder } from '../server-adder.ts'
import type { Sources } from '../sources.ts'
import { authorOf, mustBeInFiles } from './history-routes.ts'

const MAX_TEXT = 200_000
const MAX_TEST_MS = 120_000
const newServer = z.object({
  text: z.string().max(MAX_TEXT),
  kind: z.literal('builtin').optional(),
  name: maybe,
  file: maybe,
  sandbox: z.boolean().optional(),
})
const addition = newServer.extend({
  digest: z.string(),
  values: z.record(z.string(), z.record(z.string(), z.string())),
  test: z.boolean(),
})

/** Adding servers: search, plan, test and save. Their code is loaded when used. */
export function addRoutes(sources: Sources): Route[] {
  return [
    defineRoute('POST /servers/search', {
      role: 'admin',
      body: z.object({ words: text }),
      async answer({ body: { words = '' } }) {
        const { adder } = await adderOf(sources, undefined)
        const { hits, problems } = await adder.search(words.trim().split(/\s+/))
        return {
          problems,
          hits: hits.map(({ server, status, registry }) => {
            const { name, title = null, description, version } = server
            return { name, title, description, version, status, registry }
          }),
        }
      },
    }),
    defineRoute('POST /servers/plan', {
      role: 'admin',
      body: newServer,
      async answer({ body }) {
        const { adder, file, files } = await adderOf(sources, body.file)
        const plans = await plansOf(newServer.parse(body), adder)
        return describePlan(plans, { file, files })
      },
    }),
    defineRoute('POST /servers/add', {
      role: 'admin',
      body: addition,
      async answer({ visitor, body }) {
        const wanted = addition.parse(body)
        const { adder, file } = await adderOf(sources, wanted.file)
        const plans = await plansOf(wanted, adder)
        if (digestOfPlans(plans, file) !== wanted.digest)
          throw new HttpError(
            409,
            'CHANGED_MEANWHILE',
            'What would be added is not what was shown any more',
            'Look at it again, and add it then.',
          )
        const servers = []
        for (const plan of plans) {
          const filled = adder.complete(plan, wanted.values[plan.name] ?? {})
          // One after the other: each may start programs.
          const tried = wanted.test ? await adder.test(filled, MAX_TEST_MS) : undefined
          servers.push({ filled, tried })
        }
        const answer = servers.map(({ filled: { name }, tried }) => ({
          name,
          probe: tried?.probe ?? null,
          findings: tried?.findings ?? [],
        }))
        const isGood = answer.every(
          ({ probe, findings }) =>
            (probe?.error === undefined || probe.signIn !== undefined) &&
            findings.every((finding) => finding.class !== 'high'),
        )
        if (!isGood) return { added: false, servers: answer }
        await adder.save(servers, authorOf(visitor))
        for (const { name } of answer)
          recordChange(sources, visitor, 'servers.add', { server: name, file })
        await sources.reload()
        return { added: true, servers: answer }
      },
    }),
  ]
}

/** The files that may get servers: those in force, and the person's own. */
function targetFiles({ config, ...sources }: Sources): string[] {
  const own = userFile('mcp', mustBeInFiles(sources))
  const untrusted = new Set(config.leftOut.map(({ path }) => path))
  const inForce = config.files.mcp.map(({ path }) => path)
  const isNamed = config.files.mcp.some(({ named }) => named === true)
  // A file that is named is the only one of its level, and may be the only one that is read.
  const files = isNamed ? [...inForce.toReversed(), own] : [own, ...inForce]
  return [...new Set(files)].filter((path) => !untrusted.has(path))
}

async function adderOf(sources: Sources, wanted: string | undefined) {
  const files = targetFiles(sources)
  const file = wanted ?? files[0]
  if (!sources.adderFor || file === undefined || !files.includes(file))
    throw new HttpError(
      409,
      'NOT_IN_A_FILE',
      `Servers cannot be added to ${file ?? 'this gateway'} here`,
      'A configuration in the database is changed with `portolan config push`.',
    )
  return { adder: await sources.adderFor(file), file, files }
}

async function plansOf({ text: given, kind, name, sandbox }: NewServer, adder: ServerAdder) {
  const { toSource } = await import('../../config/servers/add/plan-server.ts')
  const source = kind === 'builtin' ? { kind, builtin: given.trim() } : toSource(given)
  return adder.plan(source, { name, sandbox })
}

function describePlan(
  plans: readonly ServerPlan[],
  { file, files }: Pick<AddPlan, 'file' | 'files'>,
): AddPlan {
  return {
    file,
    files,
    servers: plans.map(({ name, entry, variables, notes, origin }) => ({
      name,
      entry: hideFields(entry),
      variables: variables.map((variable) =>
        variable.isSecret ? { ...variable, default: undefined } : variable,
      ),
      notes,
      origin: origin ? { registry: origin.registry, version: origin.version } : null,
    })),
    digest: digestOfPlans(plans, file),
  }
}

function digestOfPlans(plans: readonly ServerPlan[], file: string): string {
  return digestOf(JSON.stringify([file, plans]))
}
