// Measures how many changes of published servers wait for a person: `npm run bench -- fatigue`. Lists
// the last ten versions of each server of test/compat, as far as they start, and upgrades through them.
// Every change that is held must be in bench/fatigue/README.md, with why it is right to hold it.
// `--show` prints what is held; `--only a,b` takes some servers. The first run takes an hour.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { suspectsOf } from '../src/app/upstreams/suspects.ts'
import type { Listing } from '../src/gateway/upstream.ts'
import { type AcceptedRecord, emptyRecord } from '../src/upstreams/drift/accepted-record.ts'
import { applyDrift, withAccepted } from '../src/upstreams/drift/apply-drift.ts'
import { checkList } from '../src/upstreams/listing/check-list.ts'
import { EMPTY_LISTING, toTool } from '../src/upstreams/listing/listing.ts'
import { type Published, SERVERS } from '../test/compat/servers.ts'
import { type ListedVersion, listVersions } from './fatigue/list-versions.ts'
import { round } from './support/numbers.ts'

const { values: options } = parseArgs({
  options: { show: { type: 'boolean', default: false }, only: { type: 'string' } },
})
const wanted = options.only?.split(',')
/** What is held, by server, version and name. */
const rows = new Set(
  readFileSync(join(import.meta.dirname, 'fatigue/README.md'), 'utf8')
    .split('\n')
    .map((row) =>
      row.split('|').slice(1, 4).join(' ').replaceAll('`', '').replaceAll(/\s+/g, ' ').trim(),
    ),
)

const servers = SERVERS.filter(
  ({ name, unlisted }) => unlisted === undefined && (wanted?.includes(name) ?? true),
)
const [counts, held] = [{ servers: 0, upgrades: 0, changed: 0, upgradesHeld: 0 }, new Set<string>()]
const quarantined: string[] = []
for (const server of servers) {
  const listed = (await listVersions(server)).filter(({ tools }) => tools.length > 0)
  if (listed.length < 2) continue
  counts.servers += 1
  upgrade(server, listed)
}
const unjustified = [...held].filter((one) => !rows.has(one))
for (const one of unjustified) console.log(`not in bench/fatigue/README.md: ${one}`)
console.log(
  `RESULT ${JSON.stringify({
    ...counts,
    held: held.size,
    heldPer100Upgrades: round((100 * held.size) / counts.upgrades, 2),
    upgradesHeldPer100: round((100 * counts.upgradesHeld) / counts.upgrades, 2),
    quarantined,
    unjustified: unjustified.length,
  })}`,
)

/** Upgrades a server version by version; what is held is accepted, as its person would. */
function upgrade({ name }: Published, versions: readonly ListedVersion[]): void {
  const suspectsAmong = suspectsOf(name)
  let record: AcceptedRecord = emptyRecord(name)
  for (const [index, version] of versions.entries()) {
    const result = applyDrift(toListing(name, version), { record, suspectsAmong })
    if (index === 0) {
      if (result.record.quarantine !== undefined) quarantined.push(name)
    } else {
      counts.upgrades += 1
      if (result.fresh.length > 0) counts.changed += 1
      const waiting = result.fresh.filter((change) => change.held)
      if (waiting.length > 0) counts.upgradesHeld += 1
      for (const { kind, name: changed, reasons } of waiting) {
        held.add(`${name} ${version.version} ${changed}`)
        if (options.show)
          console.log(`${name} ${version.version} ${kind} ${changed}: ${reasons.join('; ')}`)
      }
    }
    record = acceptAll(result.record)
  }
}

function acceptAll(record: AcceptedRecord): AcceptedRecord {
  const accepted = withAccepted(record.accepted, record.held)
  return { ...record, held: [], accepted, quarantine: undefined }
}

function toListing(name: string, version: ListedVersion): Listing {
  const entries = (list: 'tools' | 'prompts' | 'resourceTemplates') =>
    checkList(list, version[list]).entries
  return {
    ...EMPTY_LISTING,
    tools: entries('tools').map((definition) => toTool(name, definition)),
    prompts: entries('prompts'),
    resourceTemplates: entries('resourceTemplates'),
    instructions: version.instructions,
    serverInfo: { name },
    variant: 'legacy',
  }
}
