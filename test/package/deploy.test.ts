import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { leaves } from '../../src/config/settings/schema-tree.ts'
import { FOREIGN, variableOfSetting } from '../../src/config/settings/settings-env.ts'
import { settingsSchema } from '../../src/config/settings/settings.ts'
import { startGateway } from '../support/gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { tempFolder } from '../support/temp-folder.ts'

// No container engine and no cluster is asked here: what is checked is what the files say.
const DEPLOY = join(import.meta.dirname, '../../deploy')
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8')

const KNOWN = new Set([
  ...leaves(settingsSchema).map(({ path }) => variableOfSetting(path)),
  ...FOREIGN.map(([variable]) => variable),
  'GATEWAY_MCP_CONFIG',
  'GATEWAY_RULES',
  'PORTOLAN_CONFIG',
  'PORTOLAN_DATABASE_URL',
  'PORTOLAN_REDIS_URL',
  'NODE_ENV',
])

/** The variables that a file sets for the gateway. */
const NAMES: Record<string, () => string[]> = {
  Dockerfile: () => {
    const [, block = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(read('Dockerfile')) ?? []
    return [...block.matchAll(/(\w+)=/g)].map(([, name = '']) => name)
  },
  'compose.yaml': () => Object.keys(parse(read('compose.yaml')).services.gateway.environment),
  'portolan.service': () =>
    [...read('portolan.service').matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name),
  'kubernetes.yaml': () =>
    kubernetes().Deployment.spec.template.spec.containers[0].env.map(
      ({ name }: { name: string }) => name,
    ),
}

function kubernetes() {
  const documents = parseAllDocuments(read('kubernetes.yaml')).map((each) => {
    expect(each.errors).toEqual([])
    return each.toJS({ maxAliasCount: 10 })
  })
  return Object.fromEntries(documents.map((each) => [each.kind, each]))
}

it.each(Object.entries(NAMES))('%s sets only variables that Portolan reads', (_, namesIn) => {
  const names = namesIn()
  expect(names.length).toBeGreaterThan(1)
  expect(names.filter((name) => !KNOWN.has(name))).toEqual([])
})

it('the manifest, its probes and its volumes fit together', () => {
  const { Deployment, Service, PodDisruptionBudget } = kubernetes()
  const { metadata, spec } = Deployment.spec.template
  for (const selector of [
    Deployment.spec.selector.matchLabels,
    Service.spec.selector,
    PodDisruptionBudget.spec.selector.matchLabels,
  ])
    expect(metadata.labels).toMatchObject(selector)
  const [container] = spec.containers
  const volumes = spec.volumes.map(({ name }: { name: string }) => name)
  expect(container.volumeMounts.map(({ name }: { name: string }) => name)).toEqual(volumes)
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
    expect(container[probe].httpGet.port).toBe(container.ports[0].name)
  expect(spec.securityContext.runAsNonRoot).toBe(true)
  expect(container.securityContext).toMatchObject({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
  })
})

it('the compose file waits for its services and exposes nothing to the network', () => {
  const { services, volumes } = parse(read('compose.yaml'))
  const { gateway } = services
  expect(Object.keys(gateway.depends_on)).toEqual(['database', 'redis'])
  for (const name of Object.keys(gateway.depends_on))
    expect(services[name].healthcheck.test).toBeDefined()
  for (const port of gateway.ports) expect(port).toMatch(/^127\.0\.0\.1:/)
  const named = Object.values<{ volumes?: string[] }>(services)
    .flatMap((service) => service.volumes ?? [])
    .filter((volume) => !/^[.$]/.test(volume))
  const used = new Set(named.map((volume) => volume.split(':')[0]))
  expect(used).toEqual(new Set(Object.keys(volumes)))
})

it('each system that runs by itself has its variables and its port, for this machine only', () => {
  const { services } = parse(read('compose.yaml'), { merge: true })
  const alone = Object.entries<{
    profiles?: string[]
    ports: string[]
    environment: Record<string, string | number>
  }>(services).filter(([, { profiles }]) => profiles !== undefined)
  expect(alone.map(([name]) => name)).toEqual([
    'commontrace',
    'cocosearch',
    'nsip',
    'knowledge-mcp',
  ])
  for (const [name, { profiles, ports, environment }] of alone) {
    expect(profiles).toEqual([name])
    const port = environment['MCP_PORT']
    expect(ports).toEqual([`127.0.0.1:${port}:${port}`])
  }
})

it('the files of /config make a gateway that its health check and its probes find well', async () => {
  const folder = tempFolder()
  const config = [
    ['--mcp', '.mcp.json'],
    ['--rules', '.mcp-gateway-rules.json'],
    ['--config', 'portolan.yaml'],
  ].flatMap(([flag = '', name = '']) => [flag, join(DEPLOY, 'config', name)])
  const checked = await runBuilt(folder, ['check', ...config])
  expect({ code: checked.code, warnings: checked.stderr.match(/⚠.*/g) }).toEqual({
    code: 0,
    warnings: null,
  })
  // As in the container, but for the loopback; drained at once, as nobody balances load here.
  const env = { PORTOLAN_LISTEN_DRAIN_MS: '0' }
  const gateway = await startGateway(folder, [...config, '--host', '127.0.0.1'], env)
  const statusOf = async (path: string) =>
    (await fetch(gateway.url + path, { headers: { host: 'localhost' } })).status
  expect(await statusOf('/health')).toBe(200)
  // Not before its built-in servers are listed.
  await expect.poll(async () => statusOf('/ready'), { timeout: 60_000 }).toBe(200)
  const [, command = '[]'] = /^HEALTHCHECK .*\\\n {2}CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? []
  const [program = '', ...args]: string[] = JSON.parse(command)
  const at = (port: string) => args.map((arg) => arg.replace('7411', port))
  expect(program).toBe('node')
  expect(spawnSync(process.execPath, at(new URL(gateway.url).port)).status).toBe(0)
  expect(spawnSync(process.execPath, at('9')).status).toBe(1)
  const { port } = new URL(gateway.url)
  for (const name of ['PORTOLAN_LISTEN_PORT', 'GATEWAY_PORT', 'MCP_PORT']) {
    const { status } = spawnSync(process.execPath, args, { env: { [name]: port } })
    expect(status, `the health check follows ${name}`).toBe(0)
  }
})

it('the image runs as somebody who is not root, and starts what the package has', () => {
  const [, last = ''] = /^(?:[\s\S]*\n)(FROM [\s\S]*)$/.exec(read('Dockerfile')) ?? []
  expect(last).toMatch(/^USER node$/m)
  expect(last).toContain('/app/node_modules/portolan/dist/cli/main.js')
  const { bin } = JSON.parse(readFileSync(join(DEPLOY, '../package.json'), 'utf8'))
  expect(bin.portolan).toBe('./dist/cli/main.js')
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

it.runIf(hasSystemd)('systemd finds nothing wrong with the unit', () => {
  const { status, stderr } = spawnSync('systemd-analyze', [
    'verify',
    join(DEPLOY, 'portolan.service'),
  ])
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' })
})
