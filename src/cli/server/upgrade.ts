import { shellWord } from '../../base/text/shell-word.ts'
import { visible } from '../../base/text/visible.ts'
import { type Upgrade, findUpgrade } from '../../app/upstreams/upgrade-package.ts'
import { originOf } from '../../app/upstreams/identity.ts'
import { type Config, loadConfig } from '../../config/load.ts'
import { lockFileOf } from '../../config/lock/lock-file.ts'
import { isExactVersion, pinnablePackage } from '../../config/servers/npm-package.ts'
import type { StdioServer } from '../../config/servers/servers.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type ConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { thisPerson } from '../shared/files/change-files.ts'
import { findGateway } from '../shared/running-gateway.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { count, createTerminal } from '../shared/terminal/terminal.ts'
import { withStoredConfig } from '../shared/with-database.ts'
import { configured } from './run-server.ts'

export interface UpgradeFlags extends ConfigOptions {
  readonly yes?: true
  readonly json?: true
  readonly timeout: number
}

/** Shows what the newest version of a server's package changes, and starts it after a yes. */
export async function upgrade(name: string, flags: UpgradeFlags): Promise<void> {
  const config = loadConfig(await withStoredConfig(toLoadOptions(flags)))
  const server = configured(name, config)
  if (server.kind !== 'stdio')
    throw new GatewayError('INVALID_PARAMS', `'${name}' runs no package of this machine`, {
      hint: 'portolan server list shows which servers do.',
    })
  const place = { cwd: process.cwd(), env: process.env }
  const found = await findUpgrade({ config, server, place, timeoutMs: flags.timeout })
  if (!found) return sayNothingNew(server, flags)
  if (!flags.json) render(found, name)
  const isWanted = flags.yes ?? (!flags.json && (await isConfirmed(found)))
  if (isWanted) {
    await found.apply(thisPerson())
    await restartIn(config, name)
  }
  if (flags.json) return printJson(toJson(name, found, isWanted))
  const { line, paint } = createTerminal()
  if (!isWanted)
    return line(`Nothing was changed. Use it: portolan server upgrade ${shellWord(name)} --yes`)
  line(`${paint('green', '✓')} ${name} is ${found.to.name}@${found.to.version} from now on`)
  const origin = originOf(server)
  if (origin?.locked) line(`${lockFileOf(origin.file)} says so. Commit it.`)
}

function sayNothingNew({ name, command, args }: StdioServer, { json }: UpgradeFlags): void {
  if (json) return printJson({ server: name, upgraded: false, changes: [] })
  const { spec = '' } = pinnablePackage(command, args) ?? {}
  const exact = isExactVersion(spec) ? ` Its entry names version ${spec}; change it there.` : ''
  createTerminal().line(`${name} is what the registry has now.${exact}`)
}

function render({ from, to, changes }: Upgrade, name: string): void {
  const { line, paint } = createTerminal()
  const isOther = from?.version === to.version && from.integrity !== to.integrity
  if (isOther)
    line(`${paint('red', '✗')} The registry has another archive of ${to.version} than before.`)
  line(`${paint('bold', name)}: ${describe(from)} → ${describe(to)}`)
  for (const { kind, name: changed, class: change, reasons, diff } of changes) {
    line(`  ${kind} ${visible(changed)}: ${change}: ${visible(reasons.join('; '))}`)
    for (const text of diff) line(`    ${visible(text)}`)
  }
  if (changes.length === 0) line('  Its tools, prompts and instructions are the same.')
}

function describe(one: Upgrade['from']): string {
  if (!one) return 'not installed'
  const others = Object.keys(one.dependencies ?? {}).length
  return `${one.name}@${one.version}, which needs ${count(others, 'package')}`
}

function toJson(server: string, { from, to, changes }: Upgrade, upgraded: boolean) {
  return { server, from: withoutDependencies(from), to: withoutDependencies(to), changes, upgraded }
}

function withoutDependencies(one: Upgrade['from']) {
  return one ? { name: one.name, version: one.version, integrity: one.integrity } : null
}

async function isConfirmed({ to }: Upgrade): Promise<boolean> {
  const { canAsk, confirm } = createTerminal()
  return canAsk && confirm(`Use ${to.name}@${to.version}?`, false)
}

/** A gateway that runs the server goes on with the old version until it is restarted. */
async function restartIn(config: Config, name: string): Promise<void> {
  const gateway = await findGateway(config, process.env['PORTOLAN_KEY'])
  await gateway?.ask('POST', `/servers/${encodeURIComponent(name)}/restart`)
}
