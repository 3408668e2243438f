/**
 * Runs the official conformance suite against a server:
 * `node --import tsx test/conformance/run.ts http://127.0.0.1:7411/mcp [2026-07-28]`
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installSuite } from './suite.ts'

export const REVISIONS = ['2026-07-28', '2025-11-25'] as const
export type Revision = (typeof REVISIONS)[number]

/** Each scenario that was run: what was wrong, one line a check, and nothing where it passed. */
export type Report = ReadonlyMap<string, readonly string[]>

/** Every scenario for servers of a revision, without those of extensions. */
export async function runServerScenarios(url: string, revision: Revision): Promise<Report> {
  const all = ['server', '--url', url, '--suite', 'all', '--spec-version', revision]
  const report = new Map(readSummary(await runSuite(all)))
  if (report.size === 0) throw new Error(`The suite ran no scenario against ${url}`)
  return report
}

/** The suite is a process for each scenario, which mostly starts and waits. */
const AT_ONCE = 4

/** Runs single scenarios, such as those of an extension; each with what was wrong, empty where it passed. */
export async function runScenarios(
  url: string,
  scenarios: readonly string[],
): Promise<Record<string, readonly string[]>> {
  const run = async (scenario: string) =>
    readChecks(await runSuite(['server', '--url', url, '--scenario', scenario]))
  return Object.fromEntries(await runAll(scenarios, run))
}

/** Every scenario for clients of a revision, but for those about authorization and extensions. */
export async function runClientScenarios(revision: Revision): Promise<Report> {
  const scenarios = await listClientScenarios(revision)
  return runAll(scenarios, async (scenario) => runClientScenario(scenario, revision))
}

/** Single scenarios for clients, with a program of ours that gets the URL of the suite's server. */
export async function runScenariosOfClient(
  program: string,
  scenarios: readonly string[],
): Promise<Record<string, readonly string[]>> {
  const run = async (scenario: string) =>
    readChecks(await runSuite([...asClient(program), '--scenario', scenario]))
  return Object.fromEntries(await runAll(scenarios, run))
}

function asClient(program: string): string[] {
  return ['client', '--command', `${process.execPath} --import tsx ${program}`]
}

async function runAll(
  scenarios: readonly string[],
  run: (scenario: string) => Promise<readonly string[]>,
): Promise<Report> {
  const report = new Map<string, readonly string[]>(scenarios.map((scenario) => [scenario, []]))
  const left = [...scenarios]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      report.set(next, await run(next))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return report
}

/** One scenario for clients, with a gateway as the client. */
async function runClientScenario(scenario: string, revision: Revision): Promise<readonly string[]> {
  const client = asClient(join(import.meta.dirname, 'client.ts'))
  const which = ['--scenario', scenario, '--spec-version', revision]
  return readChecks(await runSuite([...client, ...which]))
}

async function listClientScenarios(revision: Revision): Promise<string[]> {
  const { output } = await runSuite(['list'])
  const [, clients = ''] = /^Client scenarios.*\n((?: .*\n)+)/m.exec(output) ?? []
  return [...clients.matchAll(/- (\S+) \[(.*)\]/g)].flatMap(([, name = '', revisions = '']) =>
    !name.startsWith('auth/') && revisions.split(',').includes(revision) ? [name] : [],
  )
}

/** Of one scenario, on a machine that does much else. */
const SCENARIO_MS = 90_000

interface Ended {
  readonly code: number
  readonly output: string
}

async function runSuite(args: readonly string[]): Promise<Ended> {
  const { node, program } = await installSuite()
  return new Promise((resolve) => {
    const options = { maxBuffer: 64 << 20, timeout: 240_000 }
    const given = args[0] === 'list' ? args : [...args, '--timeout', String(SCENARIO_MS)]
    const child = execFile(node, [program, ...given], options, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 1, output: stdout + stderr })
    })
  })
}

/** What a run of many scenarios says of each. */
function readSummary({ output }: Ended): Map<string, string[]> {
  const [details = '', summary = ''] = output.split('=== SUMMARY ===')
  const report = new Map<string, string[]>()
  for (const [, mark, name = '', counts = ''] of summary.matchAll(/^([✓✗]) (\S+): (.*)$/gm))
    report.set(name, mark === '✓' ? [] : [counts, ...failedChecks(sectionOf(details, name))])
  return report
}

function sectionOf(details: string, scenario: string): string {
  return (
    details.split(/^=== Running scenario: /m).find((part) => part.startsWith(`${scenario} `)) ?? ''
  )
}

/** What a run of one scenario says: exit code 0 is a pass. */
function readChecks({ code, output }: Ended): string[] {
  if (code === 0) return []
  const failed = failedChecks(output)
  return failed.length > 0 ? failed : [output.slice(-2_000)]
}

function failedChecks(output: string): string[] {
  // oxlint-disable-next-line no-control-regex -- the suite colours its output
  const plain = output.replaceAll(/\u001B\[\d+m/g, '')
  return [...plain.matchAll(/^\S+ \[(\S+) *\] FAILURE +(.*)$/gm)].map(
    ([, check, text]) => `${check}: ${text}`,
  )
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , url, only] = process.argv
  if (url === undefined) throw new Error('Usage: run.ts <url> [revision]')
  for (const revision of REVISIONS.filter((name) => only === undefined || name === only)) {
    const report = await runServerScenarios(url, revision)
    const failed = [...report].filter(([, problems]) => problems.length > 0)
    process.stdout.write(
      `${revision}: ${report.size - failed.length}/${report.size} scenarios pass\n`,
    )
    for (const [scenario, problems] of failed)
      process.stdout.write(`  ${scenario}\n${problems.map((line) => `    ${line}\n`).join('')}`)
    if (failed.length > 0) process.exitCode = 1
  }
}
