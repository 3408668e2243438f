import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseApiConfig } from './api-config.ts'
import type { ImportedApi } from '../tools/api-tool.ts'
import { loadImportedApi } from './load-imported-api.ts'
import { parseSpec, readSpec } from '../spec/read-spec.ts'
import { SpecError } from '../spec/spec-error.ts'

const LISTED = 60

/** Writes the start of a pack: the description, and rules to fill in for each of its tools. */
export async function createPack(
  source: string,
  { name: wanted, folder: parent }: { name?: string | undefined; folder: string },
): Promise<{ name: string; folder: string }> {
  const config = parseApiConfig({ openapi: source, allowPrivate: true })
  const content = await readSpec(source, config.allowPrivate)
  await parseSpec(content, source)
  const api = await loadImportedApi(config, { home: undefined })
  const name = wanted ?? slug(api.title)
  if (!/^[\w-]+$/.test(name)) {
    throw new SpecError(`"${name}" cannot name a pack.`, 'Use --name with letters, digits and -.')
  }
  const folder = resolve(parent, name)
  const spec = content.trimStart().startsWith('{') ? 'openapi.json' : 'openapi.yaml'
  await mkdir(folder, { recursive: true })
  await writeNew(join(folder, 'pack.yaml'), await packYaml(api, name, spec))
  await writeNew(join(folder, spec), content)
  return { name, folder }
}

async function packYaml(api: ImportedApi, name: string, spec: string): Promise<string> {
  const { stringify } = await import('yaml')
  const listed = api.tools
    .slice(0, LISTED)
    .map(({ definition, plan }) => [
      plan.operation,
      { name: definition.name, description: definition['description'] },
    ])
  const [baseUrl] = api.servers
  const pack = {
    openapi: `./${spec}`,
    name,
    title: api.title,
    ...(baseUrl === undefined && { baseUrl: 'https://api.example.com' }),
    tools: Object.fromEntries(listed),
  }
  return `${HEADER}${stringify(pack)}`
}

const HEADER = `# An API pack: rules for the tools made of the description beside it.
# docs/guides/api-packs.md explains every key. Delete what you do not change; try it with
#   portolan trust                  after every change, as its files are only used as trusted
#   portolan api inspect <name>     what an agent gets to see
#   portolan api <name>             an MCP server on stdio
# auth: { type: bearer, token: \${MY_TOKEN} }
`

async function writeNew(file: string, content: string): Promise<void> {
  await writeFile(file, content, { flag: 'wx' }).catch((error: unknown) => {
    throw new SpecError(`Cannot write ${file}.`, 'Choose another --name, or remove it first.', {
      cause: error,
    })
  })
}

function slug(title: string): string {
  const words = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return words.replaceAll(/^-+|-+$/g, '').slice(0, 40)
}
