/**
 * Runs attacks and faults against the built gateway, on loopback. Prints per field how many
 * attempts were made and how many held; `--write` puts the table into docs/reference/attacks.md.
 *
 *   npm run attack -- [--only clock,secrets] [--write]
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { apiAnswers } from './api-answers.ts'
import { approvalLinks } from './approval-links.ts'
import { approvalWays } from './approval-ways.ts'
import { approvals } from './approvals.ts'
import { approvers } from './approvers.ts'
import { batches } from './batches.ts'
import { accountsAtOneUrl } from './accounts-at-one-url.ts'
import { belongings } from './belongings.ts'
import { changingServers } from './changing-servers.ts'
import { clock } from './clock.ts'
import { confinement } from './confinement.ts'
import { connections } from './connections.ts'
import { credentials } from './credentials.ts'
import { escapes } from './escapes.ts'
import { folderPacks } from './folder-packs.ts'
import { definitions } from './definitions.ts'
import { frozenLoop } from './frozen-loop.ts'
import { generated } from './generated.ts'
import { gitCommands } from './git-commands.ts'
import { hostileRepositories } from './hostile-repositories.ts'
import { injection } from './injection.ts'
import { kills } from './kills.ts'
import { longQueries } from './long-queries.ts'
import { letterCase } from './letter-case.ts'
import { neighbours } from './neighbours.ts'
import { packages } from './packages.ts'
import { pageChanges } from './page-changes.ts'
import { pages } from './pages.ts'
import { passwordFloods } from './password-floods.ts'
import { privateAddresses } from './private-addresses.ts'
import { provokingServers } from './provoking-servers.ts'
import { recreatedPeople } from './recreated-people.ts'
import { registryAnswers } from './registry-answers.ts'
import { type Attack, Field, type FieldReport } from './report.ts'
import { scripts } from './scripts.ts'
import { secrets } from './secrets.ts'
import { sessions } from './sessions.ts'
import { sharedGateway } from './shared-gateway.ts'
import { signIn } from './sign-in.ts'
import { signIns } from './sign-ins.ts'
import { trust } from './trust.ts'
import { slowReaders } from './slow-readers.ts'
import { upstreams } from './upstreams.ts'
import { visitors } from './visitors.ts'

const ATTACKS: Readonly<Record<string, Attack>> = {
  'private-addresses': privateAddresses,
  confinement,
  pages,
  injection,
  credentials,
  'sign-in': signIn,
  sessions,
  'shared-gateway': sharedGateway,
  visitors,
  'page-changes': pageChanges,
  approvals,
  'approval-ways': approvalWays,
  approvers,
  'approval-links': approvalLinks,
  'frozen-loop': frozenLoop,
  batches,
  'long-queries': longQueries,
  generated,
  belongings,
  secrets,
  kills,
  upstreams,
  'provoking-servers': provokingServers,
  escapes,
  packages,
  definitions,
  'changing-servers': changingServers,
  connections,
  'slow-readers': slowReaders,
  'sign-ins': signIns,
  trust,
  'recreated-people': recreatedPeople,
  'letter-case': letterCase,
  'accounts-at-one-url': accountsAtOneUrl,
  'password-floods': passwordFloods,
  clock,
  scripts,
  'git-commands': gitCommands,
  'hostile-repositories': hostileRepositories,
  neighbours,
  'folder-packs': folderPacks,
  'api-answers': apiAnswers,
  'registry-answers': registryAnswers,
}

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, write: { type: 'boolean', default: false } },
})
const wanted = options.only?.split(',') ?? Object.keys(ATTACKS)
const unknown = wanted.find((name) => !Object.hasOwn(ATTACKS, name))
if (unknown !== undefined)
  throw new Error(
    `--only: no attack is called ${unknown}. There are ${Object.keys(ATTACKS).join(', ')}`,
  )
const reports: FieldReport[] = []
for (const [name, attack] of Object.entries(ATTACKS)) {
  if (!wanted.includes(name)) continue
  const field = new Field(attack.name)
  await attack
    .run(field)
    .catch(async (error: unknown) => field.try(`the field itself: ${String(error)}`, () => false))
  const report = field.report()
  reports.push(report)
  console.log(`${report.field}: ${report.held} of ${report.tried} held`)
  for (const failure of report.failed) console.log(`  did not hold: ${failure}`)
}

const tried = reports.reduce((sum, report) => sum + report.tried, 0)
const held = reports.reduce((sum, report) => sum + report.held, 0)
if (options.write) writeTable()
console.log(`RESULT ${JSON.stringify({ tried, held, fields: reports })}`)
process.exit(held === tried ? 0 : 1)

/** Writes the rows of this run; those of families that did not run stay as they are. */
function writeTable(): void {
  const page = join(resolve(import.meta.dirname, '../..'), 'docs/reference/attacks.md')
  const text = readFileSync(page, 'utf8')
  const [before = '', rest = ''] = text.split('<!-- attacks: begin -->')
  const [earlier = '', after = ''] = rest.split('<!-- attacks: end -->')
  const counts = new Map(
    [...earlier.matchAll(/^\| (\S.*?) +\| (\d+) +\| (\d+) +\|$/gm)].map(
      ([, field = '', ...figures]) => [field, figures.map(Number)] as const,
    ),
  )
  for (const { field, tried: all, held: good } of reports) counts.set(field, [all, good])
  const rows = Object.values(ATTACKS).flatMap(({ name }) => {
    const row = counts.get(name)
    return row === undefined ? [] : [{ name, row }]
  })
  const sum = (index: number) => rows.reduce((total, { row }) => total + (row[index] ?? 0), 0)
  const table = [
    '| field | tried | held |',
    '| --- | --- | --- |',
    ...rows.map(({ name, row }) => `| ${name} | ${row.join(' | ')} |`),
    `| **all** | **${sum(0)}** | **${sum(1)}** |`,
  ]
  writeFileSync(
    page,
    `${before}<!-- attacks: begin -->\n\n${table.join('\n')}\n\n<!-- attacks: end -->${after}`,
  )
  execFileSync('npx', ['oxfmt', page])
}
