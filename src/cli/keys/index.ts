import type { Command } from '@commander-js/extra-typings'
import { GatewayError } from '../../gateway/errors.ts'
import type { Key } from '../../identity/key-store.ts'
import { withDatabase, withStoredConfig } from '../shared/with-database.ts'
import { type ConfigOptions, toLoadOptions, withConfigOptions } from '../shared/config-options.ts'
import { identityFilesOf, roleOption, splitNames, withKeys } from '../shared/identity-stores.ts'
import { durationOption, parseMoment } from '../shared/terminal/option-values.ts'
import { printJson } from '../shared/terminal/print-json.ts'

export function registerKeys(program: Command): void {
  const keys = program.command('keys').description('create and revoke API keys of agents')

  withConfigOptions(keys.command('create'))
    .description('create an API key for an agent; the secret is printed once, on stdout')
    .argument('<agent>')
    .option('--expires <when>', 'a duration (30d) or a date (2027-01-31)', parseMoment)
    .addOption(roleOption())
    .action(async (agent, options) => {
      await mustBeAgentId(agent)
      const { expires: expiresAt, role } = options
      const { key, secret } = await withKeys(options, async (store) =>
        store.create(agent, { expiresAt, role }),
      )
      process.stdout.write(`${secret}\n`)
      await noteUnknownAgent(agent, options)
      process.stderr.write(
        `Key ${key.id} of agent "${agent}"${withRole(key)}${until(key.expiresAt)}. It is not shown again.\n` +
          'Send it as "Authorization: Bearer <key>" or "X-API-Key: <key>".\n',
      )
    })

  withConfigOptions(keys.command('list'))
    .description('list the keys, without their secrets')
    .option('--json', 'print them as JSON')
    .action(async (options) => {
      const found = await withKeys(options, async (store) => store.list())
      if (options.json) printJson(found.map(toJson))
      else for (const key of found) process.stdout.write(`${describeKey(key)}\n`)
      if (found.length === 0)
        process.stderr.write('There are no keys. `portolan keys create <agent>` makes one.\n')
    })

  withConfigOptions(keys.command('revoke'))
    .description('revoke a key, with immediate effect')
    .argument('<id>')
    .action(async (id, options) => {
      const revoked = await withKeys(options, async (store) => store.revoke(id))
      if (revoked === undefined)
        throw new GatewayError('INVALID_PARAMS', `No key has the id "${id}"`, {
          hint: '`portolan keys list` shows them.',
        })
      process.stderr.write(`Key ${id} of agent "${revoked.agent}" is revoked.\n`)
    })

  withConfigOptions(keys.command('mint'))
    .description('create a short-lived handle for a sub-agent; printed once, on stdout')
    .argument('<agent>', 'id of the sub-agent')
    .requiredOption('--parent <agent>', 'agent whose rights it gets')
    .addOption(durationOption('--ttl <duration>', 'how long it lives, at most 24h', '15m'))
    .option('--servers <names>', 'only these servers, separated by commas', splitNames)
    .option('--tools <tools>', 'only these tools of their servers, as server.tool', splitNames)
    .action(async (agent, options) => {
      await mustBeAgentId(options.parent)
      const [{ createHandles }, { toLimits }] = await Promise.all([
        import('../../identity/handles.ts'),
        import('../../identity/to-limits.ts'),
      ])
      const { secret, expiresAt } = await withDatabase(process.env, async (database) =>
        createHandles(database?.handleSecret ?? (await identityFilesOf(options)).handleSecret).mint(
          {
            parent: { id: options.parent },
            agent,
            ttlMs: options.ttl,
            within: toLimits(options),
          },
        ),
      )
      process.stdout.write(`${secret}\n`)
      await noteUnknownAgent(options.parent, options)
      process.stderr.write(
        `Handle of agent "${agent}" under "${options.parent}"${until(expiresAt)}.\n`,
      )
    })
}

/** Warns about an agent without rules: its key is valid but allows nothing. */
async function noteUnknownAgent(agent: string, options: ConfigOptions): Promise<void> {
  const [{ loadParts }, { createPolicy }, { didYouMean }] = await Promise.all([
    import('../../config/load.ts'),
    import('../../gateway/agents/policy.ts'),
    import('../../base/text/nearest.ts'),
  ])
  const { value, path } = loadParts(await withStoredConfig(toLoadOptions(options))).rules
  if (value === undefined || createPolicy(value).knows(agent)) return
  const hint = didYouMean(agent, Object.keys(value.agents)) ?? 'It may use nothing.'
  process.stderr.write(`Note: agent "${agent}" is not in ${path}. ${hint}\n`)
}

async function mustBeAgentId(agent: string): Promise<void> {
  const { isAgentId } = await import('../../gateway/agents/agent-id.ts')
  if (isAgentId(agent)) return
  throw new GatewayError('INVALID_AGENT_ID', `"${agent}" is not an agent id`, {
    hint: 'Agent ids are made of letters, digits, "_", "." and "-".',
  })
}

function describeKey(key: Key): string {
  const state =
    key.revokedAt !== undefined
      ? `revoked ${day(key.revokedAt)}`
      : (toIso(key.expiresAt) ?? 'no end')
  return [key.id, key.agent, key.role ?? 'agent', `created ${day(key.createdAt)}`, state].join('\t')
}

function toJson(key: Key) {
  return {
    id: key.id,
    agent: key.agent,
    role: key.role ?? 'agent',
    created_at: toIso(key.createdAt),
    expires_at: toIso(key.expiresAt),
    revoked_at: toIso(key.revokedAt),
  }
}

function withRole({ role }: Key): string {
  return role === undefined ? '' : `, with the role ${role}`
}

function toIso(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString()
}

function until(at: number | undefined): string {
  return at === undefined ? '' : `, until ${new Date(at).toISOString()}`
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
