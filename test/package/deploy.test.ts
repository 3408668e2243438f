import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import {
  DEPLOY,
  readComposeFile,
  readDocumentedCommand,
  readHealthCheck,
  readImageVariables,
} from '../../deploy/by-hand/compose-file.ts'
import { Container } from '../../deploy/by-hand/container.ts'
import { leaves } from '../../src/config/settings/schema-tree.ts'
import { FOREIGN, variableOfSetting } from '../../src/config/settings/settings-env.ts'
import { settingsSchema } from '../../src/config/settings/settings.ts'
import { freePort } from '../support/free-port.ts'
import { startGateway } from '../support/gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { tempFolder } from '../support/temp-folder.ts'

// No container engine and no cluster is asked here; test/database/deploy.test.ts runs compose.yaml.
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
  'PORTOLAN_SECRET_KEY',
  // Of the programs that servers are.
  'HOME',
  'PATH',
  'XDG_CACHE_HOME',
  'npm_config_cache',
])

/** The variables that a file sets for the gateway. */
const NAMES: Record<string, () => string[]> = {
  Dockerfile: () => Object.keys(readImageVariables()),
  'compose.yaml': () => Object.keys(compose('compose.yaml').services.gateway.environment),
  'portolan.service': () => Object.keys(unitVariables('portolan.service')),
  'portolan-backup.service': () => Object.keys(unitVariables('portolan-backup.service')),
  'kubernetes.yaml': () =>
    kubernetes().Deployment.spec.template.spec.containers[0].env.map(
      ({ name }: { name: string }) => name,
    ),
}

const compose = (name: string) => parse(read(name), { merge: true })

function unitVariables(name: string): Record<string, string> {
  const lines = [...read(name).matchAll(/^Environment=(\w+)=(.*)$/gm)]
  return Object.fromEntries(lines.map(([, variable = '', value = '']) => [variable, value]))
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
  const { Deployment, Service, Ingress, PodDisruptionBudget, CronJob } = kubernetes()
  const { metadata, spec } = Deployment.spec.template
  for (const selector of [
    Deployment.spec.selector.matchLabels,
    Service.spec.selector,
    PodDisruptionBudget.spec.selector.matchLabels,
  ])
    expect(metadata.labels).toMatchObject(selector)
  for (const pod of [spec, CronJob.spec.jobTemplate.spec.template.spec]) {
    const [container] = pod.containers
    const volumes = pod.volumes.map(({ name }: { name: string }) => name)
    expect(container.volumeMounts.map(({ name }: { name: string }) => name)).toEqual(volumes)
    expect(pod.securityContext.runAsNonRoot).toBe(true)
    expect(container.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
    })
  }
  const [container] = spec.containers
  const { name, containerPort } = container.ports[0]
  expect(container.env).toContainEqual({ name: 'PORTOLAN_LISTEN_PORT', value: `${containerPort}` })
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
    expect(container[probe].httpGet.port).toBe(name)
  const [{ host, http }] = Ingress.spec.rules
  expect(Ingress.spec.tls[0].hosts).toEqual([host])
  expect(container.env).toContainEqual({
    name: 'PORTOLAN_LISTEN_PUBLIC_URL',
    value: `https://${host}`,
  })
  expect(http.paths[0].backend.service).toEqual({
    name: Service.metadata.name,
    port: { name: Service.spec.ports[0].name },
  })
})

const hasKubectl = spawnSync('kubectl', ['kustomize', '--help']).status === 0

it.runIf(hasKubectl)('kustomize puts secrets, configuration and image into the manifest', () => {
  const folder = tempFolder()
  cpSync(DEPLOY, folder.path, { recursive: true })
  folder.write('.env', 'PORTOLAN_SECRET_KEY=s3cret\nPORTOLAN_DATABASE_URL=postgres://x\n')
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder.path])
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' })
  const documents = parseAllDocuments(stdout.toString()).map((each) => each.toJS())
  const byKind = Object.fromEntries(documents.map((each) => [each.kind, each]))
  const { Secret, ConfigMap, Deployment } = byKind
  expect(Object.keys(Secret.data)).toEqual(['PORTOLAN_DATABASE_URL', 'PORTOLAN_SECRET_KEY'])
  expect(Object.keys(ConfigMap.data).toSorted()).toEqual(
    readdirSync(join(DEPLOY, 'config')).toSorted(),
  )
  const { containers, volumes } = Deployment.spec.template.spec
  expect(containers[0].envFrom).toEqual([{ secretRef: { name: Secret.metadata.name } }])
  expect(containers[0].image).toBe('portolan:0.1.0')
  expect(volumes).toContainEqual({ name: 'config', configMap: { name: ConfigMap.metadata.name } })
})

it('the compose file waits for its services and exposes nothing to the network', () => {
  const { services, volumes } = compose('compose.yaml')
  for (const name of ['gateway', 'gateway2', 'backup']) {
    expect(Object.keys(services[name].depends_on)).toEqual(['database', 'redis'])
    expect(services[name].ports).toBeUndefined()
  }
  for (const name of ['database', 'redis', 'proxy'])
    expect(services[name].healthcheck.test).toBeDefined()
  for (const port of services.proxy.ports) expect(port).toMatch(/^127\.0\.0\.1:/)
  expect(namedVolumes(services)).toEqual(new Set(Object.keys(volumes)))
})

function namedVolumes(services: Record<string, { volumes?: string[] }>): Set<string | undefined> {
  const named = Object.values(services)
    .flatMap((service) => service.volumes ?? [])
    .filter((volume) => !/^[.$]/.test(volume))
  return new Set(named.map((volume) => volume.split(':')[0]))
}

it('there is one policy for Redis, in the file and in the guides', () => {
  const { command } = compose('compose.yaml').services.redis
  const policy = command[command.indexOf('--maxmemory-policy') + 1]
  for (const guide of ['deploy', 'scaling']) {
    const text = readFileSync(join(DEPLOY, `../docs/guides/${guide}.md`), 'utf8')
    expect(new Set(text.match(/\w+-lru/g))).toEqual(new Set([policy]))
  }
})

it('each system of systems.yaml has its port for this machine only, and its own data', () => {
  const { services, volumes } = compose('systems.yaml')
  expect(Object.keys(services)).toEqual(['commontrace', 'cocosearch', 'nsip', 'knowledge-mcp'])
  for (const { ports, environment } of Object.values<{
    ports: string[]
    environment: Record<string, string | number>
  }>(services)) {
    const port = environment['MCP_PORT']
    expect(ports).toEqual([`127.0.0.1:${port}:${port}`])
  }
  expect(namedVolumes(services)).toEqual(new Set(Object.keys(volumes)))
})

it.each(
  Object.entries(readComposeFile('systems.yaml', { PROJECT: './config', DOCUMENTS: './config' })),
)('%s of systems.yaml starts as it is written, and its health check passes', async (_, service) => {
  const folder = tempFolder()
  chmodSync(folder.path, 0o755)
  const places = { folder: folder.path, addresses: new Map() }
  const system = new Container(service, places, await freePort(), 'MCP_PORT')
  expect((await system.run('keys', 'create', 'ada')).trim()).toMatch(/^ptk_/)
  await system.start(onTestFinished)
  expect(system.isHealthy()).toBe(true)
  await system.stop()
  expect(system.isHealthy()).toBe(false)
})

it('the unit starts with its variables and the files of /etc/portolan', async () => {
  const folder = tempFolder()
  const here = (text: string) =>
    text.replaceAll(/\/etc\/portolan|\/var\/(lib|cache)\/portolan/g, (path) => folder.path + path)
  for (const path of ['etc/portolan', 'var/lib/portolan/home', 'var/cache/portolan'])
    mkdirSync(folder.file(path), { recursive: true })
  const commands = [
    readDocumentedCommand('portolan.service', 'install'),
    readDocumentedCommand('portolan.service', '(set -C'),
  ]
  for (const command of commands)
    execFileSync('/bin/bash', ['-c', here(command)], { cwd: join(DEPLOY, '..') })
  const secret = parseEnv(folder.read('etc/portolan/env'))['PORTOLAN_SECRET_KEY'] ?? ''
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  const variables = Object.entries(unitVariables('portolan.service')).map(([name, value]) => [
    name,
    here(value),
  ])
  const env = {
    ...Object.fromEntries(variables),
    PORTOLAN_SECRET_KEY: secret,
    PORTOLAN_LISTEN_DRAIN_MS: '0',
  }
  const gateway = await startGateway(folder, ['--host', '127.0.0.1'], env)
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200)
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
  const [program = '', ...args] = readHealthCheck()
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

const UNITS = ['portolan.service', 'portolan-backup.service', 'portolan-backup.timer']
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

it.runIf(hasSystemd)('systemd finds nothing wrong with the units', () => {
  const { status, stderr } = spawnSync('systemd-analyze', [
    'verify',
    ...UNITS.map((name) => join(DEPLOY, name)),
  ])
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' })
})
