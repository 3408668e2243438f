/**
 * Runs attacks and faults against the built gateway, on loopback. Prints per field how many
 * attempts were made and how many held; `--write` puts the table into docs/guides/security.md.
 *
 *   npm run attack -- [--only clock,secrets] [--write]
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { apiAnswers } from './api-answers.ts'
import { approvals } from './approvals.ts'
import { approvers } from './approvers.ts'
import { batches } from './batches.ts'
import { accountsAtOneUrl } from './accounts-at-one-url.ts'
import { belongings } from './belongings.ts'
import { clock } from './clock.ts'
import { confinement } from './confinement.ts'
import { connections } from './connections.ts'
import { credentials } from './credentials.ts'
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
import { pageChanges } from './page-changes.ts'
import { pages } from './pages.ts'
import { passwordFloods } from './password-floods.ts'
import { privateAddresses } from './private-addresses.ts'
import { provokingServers } from './provoking-servers.ts'
import { recreatedPeople } from './recreated-people.ts'
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
  approvers,
  'frozen-loop': frozenLoop,
  batches,
  'long-queries': longQueries,
  generated,
  belongings,
  secrets,
  kills,
  upstreams,
  'provoking-servers': provokingServers,
  definitions,
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

function writeTable(): void {
  const guide = join(resolve(import.meta.dirname, '../..'), 'docs/guides/security.md')
  const rows = reports.map((report) => `| ${report.field} | ${report.tried} | ${report.held} |`)
  const table = [
    '| field | tried | held |',
    '| --- | --- | --- |',
    ...rows,
    `| **all** | **${tried}** | **${held}** |`,
  ]
  const text = readFileSync(guide, 'utf8')
  const [before = '', rest = ''] = text.split('<!-- attacks: begin -->')
  const after = rest.split('<!-- attacks: end -->')[1] ?? ''
  writeFileSync(
    guide,
    `${before}<!-- attacks: begin -->\n\n${table.join('\n')}\n\n<!-- attacks: end -->${after}`,
  )
  execFileSync('npx', ['oxfmt', guide])
}
