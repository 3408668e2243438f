/**
 * Runs the official conformance suite against a server:
 * `node --import tsx test/conformance/run.ts http://127.0.0.1:7411/mcp [2026-07-28]`
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installSuite } from './suite.ts'

export const REVISIONS = ['2026-07-28', '2025-11-25'] as const
export type Revision = (typeof REVISIONS)[number]

export interface Report {
  /** The scenarios that conformance to the revision requires, each with whether it passed. */
  readonly required: ReadonlyMap<string, boolean>
  /** Run and reported by the suite, but not required. */
  readonly optional: ReadonlyMap<string, boolean>
  /** `scenario: check: what was wrong`, for required scenarios only. */
  readonly failures: readonly string[]
}

export async function runConformance(url: string, revision: Revision): Promise<Report> {
  const { node, program } = await installSuite()
  const folder = await mkdtemp(join(tmpdir(), 'portolan-conformance-out-'))
  try {
    const args = [program, 'server', '--url', url, '--requirements', revision, '-o', folder]
    const { code, output } = await runToEnd(node, args)
    const { required, optional } = readSummary(output)
    if (required.size === 0) throw new Error(`The suite ran no scenario:\n${output.slice(-2_000)}`)
    const failures = await readFailures(folder, required)
    if (code !== 0 && failures.length === 0) failures.push(`the suite itself: exit code ${code}`)
    return { required, optional, failures }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The suite is a process for each scenario, which mostly starts and waits. */
const AT_ONCE = 4

/** Runs single scenarios, such as those of an extension; each with what was wrong, empty where it passed. */
export async function runScenarios(
  url: string,
  scenarios: readonly string[],
): Promise<Record<string, string[]>> {
  return runEach(scenarios, ['server', '--url', url])
}

/** The same for a client, which is a program of ours that gets the URL of the suite's server. */
export async function runClientScenarios(
  program: string,
  scenarios: readonly string[],
): Promise<Record<string, string[]>> {
  return runEach(scenarios, ['client', '--command', `${process.execPath} --import tsx ${program}`])
}

async function runEach(
  scenarios: readonly string[],
  command: readonly string[],
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  const left = [...scenarios]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      found[next] = await runScenario(next, command)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return found
}

async function runScenario(scenario: string, command: readonly string[]): Promise<string[]> {
  const { node, program } = await installSuite()
  const folder = await mkdtemp(join(tmpdir(), 'portolan-conformance-out-'))
  try {
    const args = [program, ...command, '--scenario', scenario, '-o', folder]
    const { code, output } = await runToEnd(node, args)
    if ((await readdir(folder)).length === 0) return [`it did not run: ${output.slice(-1000)}`]
    return await readFailures(folder, new Map([[scenario, code === 0]]))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runToEnd(node: string, args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const options = { maxBuffer: 64 << 20, timeout: 240_000 }
    const child = execFile(node, args, options, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 1, output: stdout + stderr })
    })
  })
}

function readSummary(output: string): Pick<Report, 'required' | 'optional'> {
  const [, summary = ''] = output.split('=== SUMMARY ===')
  const [all = '', notScored = ''] = summary.split(/^Not scored for/m)
  const optional = new Map<string, boolean>()
  for (const [, mark, name = ''] of notScored.matchAll(/^\s+([✓✗]) (\S+) \(/gm))
    optional.set(name, mark === '✓')
  const required = new Map<string, boolean>()
  for (const [, mark, name = ''] of all.matchAll(/^([✓✗]) (\S+): /gm))
    if (!optional.has(name)) required.set(name, mark === '✓')
  return { required, optional }
}

interface Check {
  readonly name: string
  readonly status: string
  readonly errorMessage?: string
}

async function readFailures(folder: string, required: Report['required']): Promise<string[]> {
  const failures: string[] = []
  for (const run of (await readdir(folder)).toSorted()) {
    // Folders are named `server-<scenario>-<time>`, those of clients without the first word.
    const scenario = [...required.keys()].find((name) =>
      [`server-${name}-2`, `client-${name}-2`, `${name}-2`].some((head) => run.startsWith(head)),
    )
    if (scenario === undefined) continue
    const text = await readFile(join(folder, run, 'checks.json'), 'utf8')
    const checks: Check[] = JSON.parse(text)
    for (const { name, status, errorMessage } of checks)
      if (status === 'FAILURE') failures.push(`${scenario}: ${name}: ${errorMessage ?? 'failed'}`)
  }
  for (const [scenario, passed] of required)
    if (!passed && !failures.some((failure) => failure.startsWith(`${scenario}: `)))
      failures.push(`${scenario}: failed`)
  return failures
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , url, only] = process.argv
  if (url === undefined) throw new Error('Usage: run.ts <url> [revision]')
  for (const revision of REVISIONS.filter((name) => only === undefined || name === only)) {
    const { required, failures } = await runConformance(url, revision)
    const passed = [...required.values()].filter(Boolean).length
    process.stdout.write(`${revision}: ${passed}/${required.size} required scenarios pass\n`)
    for (const failure of failures) process.stdout.write(`  ${failure}\n`)
    if (failures.length > 0) process.exitCode = 1
  }
}
