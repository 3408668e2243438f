import type { Call } from '../../../../src/dashboard/contract/calls.ts'

type Details = Readonly<Record<string, unknown>>
type Sentence = (details: Details) => string

const of = (details: Details, name: string) => {
  const value = details[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** What people do on the pages, by the name that the audit gives it. */
const CHANGES: Readonly<Record<string, Sentence>> = {
  'keys.create': (it) => `created key ${of(it, 'key')} of ${of(it, 'agent')}`,
  'keys.revoke': (it) => `revoked key ${of(it, 'key')}`,
  'users.invite': (it) => `invited user ${of(it, 'user')} as ${of(it, 'role')}`,
  'users.change': (it) => `changed the groups and role of user ${of(it, 'user')}`,
  'users.disable': (it) => `disabled user ${of(it, 'user')}`,
  'users.remove': (it) => `removed user ${of(it, 'user')}`,
  'sessions.end': () => 'ended a session',
  'servers.restart': (it) => `restarted server ${of(it, 'server')}`,
  'servers.enable': (it) => `enabled server ${of(it, 'server')}`,
  'servers.disable': (it) => `disabled server ${of(it, 'server')}`,
  'servers.add': (it) => `added server ${of(it, 'server')}`,
  'servers.edit': (it) => `edited server ${of(it, 'server')}`,
  'servers.accept': (it) => `accepted changes of server ${of(it, 'server')}`,
  'servers.reject': (it) => `rejected changes of server ${of(it, 'server')}`,
  'servers.remove': (it) => `removed server ${of(it, 'server')}`,
  'rules.change': (it) =>
    `changed the rules: ${Array.isArray(it['changes']) ? it['changes'].map(String).join(', ') : ''}`,
  'config.reload': () => 'reloaded the configuration',
  'config.rollback': (it) => `went back to version ${of(it, 'version')} of the configuration`,
  'capture.start': () => 'switched on keeping arguments and results',
  'capture.stop': () => 'switched off keeping arguments and results',
  'audit.export': (it) => `exported the audit record as ${of(it, 'format')}`,
  'connections.sign-out': (it) => `signed out of server ${of(it, 'server')}`,
  'connections.set-key': () => 'set a key of their own for a server',
  'connections.remove-key': () => 'removed a key of their own for a server',
  'scripts.approve': (it) => `approved script ${of(it, 'script')}`,
  'scripts.reject': (it) => `rejected script ${of(it, 'script')}`,
  'scripts.remove': (it) => `removed script ${of(it, 'script')}`,
  'scripts.propose': (it) => `proposed script ${of(it, 'script')}`,
  'sign-in': (it) => `signed in to ${of(it, 'to') || 'the dashboard'}`,
  'sign-out': () => 'signed out',
  'approvals.asked': (it) => `needs approval for ${target(it)}`,
  'approvals.answered': (it) => `was answered by ${of(it, 'by') || 'nobody'} about ${target(it)}`,
  'approvals.used': (it) => `used the approval for ${target(it)}`,
  'approvals.expired': (it) => `got no answer about ${target(it)}`,
}

/**
 * Says what a person did, or what happened to an approval, after the name of who it was: "created key
 * 3fa of ci". Undefined for a call of an agent.
 */
export function describeChange({
  operation,
  server,
  tool,
  decision,
  arguments: json,
}: Pick<Call, 'operation' | 'server' | 'tool' | 'decision' | 'arguments'>): string | undefined {
  if (operation !== 'dashboard' && operation !== 'approvals') return undefined
  // Pages also call tools, such as a search.
  if (server !== null || tool === null) return undefined
  const sentence = CHANGES[tool]?.(read(json)) ?? tool
  return decision === 'DENY' && operation === 'dashboard' ? `was refused: ${sentence}` : sentence
}

function target(details: Details): string {
  return `${of(details, 'server')} / ${of(details, 'tool')}`
}

function read(json: string | null): Details {
  try {
    const value: unknown = JSON.parse(json ?? '{}')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return typeof value === 'object' && value !== null ? (value as Details) : {}
  } catch {
    // Long details are cut in the record.
    return {}
  }
}
