import { commandsFor } from '../../config/servers/missing-variables.ts'
import type { BuiltinName } from '../../builtins/index.ts'
import { isLeftOut } from '../../config/servers/with-builtins.ts'
import { type LoadOptions, loadParts, toConfig } from '../../config/load.ts'
import type { Machine } from '../clients/machine.ts'
import { checkClients } from './check-clients.ts'
import { describeFile } from '../check/index.ts'
import { checkCode, checkKnowledge } from './check-indexes.ts'
import { checkDataFolder, checkNode } from './check-machine.ts'
import { checkGateway } from './check-gateway.ts'
import { checkKeys, checkPort, checkProxy } from './check-network.ts'
import { checkSandbox } from './check-sandbox.ts'
import { checkScripts } from './check-scripts.ts'
import { type CheckServersOptions, checkServers } from './check-servers.ts'
import { checkServices } from './check-services.ts'
import { type Finding, findings, reasonOf } from './finding.ts'
import { checkConfig } from '../../config/check.ts'
import { describeProblem } from '../../config/problem.ts'
import { dataFolder } from '../../config/paths.ts'
import { withStoredConfig } from '../shared/with-database.ts'

export interface DoctorOptions {
  readonly load: LoadOptions
  readonly machine: Machine
  readonly timeoutMs: number
  readonly onProgress: CheckServersOptions['onProgress']
}

/** Runs all checks in parallel; an error in a check becomes a finding. */
export async function runDoctor(options: DoctorOptions): Promise<Finding[]> {
  const { machine } = options
  const { env } = machine
  // If the database has none to give, `files` says why; the other checks use what is here.
  const load = await withStoredConfig(options.load).catch(() => options.load)
  const parts = loadParts(load)
  const settings =
    parts.settings.value ?? loadParts({ ...load, flags: { settings: '' } }).settings.value
  const isWhole = parts.mcp.value !== undefined && parts.settings.value !== undefined
  const lacks = (builtin: BuiltinName) => isWhole && isLeftOut(builtin, toConfig(parts))
  const checks: [area: string, check: () => Promise<Finding[]> | Finding[]][] = [
    ['node', () => [checkNode()]],
    ['files', async () => checkFiles(await withStoredConfig(options.load))],
    ...(settings
      ? ([
          ['data', async () => checkDataFolder(settings.home)],
          ['gateway', async () => checkGateway(dataFolder(machine), env)],
          ['keys', async () => [await checkKeys(settings)]],
          ['port', async () => [await checkPort(settings)]],
          ['scripts', async () => [await checkScripts(settings)]],
          ['code', async () => checkCode(settings.home, lacks('code'))],
          ['knowledge', async () => checkKnowledge(settings.home, env, lacks('knowledge'))],
        ] satisfies typeof checks)
      : []),
    ['proxy', async () => checkProxy(env)],
    ['services', async () => checkServices(env)],
    ['servers', async () => (isWhole ? checkServers(toConfig(parts), options) : [])],
    ['sandbox', async () => (isWhole ? checkSandbox(toConfig(parts)) : [])],
    ['clients', () => checkClients(machine, isWhole ? toConfig(parts) : undefined)],
  ]
  const found = await Promise.all(
    checks.map(async ([area, check]) => {
      try {
        return await check()
      } catch (error) {
        return [findings(area).fail(reasonOf(error))]
      }
    }),
  )
  return found.flat()
}

function checkFiles(load: LoadOptions): Finding[] {
  const { ok, warn, fail } = findings('files')
  const { files, warnings, errors, leftOut } = checkConfig(load)
  return [
    ...files.map((file) =>
      ok(`${describeFile(file)}${file.path === undefined ? ' (portolan init creates one)' : ''}`),
    ),
    ...leftOut.map(({ message, command }) => warn(message, `Read it, then run: ${command}`)),
    ...warnings.map((text) => warn(text, 'Fix the name in the rules, or add the server.')),
    ...errors.map(({ hint, ...problem }) =>
      fail(
        describeProblem(problem),
        hint ??
          commandsFor(problem.message) ??
          'Edit the file; `portolan check` confirms when it is valid.',
      ),
    ),
  ]
}
